/** A line's fields as questions to `match`, the surest first. */

import type { Condition, Question } from './cards.ts'
import { printedNumber, uuid } from './column-values.ts'
import { setOfList } from './deck-forms.ts'
import { idForm, onlyFirstGames } from './known-games.ts'
import type { FormerAmount } from './own-csv.ts'
import { namesOf } from './typed-line.ts'
import type { Finish } from './words.ts'

/** The statements of a line that `match` does not compare. */
export interface Said {
  readonly scryfallId?: string | undefined
  readonly tcgplayerId?: string | undefined
  readonly set?: string | undefined
  readonly setCode?: string | undefined
  readonly language?: string | undefined
  readonly rarity?: string | undefined
  readonly not?: Finish['not']
  /** A parallel: the card has a marker. */
  readonly isVariant?: boolean
}

export interface ListLine {
  /** From 1. A row that counts foils and other copies is two lines with one number. */
  readonly line: number
  readonly text: string
  readonly quantity: number
  /**
   * Questions to `match`: if one finds nothing, the next is asked. None if the line can't be read, or counts nothing.
   */
  readonly questions: readonly Question[]
  /**
   * The first so many questions take a number at the line's beginning as the quantity. The others take it as the
   * beginning of the name of one card.
   */
  readonly counted: number
  /** It names a condition, known or not. */
  readonly namesCondition: boolean
  readonly condition: Condition | undefined
  /** As keys of `graded`: `psa_10`. */
  readonly grade: string | undefined
  /** A proxy or a want: it counts nothing. */
  readonly isExcluded: boolean
  readonly said: Said
  /** An earlier line that differs by the name alone: both may be faces of one card. */
  readonly besides?: number | undefined
  /** Of a row of our own CSV. */
  readonly former?: FormerAmount | undefined
}

export interface Fields extends Said {
  readonly id?: string | undefined
  readonly mtgjsonId?: string | undefined
  readonly cardmarketId?: string | undefined
  /** The second one is written otherwise. */
  readonly names?: readonly string[]
  readonly number?: string | undefined
  readonly game?: string | undefined
  readonly printing?: string | undefined
  /** The rarity that a question names. `rarity` is compared with that of the answer. */
  readonly askedRarity?: string | undefined
}

/** The longest text that the API takes. */
export const textCharsMax = 200
const productId = /^[1-9]\d{0,14}$/
/** The most questions of a line by its names. */
const namedMax = 3

/** Ids first; then the names with the set's code; then with its name. */
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
  // Without its variant, a name is that of another card, unless the number tells which.
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

/** Questions for a card without a name, as binders have them: by its set and number, or by what is printed on it. */
export function numbered(number: string, sets: readonly Pick<Question, 'set' | 'number'>[] = []): Question[] {
  const questions: Question[] = sets.flatMap((one) => (one.set == null ? [] : [{ set: one.set, number: one.number }]))
  if (!printedNumber.test(number)) return questions
  const plain = plainNumber(number)
  const [, set, own] = /^(.+)[-_]([^-_]+)$/.exec(plain) ?? []
  const parted = set === undefined ? [] : [{ set, number: own }]
  return [{ name: number }, ...(plain === number ? [] : [{ name: plain }]), ...parted, ...questions]
}

/** The set's code, then its name; or the words that a code of lists stands for. */
function setsOf(setCode: string | undefined, set: string | undefined, number: string | undefined) {
  const sets = [...new Set([setCode ?? set, set ?? setCode])]
  const code = sets[0]
  const known = code === undefined ? undefined : setOfList(code, number)
  if (known === undefined) return sets.map((one) => ({ set: one, number }))
  const meant = { set: known.set, number: known.set === undefined ? undefined : known.number || undefined }
  return known.isOnly ? [meant] : [{ set: code, number }, meant]
}

/** `OP01-016_p1`: a parallel of simulators of One Piece, whose own number has no sign for it. */
const variantNumber = /_[pr]\d$/i
export const isVariantNumber = (number: string): boolean => variantNumber.test(number)
export const plainNumber = (number: string): string => number.replace(variantNumber, '')

/** The code, unless it stands for words: it is then not compared with the card's. */
const codeSaid = (code: string | undefined): string | undefined =>
  code !== undefined && setOfList(code, undefined) === undefined ? code : undefined

/** Scryfall's sets of tokens: `tmh2`. */
const isTokenSet = (code: string | undefined): boolean => code !== undefined && /^t[a-z0-9]{3,4}$/i.test(code)

const identifying = ['name', 'id', 'scryfallId', 'tcgplayerId', 'mtgjsonId', 'cardmarketId'] as const
const asked = [...identifying, 'number', 'set', 'game', 'printing', 'rarity'] as const

/** Without blanks. */
export function filled(question: Question): Question {
  const kept: Partial<Record<(typeof asked)[number], unknown>> = {}
  for (const field of asked) {
    const value = question[field]
    if (value != null && (typeof value !== 'string' || /\S/.test(value))) kept[field] = value
  }
  return kept as Question
}

/** The API rejects a request for a text that is longer, and for a line without a name, a set and a number, or an id. */
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
