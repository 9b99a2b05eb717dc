/** Mirrors of TCGCSV are imported day after day into a folder that remembers, and that may hold more. */
import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { temporaryFolder } from '../support/command.ts'
import {
  cardsById,
  contentOf,
  copyOf,
  errorsOf,
  historyOf,
  importInto,
  recordsIn,
  runImportHere,
} from '../support/import.ts'
import { changed, dropped, mirrorDay, mirrorFiles, withGroups, writeFiles, writeMirror } from '../support/mirror.ts'

const mirror = writeMirror()
const imported = temporaryFolder()
await importInto(imported, 'tcgcsv', [mirror])

const nextPrices = withGroups({ 604: changed(42346, { prices: [{ subType: 'Holofoil', market: 45 }] }) })

/** A mirror that is not read, as what is remembered is wrong. */
const nowhere = join(mirror, 'nowhere')
const folder = () => copyOf(imported)

describe('a day later', () => {
  const nextDay = withGroups({
    604: (group) => dropped(42346)(changed(42382, { prices: [{ subType: 'Holofoil', market: 360 }] })(group)),
    3170: (group) => {
      const renumbered = changed(451396, { number: '239/195', name: 'Lugia VSTAR (Renamed)' })(group)
      const priced = changed(451399, {
        prices: [
          { subType: 'Reverse Holofoil', market: 9 },
          { subType: 'Holofoil', market: 8 },
        ],
      })(renumbered)
      // The number that the Lugia had is another's now.
      return {
        ...priced,
        products: [
          ...priced.products,
          { id: 100, name: 'Newcomer', number: '139/195', rarity: 'C', prices: [{ subType: 'Holofoil', market: 1 }] },
        ],
      }
    },
    24001: (group) => ({ ...group, abbreviation: 'SV8' }),
    331: (group) => ({ ...group, published: '2001-01-01T00:00:00' }),
  })
  const idsOf = (out: string) =>
    new Map(
      recordsIn(out, 'import').map(({ source, product, subType, uuid, finish, group, set, id, code }) => [
        JSON.stringify([source, product, subType, uuid, finish, group, set]),
        id ?? code,
      ]),
    )

  it('every id stays with its product and sub-type, and none is given twice', async () => {
    const out = folder()
    await importInto(out, 'tcgcsv', [writeMirror(nextDay)], { date: '2026-11-21' })
    const [earlier, later] = [idsOf(imported), idsOf(out)]
    for (const [key, id] of earlier)
      if (key !== '["tcgplayer",451399,null,null,null,null,null]') assert.equal(later.get(key), id, key)
    const given = recordsIn(out, 'import')
      .filter(({ id }) => id !== undefined)
      .map(({ id }) => id)
    assert.equal(new Set(given).size, given.length)

    const cards = cardsById(out)
    const lugia = cards.get('pokemon-swsh12-139-holofoil')
    assert.deepEqual([lugia.tcgplayerId, lugia.number, lugia.name], [451396, '239', 'Lugia VSTAR (Renamed)'])
    assert.equal(cards.get('pokemon-swsh12-139-holofoil-100').name, 'Newcomer')
    assert(
      !cards.has('pokemon-bs-001-holofoil') && !cards.has('pokemon-bs-004-1st-edition-holofoil'),
      'what is gone leaves the snapshot',
    )
    assert.equal(cards.get('pokemon-bs-004-holofoil').name, 'Charizard', 'the only sub-type is not named')
    assert.equal(
      cards.get('pokemon-swsh12-145').name,
      'Skarmory EX (Full Art) [Holofoil]',
      'the first sub-type has the id of the unpriced product',
    )
    assert.equal(cards.get('pokemon-swsh12-145-reverse-holofoil').prices.market, 9)
    assert.equal(cards.get('pokemonjp-g24001-033-holofoil').setCode, 'g24001', 'a code stays')
    assert.equal(cards.get('yugioh-rds-331-rds-ense1-limited').setCode, 'rds-331', 'though the set is the older now')
  })

  it('the import prints what it did by game, and --report lists it one by one', async () => {
    const [out, dir, report] = [folder(), writeMirror(nextDay), join(temporaryFolder(), 'report.json')]
    const args = ['--out', out, '--date', '2026-11-21', '--report', report]
    const { stdout } = await runImportHere('tcgcsv', dir, ...args)
    const printed = `\
game       sets  cards  prices  new ids  changed  changed names  gone  held  doubtful  left out
pokemon       3     18      18        2        3              3     2     0         0         3
pokemonjp     3      3       3        0        0              0     0     0         0         0
mtg           3      6       5        0        0              0     0     0         0         1
yugioh        3      3       3        0        0              0     0     0         0         1
lorcana       3      5       5        0        0              0     0     0         0         0
onepiece      3      6       6        0        0              0     0     0         0         0
swu           3      4       4        0        0              0     0     0         0         0
fab           3      4       3        0        0              0     0     0         0         0

left out because  game     records
code card         pokemon        1
sealed            pokemon        2
sealed            mtg            1
sealed            yugioh         1

2026-11-21: 47 history rows; 12 files changed, 1 unchanged; 0.0 s
`
    assert.equal(stdout.replace(/\d+\.\d s$/m, '0.0 s'), printed)
    const text = readFileSync(report, 'utf8')
    const { games, records, ...head } = JSON.parse(text)
    assert.ok(
      text.endsWith(`"records":[\n${records.map((one: object) => JSON.stringify(one)).join(',\n')}\n]}\n`),
      text,
    )
    const games8 = ['fab', 'lorcana', 'mtg', 'onepiece', 'pokemon', 'pokemonjp', 'swu', 'yugioh']
    const cards = games8.map((game) => `cards/tcgcsv-${game}.ndjson`)
    const rest = ['history/2026-11-21-tcgcsv.csv.gz', 'import/ids.ndjson']
    const changedFiles = ['import/kept/tcgcsv.ndjson', 'sets/tcgcsv.ndjson', ...cards, ...rest]
    assert.deepEqual(head, { source: 'tcgcsv', paths: [dir], out, date: '2026-11-21', changedFiles, notes: [] })
    assert.deepEqual(games.pokemon, {
      ...{ sets: 3, cards: 18, sealed: 0, prices: 18, newIds: 2, added: 2, changed: 3, changedNames: 3 },
      ...{ gone: 2, held: 0, doubtful: 0, leftOut: { 'code card': 1, sealed: 2 } },
    })
    const [base, tempest] = ['3/604/products', '3/3170/products.json'].map((name) => join(dir, name))
    assert.deepEqual(records.map(Object.values), [
      [
        'left out',
        'mtg',
        join(dir, '1/3100/ProductsAndPrices.csv'),
        'line 7',
        'sealed',
        '452003 Draft Booster, "sealed"',
      ],
      ['left out', 'yugioh', join(dir, '2/332/ProductsAndPrices.csv'), 'line 2', 'sealed', '22020 Tin'],
      ['left out', 'pokemon', base, 'results[1]', 'sealed', '42400 Base Set Booster Pack'],
      ['left out', 'pokemon', tempest, 'results[4]', 'code card', '451400 Silver Tempest Code Card'],
      ['left out', 'pokemon', tempest, 'results[6]', 'sealed', '451402 Silver Tempest Elite Trainer Box'],
      ...[
        ['renamed', 'was Charizard [Holofoil], is Charizard', 'bs-004-holofoil'],
        ['renamed', 'was Lugia VSTAR, is Lugia VSTAR (Renamed)', 'swsh12-139-holofoil'],
        ['renamed', 'was Skarmory EX (Full Art), is Skarmory EX (Full Art) [Holofoil]', 'swsh12-145'],
        ['gone', 'the source no longer has Alakazam', 'bs-001-holofoil'],
        ['gone', 'the source no longer has Charizard [1st Edition Holofoil]', 'bs-004-1st-edition-holofoil'],
      ].map(([kind, reason, id]) => [kind, 'pokemon', null, null, reason, `pokemon-${id}`]),
    ])
  })

  it('one that is gone for a while comes back with its id, also if its prices went', async () => {
    const out = folder()
    await importInto(out, 'tcgcsv', [writeMirror(nextDay)], { date: '2026-11-21' })
    await importInto(out, 'tcgcsv', [writeMirror(withGroups({ 604: changed(42382, { prices: [] }) }))], {
      date: '2026-11-22',
    })
    assert.deepEqual(
      [...cardsById(out)].filter(([, { tcgplayerId }]) => tcgplayerId === 42382).map(([id]) => id),
      ['pokemon-bs-004-1st-edition-holofoil'],
    )
    await importInto(out, 'tcgcsv', [mirror], { date: '2026-11-23' })
    const [earlier, later] = [cardsById(imported), cardsById(out)]
    for (const id of earlier.keys())
      if (id !== 'pokemon-swsh12-145') assert.equal(later.get(id)?.tcgplayerId, earlier.get(id).tcgplayerId, id)
    assert.equal(later.get('pokemon-swsh12-145').tcgplayerId, 451399)
  })

  it('importing a day again replaces its history', async () => {
    const out = folder()
    await importInto(out, 'tcgcsv', [writeMirror(nextPrices)], { date: mirrorDay })
    assert(historyOf(out, '2026-11-20-tcgcsv.csv.gz').includes('2026-11-20,pokemon-bs-001-holofoil,45,,'))
    await importInto(out, 'tcgcsv', [mirror], { date: mirrorDay })
    assert.deepEqual(contentOf(out), contentOf(imported))
  })
})

describe('what is remembered', () => {
  it('lost, the next import refuses rather than numbers anew', async () => {
    for (const name of ['import/ids.ndjson', 'import']) {
      const out = folder()
      rmSync(join(out, name), { recursive: true })
      const left = contentOf(out)
      assert.match(
        await errorsOf(importInto(out, 'tcgcsv', [mirror])),
        /import\/ids\.ndjson: is missing, and the folder has imported files/,
      )
      for (const [file, content] of Object.entries(left)) assert.equal(contentOf(out)[file], content, file)
    }
  })

  const twice = /line \d+: assigns a key, an id or a code a second time/
  const damaged: [what: string, change: (text: string) => string, expected: RegExp][] = [
    ['cut short', (text) => text.slice(0, -7), /ids\.ndjson: line \d+: the file is cut short/],
    ['with a line that is no JSON', (text) => text.replace('{"', '"'), /ids\.ndjson: line 1: must be JSON/],
    ['with a line twice', (text) => `${text}${text.split('\n').at(-2)}\n`, twice],
    ['with an id twice', (text) => text.replace('pokemon-bs-004-holofoil', 'pokemon-bs-001-holofoil'), twice],
    ['with a field missing', (text) => text.replace('"subType":"Holofoil",', ''), /line \d+: must be the id of a card/],
    ['with a blank line', (text) => `\n${text}`, /line 1: must be JSON/],
  ]
  for (const [what, change, expected] of damaged) {
    it(`${what}, is refused by its line`, async () => {
      const out = folder()
      const file = join(out, 'import/ids.ndjson')
      writeFileSync(file, change(readFileSync(file, 'utf8')))
      const before = contentOf(out)
      assert.match(await errorsOf(importInto(out, 'tcgcsv', [mirror])), expected)
      assert.deepEqual(contentOf(out), before)
    })
  }

  it('of a source is refused by the line of a card that is none', async () => {
    const out = folder()
    const file = join(out, 'import/kept/tcgcsv.ndjson')
    const whole = readFileSync(file, 'utf8')
    const line = whole.split('\n').findIndex((text) => text.includes('"key":"42346 Holofoil"'))
    const card = JSON.parse(whole.split('\n')[line]!)
    const wrong = [{ product: -1 }, { name: undefined }, { game: 'chess' }, { market: 1.5 }, { other: 1 }]
    for (const field of wrong) {
      const lines = whole.split('\n')
      lines[line] = JSON.stringify({ ...card, ...field })
      writeFileSync(file, lines.join('\n'))
      assert.match(
        await errorsOf(importInto(out, 'tcgcsv', [nowhere])),
        new RegExp(`kept/tcgcsv\\.ndjson: line ${line + 1}: must be a record of an import \\(`),
        lines[line],
      )
    }
  })

  it('of one source but not of its cards is refused when another is imported', async () => {
    const out = folder()
    rmSync(join(out, 'import/kept/tcgcsv.ndjson'))
    const overlay = join(temporaryFolder(), 'mine.csv')
    writeFileSync(overlay, 'id,key,price\n')
    assert.match(await errorsOf(importInto(out, 'overlay', [overlay])), /kept\/tcgcsv\.ndjson: is missing/)
    // A later import could not know it.
    for (const options of [{ partial: true }, { games: new Set(['pokemon'] as const) }])
      assert.match(await errorsOf(importInto(out, 'tcgcsv', [mirror], options)), /kept\/tcgcsv\.ndjson: is missing/)
    await importInto(out, 'tcgcsv', [mirror])
    assert.deepEqual(contentOf(out), contentOf(imported))
  })
})

describe('a group without files', () => {
  const without = (): string => {
    const files = mirrorFiles()
    files.delete('3/604/prices')
    return writeFiles(files)
  }

  it('ends the import', async () => {
    const out = folder()
    assert.match(
      await errorsOf(importInto(out, 'tcgcsv', [without()])),
      /3\/604\/prices: is missing, though groups lists Base Set/,
    )
    assert.deepEqual(contentOf(out), contentOf(imported))
  })

  it('with --partial keeps all that the folder has of it', async () => {
    const out = folder()
    await importInto(out, 'tcgcsv', [without()], { partial: true })
    assert.deepEqual(contentOf(out), contentOf(imported))
    await importInto(out, 'tcgcsv', [without()], { partial: true, date: '2026-11-21' })
    assert.equal(
      cardsById(out).get('pokemon-bs-001-holofoil').updatedAt,
      '2026-11-20T00:00:00Z',
      'its prices are of the day before',
    )
    assert(!historyOf(out, '2026-11-21-tcgcsv.csv.gz').some((row) => row.includes('pokemon-bs-')))
  })
})

describe("the operator's own files", () => {
  it('stay as they are', async () => {
    const out = folder()
    const own = '{"id":"pokemon-own-1","game":"pokemon","name":"Mine","setCode":"bs"}\n'
    writeFileSync(join(out, 'cards/mine.ndjson'), own)
    writeFileSync(join(out, 'history/2026-11.csv'), 'date,id,market,low,high\n')
    writeFileSync(join(out, 'about.json'), '{"currency":"USD"}')
    await importInto(out, 'tcgcsv', [mirror])
    assert.deepEqual(contentOf(out), {
      ...contentOf(imported),
      'cards/mine.ndjson': own,
      'history/2026-11.csv': 'date,id,market,low,high\n',
      'about.json': '{"currency":"USD"}',
    })
  })
})
