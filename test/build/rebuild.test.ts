/** The same snapshot built from nothing and over another version: the same bytes. And what a build says of one that is wrong. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { pack, unpack } from 'msgpackr'
import { build } from '../../build/build.ts'
import { compileCatalog, readCatalog } from '../../build/compile/catalog-files.ts'
import { gameSlugs } from '../../build/games/default-games.ts'
import { Problems, SnapshotError } from '../../build/read/snapshot-problems.ts'
import { dateOfDay, dayOfDate } from '../../src/calendar.ts'
import { bulkOfGames, readBulkFile } from '../../src/indexes/bulk-file.ts'
import { changesFileName, readChangesFile } from '../../src/indexes/changes-file.ts'
import { readListsFile } from '../../src/indexes/lists-file.ts'
import { fileOf, loadVersion } from '../../src/indexes/load.ts'
import { withoutPhrases } from '../../src/indexes/phrases.ts'
import { noRarity, readSearchFile } from '../../src/indexes/search-file.ts'
import { readSetsFile } from '../../src/indexes/sets-file.ts'
import { checkVersion } from '../indexes/checks/version.ts'
import { amount } from '../support/amount.ts'
import { copyOf, temporaryFolder } from '../support/command.ts'
import { charizardDetails, charizardItem, charizardSummary, fixtureSnapshot, listedSets } from '../support/fixture.ts'
import { drawBelow, drawFrom, randomFrom } from '../support/random.ts'
import { aCard, aSet, aSnapshot, snapshotOf } from '../support/snapshot.ts'

type Files = Parameters<typeof snapshotOf>[0]

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

/** Enough for several pieces of a game's download. */
const manyCards = amount(2060, 2500)
const fewCards = amount(150, 900)
const games = ['pokemon', 'mtg', 'yugioh'] as const
const today = dayOfDate('2026-11-20')

/** Cards over several files, of which one is packed, and several days of prices. */
function snapshot(
  seed: number,
  cardCount: number,
  change: (files: Record<string, string[]>) => void = () => undefined,
): Files {
  const random = randomFrom(7)
  const prices = randomFrom(seed)
  const lines: Record<string, string[]> = { 'cards/a.ndjson': [], 'cards/b.ndjson': [], 'cards/c.ndjson.gz': [] }
  const names = Object.keys(lines)
  const ids: string[] = []
  for (let i = 0; i < cardCount; i++) {
    const game = drawFrom(random, games)
    const id = `${game}-${i}`
    ids.push(id)
    const market = drawBelow(prices, 100_000) / 100
    const name = `${drawFrom(random, ['Charizard', 'Fire // Ice', 'Dunkler Magier', 'Pokémon', 'リザードン'])} ${i % 40}`
    const card = {
      id,
      game,
      name,
      setCode: `s${i % 9}`,
      number: `${i % 50}`,
      rarity: drawFrom(random, ['Rare', null]),
      prices: { market, graded: { psa_10: market } },
      updatedAt: '2026-11-20T06:00:00Z',
      tcgplayerId: 1 + (i % 5000),
      image: `https://images.example/${i}`,
    }
    lines[names[Math.floor((i * 3) / cardCount)]!]!.push(JSON.stringify(card))
  }
  const sets = games.flatMap((game) => Array.from({ length: 9 }, (_, i) => ({ ...aSet, game, code: `s${i}` })))
  lines['sets/a.ndjson'] = sets.map((set) => JSON.stringify(set))
  // A day that no snapshot changes.
  lines['history/2026-01.csv'] = ['date,id,market,low,high', ...ids.map((id, i) => `2026-01-01,${id},${i},,`)]
  for (let day = today - amount(2, 5); day <= today; day++) {
    // Days overlap between files: of a card's rows of one day the later file's counts.
    for (const [name, share] of [
      [`history/${dateOfDay(day)}.csv`, 3],
      ['history/z-corrections.csv', 40],
    ] as const) {
      lines[name] ??= ['date,id,market,low,high']
      for (const id of [...ids, 'mtg-unknown']) {
        if (drawBelow(prices, share) > 0 === (share === 40)) continue
        lines[name].push(`${dateOfDay(day)},${id},${drawBelow(prices, 1000)},1,`)
      }
    }
  }
  change(lines)
  return Object.fromEntries(
    Object.entries(lines).map(([name, all]) => {
      const text = `${all.join('\n')}\n`
      return [name, name.endsWith('.gz') ? gzipSync(text) : text]
    }),
  )
}

/** Replaces what differs. */
function change(folder: string, files: Files): void {
  const differs = ([name, content]: [string, Files[string]]) =>
    !existsSync(join(folder, name)) || !readFileSync(join(folder, name)).equals(Buffer.from(content as string | Buffer))
  snapshotOf(Object.fromEntries(Object.entries(files).filter(differs)), folder)
}

/** Versions that hold what readers assume. Their names tell their bytes. */
const checked = new Set<string>()

async function built(snapshot: string, indexDir: string) {
  const { manifest, history } = await build(snapshot, indexDir)
  const version = await loadVersion(indexDir, manifest.version)
  if (!checked.has(manifest.version)) checkVersion(version)
  checked.add(manifest.version)
  return { version: manifest.version, files: manifest.files, history, indexDir }
}

describe('A snapshot that is built again', { timeout: 300_000 }, () => {
  it('A build from scratch and a build over an earlier version give the same version', async () => {
    const otherCards = snapshot(3, manyCards, (lines) => {
      // A card less, one that changes its name, a set that changes its.
      lines['cards/b.ndjson']!.splice(100, 1)
      lines['cards/a.ndjson']![5] = lines['cards/a.ndjson']![5]!.replace(/"name":"[^"]*"/, '"name":"Another"')
      lines['sets/a.ndjson']![3] = lines['sets/a.ndjson']![3]!.replace('Base Set', 'Another Set')
    })
    const [folder, indexDir] = [temporaryFolder(), temporaryFolder()]
    for (const files of [snapshot(1, manyCards), snapshot(2, manyCards), otherCards]) {
      change(folder, files)
      const over = await built(folder, indexDir)
      const anew = await built(folder, temporaryFolder())
      assert.equal(over.version, anew.version)
      assert.deepEqual(over.files, anew.files)
      assert.equal(over.history.rows, anew.history.rows)
      assert.equal(over.history.dropped, anew.history.dropped)
    }
  })
})

it('A version holds cards, sets, games and lists as the API returns them', async () => {
  const catalog = await readCatalog(fixtureSnapshot(), 'EUR', new Problems())
  const { texts, market } = catalog.cards.find(({ id }) => id === charizardItem.id)!
  const extras =
    ',"printing":null,"currency":"EUR","tcgplayerId":42382,"scryfallId":null,"mtgjsonId":null,"cardmarketId":273699,' +
    '"markets":[{"market":"cardmarket","currency":"EUR","price":310.5,"low":180,"buylist":null,"updatedAt":"2026-11-20"},' +
    '{"market":"tcgplayer","currency":"USD","price":1.01,"low":null,"buylist":null,"updatedAt":null}]}'
  const row = 'pokemon-base1-004,Charizard,pokemon,Base Set,base1,004,Rare Holo,,EUR,350.13,200,1.01,10000000,350.12'
  const details = JSON.stringify({ data: charizardDetails })
  const [item, summary] = [charizardItem, charizardSummary].map((answer) => JSON.stringify(answer))
  const rows = `${row},300.5,,,0,2026-11-20T06:00:00Z\r\n`
  const expected = { details, items: item, summaries: summary, extras: withoutPhrases(extras), rows }
  const found = Object.entries(texts).map(([name, text]) => [name, String(text)])
  assert.deepEqual([Object.fromEntries(found), market], [expected, 35_013])

  const files = new Map<string, Buffer>()
  await compileCatalog(catalog, (name, pieces) => void files.set(name, Buffer.concat(pieces)))
  const { gamesBody, sets, newestUpdate } = readSetsFile(files.get('catalog.msgpack')!)
  const ofGames = gameSlugs.map((game) => listedSets.filter((set) => set.game === game))
  const setTexts = [listedSets, ...ofGames].flat().map((set) => `${JSON.stringify(set)},`)
  assert.deepEqual([textOf(sets), newestUpdate], [setTexts.join(''), '2026-11-21'])
  const counts = JSON.parse(textOf(gamesBody)).data.map(
    ({ id, cardCount, setCount }: Record<string, unknown>) => `${id} ${cardCount} ${setCount}`,
  )
  assert.deepEqual(counts.slice(1, 4).join('; '), 'pokemonjp 1 1; mtg 26 2; yugioh 0 0')
  const { gzip } = bulkOfGames(readBulkFile(files.get('bulk.msgpack')!))[0]!
  assert.equal(Buffer.from(gzip.subarray(0, 10)).toString('hex'), '1f8b08000000000002ff', 'of no system')
  const lines = gunzipSync(gzip).toString().split('\n')
  assert.deepEqual([lines.length, lines[1]], [4, details.slice('{"data":'.length, -2) + extras])
  const lists = readListsFile(files.get('lists.msgpack')!)
  const ids = [lists.productIds, lists.cardmarketIds].map(Number)
  assert.deepEqual([lists.printings, ...ids], [['normal', 'foil'], 42382, 273699])
  const ofAlpha = [
    '"printings":[{"name":"Foil","cards":16},{"name":"Normal","cards":9}]',
    '"rarities":[{"name":"Common",',
  ]
  assert.ok(
    textOf(lists.setEnds).includes(`,${ofAlpha}"cards":13},{"name":"Basic Land","cards":12}],"printedTotal":null`),
  )
  const forest = '{"name":"Forest","game":"mtg","cards":25}'
  assert.ok(textOf(lists.suggestions).endsWith(`{"name":"リザードン","game":"pokemonjp","cards":1}${forest}`))
  const { rarities, cardRarity, sets: searched } = readSearchFile(files.get('search.msgpack')!)
  const pmcg1 = { code: 'pmcg1', name: '拡張パック', short: '', printedTotal: null, game: 1 }
  assert.deepEqual([rarities, searched[3]], [['rare holo', '★', 'common', 'basic land'], pmcg1])
  assert.deepEqual([...cardRarity.subarray(0, 7)], [noRarity, 0, noRarity, noRarity, 1, 2, 3])
})

it('A build reads the whole history if the current version is damaged, or if another compiler wrote it', async () => {
  // Another day of the same cards: names, numbers and order are the same.
  const folder = snapshotOf(snapshot(1, fewCards))
  const base = await built(folder, temporaryFolder())
  change(folder, snapshot(2, fewCards))
  const expected = await built(folder, temporaryFolder())
  const over = await built(folder, copyOf(base.indexDir))
  assert.equal(over.history.filesRead, over.history.files - 1, 'else the old day is not read again')
  const flip = (indexDir: string, name: string) => {
    const path = join(indexDir, base.version, `${name}.msgpack`)
    const bytes = readFileSync(path)
    bytes[bytes.length - 100]! ^= 1
    writeFileSync(path, bytes)
  }
  const damages: readonly (readonly [what: string, damage: (indexDir: string) => void])[] = [
    ...['lists', 'cards-000', 'history-000'].map((name) => [name, (dir: string) => flip(dir, name)] as const),
    ...['release', 'fingerprint'].map((field) => {
      const damage = (indexDir: string) => {
        const cache = unpack(readFileSync(join(indexDir, 'build.msgpack'))) as object
        writeFileSync(join(indexDir, 'build.msgpack'), pack({ ...cache, [field]: '0' }))
      }
      return [`the history of a compiler with another ${field}`, damage] as const
    }),
    ['a build cache that is none', (indexDir) => writeFileSync(join(indexDir, 'build.msgpack'), 'x')],
  ]
  for (const [what, damage] of damages) {
    const indexDir = copyOf(base.indexDir)
    damage(indexDir)
    const now = await built(folder, indexDir)
    assert.equal(now.version, expected.version, what)
    assert.equal(now.history.filesRead, now.history.files, what)
  }
})

it('The change date of a card without a history is its update, at most the day after the newest date', async () => {
  const updates = ['2026-11-18T06:00:00Z', '2026-11-10T23:59:59Z', null, '2026-11-18T06:00:00Z']
  const cards = updates.map((updatedAt, i) => ({ ...aCard, id: `pokemon-${i}`, updatedAt }))
  const header = 'date,id,market,low,high\n'
  const files = { ...aSnapshot, 'cards/a.ndjson': cards, 'history/a.csv': `${header}2026-11-15,pokemon-3,1,1,1\n` }
  const { version, indexDir, files: made } = await built(snapshotOf(files), temporaryFolder())
  // The version's name depends on their order.
  const names = ['cards-000', 'ids', 'catalog', 'search', 'lists', 'set-figures', 'bulk', 'history-000', 'changes']
  const found = made.map(({ name }) => name.replace('.msgpack', ''))
  assert.deepEqual(found, names)
  const { changedOn } = readChangesFile(fileOf(await loadVersion(indexDir, version), changesFileName))
  const days = ['2026-11-16', '2026-11-10', '', '2026-11-15'].map(dayOfDate)
  assert.deepEqual([version.slice(0, 10), [...changedOn]], ['2026-11-15', days])
  const { version: withoutHistory } = await built(snapshotOf({ ...files, 'history/a.csv': header }), temporaryFolder())
  assert.equal(withoutHistory.slice(0, 10), '2026-11-18')
})

it('A build after a rollback does not use the build cache of the later version', async () => {
  const indexDir = temporaryFolder()
  const folder = snapshotOf(snapshot(1, fewCards))
  const first = await built(folder, indexDir)
  const old = join(folder, 'history/2026-01.csv')
  writeFileSync(old, readFileSync(old, 'utf8').replaceAll(',5,,', ',7,,'))
  const corrected = await built(folder, indexDir)
  assert.notEqual(corrected.version, first.version)
  writeFileSync(join(indexDir, 'current'), `${first.version}\n`)
  assert.equal((await built(folder, indexDir)).version, corrected.version)
})

it('A build reports all problems of a wrong snapshot, in the order of files and lines', async () => {
  const other = { ...aCard, id: 'pokemon-x' }
  const text = (...records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')
  const header = 'date,id,market,low,high\n'
  const wrong = snapshotOf({
    'about.json': '{"public":1,"title":2}',
    'sets/a.ndjson': [aSet],
    'sets/b.ndjson': [{ ...aSet, code: 'base2', game: 'chess' }, aSet],
    'cards/c.ndjson': '\n\n{"id":',
    'cards/b.ndjson.gz': gzipSync(`\n${text({ ...other, setCode: 'base2' }, { ...other, name: 7 })}`),
    'cards/a.ndjson': `${text(aCard, aCard)}[]\n`,
    'history/b.csv': `${header}2026-11-20,${aCard.id},1,1,x\n2026-11-20,${aCard.id},1,1,`,
    'history/a.csv': `${header}2026-11-20,${aCard.id},1,1,1\n2026-11-20,${aCard.id},1,1,1\n`,
  })
  const indexDir = temporaryFolder()
  await assert.rejects(build(wrong, indexDir), (error) => {
    assert.ok(error instanceof SnapshotError)
    assert.deepEqual(error.lines, [
      'about.json: title: must be a string or null (2)',
      'about.json: public: must be true, false or null (1)',
      `sets/b.ndjson:1: game: must be one of ${gameSlugs.join(', ')}; card-prices games add adds another ("chess")`,
      'sets/b.ndjson:2: code: must be unique in its game, is also at sets/a.ndjson:1 ("base1")',
      `cards/a.ndjson:2: id: must be unique, is also at cards/a.ndjson:1 ("${aCard.id}")`,
      'cards/a.ndjson:3: line: must be a JSON object ([])',
      'cards/b.ndjson.gz:2: setCode: must be the code of a set of its game ("base2")',
      'cards/b.ndjson.gz:3: name: must be a string (7)',
      'cards/c.ndjson:3: line: must be JSON ("{\\"id\\":")',
      'history/a.csv:3: date: must be the only row of its card and date (2026-11-20)',
      'history/b.csv:2: high: must be a number ("x")',
      '11 problems; nothing was published',
    ])
    return true
  })
  assert.deepEqual(readdirSync(indexDir), ['.lock.db', 'build-failure.json'])
})
