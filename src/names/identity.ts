/**
 * The identity of a name: its words, signs, markers, and faces.
 *
 *   Rayquaza ☆                   rayquaza          sign ☆
 *   Charizard δ - 4/101 [Foil]   charizard         sign δ     marker foil     of the card with number 4
 *   Fire // Ice (Borderless)     fire ice          faces fire, ice    marker borderless
 *   _____                        _____             a name of signs has no words and is its own key
 */
import { fold, foldName, foldSigns } from './fold.ts'
import { totalOf, withoutNumber } from './numbers.ts'
import { isPrintingOf, namesPrinting } from './printings.ts'

export interface Identity {
  /** The name's folded words. Names with equal keys differ at most in signs and markers. */
  readonly key: string
  /** The keys of the name's faces. Empty if the name has only one face. */
  readonly faces: readonly string[]
  /** The name's signs, sorted: symbols of Unicode, and Greek letters that stand alone. */
  readonly signs: string
  /** The texts in brackets at the name's end, folded, in their order. */
  readonly markers: readonly string[]
}

/**
 * In ASCII, only these characters are treated as symbols. The tilde is a symbol, too, but in many names it stands for a
 * dash.
 */
const mayHaveSigns = /[^\x20-\x7e]|[$+<=>|]/
const symbol = '[\\p{Sm}\\p{Sc}\\p{So}](?<!~)'
const symbols = new RegExp(symbol, 'gu')
const anySymbol = new RegExp(symbol, 'u')
const greekLetter = /^\p{Script=Greek}$/u

const loneGreek = /(?<!\p{L})\p{Script=Greek}(?!\p{L})/u

/** True if the text has a sign that tells names apart: a symbol of Unicode, or a Greek letter that stands alone. */
export const hasSigns = (text: string): boolean =>
  mayHaveSigns.test(text) && (anySymbol.test(text) || loneGreek.test(text))

/**
 * The identity of a name. Every number in the name counts as part of it. So a caller that knows the card's own number
 * removes it first (`withoutNumber`).
 */
export function identityOf(name: string): Identity {
  const { base, markers } = withoutBrackets(name)
  if (!mayHaveSigns.test(base)) return { key: keyOf(fold(base), base), faces: facesOf(base), signs: '', markers }
  const words = fold(base)
  const greek = words.filter((word) => greekLetter.test(word))
  const isGreek = greek.length === words.length
  const key = keyOf(isGreek ? words : words.filter((word) => !greekLetter.test(word)), base)
  const signs = words.length === 0 ? [] : [...(base.normalize('NFKC').match(symbols) ?? []), ...(isGreek ? [] : greek)]
  return { key, faces: facesOf(base), signs: signs.sort().join(''), markers }
}

const keyOf = (words: readonly string[], base: string): string => words.join(' ') || foldSigns(base)

function facesOf(base: string): string[] {
  if (!base.includes('//')) return []
  const faces = base.split('//').map((face) =>
    fold(face)
      .filter((word) => !greekLetter.test(word))
      .join(' '),
  )
  return faces.every((face) => face !== '') ? faces : []
}

const opening = new Map(Object.entries({ ')': '(', ']': '[', '）': '（', '］': '［' }))

/** Removes the markers from the name's end. Brackets with nothing before them are not a marker. */
function withoutBrackets(name: string): { base: string; markers: string[] } {
  const markers: string[] = []
  let base = name.trimEnd()
  for (let close = base.at(-1) ?? ''; opening.has(close); close = base.at(-1) ?? '') {
    const start = base.lastIndexOf(opening.get(close)!)
    const inner = base.slice(start + 1, -1)
    const before = base.slice(0, Math.max(start, 0)).trimEnd()
    if (inner.includes(close) || before === '') break
    markers.unshift(foldName(inner))
    base = before
  }
  return { base, markers: markers.filter((marker) => marker !== '') }
}

/**
 * A mark distinguishes cards with the same key. Cards with the same set, number and rarity differ only by printing if
 * their marks have the same signs, markers and product.
 */
export interface Mark {
  readonly signs: string
  /** The name's markers, except the marker that names the card's printing. */
  readonly markers: readonly string[]
  /**
   * If the card's printing is unknown, the marker that names a printing. '' if no marker does, or if the printing is
   * known.
   */
  readonly printing: string
  /** The total of the collector's number, '' if the number has none. */
  readonly total: string
  /**
   * Distinguishes products whose marks are otherwise equal, but which differ by more than printing. '' for the first
   * product.
   */
  readonly product: string
}

export interface CardIdentity extends Pick<Identity, 'key' | 'faces'> {
  /** The card's `Mark` as a text, for comparison and storage. It is the mark of the first product (`withProduct`). */
  readonly mark: string
}

interface NamedCard {
  readonly name: string
  readonly number: string | null
  readonly printing: string | null
}

const between = '\n'

export function identityOfCard({ name, number, printing }: NamedCard): CardIdentity {
  const { key, faces, signs, markers } = identityOf(withoutNumber(name, number))
  const named = markers.findLastIndex((marker) =>
    printing === null ? namesPrinting(marker) : isPrintingOf(marker, printing),
  )
  const own = printing === null && named !== -1 ? markers[named]! : ''
  const others = markers.filter((_, i) => i !== named)
  return { key, faces, mark: [signs, own, totalOf(number ?? '') ?? '', '', ...others].join(between) }
}

export function markOf(text: string): Mark {
  const [signs, printing, total, product, ...markers] = text.split(between) as [string, string, string, string]
  return { signs, printing, total, product, markers }
}

/**
 * Returns the mark of another product.
 * @param text the mark of the first product
 * @param product 1 for the second product, and so on. 0 is the first product, whose mark is returned as it is
 */
export function withProduct(text: string, product: number): string {
  if (product === 0) return text
  const [signs, printing, total, _, ...markers] = text.split(between)
  return [signs, printing, total, product, ...markers].join(between)
}
