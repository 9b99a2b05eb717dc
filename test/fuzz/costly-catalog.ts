/**
 * A snapshot whose names, printings and sets cost a search or a match most: many cards of one name, many names of one
 * word. Some cards have every price that a card can have, and some a price for each day of a year.
 */
import { conditions } from '../../src/catalog/card-fields.ts'
import { drawBelow, drawFrom, type Random, zipf } from '../support/random.ts'
import { snapshotOf } from '../support/snapshot.ts'

export interface CostlyCard {
  readonly id: string
  readonly name: string
  readonly setCode: string
  readonly number: string
  readonly printing: string | null
  readonly rarity: string
}

/** Cards of one name, and names of one word with other brackets. */
const ofOneName = 1000
const games = ['pokemon', 'mtg', 'yugioh', 'pokemonjp'] as const
const syllables = 'cha ri zar d pi ka chu dra gon s ex a no tel um bre on'.split(' ')
const common = ['of', 'the', 'a', 'ex', 'V', 'N', 'Dragon', 'Dark', "Urza's", 'ex', 'Blue-Eyes', '2', 'δ']
const japanese = ['リザードン', 'カプ・コケコ', 'ミミッキュ', 'ー', '種', 'ex', 'Ｖ', 'の']
const printings = 'Normal|Holofoil|Reverse Holofoil|1st Edition Holofoil|Foil|Etched|Cold Foil|'
  .split('|')
  .map((name) => name || null)
const brackets = ['(Parallel)', '[Reverse Holofoil]', '(1st Edition)', '(Full Art)', '（デルタ種）']
const rarities = ['Common', 'Rare', 'Rare Holo', 'Secret Rare', '★']
const oddNames = [
  '_____',
  '♀♂',
  '\ufdfa',
  'ﬃ ½',
  'a '.repeat(100).trim(),
  '(a) '.repeat(30).trim(),
  'Dragon '.repeat(30).trim(),
]

const grades = ['psa', 'bgs', 'cgc', 'sgc'].flatMap((grader) =>
  ['7', '8', '8_5', '9', '9_5', '10'].map((grade) => `${grader}_${grade}`),
)
const dayMs = 86_400_000
const [lastDay, days] = [Date.UTC(2026, 10, 20), 365]
/** The cards with a history, which also have every price. */
export const datedIds = Array.from({ length: 20 }, (_, i) => `pokemon-dated-${i}`)

/** Each price has another figure, so that no text of one is the text of another. */
const pricesOf = (i: number) => ({
  market: 1000 + i + 0.11,
  low: 900 + i + 0.22,
  mid: 1100 + i + 0.33,
  high: 99_000 + i + 0.44,
  conditions: Object.fromEntries(conditions.map((condition, at) => [condition, 1000 - at + i + 0.55])),
  graded: Object.fromEntries(grades.map((grade, at) => [grade, 2000 + at + i + 0.66])),
})

/** A history that changes each day. */
const yearOf = (id: string) =>
  Array.from({ length: days }, (_, day) => {
    const date = new Date(lastDay - day * dayMs).toISOString().slice(0, 10)
    return `${date},${id},${(day * 7919) % 9973}.${10 + (day % 90)},${day}.17,${99_999 - day}.83`
  })

/** Writes it. @param count of the cards, over 4,000 */
export function writeCostly(random: Random, count: number): { folder: string; cards: readonly CostlyCard[] } {
  const word = () => Array.from({ length: 1 + drawBelow(random, 4) }, () => drawFrom(random, syllables)).join('')
  const words = [...common, ...new Set(Array.from({ length: count / 4 }, word))]
  const rank = zipf(random, words.length)
  const setCount = 4 * Math.ceil(count / 400)
  const sets = Array.from({ length: setCount }, (_, i) => ({
    game: games[i % games.length]!,
    code: `${drawFrom(random, ['base', 'OP-', 'sv', 'B'])}${i}`,
    name: `${drawFrom(random, ['Base Set', 'SV03: Obsidian', 'The', 'Dark'])} ${words[rank()]} ${i >> 4}`,
    releaseDate: `20${10 + (i % 15)}-01-0${1 + (i % 9)}`,
  }))
  const cards = Array.from({ length: count }, (_, i): CostlyCard & { readonly game: string } => {
    const { game, code } = sets[i < ofOneName ? (i * 4) % 12 : drawBelow(random, setCount)]!
    return {
      id: datedIds[i] ?? `${game}-${code}-${i}`.toLowerCase(),
      game,
      name: nameOf(random, i, game === 'pokemonjp' ? japanese : words, game === 'pokemonjp' ? undefined : rank),
      setCode: code,
      number: drawFrom(random, [String(i % 200), `${i % 300}/${drawFrom(random, [102, 130, 64])}`, `SV${i % 90}`, '4']),
      printing: drawFrom(random, printings),
      rarity: drawFrom(random, rarities),
    }
  })
  const priced = cards.map((card, i) => (i < ofOneName ? { ...card, prices: pricesOf(i) } : card))
  const history = ['date,id,market,low,high', ...datedIds.flatMap(yearOf), ''].join('\n')
  return {
    folder: snapshotOf({ 'sets/all.ndjson': sets, 'cards/all.ndjson': priced, 'history/all.csv': history }),
    cards,
  }
}

function nameOf(
  random: Random,
  i: number,
  words: readonly string[],
  rank = () => drawBelow(random, words.length),
): string {
  if (i < ofOneName) return 'Charizard'
  if (i < 2 * ofOneName) return `Pikachu (${i})`
  if (i < 3 * ofOneName) return `Dragon ${drawFrom(random, brackets)} [${drawFrom(random, words)}]`
  if (i < 3 * ofOneName + oddNames.length) return oddNames[i - 3 * ofOneName]!
  const drawn = Array.from({ length: 1 + drawBelow(random, 5) }, () => words[rank()])
  const name = drawn.join(drawFrom(random, [' ', ' ', '-']))
  return drawBelow(random, 6) === 0 ? `${name} ${drawFrom(random, brackets)}` : name
}
