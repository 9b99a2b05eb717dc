/** The card that a line means the plain way: every card is looked at, by the rules as they are written. Slow. */
import { gameSlugs } from '../../src/games.ts'
import type { Line, Matched } from '../../src/match/match.ts'
import { plainWords, type ScanCard, type ScanSet, typosBetween } from './scan.ts'

const closing: Readonly<Record<string, string>> = { ')': '(', ']': '[', '）': '（', '］': '［', '】': '【' }
const caseless = (text: string) => text.normalize('NFC').toLowerCase()
const joined = (text: string) => plainWords(text).join(' ')

/** The text and what is left of it without the brackets at its end. */
function withAndWithoutBrackets(text: string): { words: string[]; bare: string[] } {
  const words = plainWords(text)
  let left = text.trimEnd()
  for (let open = closing[left.at(-1) ?? '']; open !== undefined; open = closing[left.at(-1) ?? '']) {
    const close = left.at(-1)!
    const start = left.lastIndexOf(open)
    if (start === -1 || left.slice(start, -1).includes(close)) break
    left = left.slice(0, start).trimEnd()
  }
  const bare = plainWords(left)
  const isBeginning = bare.length > 0 && bare.every((word, i) => word === words[i])
  return { words, bare: isBeginning ? bare : words }
}

/** 0: as they are, 1: where one has no brackets; undefined: not equal. */
function equality(line: string, name: string, typosMax: number): number | undefined {
  const [a, b] = [withAndWithoutBrackets(line), withAndWithoutBrackets(name)]
  if (a.words.length === 0) return b.words.length === 0 && signs(line) === signs(name) ? 0 : undefined
  const length = Math.min(a.words.length, b.words.length)
  if (length < a.bare.length || length < b.bare.length) return undefined
  let typos = 0
  for (let i = 0; i < length; i++) {
    const [asked, word] = [a.words[i]!, b.words[i]!]
    if (asked === word) continue
    const latin = asked.match(/\p{Script=Latin}/gu)?.length ?? 0
    if (i >= a.bare.length || latin < 4 || typosBetween(asked, word) > 1) return undefined
    typos++
  }
  return typos > typosMax ? undefined : Number(a.words.length !== b.words.length)
}

const signs = (text: string) => text.normalize('NFKC').replace(/\s/g, '')

const numberOf = (text: string) => caseless(text.split('/', 1)[0]!).replace(/^0+(?=\d)/, '')
const totalOf = (text: string) => (text.includes('/') ? numberOf(text.slice(text.indexOf('/') + 1).trim()) : undefined)

interface Fit {
  readonly card: number
  readonly isExact: boolean
  readonly rank: number
}

export function plainMatch(line: Line, cards: readonly ScanCard[], sets: readonly ScanSet[]): Matched {
  const fits = fitting(line, cards, sets, 0)
  const isNamed = cards.some((card) => isOfGame(line, card.game) && equality(line.name, card.name, 0) !== undefined)
  if (!isNamed) return decide('likely', fitting(line, cards, sets, 1), line, cards)
  const exact = fits.filter(({ isExact }) => isExact)
  return exact.length > 0 ? decide('exact', exact, line, cards) : decide('likely', fits, line, cards)
}

const isOfGame = ({ game }: Line, number: number): boolean =>
  game === undefined || joined(game) === joined(gameSlugs[number]!) || joined(game) === joined(gameNames[number]!)

const gameNames = [
  ...['Pokémon', 'Pokémon Japan', 'Magic: The Gathering', 'Yu-Gi-Oh!', 'Disney Lorcana', 'One Piece Card Game'],
  ...['Star Wars: Unlimited', 'Flesh and Blood'],
]

function fitting(line: Line, cards: readonly ScanCard[], sets: readonly ScanSet[], typosMax: number): Fit[] {
  return cards.flatMap((card, number): Fit[] => {
    const rank = equality(line.name, card.name, typosMax)
    if (rank === undefined || !isOfGame(line, card.game)) return []
    let isExact = true
    if (line.number !== undefined) {
      if (card.number == null || numberOf(line.number.replace(/^#\s*/, '')) !== numberOf(card.number)) return []
      const [total, own] = [totalOf(line.number), totalOf(card.number)]
      if (total !== undefined && own !== undefined && total !== own) isExact = false
    }
    if (line.set !== undefined) {
      const { code, name } = sets[card.setNumber]!
      const words = plainWords(line.set)
      const isWhole = words.join('') === plainWords(code).join('') || words.join(' ') === joined(name)
      if (!isWhole && (words.length === 0 || !words.every((word) => plainWords(name).includes(word)))) return []
      isExact &&= isWhole
    }
    if (line.rarity !== undefined && (card.rarity === null || caseless(card.rarity) !== caseless(line.rarity)))
      return []
    if (line.printing !== undefined) {
      if (card.printing == null) return []
      const [given, own] = [plainWords(line.printing), plainWords(card.printing)]
      const isShort =
        given.length > 0 && given.length === own.length && given.every((word, i) => own[i]!.startsWith(word))
      const isSame = caseless(card.printing) === caseless(line.printing)
      if (!isSame && !isShort) return []
      isExact &&= isSame
    }
    return [{ card: number, isExact, rank }]
  })
}

function decide(match: 'exact' | 'likely', fits: readonly Fit[], line: Line, cards: readonly ScanCard[]): Matched {
  if (fits.length === 0) return { match: 'none', cards: [] }
  if (fits.length === 1) return { match, cards: [fits[0]!.card] }
  const whole = fits.filter(({ rank }) => rank === 0)
  let left = whole.length > 0 ? whole : fits
  const { words, bare } = withAndWithoutBrackets(line.name)
  if (line.printing === undefined && words.length === bare.length) {
    const variants = fits.filter(({ card }) => areVariants(cards[left[0]!.card]!, cards[card]!))
    if (variants.length > 1 && left.every((fit) => variants.includes(fit))) {
      for (const usual of ['normal', 'holofoil', 'foil']) {
        const found = variants.find(({ card }) => caseless(cards[card]!.printing!) === usual)
        if (found !== undefined) return { match: 'likely', cards: [found.card] }
      }
      left = variants
    }
  }
  if (left.length === 1) return { match, cards: [left[0]!.card] }
  const sorted = left.toSorted((a, b) => a.rank - b.rank || a.card - b.card)
  return { match: 'ambiguous', cards: sorted.map(({ card }) => card) }
}

function areVariants(a: ScanCard, b: ScanCard): boolean {
  if (a.printing == null || b.printing == null) return false
  if (a === b) return true
  const bare = ({ name, printing }: ScanCard) => {
    const ending = ` ${joined(printing!)}`
    return joined(name).endsWith(ending) ? joined(name).slice(0, -ending.length) : joined(name)
  }
  const number = (card: ScanCard) => (card.number == null ? null : numberOf(card.number))
  const rarity = (card: ScanCard) => (card.rarity === null ? null : caseless(card.rarity))
  const isOther = caseless(a.printing) !== caseless(b.printing)
  return (
    a.setNumber === b.setNumber && number(a) === number(b) && rarity(a) === rarity(b) && isOther && bare(a) === bare(b)
  )
}
