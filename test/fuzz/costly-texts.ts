/**
 * Texts that may be dear to read, made of pieces, and how they change: words of real names, whole and misspelt, numbers, brackets,
 * signs, joined letters, repeats.
 */

import { mistyped, wordsOf } from '../reference/search-queries.ts'
import { drawBelow, drawFrom, type Random } from '../support/random.ts'

/** A card of the catalog, as far as a line or a query may name it. */
export interface CostlyCard {
  readonly id: string
  readonly name: string
  readonly set: string
  readonly setCode: string
  readonly number: string | null
  readonly printing: string | null
  readonly rarity: string | null
  readonly game: string
}

export type Pieces = readonly string[]

const signs = [
  '♀',
  '♂',
  '☆',
  '★',
  'δ',
  ' - ',
  ' // ',
  '/',
  '-',
  "'",
  '.',
  '&',
  ' & ',
  '#',
  ' ',
  '  ',
  '(',
  ')',
  '[',
  ']',
  '"',
]
const unfolding = ['\ufdfa', '½', 'ﬃ', '각', '\u0301', '㍿', 'リ', 'ザード', 'ー', '種', '\u3000', 'ｅｘ', '４']
const letters = [...'abcdefghijklmnopqrstuvwxyz0123456789']

export class CostlyTexts {
  readonly #random: Random
  readonly #cards: readonly CostlyCard[]

  constructor(random: Random, cards: readonly CostlyCard[]) {
    this.#random = random
    this.#cards = cards
  }

  card(): CostlyCard {
    return drawFrom(this.#random, this.#cards)
  }

  /** Pieces of a name, or anything that might stand beside one. */
  pieces(countMax: number): Pieces {
    const random = this.#random
    if (drawBelow(random, 8) === 0) return this.#repeated(countMax)
    // Names that might be there: each of their words is known.
    if (drawBelow(random, 4) === 0) return Array.from({ length: 1 + drawBelow(random, 5) }, () => this.#word())
    return Array.from({ length: 1 + drawBelow(random, countMax) }, () => this.piece())
  }

  piece(): string {
    const random = this.#random
    const { name, number, printing, setCode, set } = this.card()
    const word = () => drawFrom(random, wordsOf(name)) ?? name
    const figure = () => drawFrom(random, [number ?? '4', String(drawBelow(random, 400)), String(drawBelow(random, 9))])
    const inner = () => drawFrom(random, [figure, word, () => printing ?? 'Foil', () => `${figure()} ${word()}`])()
    return drawFrom(random, [
      () => name,
      () => this.#word(),
      () => this.#word(),
      () => `${misspelt(random, word())} `,
      () => `${misspelt(random, word())} `,
      () => `${word().slice(0, 1 + drawBelow(random, 4))} `,
      () => word() + word(),
      () => `${word()}-${word()} `,
      () => `(${inner()})`,
      () => `[${inner()}]`,
      () => ` - ${figure()}`,
      () => `${figure()} `,
      () => `${figure()}/${figure()} `,
      () => `${setCode} `,
      () => `${set} `,
      () => drawFrom(random, signs),
      () => drawFrom(random, unfolding),
      () => drawFrom(random, letters),
    ])()
  }

  /** One to four pieces changed, added, left out, repeated or moved. */
  changed(pieces: Pieces): Pieces {
    const random = this.#random
    let changed = [...pieces]
    for (let more = 1 + drawBelow(random, 4); more > 0; more--) {
      const at = drawBelow(random, changed.length + 1)
      const other = drawBelow(random, changed.length + 1)
      const piece = changed[at] ?? this.piece()
      changed = drawFrom(random, [
        () => changed.toSpliced(at, 1, this.piece()),
        () => changed.toSpliced(at, 0, this.piece()),
        () => changed.toSpliced(at, 0, this.piece(), this.piece(), this.piece()),
        () => changed.toSpliced(at, 1),
        () => changed.toSpliced(other, 0, piece),
        () => changed.toSpliced(other, 0, ...Array.from({ length: 1 + drawBelow(random, 20) }, () => piece)),
        () => changed.toSpliced(at, 1, misspelt(random, piece)),
        () => changed.toSpliced(at, 1, piece.trim()),
        () => [...changed.slice(at), ...changed.slice(0, at)],
      ])()
    }
    return changed
  }

  #word(): string {
    const { name } = this.card()
    return `${drawFrom(this.#random, wordsOf(name)) ?? name} `
  }

  #repeated(countMax: number): Pieces {
    const piece = this.piece()
    return Array.from({ length: countMax }, () => piece)
  }
}

const misspelt = (random: Random, text: string): string => (text.length < 3 ? text : mistyped(random, text))
