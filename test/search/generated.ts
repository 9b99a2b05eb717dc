/** Catalogs, queries and filters drawn from a seed, full of what search treats specially: to compare it with a plain scan. */
import { priceCentsMax } from '../../src/limits.ts'
import type { ScanCard, ScanFilter, ScanIds, ScanSet } from '../reference/scan.ts'
import { drawBelow, drawFrom, type Random, shuffled } from '../support/random.ts'

const nameWords = [
  'a',
  'ab',
  'abc',
  'abcd',
  'abdc',
  'abcde',
  'Pound',
  'pounds',
  'ponud',
  'Dragon',
  'dragons',
  'drag',
  'Dragonites',
  'dragonitse',
  'the',
  'of',
  'Pokémon',
  'Æther',
  "Urza's",
  'urza',
  'ex',
  'V',
  'x2',
  '2',
  '12',
  'δ',
  'D',
  'Straße',
  'リザ',
  'リサ',
  'リザード',
  'リザードン',
  'ザー',
  'カプ',
  'コケコ',
  'ー',
  'デルタ種',
  '種',
  'ﾘｻﾞ',
  'Ｚ',
  '々',
]
const joints = [' ', ' ', ' ', '-', '・', '.', '', '　', ' & ', '&', '＆', '♀', '/', '☆']
const signNames = ['_____', '____', '?', '？', '!!', '! !', '♀']

function generatedName(random: Random): string {
  if (drawBelow(random, 9) === 0) return drawFrom(random, signNames)
  let name = drawFrom(random, nameWords)
  for (let more = drawBelow(random, 4); more > 0; more--) name += drawFrom(random, joints) + drawFrom(random, nameWords)
  return name
}

function withTypo(random: Random, text: string): string {
  const at = drawBelow(random, text.length)
  const edits = [
    text.slice(0, at) + text.slice(at + 1),
    `${text.slice(0, at)}${drawFrom(random, ['a', 'x', 'n'])}${text.slice(at)}`,
    `${text.slice(0, at)}x${text.slice(at + 1)}`,
    text.slice(0, at) + (text[at + 1] ?? '') + text[at] + text.slice(at + 2),
  ]
  return drawFrom(random, edits)
}

/** Words of a name, a number and words of a set, or its code, in any order; of one card, or of several. */
function crossFieldQuery(random: Random, cards: readonly ScanCard[], sets: readonly ScanSet[]): string {
  const card = drawFrom(random, cards)
  const other = drawBelow(random, 3) === 0 ? drawFrom(random, cards) : card
  const set = sets[other.setNumber]!
  const words = card.name.split(' ').filter(() => drawBelow(random, 3) > 0)
  const count = cards.filter(({ setNumber }) => setNumber === other.setNumber).length
  const fractions = [`${other.number}/${count}`, `4 / ${count}`, '4/99']
  const number = drawFrom(random, [other.number, ...fractions, '#4', '(004)', '9', '４'])
  if (number != null && drawBelow(random, 3) > 0) words.push(number)
  if (drawBelow(random, 2) === 0) words.push(...set.name.split(' ').filter(() => drawBelow(random, 3) > 0))
  if (drawBelow(random, 3) === 0) words.push(drawFrom(random, [set.code, set.code.replace('-', '')]))
  if (words.length > 0 && drawBelow(random, 4) === 0) words.push(drawFrom(random, words))
  const cut = drawBelow(random, 4) === 0 ? words.map((word) => word.slice(0, 4)) : words
  const joint = () => drawFrom(random, [' ', ' ', '  ', '\u3000', '-'])
  const query = shuffled(random, cut).reduce((before, word) => before + joint() + word, '')
  return drawBelow(random, 4) === 0 ? withTypo(random, query) : query
}

/** What is printed on a card, or a set; now and then a word too many. */
function printedQuery(random: Random, cards: readonly ScanCard[], sets: readonly ScanSet[]): string {
  const card = drawFrom(random, cards)
  const set = drawFrom(random, [sets[card.setNumber]!, drawFrom(random, sets)])
  const number = card.number ?? '4'
  const count = cards.filter(({ setNumber }) => setNumber === card.setNumber).length
  const total = drawFrom(random, [set.printedTotal ?? count, 102, 'SV94'])
  const inLanguage = number.replace(/-(EN|E)?(?=\p{L}*\d)/iu, `-${drawFrom(random, ['', 'EN', 'DE', 'e', 'Q'])}`)
  const short = set.name.replace(/^[A-Z0-9&-]{1,8}(: | - )/, '')
  const one = drawFrom(random, [
    number,
    number,
    inLanguage,
    inLanguage,
    `${number.split('/')[0]}/${total}`,
    `4 / ${total}`,
    `#${number}`,
    set.code,
    set.code.toLowerCase(),
    set.name,
    set.name.toUpperCase(),
    short,
    `(${number})`,
    `${set.code} ${number}`,
    `${number} ${set.code}`,
    `${set.code} ${inLanguage}`,
    `${set.code} ${number}/${total}`,
  ])
  return drawBelow(random, 8) === 0 ? `${one} ${drawFrom(random, [number, set.code, 'a'])}` : one
}

export function generatedQuery(random: Random, cards: readonly ScanCard[], sets: readonly ScanSet[]): string {
  const name = drawBelow(random, 2) === 0 ? drawFrom(random, cards).name : generatedName(random)
  const shortened = (word: string) => word.slice(0, 1 + drawBelow(random, 4))
  const crossField = () => crossFieldQuery(random, cards, sets)
  const printed = () => printedQuery(random, cards, sets)
  const kinds = [
    () => name,
    () => name.split(/[ -]/).reverse().join(' '),
    () => name.split(' ').map(shortened).join(' '),
    () => withTypo(random, name),
    () => withTypo(random, withTypo(random, name)),
    () => name.replace(/[^\p{L}\p{N}\s]/gu, ''),
    () => name.replace(/ ?& ?| /, drawFrom(random, [' and ', '-', '&', ' & '])),
    () => name.slice(drawBelow(random, 3), 3 + drawBelow(random, 6)),
    () => `${name} ${drawFrom(random, nameWords)}`,
    crossField,
    crossField,
    crossField,
    printed,
    printed,
    printed,
  ]
  return drawFrom(random, kinds)()
}

const plainNumbers = '4 004 4/102 04/x 40 SV1 sv1 SV001 ß / /4 0 00 000/1 0a 00a SWSH066 H29 4/130'.split(' ')
const hyphened = 'LOB-001 LOB-EN001 lob-E001 LOB-C001 LOB-ENC001 OP09-119 B1-4'.split(' ')
const collectorsNumbers = [...plainNumbers, ...hyphened, '', null]
const products = [1, 2, 42_382, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER, null, null]
/** Two differ in their last digits alone, two in their first ones. */
const [uuidA, uuidB] = ['0000579f-7b35-4ed3-b44c-db2a538066fe', '0000579f-7b35-4ed3-b44c-db2a538066ff']
const uuids = [uuidA, uuidB, 'ffffffff-7b35-4ed3-b44c-db2a538066fe', null, null]
const printings = [...'Normal,normal,Holofoil,1st Edition Holofoil,1st Edition,Unlimited,Cold Foil'.split(','), null]
export const rarities = ['Common', 'common', 'RARE', null]
export const setNames = 'Base|base|Fossil|jungle|Base Set 2|The Dragon of Base|SV03: Jungle|XY - Base'.split('|')

export function generatedCatalog(random: Random): { cards: ScanCard[]; sets: ScanSet[] } {
  const sets = Array.from({ length: 6 }, () => ({
    code: drawFrom(random, ['b1', 'B1', 'b2', 'Fossil', 'OP-01', 'op01', '4']),
    name: drawFrom(random, setNames),
    game: drawBelow(random, 3),
    printedTotal: drawFrom(random, [null, 4, 102]),
  }))
  const names = Array.from({ length: 2 + drawBelow(random, 60) }, () => generatedName(random))
  const cards = Array.from({ length: 1 + drawBelow(random, 150) }, () => {
    const setNumber = drawBelow(random, sets.length)
    return {
      name: drawFrom(random, names),
      game: sets[setNumber]!.game,
      setNumber,
      rarity: drawFrom(random, rarities),
      number: drawFrom(random, collectorsNumbers),
      market: drawFrom(random, [null, 0, 1, 5, 5, 99, 100, 12_345, priceCentsMax]),
      tcgplayerId: drawFrom(random, products),
      printing: drawFrom(random, printings),
      scryfallId: drawFrom(random, uuids),
      mtgjsonId: drawFrom(random, uuids),
      cardmarketId: drawFrom(random, products),
      weekAgo: drawFrom(random, [null, 0, 1, 100, 100, 101, 12_345, priceCentsMax]),
      changedOn: drawFrom(random, [null, -1, 0, 1, 2, 2, 3, 3, 20_777, 20_778]),
      now: drawFrom(random, [null, 0, 1, 99, 100, 100, 102, 100_001, priceCentsMax]),
    }
  })
  return { cards, sets }
}

/** Any of them, now and then; some that no card has. */
export function generatedIds(random: Random): ScanIds {
  const one = <Id>(ids: readonly Id[]) => (drawBelow(random, 5) === 0 ? drawFrom(random, ids) : undefined)
  const drawn = {
    tcgplayer: one([...products, 3]),
    scryfall: one(uuids),
    mtgjson: one([...uuids, uuids[0]!.replace('0', 'a')]),
    cardmarket: one([...products, 3]),
  }
  return Object.fromEntries(Object.entries(drawn).filter(([, id]) => id != null))
}

/** Any of what narrows, each now and then; narrow and wide bounds, those that nothing is within too. */
export function generatedFilter(random: Random): ScanFilter {
  const bound = () => drawFrom(random, [undefined, undefined, 0, 1, 2, 5, 6, 100, 20_000, priceCentsMax, 10 ** 15])
  return {
    game: drawBelow(random, 2) === 0 ? -1 : drawBelow(random, 3),
    set: drawBelow(random, 2) === 0 ? undefined : drawFrom(random, [...setNames, 'b1', 'b2', 'none']),
    rarity: drawBelow(random, 4) > 0 ? undefined : drawFrom(random, ['common', 'rare', 'none']),
    printing:
      drawBelow(random, 5) > 0
        ? undefined
        : drawFrom(random, ['NORMAL', 'holofoil', 'none', 'holo', 'foil', 'nonfoil', 'first edition', 'Unlimited']),
    number: drawBelow(random, 2) > 0 ? undefined : (drawFrom(random, [...collectorsNumbers, '5', '4 ']) ?? undefined),
    minCents: bound(),
    maxCents: bound(),
    changedSince: drawBelow(random, 2) > 0 ? undefined : drawFrom(random, [-1, 0, 1, 2, 3, 20_777, 20_778]),
  }
}

/** Words that most names hold, or words that begin so. */
export const commonWords = 'a a ab abc b ba bab c ca é リ リザ ザリ 2 2a '.split(' ')

export function commonName(random: Random): string {
  const words = Array.from({ length: 1 + drawBelow(random, 4) }, () => {
    const rare = Array.from({ length: drawBelow(random, 3) }, () => drawFrom(random, ['a', 'b', 'c', 'd', '2']))
    return drawFrom(random, commonWords) + rare.join('')
  })
  return words.join(drawFrom(random, joints)).trim() || 'a'
}
