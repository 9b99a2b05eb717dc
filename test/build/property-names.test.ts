/**
 * Names of properties of every JavaScript object, in snapshots, in the files of sources and in commands: the outcome is that for any
 * other unknown text, so no text is looked up in a plain object.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { ImportError } from '../../build/import/import-errors.ts'
import { allPrices, allPrintings, brothersWar, shop, uuid } from '../import/magic.ts'
import { someOf } from '../support/amount.ts'
import { accounts, build, runAccountsHere, runHere, temporaryFolder } from '../support/command.ts'
import { file, importNew, recordsIn, runImportHere } from '../support/import.ts'
import { writeMirror } from '../support/mirror.ts'
import { propertyNames, unknownLike } from '../support/property-names.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'

/** Upper case, lower case and without signs, as ids and file names have it. */
const masked = (text: string, name: string): string =>
  [name, name.toLowerCase(), name.replaceAll('_', ''), name.toLowerCase().replaceAll('_', '')].reduce(
    (all, form) => all.replaceAll(form, '…'),
    text,
  )

const withoutFolders = (text: string): string => text.replaceAll(/[^\s"]*card-price-lookup-\w+\//g, '')

type OutcomeOf = (name: string) => Promise<unknown>

async function assertAlike(outcomeOf: OutcomeOf): Promise<void> {
  for (const name of someOf(propertyNames, 3)) {
    const outcome = async (text: string) =>
      JSON.parse(masked(withoutFolders(JSON.stringify(await outcomeOf(text))), text))
    assert.deepEqual(await outcome(name), await outcome(unknownLike(name)))
  }
}

/** Its own member of that name, which a literal would not have for `__proto__`. */
const having = (name: string, value: unknown): object =>
  JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`)

/** What a build says; of a version, how many cards and sets of each game it has. */
async function built(files: Parameters<typeof snapshotOf>[0]): Promise<unknown> {
  const { code, stdout, stderr } = await build(snapshotOf(files), temporaryFolder())
  return [code, stdout.replaceAll(/\d+(\.\d+)? (s|ms|MB|kB)\b|v\d\S+|[\da-f]{12,}/g, '#'), stderr]
}

describe('A snapshot with a name that JavaScript gives every object', () => {
  const ofCard = (make: (name: string) => object) => (name: string) =>
    built({ 'sets/a.ndjson': [aSet], 'cards/a.ndjson': [{ ...aCard, ...make(name) }] })
  const market = { market: 'ebay', currency: 'USD', price: 1 }
  const fields: Readonly<Record<string, OutcomeOf>> = {
    conditions: ofCard((name) => ({ prices: { market: 1, conditions: having(name, 2) } })),
    graded: ofCard((name) => ({ prices: { market: 1, graded: having(name, 2) } })),
    prices: ofCard((name) => ({ prices: having(name, 2) })),
    'a field': ofCard((name) => having(name, 2)),
    market: ofCard((name) => ({ markets: [{ ...market, market: name.toLowerCase() }] })),
    'a market’s field': ofCard((name) => ({ markets: [{ ...market, ...having(name, 2) }] })),
    'the game of a card': ofCard((game) => ({ game })),
    'the set of a card': ofCard((setCode) => ({ setCode })),
    ...Object.fromEntries(
      ['name', 'number', 'printing', 'rarity', 'language'].map((field) => [
        field,
        ofCard((name) => ({ [field]: name })),
      ]),
    ),
    'the game of a set': (game) => built({ 'sets/a.ndjson': [{ ...aSet, game }], 'cards/a.ndjson': [aCard] }),
    'the code of a set': (code) =>
      built({ 'sets/a.ndjson': [{ ...aSet, code }], 'cards/a.ndjson': [{ ...aCard, setCode: code }] }),
    'about.json': (name) =>
      built({ 'sets/a.ndjson': [aSet], 'cards/a.ndjson': [aCard], 'about.json': JSON.stringify(having(name, 2)) }),
    'a column of the history': (name) =>
      built({
        'sets/a.ndjson': [aSet],
        'cards/a.ndjson': [aCard],
        'history/a.csv': `date,id,market,${name}\n2026-11-20,${aCard.id},1,2\n`,
      }),
    'a card of the history': (id) =>
      built({
        'sets/a.ndjson': [aSet],
        'cards/a.ndjson': [aCard],
        'history/a.csv': `date,id,market,low,high\n2026-11-20,${id},1,2,3\n`,
      }),
  }
  for (const [field, outcomeOf] of Object.entries(fields))
    it(`A name such as "constructor" is ordinary text in place of ${field}`, () => assertAlike(outcomeOf))
})

/** What is imported and reported, or the lines that say why nothing is. */
async function imported(source: string, ...files: readonly string[]): Promise<readonly unknown[]> {
  try {
    const { out, report } = await importNew(source, files)
    return [recordsIn(out, 'sets'), recordsIn(out, 'cards'), report.records, [...report.game('mtg').leftOut]]
  } catch (error) {
    if (!(error instanceof ImportError)) throw error
    return error.lines
  }
}

const cardsAlone = ([sets, cards]: readonly unknown[]) => [sets, cards]

describe('A source with a name that JavaScript gives every object', () => {
  const printings = (sets?: Record<string, object>) => file('AllPrintings.json', allPrintings(sets))
  const prices = (paper: object) => file('AllPrices.json', JSON.stringify({ meta: {}, data: { [uuid(1)]: { paper } } }))
  const day = { '2026-11-20': 1 }
  const priced = (paper: object) => imported('mtgjson', printings(), prices(paper))
  /** Beside the members of the same object. */
  const also = (object: object, name: string, value: unknown): object =>
    JSON.parse(JSON.stringify(object).replace(/^\{/, `{${JSON.stringify(name)}:${JSON.stringify(value)},`))
  const [command, ...others] = brothersWar.cards
  const withCard = (more: object) => printings({ BRO: { ...brothersWar, cards: [{ ...command, ...more }, ...others] } })
  const fields: Readonly<Record<string, OutcomeOf>> = {
    'a day without a price': (name) => priced({ tcgplayer: shop('USD', { normal: also(day, name, null) }) }),
    'a day that is bought': (name) =>
      priced({ cardkingdom: shop('USD', { normal: also(day, name, null) }, { normal: day }) }),
    'a day': (name) => priced({ tcgplayer: shop('USD', { normal: also(day, name, 2) }) }),
    // Reports name those of others, but for the names that valibot leaves out of records.
    'a finish': (name) => priced({ tcgplayer: shop('USD', also({ normal: day }, name, day)) }).then(cardsAlone),
    'a shop': (name) =>
      priced(also({ tcgplayer: shop('USD', { normal: day }) }, name, shop('USD', { normal: day }))).then(cardsAlone),
    'a currency': (name) => priced({ tcgplayer: shop(name, { normal: day }) }),
    'a finish of a card': (name) =>
      imported('mtgjson', withCard({ finishes: [name] }), file('AllPrices.json', allPrices())),
    'the code of a set': (name) =>
      imported(
        'mtgjson',
        file(
          'AllPrintings.json',
          JSON.stringify({ meta: {}, data: also({ BRO: brothersWar }, name, { ...brothersWar, cards: [] }) }),
        ),
        file('AllPrices.json', allPrices()),
      ),
    'a field of a set’s own file': (name) => {
      const { name: _, ...nameless } = brothersWar
      return imported(
        'mtgjson',
        file('BRO.json', JSON.stringify({ meta: {}, data: also(nameless, name, { name: 'Not read' }) })),
        file('AllPrices.json', allPrices()),
      )
    },
    'a member of a file of the mirror': (name) => {
      const mirror = writeMirror()
      const path = join(mirror, '3/groups')
      writeFileSync(path, JSON.stringify(also(JSON.parse(readFileSync(path, 'utf8')), name, { success: false })))
      return imported('tcgcsv', mirror)
    },
    'a console and a product': (name) =>
      imported(
        'pricecharting',
        file('guide.csv', `id,console-name,product-name,new-price,${name}-price\n1,${name},${name},$1.00,$2.00\n`),
      ),
    'a column of an overlay': (name) =>
      imported('overlay', file('sales.csv', `id,grade,price,${name}\nmtg-bro-070,psa_10,1,2\n`)),
    'a grade of an overlay': (name) =>
      imported('overlay', file('sales.csv', `id,grade,price\nmtg-bro-070,${name},1\n`)),
  }
  for (const [field, outcomeOf] of Object.entries(fields))
    it(`A name such as "constructor" is ordinary text in place of ${field}`, () => assertAlike(outcomeOf))
})

it('A name such as "constructor" is ordinary text as an argument of a command', async () => {
  const storeDir = temporaryFolder()
  await accounts(storeDir, 'create', 'acme', '--plan', 'free')
  const commands: readonly ((name: string) => readonly string[])[] = [
    (name) => ['create', 'other', '--plan', name],
    (name) => ['set-plan', 'acme', name],
    (name) => ['set-plan', name, 'free'],
    (name) => ['usage', name],
    (name) => ['show', name],
    (name) => ['suspend', name],
    (name) => ['create-key', name],
    (name) => ['revoke', name],
    (name) => [name],
  ]
  for (const command of commands) await assertAlike((name) => runAccountsHere(storeDir, ...command(name)))
  for (const plan of propertyNames) await accounts(storeDir, 'create', plan, '--plan', 'free')
  const listed: readonly { account: string }[] = await accounts(storeDir, 'list')
  assert.deepEqual(listed.map(({ account }) => account).sort(), ['acme', ...propertyNames].sort())
  const out = temporaryFolder()
  for (const command of [
    (name: string) => ['tcgcsv', 'mirror', '--out', out, '--games', name],
    (name: string) => ['tcgcsv', 'mirror', '--out', out, '--prefer', name],
    (name: string) => [name, 'mirror', '--out', out],
  ])
    await assertAlike((name) => runImportHere(...command(name)))
  for (const command of [
    (name: string) => ['inspect', name],
    (name: string) => ['fetch', name],
    (name: string) => [name],
  ])
    await assertAlike((name) => runHere(command(name), { INDEX_DIR: out }))
})
