/** The rules of search, one after the other, each on the few names it takes, and on the sample: the right card first, nothing missed, nothing twice. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setImmediate as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Search } from '../../src/search/search.ts'
import { Scan, type ScanCard, type ScanFilter, type ScanSet } from '../reference/scan.ts'
import {
  allHits,
  type Check,
  checkExactness,
  checkRelevance,
  everything,
  type Find,
  findOf,
} from '../reference/search-judge.ts'
import { speedQueries } from '../reference/search-queries.ts'
import { loadSearchedCatalog, type SearchedCatalog, searchOf } from '../reference/searched-catalog.ts'
import { amount } from '../support/amount.ts'
import { randomFrom } from '../support/random.ts'

const oneSet: ScanSet[] = [{ code: 'one', name: 'Set One', game: 0 }]
const named = (names: readonly string[]): Promise<Search> =>
  searchOf(
    names.map((name) => ({ name, game: 0, setNumber: 0, rarity: null })),
    oneSet,
  )

/** `hits` are the indexes of the names that the query finds, best first. */
type Example = readonly [rule: string, names: readonly string[], query: string, hits: readonly number[]]
const examples: readonly Example[] = [
  ['accents do not matter', ['Pokémon Flute', 'Poké'], 'pokemon', [0]],
  ['signs in a name join its letters', ['D. D. Crowbar', 'Ddt', 'D.D. Crow'], 'dd crow', [2]],
  ['signs in the query join or split its words', ['Spiderman', 'Man of Spiders'], 'spider-man', [0, 1]],
  ['a sign in a word with a typo', ['Spider-Man'], 'spidremann', [0]],
  ['& is and', ['Sword & Shield', 'Sword Shield'], 'sword and shield', [0]],
  ['and is &', ['Sword Shield', 'Sword and Shield'], 'sword & shield', [1, 0]],
  ['words come in any order', ['Monkey.D.Luffy', 'Luffy'], 'luf mon', [0]],
  ['the middle of a word is not found', ['Nidoking'], 'king', []],
  ['Japanese matches inside a word', ['メガリザードン', 'サ'], 'ザード', [0]],
  [
    'beginnings of names come first, then of words, then the inside',
    ['メロの', 'アポ ロのド', 'ロのド', 'ロの'],
    'ロの',
    [3, 2, 1, 0],
  ],
  [
    'several words, beginnings before the inside',
    ['サカのメガロケ', 'サカの ゴールロケ', 'サカの ロケだん'],
    'サカ ロケ',
    [2, 0, 1],
  ],
  ['signs alone find the name that equals them', ['____', '_____', '_____ Goblin'], ' _____ ', [1]],
  ['signs alone, the typed form first', ['？？', '??'], '??', [1, 0]],
  ['the typed name comes first', ['Nidoran♂', 'Nidoran♀'], 'Nidoran♀', [1, 0]],
  ['the name with the sign, in any case', ['Nidoran♂', 'Nidoran♀'], 'nidoran♀', [1, 0]],
  ['a number with signs is one word', ['Borrowing 100,000 Arrows'], 'borrowing 100000 arrows', [0]],
  [
    'a number with signs is one word beside other words',
    ['Arrows', 'Borrowing the East Wind', 'Borrowing 100,000 Arrows'],
    'borrow 100000 ar',
    [2],
  ],
  [
    'a number with signs is one word at the beginning',
    ['10,000 Year Reunion (Red)', 'Reunion'],
    '10000 year reunion',
    [0],
  ],
  ['a number with a point is one word', ['Pokégear 3.0', 'Pokégear'], 'pokegear 30', [0]],
  [
    'a number with signs is one word before a bracket',
    ['Borrowing 100,000 Arrows [Foil]', 'D.D. Crow'],
    'borrowing 100000 arrows foil',
    [0],
  ],
  ['the equal name comes first', ['Nidoking', 'N Castle', 'N'], 'N', [2, 1, 0]],
  ['whole words before beginnings', ['Exeggcute', 'Charizard ex'], 'ex', [1, 0]],
  [
    'names that begin with the words, then words in order, then the rest',
    ['Eyes Blue', 'Red Blue Eyes', 'Blue Eyes X'],
    'blue eyes',
    [2, 1, 0],
  ],
  [
    'beginnings of words come in the same order as words',
    ['Eyesa Blue', 'X Blue Eyesa', 'Blue X Eyesa', 'Blues Eyes'],
    'blue eyes',
    [3, 1, 2, 0],
  ],
  ['a wrong letter is one typo', ['Pound', 'Pond'], 'pounf', [0]],
  ['two typos need eight letters', ['Charizard', 'Pikachu'], 'chariszrd', [0]],
  ['seven letters may have only one typo', ['Pikachu'], 'pikahcx', []],
  ['digits are no Latin letters', ['A123'], 'a124', []],
  ['a typo is counted against the whole word', ['Pounding'], 'poxnd', []],
  ['other words match as without a typo', ['Pound Town', 'Pound Field'], 'poxnd to', [0]],
  ['fewest typos first', ['Charizord', 'Charizard'], 'cgarizard', [1, 0]],
  ['a corrected word counts as a beginning too', ['X Pound Yab', 'Pounds Yab Pound'], 'poxnd ya', [1, 0]],
  ['beside a typo, whole words stay whole', ['Dras Xyz Dra', 'Of Dra Xyz', 'Dra Xyz'], 'dra xyzz', [2, 1, 0]],
  ['what lies inside is no beginning beside a typo', ['リザード Pound', 'ザーリ Pound'], 'ザー poxnd', [1, 0]],
  ['a repeated word has its typos twice', ['Mewtwo Blxstoixe', 'Mewtxo Blastoise'], 'mewtwo mewtwo blastoise', [0, 1]],
  ['no typos while something matches', ['Pound', 'Poxnd'], 'poxnd', [1]],
  ['a word named like a property', ['__proto__', 'Constructor', 'toString'], '__proto__', [0]],
]

for (const [rule, names, query, hits] of examples) {
  test(`A search for ${query}: ${rule}`, async () => {
    const found = allHits(findOf(await named(names)), query, everything, 100)
    const actual = found.map((card) => names[card])
    assert.deepEqual(
      actual,
      hits.map((card) => names[card]),
    )
  })
}

const filterSets: ScanSet[] = [
  { code: 'base1', name: 'Base Set', game: 0 },
  { code: 'BASE1', name: 'Other', game: 1 },
  { code: 'x', name: 'Base Set', game: 1 },
  { code: 'other', name: 'Fossil', game: 0 },
]
const filterCards: ScanCard[] = [
  { name: 'Mew', game: 0, setNumber: 0, rarity: 'Rare Holo', number: '7' },
  { name: 'Mew', game: 1, setNumber: 1, rarity: 'rare holo' },
  { name: 'Mew', game: 1, setNumber: 2, rarity: null },
  { name: 'Mew', game: 0, setNumber: 3, rarity: 'Rare' },
  { name: 'Pound', game: 0, setNumber: 3, rarity: 'Rare' },
  { name: 'Poxnd', game: 0, setNumber: 0, rarity: 'Common' },
]
const filterCases: { rule: string; query?: string; filter: Partial<ScanFilter>; hits: number[] }[] = [
  { rule: 'a set code in any case and any game', filter: { set: 'Base1' }, hits: [0, 1] },
  { rule: 'a set code in a game', filter: { set: 'base1', game: 1 }, hits: [1] },
  { rule: 'a set name, all sets so named', filter: { set: 'base set' }, hits: [0, 2] },
  { rule: 'a code goes before a name', filter: { set: 'other' }, hits: [3] },
  { rule: 'a code goes before a name only in the chosen game', filter: { set: 'other', game: 1 }, hits: [1] },
  { rule: 'a rarity in any case', filter: { rarity: 'RARE HOLO' }, hits: [0, 1] },
  { rule: 'a word of the set and a number as one word', query: 'mew base-7', filter: {}, hits: [0] },
  { rule: 'typos when the filters leave nothing else', query: 'poxnd', filter: { set: 'fossil' }, hits: [4] },
]
for (const { rule, query = 'mew', filter, hits } of filterCases) {
  test(`A filtered search keeps its rule: ${rule}`, async () => {
    const search = await searchOf(filterCards, filterSets)
    assert.deepEqual(allHits(findOf(search), query, { ...everything, ...filter }, 2), hits)
  })
}

test('An empty catalog finds nothing', async () => {
  const search = await searchOf([], [])
  for (const query of ['a', 'リ', '___', 'dragonite'])
    assert.equal(search.find(query, everything, { limit: 20, offset: 0 }).total, 0)
})

const queriesEach = amount(400, 2000)
const exactnessQueries = amount(30, 150)
/** The queries of rule e; all others hold always. */
const mistypedShareMin = 0.97

let catalog: SearchedCatalog
let find: Find

before(async () => {
  catalog = await loadSearchedCatalog(fileURLToPath(new URL('../../snapshots', import.meta.url)))
  const search = await Search.load(catalog.files.search, catalog.files.lists, catalog.files.changes, () => pause())
  find = findOf(search)
})

function assertHolds({ rule, asked, held, failed }: Check): void {
  assert(asked > 0, `${rule}: nothing was asked`)
  const needed = rule.startsWith('e.') ? Math.ceil(mistypedShareMin * asked) : asked
  assert(held >= needed, `${rule}: ${held} of ${asked}, not for ${failed.join(', ')}`)
}

test('A search of the sample finds the right card, and shows the exactly named one first', () => {
  for (const check of checkRelevance(catalog.cards, find, randomFrom(11), queriesEach)) assertHolds(check)
})

test('A search of the sample has the hits, totals and pages of a plain scan', () => {
  const queries = Object.values(speedQueries(catalog.cards, randomFrom(12), exactnessQueries)).flat()
  const scan = new Scan(catalog.cards, catalog.sets)
  for (const check of checkExactness(catalog, scan, find, randomFrom(13), queries)) assertHolds(check)
})
