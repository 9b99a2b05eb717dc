/** The build accepts each line that an import writes, however hostile the publishers' records are. */
import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { build } from '../../build/build.ts'
import { lineBytesMax } from '../../src/limits.ts'
import { amount } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'
import { cardsById, file, importInto, importNew, recordsIn } from '../support/import.ts'
import { withGroups, writeFiles, writeMirror } from '../support/mirror.ts'
import { drawBelow, drawFrom, type Random, randomFrom } from '../support/random.ts'
import { allPrintings, magicCard, meta, scryfallCard, shop, uuid } from './magic.ts'

async function buildOf(out: string): Promise<number> {
  const indexDir = temporaryFolder()
  const { manifest } = await build(out, indexDir)
  rmSync(indexDir, { recursive: true })
  return manifest.counts.cards
}

const tooLong = 'long '.repeat(lineBytesMax / 5)
const blanks = ['', ' ', '<b>', '<br><p></p>', '&nbsp;', '&#32;', '\u3000', '\ufeff', '\n', '\0', '&zwnj;']
const broken = ['\ud800', '&#xd800;', 'a\udfffb', '"', '\\', '\u2028', '😀', '<', '&', '=1+1', ',', 'N/A', '//', '4/']
const large = [tooLong, '😀'.repeat(lineBytesMax / 4), 'x'.repeat(200), 'a-'.repeat(100)]
const names = '__proto__ constructor ｘ ★ ... - 1e400 2026-02-30 https:// http://[ ../..'.split(' ')
const amounts = [null, 0, -0, -1, 0.005, 1e-9, 9_999_999.999, 1e7, 10_000_000.01, 1e9, 1e308, '7', true, [], {}]

const hostileText = (random: Random): string =>
  drawFrom(random, drawFrom(random, [blanks, broken, names, drawBelow(random, 4) === 0 ? large : names]))

/** The record with some of its fields, at any depth, replaced. */
function spoilt<Record extends object>(random: Random, record: Record): Record {
  const copy = structuredClone(record) as { [key: string]: unknown }
  for (let times = 1 + drawBelow(random, 3); times > 0; times--) {
    let within = copy
    for (;;) {
      const key = drawFrom(random, Object.keys(within))
      const value = within[key]
      if (typeof value === 'object' && value !== null && Object.keys(value).length > 0 && random() < 0.9) {
        within = value as typeof copy
        continue
      }
      const isText = typeof value === 'string' || random() < 0.3
      within[key] = isText ? hostileText(random) : drawFrom(random, amounts)
      break
    }
  }
  return copy as Record
}

const plain = 60
/** One of twenty may be wrong. */
const hostile = 3

/** Right records, then hostile ones. */
const recordsOf = <Record extends object>(random: Random, make: (i: number) => Record): Record[] =>
  Array.from({ length: plain + hostile }, (_, i) => (i < plain ? make(i) : spoilt(random, make(i))))

const json = (results: readonly object[]) => JSON.stringify({ success: true, errors: [], results })

function mirrorOf(random: Random): string {
  const group = (i: number) => ({
    groupId: 100 + i,
    name: `Group ${i}`,
    abbreviation: `G${i}`,
    publishedOn: '2020-01-01T00:00:00',
    modifiedOn: '2026-11-20T08:15:30.123',
    categoryId: 1,
  })
  const product = (i: number) => ({
    productId: 452_000 + i,
    name: `Card ${i} - ${i}/60`,
    imageUrl: `https://images.example/${i}.jpg`,
    groupId: 100,
    modifiedOn: '2026-11-20T08:15:30.123',
    extendedData: [
      { name: 'Rarity', value: 'Rare' },
      { name: 'Number', value: `${i}/60` },
    ],
  })
  const price = (i: number) => ({
    productId: 452_000 + i,
    lowPrice: 0.1,
    midPrice: 0.51,
    highPrice: 25.5,
    marketPrice: 0.53,
    subTypeName: 'Normal',
  })
  const foils = Array.from({ length: 23 }, (_, i) => ({ ...price(40 + i), subTypeName: 'Foil' }))
  const [first, ...others] = recordsOf(random, group)
  const groups = [first!, ...others.map((other) => ({ ...other, name: 'Other' })).slice(0, 20)]
  groups.push({ ...spoilt(random, group(77)), groupId: 77, categoryId: 1 })
  const nameless = { ...product(plain + hostile), name: drawFrom(random, ['<b>', '<br><p></p>', '&nbsp;', '&#32;']) }
  const files = new Map([
    ['1/groups', json(groups)],
    ['1/100/products', json([...recordsOf(random, product), nameless])],
    ['1/100/prices', json([...recordsOf(random, price), ...foils])],
  ])
  for (const { groupId } of groups.slice(1)) {
    files.set(`1/${groupId}/products`, json([{ ...product(groupId), productId: groupId, groupId }]))
    files.set(`1/${groupId}/prices`, json([{ ...price(groupId), productId: groupId }]))
  }
  return writeFiles(files)
}

function bulkOf(random: Random): string {
  const card = (i: number) => scryfallCard(i, `Card ${i}`, `${i}`, { tcgplayer_id: 452_000 + i })
  const lines = recordsOf(random, card).map((record) => `${JSON.stringify(record)}\n`)
  return file('bulk.jsonl', lines.join(''))
}

function magicOf(random: Random): string[] {
  const card = (i: number) =>
    magicCard(uuid(i), `Card ${i}`, `${i}`, {
      finishes: ['nonfoil', 'etched'],
      identifiers: { tcgplayerProductId: `${452_000 + i}`, scryfallId: uuid(1000 + i) },
    })
  const set = { name: 'A set', releaseDate: '2022-11-18', tcgplayerGroupId: 100 }
  const sets = Object.fromEntries([
    ['BRO', { ...set, cards: recordsOf(random, card) }],
    ...recordsOf(random, (i) => ({ ...set, releaseDate: `2022-11-${10 + (i % 20)}` })).map((other, i) => [
      i < plain ? `S${i}` : hostileText(random),
      { ...other, cards: i < plain ? [] : [card(10_000 + i)] },
    ]),
  ])
  const paper = { tcgplayer: shop('USD', { normal: { '2026-11-20': 2.5 }, etched: {} }) }
  const prices = recordsOf(random, (i) => ({ uuid: uuid(i), paper })).map((value) => [value.uuid, value])
  const pricesFile = file('AllPrices.json', JSON.stringify({ meta, data: Object.fromEntries(prices) }))
  return [file('AllPrintings.json', allPrintings(sets)), pricesFile]
}

describe('The build of an imported folder', () => {
  it('A build succeeds on a folder that was imported from random records of each source', {
    timeout: 300_000,
  }, async () => {
    const leftOut = new Map<string, number>()
    const rounds = amount(3, 60)
    for (let seed = 1; seed <= rounds; seed++) {
      const random = randomFrom(seed)
      const out = temporaryFolder()
      const run = async (source: string, paths: readonly string[]) => {
        const { report } = await importInto(out, source, paths, { date: '2026-11-20' }).catch((error) => {
          throw new Error(`seed ${seed}: ${source}: ${error.message}`)
        })
        for (const [reason, count] of report.game('mtg').leftOut) {
          leftOut.set(reason, (leftOut.get(reason) ?? 0) + count)
        }
        const written = recordsIn(out, 'cards').length
        assert.equal(report.game('mtg').cards, written, `seed ${seed}: the report counts what was written`)
      }
      const assertBuilt = async () => {
        const built = await buildOf(out).catch((error) => `seed ${seed}: ${error.message}`)
        assert.equal(built, cardsById(out).size)
      }
      const mirror = mirrorOf(random)
      await run('tcgcsv', [mirror])
      await assertBuilt()
      await run('scryfall', [bulkOf(random)])
      await run('mtgjson', magicOf(random))
      // The state that imports leave can be read again, too.
      await run('tcgcsv', [mirror])
      await assertBuilt()
      rmSync(out, { recursive: true })
    }
    for (const reason of ['name must not be blank', `line must be at most ${lineBytesMax} bytes`]) {
      assert.ok((leftOut.get(reason) ?? 0) > 0, `${reason}: ${JSON.stringify([...leftOut])}`)
    }
  })

  it('An import leaves out a set whose line is too long, and its cards, and the folder is built', async () => {
    const out = temporaryFolder()
    const groups = withGroups({ 604: (group) => ({ ...group, name: tooLong }) })
    const { report } = await importInto(out, 'tcgcsv', [writeMirror(groups)])
    const { leftOut } = report.game('pokemon')
    assert.equal(leftOut.get(`line must be at most ${lineBytesMax} bytes`), 1)
    assert.ok(leftOut.get('its set is left out')! > 0)
    assert.equal(await buildOf(out), cardsById(out).size)
  })

  it('An import of any game leaves out lines of an earlier release that a build rejects, so that the folder builds', async () => {
    const { out } = await importNew('tcgcsv', [writeMirror()])
    const cards = cardsById(out).size
    for (const [file, earlier, now] of [
      ['import/kept/tcgcsv.ndjson', '"name":"Alakazam"', '"name":""'],
      ['import/kept/tcgcsv.ndjson', '"name":"Lugia VSTAR"', `"name":"${tooLong}"`],
      ['cards/tcgcsv-pokemon.ndjson', '"name":"Alakazam"', '"name":""'],
      ['cards/tcgcsv-pokemon.ndjson', '"name":"Lugia VSTAR"', `"name":"${tooLong}"`],
    ] as const) {
      const path = join(out, file)
      const text = readFileSync(path, 'utf8')
      assert.ok(text.includes(earlier))
      writeFileSync(path, text.replace(earlier, now))
    }
    await assert.rejects(buildOf(out), /cards\/tcgcsv-pokemon\.ndjson:\d+: name: must not be blank/)
    const { report } = await importInto(out, 'tcgcsv', [writeMirror()], { games: new Set(['lorcana'] as const) })
    assert.deepEqual(Object.fromEntries(report.game('pokemon').leftOut), {
      'name must not be blank': 1,
      [`line must be at most ${lineBytesMax} bytes`]: 1,
    })
    assert.equal(await buildOf(out), cards - 2)
    await importInto(out, 'tcgcsv', [writeMirror()])
    assert.equal(await buildOf(out), cards)
  })

  it('An import refuses prices of a day before 1990', async () => {
    await assert.rejects(
      importInto(temporaryFolder(), 'tcgcsv', [writeMirror()], { date: '1980-01-01' }),
      /has prices of 1980-01-01, before 1990-01-01: name their day with --date/,
    )
  })
})
