/** A build's texts in a file: in any order of cards, each has its own; texts packed in pieces are as if packed at once. */
import assert from 'node:assert/strict'
import { existsSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { constants, gunzipSync, gzipSync } from 'node:zlib'
import { compileBulk, gzipHead } from '../../build/compile/bulk.ts'
import type { Card, CardBlock } from '../../build/compile/card-block.ts'
import { cardsJob } from '../../build/compile/cards.ts'
import { offsets } from '../../build/compile/columns.ts'
import { TextsFile } from '../../build/compile/texts-file.ts'
import { WorkerPool } from '../../build/workers/pool.ts'
import { gameSlugs } from '../../src/games.ts'
import { readBulkFile } from '../../src/indexes/bulk-file.ts'
import { cardEnd, cardStart, textBytes } from '../../src/indexes/cards-file.ts'
import { extrasStart } from '../indexes/checks/cards.ts'
import { amount } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'
import { drawBelow, drawFrom, randomFrom } from '../support/random.ts'

const random = randomFrom(17)
/** Texts of cards in blocks of any size, more than are read at a time, and of some cards few bytes. */
function cardsIn(file: TextsFile, count: number) {
  const cards: Card[] = []
  const texts: string[][] = []
  while (cards.length < count) {
    const ofBlock = Array.from({ length: 1 + drawBelow(random, 400) }, () => {
      const number = texts.length
      const prices = Array.from({ length: 1 + drawBelow(random, 60) }, () => drawBelow(random, 100_000)).join()
      const more = ',7'.repeat(drawBelow(random, 1700))
      texts.push([
        `${cardStart}{"id":"${number}","p":[${prices}${more}]}${cardEnd}`,
        `item ${number}`,
        `summary ${number}`,
        `${extrasStart}${number}}`,
      ])
      return texts.at(-1)!
    })
    const all = ofBlock.flat()
    const block = {
      from: file.write(Buffer.from(all.join(''))),
      textsAt: offsets(all.map((text) => text.length)),
      games: Uint8Array.from(ofBlock, () => drawFrom(random, [0, 0, 0, 0, 0, 1])),
    } as Partial<CardBlock> as CardBlock
    for (const row of ofBlock.keys()) cards.push({ block, row })
  }
  return { cards, texts }
}

const folder = temporaryFolder()
const file = TextsFile.create(join(folder, 'texts'))
const { cards, texts } = cardsIn(file, amount(3500, 6000))
const shuffled = Uint32Array.from(cards.keys())
for (let i = shuffled.length - 1; i > 0; i--) {
  const other = drawBelow(random, i + 1)
  ;[shuffled[i], shuffled[other]] = [shuffled[other]!, shuffled[i]!]
}

it('it has no name from the start', () => assert.deepEqual(readdirSync(folder), []))

it('gives each card its texts, in any order, all or some of them', () => {
  for (const positions of [
    Uint32Array.from(cards.keys()),
    shuffled,
    shuffled.slice(0, 50),
    Uint32Array.from(shuffled.slice(0, cards.length / 2))
      .sort()
      .reverse(),
    new Uint32Array(0),
  ]) {
    let done = 0
    let chunks = 0
    for (const chunk of file.read(cards, positions)) {
      chunks++
      chunk.cards.forEach((card, i) => {
        const position = positions[done++]!
        assert.equal(card, cards[position])
        const end = chunk.starts[i]! + texts[position]!.join('').length
        assert.equal(Buffer.from(chunk.bytes.subarray(chunk.starts[i]!, end)).toString(), texts[position]!.join(''))
      })
    }
    assert.equal(done, positions.length)
    assert.ok(chunks > 1 || positions.length < cards.length, 'in several chunks')
  }
})

it('the cards of a game are packed to the bytes that they come to in one piece', async () => {
  const files = await compileBulk(cards, shuffled, file)
  assert.equal(files.length, gameSlugs.length)
  for (const [game, [, source]] of files.entries()) {
    const packed = readBulkFile(Buffer.concat([...(source as { pieces: Iterable<Uint8Array> }).pieces]))
    const lines = Array.from(shuffled)
      .filter((position) => cards[position]!.block.games[cards[position]!.row] === game)
      .map((position) => {
        const card = cards[position]!
        const json = texts[position]![0]!.slice(
          cardStart.length,
          textBytes(card, 'details') - '}'.length - cardEnd.length,
        )
        return `${json}${texts[position]![3]}\n`
      })
      .join('')
    const atOnce = gzipSync(lines, { level: constants.Z_BEST_COMPRESSION, memLevel: constants.Z_MAX_MEMLEVEL })
    atOnce.set(gzipHead)
    assert.equal(gunzipSync(packed.gzip).toString(), lines)
    assert.ok(atOnce.equals(packed.gzip), `${gameSlugs[game]}`)
    assert.equal(packed.bytes, lines.length)
  }
})

it('a disk that refuses them refuses the task, in the system’s words, and the pool goes on', {
  skip: !existsSync('/dev/full') && 'needs /dev/full',
}, async () => {
  for (const size of [1, 2]) {
    const pool = new WorkerPool(size, 0)
    pool.expect(1)
    const line = Buffer.from(`{"id":"mtg-a","game":"mtg","name":"A","setCode":"a","prices":{"market":1}}\n`)
    const block = { file: 'cards/a.ndjson', line: 1, bytes: line }
    const pages = new Int32Array(new SharedArrayBuffer(4))
    pool.prepare(cardsJob, { sets: [], texts: { descriptor: openSync('/dev/full', 'w'), pages }, currency: null })
    await assert.rejects(pool.run(cardsJob, block), { code: 'ENOSPC', syscall: 'write' })
    pool.prepare(cardsJob, { sets: [], texts: file.memory, currency: null })
    assert.equal((await pool.run(cardsJob, block)).lines.length, 1)
    await pool.close()
  }
})
