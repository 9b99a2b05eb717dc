/** Versions whose checksums fit and whose content does not: they are refused, or do no harm. */
import assert from 'node:assert/strict'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { runInNewContext } from 'node:vm'
import { idsIn, idsOf } from '../../build/compile/base.ts'
import { compileSearch } from '../../build/compile/search.ts'
import { checkVersion } from '../../build/publish/check.ts'
import { WorkerPool } from '../../build/workers/pool.ts'
import { type Dataset, openDataset } from '../../src/api/dataset.ts'
import { IdList } from '../../src/catalog/id-list.ts'
import { views } from '../../src/catalog/views.ts'
import { type BulkFile, bulkFileName, checkBulkFile, readBulkFile } from '../../src/indexes/bulk-file.ts'
import { detailsStart, itemStart, readCardsPart } from '../../src/indexes/cards-file.ts'
import { checkSearchFile } from '../../src/indexes/checks/search-check.ts'
import { verifiedName } from '../../src/indexes/checks/verification-record.ts'
import { IndexError } from '../../src/indexes/format.ts'
import { checkSlots, checkSlotsOfPart, readIds } from '../../src/indexes/ids-file.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import type { SearchFile } from '../../src/indexes/search-file.ts'
import { fileOf, partsOf, type VersionFiles } from '../../src/indexes/version.ts'
import { batchIdsMax } from '../../src/limits.ts'
import { sorts } from '../../src/search/scope/orders.ts'
import { amount, someOf } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { drawBelow, randomFrom } from '../support/random.ts'
import { addVersion, type ColumnPlace, columnsOf, damagedCopy, versionNamed } from '../support/versions.ts'

/**
 * Any text could be right, and so could any rarity or product that there is; nor is a price known by anything else. Packed
 * content is not unpacked.
 */
const couldBeRight = [
  ...[
    'cards-000 details',
    'cards-000 items',
    'cards-000 summaries',
    'cards-000 extras',
    'catalog sets',
    'catalog games',
  ],
  ...['search nameText', 'search wordText', 'search cardRarity', 'history-000 series'],
  ...['lists cardPrinting', 'lists setEnds', 'lists keyText'],
  ...['lists numberText', 'lists productIds', 'lists productCards', 'lists suggestions', 'changes changes'],
]
const oneByte = ['nameGame', 'cardGame']
/** The place of no record. */
const nobodys = 2 ** 32 - 1
const twoBytes = [
  'nameText',
  'wordText',
  'numberText',
  'keyText',
  'cardRarity',
  'cardPrinting',
  'byFloor',
  'byPercent',
  'byAmount',
]
const indexDir = temporaryFolder()
let good: VersionFiles
let ids: string[]
let columns: ColumnPlace[]

before(async () => {
  const version = await addVersion(indexDir, fixtureSnapshot())
  good = await loadVersion(indexDir, version)
  const found = idsOf(partsOf(good, 'cards').map(idsIn))
  ids = Array.from({ length: found.count }, (_, number) => found.text(number))
  columns = columnsOf(good)
})

/** Asks for all there is; throws if an answer can't be given. */
function askAll({ catalog, search, history, changes }: Dataset): void {
  catalog.games()
  for (let game = -1; game < 8; game++) catalog.setsPage(game, 200, 0)
  for (let game = 0; game < 8; game++) catalog.bulk(game)
  for (const id of ids) {
    catalog.detailsOf(id)
    const card = catalog.find(id)
    if (card === -1) continue
    history.body(card, id, '"period":"all"', Number.POSITIVE_INFINITY)
    changes.body(card, id)
  }
  const list = new IdList(batchIdsMax)
  list.takeAll(ids.slice(0, batchIdsMax))
  for (const view of views) catalog.batch(list, view)
  for (const query of ['c', 'charizard', 'xharizard', 'リ', 'pikachu ex', '_____', 'n']) {
    for (const set of [undefined, 'base1']) {
      const filter = { game: -1, set, rarity: undefined }
      for (const view of views) catalog.cardsPage(search.find(query, filter, 100, 0), view, 100, 0)
    }
    catalog.suggestions(search.suggest(query, -1, 20))
  }
  for (const filter of [{ game: 0 }, { game: 2, number: '4' }, { game: 2, minCents: 1 }, { game: -1, set: 'lea' }]) {
    for (const sort of sorts) {
      const asked = { set: undefined, rarity: undefined, ...filter }
      catalog.cardsPage(search.list(asked, {}, 100, 0, sort), 'summary', 100, 0)
      catalog.cardsPage(search.find('f', asked, 100, 0, sort), 'summary', 100, 0)
    }
  }
  search.list({ game: -1, set: undefined, rarity: undefined }, { tcgplayer: 42382 }, 100, 0, 'price')
  for (const game of [-1, 0, 2]) {
    const movement = { period: 1, direction: 0, by: 'percent', minCents: 0 } as const
    changes.moversPage(search.movers({ game, set: undefined }, movement, 100, 0), 1, 100, 0)
  }
}

/** Whether the version with that change is refused; throws if it is not and can't be answered from. */
async function isRefused(file: string, change: (bytes: Buffer) => void): Promise<boolean> {
  const version = versionNamed(1)
  damagedCopy(indexDir, good, version, file, change)
  try {
    askAll(await openDataset(await loadVersion(indexDir, version)))
    return false
  } catch (error) {
    if (!(error instanceof IndexError)) throw error
    assert.ok(error.message.startsWith(join(indexDir, version)), 'the path is named')
    assert.equal(error.message.split('\n').length, 1)
    return true
  } finally {
    rmSync(join(indexDir, version), { recursive: true })
  }
}

describe('a version with one damaged number', () => {
  it('is refused, whichever it is', async () => {
    const through: string[] = []
    let cases = 0
    for (const { file, name, start, bytes } of columns.filter((column) => column.bytes > 0)) {
      const width = oneByte.includes(name) ? 1 : twoBytes.includes(name) ? 2 : 4
      const count = Math.floor(bytes / width)
      const put = width === 1 ? 'writeUInt8' : width === 2 ? 'writeUInt16LE' : 'writeUInt32LE'
      const get = width === 1 ? 'readUInt8' : width === 2 ? 'readUInt16LE' : 'readUInt32LE'
      const max = 2 ** (8 * width) - 1
      const values = [
        (was: number) => max - (was === max ? 1 : 0),
        (was: number) => Number(was === 0),
        (was: number) => max - was,
      ]
      for (const [i, element] of [...new Set([0, count - 1, count >> 1])].slice(0, amount(2, 3)).entries()) {
        const at = start + element * width
        for (const value of amount(0, 1) === 1 ? values : [values[i]!]) {
          cases++
          const refused = await isRefused(file, (all) => all[put](value(all[get](at)), at))
          const column = `${file.replace('.msgpack', '')} ${name}`
          if (!refused && !couldBeRight.includes(column) && name !== 'gzip') through.push(`${column}[${element}]`)
        }
      }
    }
    assert.ok(cases > amount(30, 250), `${cases} cases`)
    assert.deepEqual(through, [])
  })

  it('or a damaged end, or none at all', async () => {
    for (const { name } of good.manifest.files) {
      const size = good.files.get(name)!.length
      assert.ok(await isRefused(name, (all) => all.fill(0, 0, 5)), `${name}: the head's length`)
      assert.ok(await isRefused(name, (all) => all.fill(0xff, 0, 5)), `${name}: the head's length`)
      assert.ok(await isRefused(name, (all) => all.fill(0xc1, 5, 60)), `${name}: the head`)
      assert.ok(await isRefused(name, (all) => all.fill(0)), `${name}: all ${size} bytes`)
    }
  })
})

describe('a build, which checks what it wrote a few files at a time', () => {
  const wordsOf = (check: Promise<unknown>): Promise<string> =>
    check.then(
      () => 'whole',
      (error) => (error instanceof IndexError ? error.message : Promise.reject(error)),
    )

  it('takes what a server takes, and refuses what it refuses in the same words', async () => {
    const numbers = columns.filter(({ bytes, name }) => bytes > 0 && !['gzip', 'series'].includes(name))
    const damages: [what: string, file: string, change: (all: Buffer) => unknown][] = [
      ['nothing', 'search.msgpack', () => undefined],
      ...good.manifest.files.map(({ name }): (typeof damages)[number] => [
        `${name}: the head's length`,
        name,
        (all) => all.fill(0, 0, 5),
      ]),
      ...numbers.map(({ file, name, start }): (typeof damages)[number] => [
        `${file} ${name}`,
        file,
        (all) => all.writeUInt8(all[start]! ^ 0xff, start),
      ]),
    ]
    const pool = new WorkerPool(2, 0)
    pool.expect(1)
    const version = versionNamed(3)
    let refused = 0
    for (const [what, file, change] of someOf(damages, 16)) {
      damagedCopy(indexDir, good, version, file, change)
      rmSync(join(indexDir, version, verifiedName))
      const reported = await wordsOf(checkVersion(indexDir, version, pool))
      rmSync(join(indexDir, version, verifiedName), { force: true })
      assert.equal(reported, await wordsOf(loadVersion(indexDir, version)), what)
      if (reported !== 'whole') refused++
      // Other bytes than the manifest says.
      writeFileSync(join(indexDir, version, file), Buffer.alloc(10))
      assert.match(await wordsOf(checkVersion(indexDir, version, pool)), /has 10 bytes, its manifest says/)
      rmSync(join(indexDir, version), { recursive: true })
    }
    assert.ok(refused > amount(8, 20), `${refused} refused`)
    await pool.close()
  })
})

it('a version under another name than its own is refused', async () => {
  const other = versionNamed(2)
  cpSync(join(indexDir, good.manifest.version), join(indexDir, other), { recursive: true })
  await assert.rejects(loadVersion(indexDir, other), {
    message: `${join(indexDir, other, 'manifest.json')} belongs to version ${good.manifest.version}`,
  })
  rmSync(join(indexDir, other), { recursive: true })
})

it('a table of ids with any bit wrong is refused', () => {
  const { details, items } = readIds(fileOf(good, 'ids.msgpack'))
  const cards = partsOf(good, 'cards').map(readCardsPart)
  for (const [name, slots, start] of [
    ['details', details, detailsStart],
    ['items', items, itemStart],
  ] as const) {
    const check = (table: Uint32Array) => {
      cards.forEach((records, part) => void [...checkSlotsOfPart(name, table, part, records[name], start)])
      void [...checkSlots(name, table, ids.length)]
    }
    check(slots)
    for (let i = 0; i < slots.length; i++) {
      for (const bit of [0, 6, 25, 31]) {
        const wrong = slots.slice()
        wrong[i]! ^= 1 << bit
        assert.throws(() => check(wrong), IndexError, `${name}[${i}], bit ${bit}`)
      }
    }
  }
})

it('a table of ids that is full and lacks a card is refused: the look-up of that card ends', () => {
  const { details } = readIds(fileOf(good, 'ids.msgpack'))
  const records = readCardsPart(partsOf(good, 'cards')[0]!)
  const full = details.map((value) => (value === 0 ? nobodys : value))
  full[full.findIndex((value) => value !== nobodys)] = nobodys
  const check = () => void [...checkSlotsOfPart('details', full, 0, records.details, detailsStart)]
  // A look-up that does not end is stopped from outside.
  assert.throws(() => runInNewContext('check()', { check }, { timeout: 10_000 }), /details name each card's record/)
})

it('a bulk file of another game, with another head or end, or none, is refused', () => {
  const file = readBulkFile(fileOf(good, bulkFileName('pokemon')))
  const check = (changed: BulkFile, cards = file.cards) => [...checkBulkFile(changed, cards)]
  check(file)
  assert.throws(() => check(file, file.cards + 1), /has all cards of its game does not hold/)
  assert.throws(() => check({ ...file, bytes: file.bytes + 1 }), /ends with its length does not hold/)
  for (const at of [0, 1, 2, 3, 7, 9]) {
    const gzip = file.gzip.slice()
    gzip[at]! ^= 1
    assert.throws(() => check({ ...file, gzip }), /packed as the build packs does not hold/)
  }
  assert.throws(() => check({ ...file, gzip: file.gzip.slice(0, 18) }), IndexError)
})

it('a search file with a word twice or without letters, all else being made of it, is refused', () => {
  const of = (second: string) => {
    const cards = ['aa', second].map((name) => ({ name, game: 0, setNumber: 0, rarity: null }))
    const sets = [{ code: 'a', name: 'a', game: 0 }]
    return compileSearch({ cards, sets })
  }
  const check = (file: SearchFile) => [...checkSearchFile(file, 2, 1)]
  const file = of('ab')
  check(file)
  const { wordText, wordLetters } = of('aa')
  const twice = {
    wordText: Uint16Array.from([...wordText, ...wordText]),
    wordLetters: Uint32Array.from([...wordLetters, ...wordLetters]),
  }
  assert.throws(() => check({ ...file, ...twice }), /words ascend does not hold/)
  const letters = Uint32Array.of(0, file.wordLetters[1]!)
  const empty = {
    wordTextAt: Uint32Array.of(0, 0, 2),
    wordText: file.wordText.slice(2),
    wordLetters: letters,
    lengthAt: Uint32Array.of(0, 1, 1, 2),
    lettersByLength: letters,
  }
  assert.throws(() => check({ ...file, ...empty }), /words have letters does not hold/)
})

it('a version with any bits flipped is refused, or can be answered from', async () => {
  const seed = Number(process.env['SEED'] ?? 11)
  const random = randomFrom(seed)
  const rounds = Number(process.env['ROUNDS'] ?? amount(20, 300))
  const names = good.manifest.files.map(({ name }) => name)
  let refused = 0
  for (let round = 0; round < rounds; round++) {
    const file = names[drawBelow(random, names.length)]!
    const flips = Array.from({ length: 1 + drawBelow(random, 3) }, () => random())
    try {
      const was = await isRefused(file, (bytes) => {
        for (const flip of flips) bytes[Math.floor(flip * bytes.length)]! ^= 1 << (Math.floor(flip * 8000) % 8)
      })
      if (was) refused++
    } catch (error) {
      throw new Error(`seed ${seed}, round ${round}, ${file}`, { cause: error })
    }
  }
  assert.ok(refused > rounds / 4, `${refused} of ${rounds} refused`)
})
