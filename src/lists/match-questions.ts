/** Turns a line's fields into questions to `match`, the surest first. */

import type { Condition, Question } from './cards.ts'
import { printedNumber, uuid } from './column-values.ts'
import { setOfList } from './deck-forms.ts'
import { idForm, onlyFirstGames } from './known-games.ts'
import type { FormerAmount } from './own-csv.ts'
import { namesOf } from './typed-line.ts'
import type { Finish } from './words.ts'

/** The fields of a line that are compared with the card that `match` finds (answers.ts). */
export interface Said {
  readonly scryfallId?: string | undefined
  readonly tcgplayerId?: string | undefined
  readonly set?: string | undefined
  readonly setCode?: string | undefined
  readonly language?: string | undefined
  readonly rarity?: string | undefined
  readonly not?: Finish['not']
  /** True for a parallel: its name ends with a marker in brackets. */
  readonly isVariant?: boolean
}

export interface ListLine {
  /** The line's number, from 1. A row with several counts becomes several lines with the same number. */
  readonly line: number
  readonly text: string
  readonly quantity: number
  /**
   * Questions to `match`: if one finds nothing, the next is sent. Empty if the line is unreadable or excluded.
   */
  readonly questions: readonly Question[]
  /**
   * How many of the first questions read a number at the line's beginning as the quantity. The other questions read it
   * as part of the name, so their quantity is 1.
   */
  readonly counted: number
  /** True if the line names a condition, known or not. */
  readonly namesCondition: boolean
  readonly condition: Condition | undefined
  /** A key of `graded`: `psa_10`. */
  readonly grade: string | undefined
  /** True for a proxy or a want, which gets no amount. */
  readonly isExcluded: boolean
  readonly said: Said
  /** The index of an earlier line that differs only by name: both may be faces of one card. */
  readonly besides?: number | undefined
  /** The earlier amount, if the line is a row of our own CSV. */
  readonly former?: FormerAmount | undefined
}

export interface Fields extends Said {
  readonly id?: string | undefined
  readonly mtgjsonId?: string | undefined
  readonly cardmarketId?: string | undefined
  /** The name, and another spelling of it. */
  readonly names?: readonly string[]
  readonly number?: string | undefined
  readonly game?: string | undefined
  readonly printing?: string | undefined
  /** The rarity to put into the questions. `rarity` is only compared with that of the answer. */
  readonly askedRarity?: string | undefined
}

/** The most characters of a text that the API accepts. */
export const textCharsMax = 200
const productId = /^[1-9]\d{0,14}$/
/** The most questions of a line, besides those by ids. */
const namedMax = 3

/** Returns questions by ids, then by the name with the set's code, then by the name with the set's name. */
export function questionsOf(fields: Fields): { readonly questions: readonly Question[]; readonly said: Said } {
  const { id = '', mtgjsonId, number, set, setCode, game, printing, askedRarity, not, language, rarity } = fields
  const scryfallId = uuid.test(fields.scryfallId ?? '') ? fields.scryfallId : undefined
  const tcgplayerId = productId.test(fields.tcgplayerId ?? '') ? fields.tcgplayerId : undefined
  const cardmarketId = productId.test(fields.cardmarketId ?? '') ? fields.cardmarketId : undefined
  const ids: Question[] = idForm.test(id) ? [{ id }] : []
  // An id that begins with no known game may be another program's.
  if (!onlyFirstGames.hasCard(id)) {
    if (scryfallId !== undefined) ids.push({ scryfallId })
    else if (mtgjsonId !== undefined && uuid.test(mtgjsonId)) ids.push({ mtgjsonId })
    else if (tcgplayerId !== undefined) ids.push({ tcgplayerId: Number(tcgplayerId) })
    else if (cardmarketId !== undefined) ids.push({ cardmarketId: Number(cardmarketId) })
  }
  const sets = setsOf(setCode, set, number)
  const [first, second] = (fields.names ?? []).filter((name) => name.trim() !== '')
  const spellings = first === undefined ? [] : namesOf(first)
  if (spellings[1] === undefined && first !== undefined && isTokenSet(setCode)) spellings.push(`${first} Token`)
  // The second spelling lacks the card's variant, so without the number it would mean another card.
  if (second !== undefined && number !== undefined && !spellings.includes(second)) spellings.push(second)
  const named: Question[] = []
  for (const [i, name] of spellings.entries()) {
    for (const [j, one] of sets.entries())
      if (i === 0 || j === 0) named.push({ name, number: one.number, set: one.set, game, rarity: askedRarity })
  }
  if (first === undefined && number !== undefined) {
    named.push(...numbered(number, sets).map((question) => ({ ...question, game, rarity: askedRarity })))
  }
  const questions = [...ids, ...named.slice(0, namedMax)]
    .map((question) => filled({ ...question, printing }))
    .filter(fits)
  const said = {
    scryfallId: scryfallId?.toLowerCase(),
    tcgplayerId,
    set,
    setCode: codeSaid(setCode),
    language,
    rarity,
    not,
    isVariant: number !== undefined && isVariantNumber(number),
  }
  return { questions, said }
}

/** Returns questions for a card without a name: by its printed number, then by its set and number. */
export function numbered(number: string, sets: readonly Pick<Question, 'set' | 'number'>[] = []): Question[] {
  const questions: Question[] = sets.flatMap((one) => (one.set == null ? [] : [{ set: one.set, number: one.number }]))
  if (!printedNumber.test(number)) return questions
  const plain = plainNumber(number)
  const [, set, own] = /^(.+)[-_]([^-_]+)$/.exec(plain) ?? []
  const parted = set === undefined ? [] : [{ set, number: own }]
  return [{ name: number }, ...(plain === number ? [] : [{ name: plain }]), ...parted, ...questions]
}

/**
 * Returns the set's code, then its name. For a deck builder's code: the code, then the words that it stands for. Each
 * set comes with the number to ask for.
 */
function setsOf(setCode: string | undefined, set: string | undefined, number: string | undefined) {
  const sets = [...new Set([setCode ?? set, set ?? setCode])]
  const code = sets[0]
  const known = code === undefined ? undefined : setOfList(code, number)
  if (known === undefined) return sets.map((one) => ({ set: one, number }))
  const meant = { set: known.set, number: known.set === undefined ? undefined : known.number || undefined }
  return known.isOnly ? [meant] : [{ set: code, number }, meant]
}

/** A parallel's number in simulators of One Piece: `OP01-016_p1`. The number on the card lacks the suffix. */
const variantNumber = /_[pr]\d$/i
export const isVariantNumber = (number: string): boolean => variantNumber.test(number)
export const plainNumber = (number: string): string => number.replace(variantNumber, '')

/** Returns the code to compare with the card's. Undefined for a deck builder's code: the set may have another one. */
const codeSaid = (code: string | undefined): string | undefined =>
  code !== undefined && setOfList(code, undefined) === undefined ? code : undefined

/** True for the code of a set of tokens at Scryfall: `tmh2`. */
const isTokenSet = (code: string | undefined): boolean => code !== undefined && /^t[a-z0-9]{3,4}$/i.test(code)

const identifying = ['name', 'id', 'scryfallId', 'tcgplayerId', 'mtgjsonId', 'cardmarketId'] as const
const asked = [...identifying, 'number', 'set', 'game', 'printing', 'rarity'] as const

/** Returns the question without blank fields. */
export function filled(question: Question): Question {
  const kept: Partial<Record<(typeof asked)[number], unknown>> = {}
  for (const field of asked) {
    const value = question[field]
    if (value != null && (typeof value !== 'string' || /\S/.test(value))) kept[field] = value
  }
  return kept as Question
}

/**
 * True if the API accepts the question. It rejects a request if a text is too long, or if a line has neither a name nor
 * an id, nor both a set and a number.
 */
export function fits(question: Question): boolean {
  for (const field of asked) {
    const value = question[field]
    if (typeof value === 'string' && value.length > textCharsMax) return false
  }
  return (
    (question.set !== undefined && question.number !== undefined) ||
    identifying.some((field) => question[field] !== undefined)
  )
}
