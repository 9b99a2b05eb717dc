/** The rules of search, one after the other, each on the few names it takes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Search } from '../../src/search/search.ts'
import type { ScanCard, ScanFilter, ScanSet } from '../reference/scan.ts'
import { allHits, everything, findOf } from '../reference/search-judge.ts'
import { searchOf } from '../reference/searched-catalog.ts'

const oneSet: ScanSet[] = [{ code: 'one', name: 'Set One', game: 0 }]
const named = (names: readonly string[]): Promise<Search> =>
  searchOf(
    names.map((name) => ({ name, game: 0, setNumber: 0, rarity: null })),
    oneSet,
  )

const examples: { rule: string; names: string[]; query: string; hits: string[] }[] = [
  { rule: 'accents do not matter', names: ['Pokémon Flute', 'Poké'], query: 'pokemon', hits: ['Pokémon Flute'] },
  { rule: 'accents of the query do not matter', names: ['Pokemon Flute'], query: 'POKÉMON', hits: ['Pokemon Flute'] },
  { rule: 'signs part words', names: ['Blue-Eyes', 'Blueeyes'], query: 'blue eyes', hits: ['Blue-Eyes'] },
  {
    rule: 'an apostrophe is dropped',
    names: ["Urza's Saga", 'Urza’s Mine'],
    query: 'urzas',
    hits: ["Urza's Saga", 'Urza’s Mine'],
  },
  {
    rule: 'an apostrophe may be asked',
    names: ["Urza's Saga", 'Urza’s Mine'],
    query: "urza's",
    hits: ["Urza's Saga", 'Urza’s Mine'],
  },
  {
    rule: 'signs join words, too',
    names: ['D. D. Crowbar', 'Ddt', 'D.D. Crow'],
    query: 'dd crow',
    hits: ['D.D. Crow'],
  },
  {
    rule: 'before typos',
    names: ['Spiderman', 'Spider-Man', 'Spidermen'],
    query: 'spiderman',
    hits: ['Spiderman', 'Spider-Man'],
  },
  {
    rule: 'a joined word counts as any word',
    names: ['Fallen Ho-Oh', 'Ho-Oh ex', 'Hooh'],
    query: 'hooh',
    hits: ['Hooh', 'Ho-Oh ex', 'Fallen Ho-Oh'],
  },
  {
    rule: 'in its place',
    names: ['The Ho-Oh ex', 'Ho-Oh ex V'],
    query: 'hooh ex',
    hits: ['Ho-Oh ex V', 'The Ho-Oh ex'],
  },
  { rule: 'and its beginning', names: ['Spider-Man'], query: 'spiderm', hits: ['Spider-Man'] },
  {
    rule: 'of numbers',
    names: ['Borrowing 100,000 Arrows'],
    query: 'borrowing 100000 arrows',
    hits: ['Borrowing 100,000 Arrows'],
  },
  { rule: 'of symbols', names: ['Evil★Eye', 'Live☆Eye Ki-sikil'], query: 'liveeye', hits: ['Live☆Eye Ki-sikil'] },
  {
    rule: 'the query’s signs join, too',
    names: ['Spiderman', 'Man of Spiders'],
    query: 'spider-man',
    hits: ['Spiderman', 'Man of Spiders'],
  },
  { rule: 'a sign in a word with a typo', names: ['Spider-Man'], query: 'spidremann', hits: ['Spider-Man'] },
  { rule: '& is and', names: ['Sword & Shield', 'Sword Shield'], query: 'sword and shield', hits: ['Sword & Shield'] },
  {
    rule: 'and is &',
    names: ['Sword Shield', 'Sword and Shield'],
    query: 'sword & shield',
    hits: ['Sword and Shield', 'Sword Shield'],
  },
  { rule: 'also without spaces', names: ['D&D Dungeon'], query: 'd and d', hits: ['D&D Dungeon'] },
  { rule: 'points part words', names: ['Monkey.D.Luffy'], query: 'monkey d luffy', hits: ['Monkey.D.Luffy'] },
  { rule: 'a later word is enough', names: ['Monkey.D.Luffy'], query: 'luffy', hits: ['Monkey.D.Luffy'] },
  { rule: 'words come in any order', names: ['Monkey.D.Luffy', 'Luffy'], query: 'luf mon', hits: ['Monkey.D.Luffy'] },
  { rule: 'the middle of a word is not found', names: ['Nidoking'], query: 'king', hits: [] },
  {
    rule: 'letters without decomposition',
    names: ['Æther Øre Straße Łódź Œuvre þing Vetreiði'],
    query: 'aether ore strasse lodz oeuvre thing vetreidi',
    hits: ['Æther Øre Straße Łódź Œuvre þing Vetreiði'],
  },
  {
    rule: 'the capital dotted and the small dotless i',
    names: ['İstanbul ılık'],
    query: 'istanbul ilik',
    hits: ['İstanbul ılık'],
  },
  {
    rule: 'signs between Japanese letters do not part words',
    names: ['カプ・コケコ'],
    query: 'カプコケコ',
    hits: ['カプ・コケコ'],
  },
  { rule: 'and may be asked', names: ['カプコケコ'], query: 'カプ・コケコ', hits: ['カプコケコ'] },
  { rule: 'across the sign', names: ['カプ・コケコ'], query: 'プコ', hits: ['カプ・コケコ'] },
  { rule: 'but spaces part them', names: ['カプ コケコ', 'カプ　コケコ'], query: 'プコ', hits: [] },
  {
    rule: 'Japanese matches inside a word',
    names: ['メガリザードン', 'サ'],
    query: 'ザード',
    hits: ['メガリザードン'],
  },
  {
    rule: 'a Japanese beginning of the name before one of a later word before what lies inside',
    names: ['メガロケットの', 'アポロ ロケットのドガース', 'ロケットのドガース', 'ロケットの'],
    query: 'ロケットの',
    hits: ['ロケットの', 'ロケットのドガース', 'アポロ ロケットのドガース', 'メガロケットの'],
  },
  {
    rule: 'the same with several words',
    names: ['サカキのメガロケット', 'サカキの ゴールドロケット', 'サカキの ロケットだん'],
    query: 'サカ ロケット',
    hits: ['サカキの ロケットだん', 'サカキのメガロケット', 'サカキの ゴールドロケット'],
  },
  { rule: 'voicing marks matter', names: ['リザードン', 'リサイクル'], query: 'リザ', hits: ['リザードン'] },
  {
    rule: 'voicing marks matter, the other way',
    names: ['リザードン', 'リサイクル'],
    query: 'リサ',
    hits: ['リサイクル'],
  },
  { rule: 'half-width kana with their marks', names: ['リザードン'], query: 'ﾘｻﾞｰﾄﾞﾝ', hits: ['リザードン'] },
  { rule: 'full-width letters and digits', names: ['Zクリスタル', 'Ｚ２'], query: 'ｚ', hits: ['Zクリスタル', 'Ｚ２'] },
  {
    rule: 'a full-width space parts words',
    names: ['Dark Magician'],
    query: 'dark　magician',
    hits: ['Dark Magician'],
  },
  {
    rule: 'a change of script ends a word',
    names: ['リザードンex', 'ピカチュウ'],
    query: 'ex',
    hits: ['リザードンex'],
  },
  { rule: 'digits too', names: ['ポリゴン2'], query: '2', hits: ['ポリゴン2'] },
  {
    rule: 'signs alone find the name that equals them',
    names: ['____', '_____', '_____ Goblin'],
    query: ' _____ ',
    hits: ['_____'],
  },
  { rule: 'signs alone, the typed form first', names: ['？？', '??'], query: '??', hits: ['??', '？？'] },
  {
    rule: 'signs in a query do not matter beside words',
    names: ['Ach! Hans, Run!'],
    query: '!!! ach',
    hits: ['Ach! Hans, Run!'],
  },
  {
    rule: 'the typed name comes first',
    names: ['Nidoran♂', 'Nidoran♀'],
    query: 'Nidoran♀',
    hits: ['Nidoran♀', 'Nidoran♂'],
  },
  { rule: 'typed counts with its case', names: ['Ex', 'ex'], query: 'ex', hits: ['ex', 'Ex'] },
  {
    rule: 'typed counts in any composition',
    names: ['Pokemon', 'Pok\u00e9mon'],
    query: 'Poke\u0301mon',
    hits: ['Pok\u00e9mon', 'Pokemon'],
  },
  {
    rule: 'the equal name comes first',
    names: ['Nidoking', 'N Castle', 'N'],
    query: 'N',
    hits: ['N', 'N Castle', 'Nidoking'],
  },
  {
    rule: 'whole words before beginnings',
    names: ['Exeggcute', 'Charizard ex'],
    query: 'ex',
    hits: ['Charizard ex', 'Exeggcute'],
  },
  {
    rule: 'first words before words in order before the rest',
    names: ['Eyes Blue', 'Red Blue Eyes', 'Blue Eyes White'],
    query: 'blue eyes',
    hits: ['Blue Eyes White', 'Red Blue Eyes', 'Eyes Blue'],
  },
  {
    rule: 'the same among beginnings',
    names: ['Eyesore Blue', 'Red Blue Eyesore', 'Blue Dark Eyesore', 'Blues Eyes'],
    query: 'blue eyes',
    hits: ['Blues Eyes', 'Red Blue Eyesore', 'Blue Dark Eyesore', 'Eyesore Blue'],
  },
  {
    rule: 'the whole name before the longer one',
    names: ['Blue-Eyes White Dragon, the White Phantom Beast', 'Blue-Eyes White Dragon'],
    query: 'Blue-Eyes White Dragon',
    hits: ['Blue-Eyes White Dragon', 'Blue-Eyes White Dragon, the White Phantom Beast'],
  },
  {
    rule: 'a repeated word needs one word of the name',
    names: ['Tony Chopper'],
    query: 'tony tony',
    hits: ['Tony Chopper'],
  },
  {
    rule: 'a letter changed, and the corrected name first',
    names: ['Pound Town', 'Pound'],
    query: 'poxnd',
    hits: ['Pound', 'Pound Town'],
  },
  { rule: 'a letter missing, added, swapped', names: ['Pound', 'Pond'], query: 'pounf', hits: ['Pound'] },
  { rule: 'a letter missing', names: ['Pound'], query: 'pund', hits: ['Pound'] },
  { rule: 'a letter added', names: ['Pound'], query: 'pouund', hits: ['Pound'] },
  { rule: 'two letters swapped', names: ['Pound'], query: 'ponud', hits: ['Pound'] },
  { rule: 'two typos need eight letters', names: ['Charizard', 'Pikachu'], query: 'chariszrd', hits: ['Charizard'] },
  { rule: 'seven letters have one', names: ['Pikachu'], query: 'pikahcx', hits: [] },
  { rule: 'three letters have none', names: ['Mew'], query: 'mwe', hits: [] },
  { rule: 'digits are no Latin letters', names: ['A123'], query: 'a124', hits: [] },
  { rule: 'a typo is counted against the whole word', names: ['Pounding'], query: 'poxnd', hits: [] },
  {
    rule: 'other words match as before',
    names: ['Pound Town', 'Pound Field'],
    query: 'poxnd to',
    hits: ['Pound Town'],
  },
  {
    rule: 'fewest typos first',
    names: ['Charizord', 'Charizard'],
    query: 'cgarizard',
    hits: ['Charizard', 'Charizord'],
  },
  {
    rule: 'a corrected word counts as a beginning too',
    names: ['X Pound Yab', 'Pounds Yab Pound'],
    query: 'poxnd ya',
    hits: ['Pounds Yab Pound', 'X Pound Yab'],
  },
  {
    rule: 'beside a typo, a word that is asked whole and there whole is not found in a longer one before',
    names: ['Dragons Xyz Dragon', 'Of Dragon Xyz', 'Dragon Xyz'],
    query: 'dragon xyzz',
    hits: ['Dragon Xyz', 'Of Dragon Xyz', 'Dragons Xyz Dragon'],
  },
  {
    rule: 'beside a typo, a Japanese word inside of another is no beginning',
    names: ['リザード Pound', 'ザーリ Pound'],
    query: 'ザー poxnd',
    hits: ['ザーリ Pound', 'リザード Pound'],
  },
  {
    rule: 'a word asked twice has its typos twice',
    names: ['Charizard Blxstoixe', 'Charizxrd Blastoise'],
    query: 'charizard charizard blastoise',
    hits: ['Charizard Blxstoixe', 'Charizxrd Blastoise'],
  },
  { rule: 'no typos while something matches', names: ['Pound', 'Poxnd'], query: 'poxnd', hits: ['Poxnd'] },
  {
    rule: 'a word named like a property',
    names: ['__proto__', 'Constructor', 'toString'],
    query: '__proto__',
    hits: ['__proto__'],
  },
  { rule: 'another one', names: ['__proto__', 'Constructor', 'toString'], query: 'constructor', hits: ['Constructor'] },
]

for (const { rule, names, query, hits } of examples) {
  test(`${rule}: ${query}`, async () => {
    const search = await named(names)
    assert.deepEqual(
      allHits(findOf(search), query, everything, 100).map((card) => names[card]),
      hits,
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
  { name: 'Mew', game: 0, setNumber: 0, rarity: 'Rare Holo' },
  { name: 'Mew', game: 1, setNumber: 1, rarity: 'rare holo' },
  { name: 'Mew', game: 1, setNumber: 2, rarity: null },
  { name: 'Mew', game: 0, setNumber: 3, rarity: 'Rare' },
  { name: 'Pound', game: 0, setNumber: 3, rarity: 'Rare' },
  { name: 'Poxnd', game: 0, setNumber: 0, rarity: 'Common' },
]
const filterCases: { rule: string; query?: string; filter: Partial<ScanFilter>; hits: number[] }[] = [
  { rule: 'no filter', filter: {}, hits: [0, 1, 2, 3] },
  { rule: 'a game', filter: { game: 1 }, hits: [1, 2] },
  { rule: 'a set code in any case and any game', filter: { set: 'Base1' }, hits: [0, 1] },
  { rule: 'a set code in a game', filter: { set: 'base1', game: 1 }, hits: [1] },
  { rule: 'a set name, all sets so named', filter: { set: 'base set' }, hits: [0, 2] },
  { rule: 'a code goes before a name', filter: { set: 'other' }, hits: [3] },
  { rule: 'but only in the game asked', filter: { set: 'other', game: 1 }, hits: [1] },
  { rule: 'an unknown set', filter: { set: 'nothing' }, hits: [] },
  { rule: 'a rarity in any case', filter: { rarity: 'RARE HOLO' }, hits: [0, 1] },
  { rule: 'a rarity is matched whole', filter: { rarity: 'holo' }, hits: [] },
  { rule: 'all three', filter: { game: 0, set: 'base1', rarity: 'rare holo' }, hits: [0] },
  { rule: 'typos when the filters leave nothing else', query: 'poxnd', filter: { set: 'fossil' }, hits: [4] },
  { rule: 'no typos else', query: 'poxnd', filter: { game: 0 }, hits: [5] },
]
for (const { rule, query = 'mew', filter, hits } of filterCases) {
  test(`filter: ${rule}`, async () => {
    const search = await searchOf(filterCards, filterSets)
    assert.deepEqual(allHits(findOf(search), query, { ...everything, ...filter }, 2), hits)
  })
}

test('an empty catalog finds nothing', async () => {
  const search = await searchOf([], [])
  for (const query of ['a', 'リ', '___', 'dragonite']) assert.equal(search.find(query, everything, 20, 0).total, 0)
})

test('an offset past the end gives the total and no card', async () => {
  const search = await named(['Mew', 'Mew'])
  const page = search.find('mew', everything, 20, 1e9)
  assert.deepEqual([page.total, page.count], [2, 0])
})
