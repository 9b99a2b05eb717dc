/** Mirrors of TCGCSV are imported day after day into a folder that remembers, and that may hold more. */
import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { mirrorGroups } from '../fetch/mirror-groups.ts'
import { temporaryFolder } from '../support/command.ts'
import {
  assertRefused,
  cardsById,
  contentOf,
  copyOf,
  errorsOf,
  historyOf,
  importInto,
  importNew,
  recordsIn,
  runImportHere,
} from '../support/import.ts'
import { changed, dropped, mirrorDay, mirrorFiles, withGroups, writeFiles, writeMirror } from '../support/mirror.ts'
import { syncedBy } from '../support/synced.ts'

const mirror = writeMirror()
const imported = temporaryFolder()
await importInto(imported, 'tcgcsv', [mirror])

const nextPrices = withGroups({ 604: changed(42346, { prices: [{ subType: 'Holofoil', market: 45 }] }) })

/** A mirror that is not read, as what is remembered is wrong. */
const nowhere = join(mirror, 'nowhere')
const folder = () => copyOf(imported)

describe('The import of a next day', () => {
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

  it('Every product and sub-type keeps its id on the next day, and no id is assigned twice', async () => {
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

  it('The import of a next day prints its changes by game, and --report lists them one by one', async () => {
    const ofPokemon = ({ category }: { category: number }) => category === 3
    const [dir, report] = [writeMirror(nextDay.filter(ofPokemon)), join(temporaryFolder(), 'report.json')]
    const { out } = await importNew('tcgcsv', [writeMirror(mirrorGroups.filter(ofPokemon))])
    const { stdout } = await runImportHere('tcgcsv', dir, '--out', out, '--date', '2026-11-21', '--report', report)
    const printed = `\
game     sets  cards  prices  new ids  changed  changed names  gone  held  doubtful  left out
pokemon     3     18      18        2        3              3     2     0         0         3

left out because  game     records
code card         pokemon        1
sealed            pokemon        2

2026-11-21: 18 history rows; 5 files changed, 2 unchanged; 0.0 s
`
    assert.equal(stdout.replace(/\d+\.\d s$/m, '0.0 s'), printed)
    const text = readFileSync(report, 'utf8')
    const { games, records, ...head } = JSON.parse(text)
    assert.ok(
      text.endsWith(`"records":[\n${records.map((one: object) => JSON.stringify(one)).join(',\n')}\n]}\n`),
      text,
    )
    const date = '2026-11-21'
    const changedFiles = [
      'import/kept/tcgcsv.ndjson',
      'cards/tcgcsv-pokemon.ndjson',
      'import/changes.ndjson',
      `history/${date}-tcgcsv.csv.gz`,
      'import/ids.ndjson',
    ]
    assert.deepEqual(head, { source: 'tcgcsv', paths: [dir], out, date, changedFiles, notes: [] })
    const leftOut = { sealed: 2, 'code card': 1 }
    const did = { newIds: 2, added: 2, changed: 3, changedNames: 3, gone: 2, held: 0, doubtful: 0, leftOut }
    assert.deepEqual(games, { pokemon: { sets: 3, cards: 18, sealed: 0, prices: 18, ...did } })
    const tempest = join(dir, '3/3170/products.json')
    assert.deepEqual(records.map(Object.values), [
      ['left out', 'pokemon', join(dir, '3/604/products'), 'results[1]', 'sealed', '42400 Base Set Booster Pack'],
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

  it('A card that was gone for a while comes back with its id, even if only its prices were gone', async () => {
    const out = folder()
    await importInto(out, 'tcgcsv', [writeMirror(nextDay)], { date: '2026-11-21' })
    await importInto(out, 'tcgcsv', [writeMirror(withGroups({ 604: changed(42382, { prices: [] }) }))], {
      date: '2026-11-22',
    })
    const found = [...cardsById(out)].filter(([, { tcgplayerId }]) => tcgplayerId === 42382).map(([id]) => id)
    assert.deepEqual(found, ['pokemon-bs-004-1st-edition-holofoil'])
    await importInto(out, 'tcgcsv', [mirror], { date: '2026-11-23' })
    const [earlier, later] = [cardsById(imported), cardsById(out)]
    for (const id of earlier.keys())
      if (id !== 'pokemon-swsh12-145') assert.equal(later.get(id)?.tcgplayerId, earlier.get(id).tcgplayerId, id)
    assert.equal(later.get('pokemon-swsh12-145').tcgplayerId, 451399)
  })

  it('A second import of the same day replaces the day’s history', async () => {
    const out = folder()
    await importInto(out, 'tcgcsv', [writeMirror(nextPrices)], { date: mirrorDay })
    assert(historyOf(out, '2026-11-20-tcgcsv.csv.gz').includes('2026-11-20,pokemon-bs-001-holofoil,45,,'))
    await importInto(out, 'tcgcsv', [mirror], { date: mirrorDay })
    assert.deepEqual(contentOf(out), contentOf(imported))
  })
})

describe('The import’s own files in a folder', () => {
  it('An import refuses a folder whose file of ids is lost, and assigns no new ids', async () => {
    for (const name of ['import/ids.ndjson', 'import']) {
      const out = folder()
      rmSync(join(out, name), { recursive: true })
      const left = contentOf(out)
      const wrong = 'is missing, and the folder has imported files: put it back, or their cards would get other ids'
      await assertRefused(
        importInto(out, 'tcgcsv', [mirror]),
        `${join(out, 'import/ids.ndjson')}: ${wrong} (sets/tcgcsv.ndjson)`,
      )
      for (const [file, content] of Object.entries(left)) assert.equal(contentOf(out)[file], content, file)
    }
  })

  const [twice, noId] = [
    'assigns a key, an id or a code a second time',
    'must be the id of a card or the code of a set',
  ]
  const group = { source: 'tcgplayer', group: 604, game: 'pokemon', code: 'bs' }
  const also = (line: object) => (text: string) => `${text}${JSON.stringify(line)}\n`
  const damaged: [what: string, change: (text: string) => string, line: number, wrong: string][] = [
    ['cut short', (text) => text.slice(0, -7), 73, 'the file is cut short'],
    ['with a line that is no JSON', (text) => text.replace('{"', '"'), 1, 'must be JSON'],
    ['with a blank line', (text) => `\n${text}`, 1, 'must be JSON'],
    ['with a card twice', also({ source: 'tcgplayer', product: 42346, subType: 'Holofoil', id: 'x' }), 74, twice],
    [
      'with an id twice',
      also({ source: 'tcgplayer', product: 1, subType: null, id: 'pokemon-bs-001-holofoil' }),
      74,
      twice,
    ],
    ['with a set twice', also({ ...group, code: 'x' }), 74, twice],
    ['with a code twice', also({ ...group, group: 1 }), 74, twice],
    ['without a field', (text) => text.replace('"subType":"Holofoil",', ''), 29, noId],
    ['with an unknown field', also({ ...group, x: 1 }), 74, noId],
    ['with an invalid id', also({ source: 'mtgjson', uuid: 'u', finish: 'foil', id: 'Mtg x' }), 74, noId],
    [
      'with an id that is too long',
      also({ source: 'scryfall', card: 'u', finish: 'foil', id: 'x'.repeat(129) }),
      74,
      noId,
    ],
    ['with a set of an unknown game', also({ ...group, game: 'no-game' }), 74, noId],
    ['with an invalid set code', also({ ...group, group: 1, code: 'B S' }), 74, noId],
  ]
  for (const [what, change, line, wrong] of damaged) {
    it(`An import refuses a file of ids ${what}, and names the line`, async () => {
      const out = folder()
      const file = join(out, 'import/ids.ndjson')
      writeFileSync(file, change(readFileSync(file, 'utf8')))
      const before = contentOf(out)
      const errors = await errorsOf(importInto(out, 'tcgcsv', [nowhere]))
      assert.equal(errors.replace(/ \(.*\)$/m, ''), `${file}: line ${line}: ${wrong}\n1 error; nothing was written`)
      assert.deepEqual(contentOf(out), before)
    })
  }

  it('An import refuses a remembered card with a wrong field, and names its line', async () => {
    const out = folder()
    const file = join(out, 'import/kept/tcgcsv.ndjson')
    const whole = readFileSync(file, 'utf8')
    const line = whole.split('\n').findIndex((text) => text.includes('"key":"42346 Holofoil"'))
    const card = JSON.parse(whole.split('\n')[line]!)
    const wrong = [
      { product: -1 },
      { name: undefined },
      { game: 'no-game' },
      { market: 1.5 },
      { low: '1' },
      { other: 1 },
    ]
    const others = [{ first: 1 }, { alternativeProduct: 0 }, { cardmarketId: 'x' }, { markets: [{}] }, { image: 1 }]
    for (const field of [...wrong, ...others]) {
      const lines = whole.split('\n')
      lines[line] = JSON.stringify({ ...card, ...field })
      writeFileSync(file, lines.join('\n'))
      const errors = await errorsOf(importInto(out, 'tcgcsv', [nowhere]))
      const place = `${file}: line ${line + 1}: must be a record of an import`
      assert.equal(errors.replace(/ \(.*\)$/m, ''), `${place}\n1 error; nothing was written`, lines[line])
    }
  })

  it('An import of an overlay refuses a folder whose remembered cards of a source are lost', async () => {
    const out = folder()
    rmSync(join(out, 'import/kept/tcgcsv.ndjson'))
    const overlay = join(temporaryFolder(), 'mine.csv')
    writeFileSync(overlay, 'id,key,price\n')
    const wrong = 'is missing, but the folder has files made from it: import all of tcgcsv again (sets/tcgcsv.ndjson)'
    const line = `${join(out, 'import/kept/tcgcsv.ndjson')}: ${wrong}\n1 error; nothing was written`
    assert.equal(await errorsOf(importInto(out, 'overlay', [overlay])), line)
    // A later import could not know it.
    for (const options of [{ partial: true }, { games: new Set(['pokemon'] as const) }])
      assert.equal(await errorsOf(importInto(out, 'tcgcsv', [mirror], options)), line)
    await importInto(out, 'tcgcsv', [mirror])
    assert.deepEqual(contentOf(out), contentOf(imported))
  })
})

describe('A group without its files', () => {
  const without = (): string => {
    const files = mirrorFiles()
    files.delete('3/604/prices')
    return writeFiles(files)
  }

  it('An import of a mirror that lacks a group’s prices fails, and changes nothing', async () => {
    const [out, dir] = [folder(), without()]
    const wrong = "is missing, though groups lists Base Set; --partial keeps the folder's cards of it"
    await assertRefused(importInto(out, 'tcgcsv', [dir]), `${dir}/3/604/prices: ${wrong}`)
    assert.deepEqual(contentOf(out), contentOf(imported))
  })

  it('An import with --partial keeps the cards of a group whose files are missing', async () => {
    const out = folder()
    const dir = without()
    const { report } = await importInto(out, 'tcgcsv', [dir], { partial: true })
    const reason = 'is missing: the folder keeps its cards of the group'
    const located = { game: 'pokemon', file: `${dir}/3/604/prices`, place: null, reason, record: 'Base Set' }
    const found = report.records.filter(({ kind }) => kind === 'doubtful')
    assert.deepEqual(found, [{ kind: 'doubtful', ...located }])
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

describe('The operator’s own files', () => {
  it('An import leaves the operator’s own cards, history and about.json as they are', async () => {
    const out = folder()
    const own = '{"id":"pokemon-own-1","game":"pokemon","name":"Mine","setCode":"bs"}\n'
    writeFileSync(join(out, 'cards/mine.ndjson'), own)
    writeFileSync(join(out, 'history/2026-11.csv'), 'date,id,market,low,high\n')
    writeFileSync(join(out, 'about.json'), '{"currency":"USD","images":[]}')
    await importInto(out, 'tcgcsv', [mirror])
    assert.deepEqual(contentOf(out), {
      ...contentOf(imported),
      'cards/mine.ndjson': own,
      'history/2026-11.csv': 'date,id,market,low,high\n',
      'about.json': '{"currency":"USD","images":[]}',
    })
  })
})

it('All files of an import, and their names, are on the disk before the first one is replaced', async (context) => {
  const out = temporaryFolder()
  const synced = await syncedBy(context, out, () => importInto(out, 'tcgcsv', [writeMirror()]))
  const names = synced.map((path) => path.replace(/^import\/\.[^/]+/, 'stage'))
  const journal = names.indexOf('stage/journal')
  const [before, later] = [new Set(names.slice(0, journal)), new Set(names.slice(journal + 1))]
  const files = Object.keys(contentOf(out)).filter((file) => !file.startsWith('import/.lock'))
  for (const file of files) {
    assert.ok(before.has(`stage/${file}`), file)
    const folder = dirname(file).replace(/^\.$/, '')
    assert.ok(before.has(join('stage', folder)), `the names in ${folder} are staged`)
    assert.ok(later.has(folder), `the names in ${folder} are on the disk in the end`)
  }
})
