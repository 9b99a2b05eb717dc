/**
 * Reads a line as people type it and deck builders write it, by the patterns of deck-forms.ts:
 *
 *   * 4x Charizard ex OBF 125 *F* #tag
 *   └┬┘└┬┘└──────┬────────┘ └┬┘ └┬─┘
 *  bullet count  form        mark note
 */

import type { Condition } from './cards.ts'
import {
  bareCount,
  bullet,
  type CardForm,
  cardForms,
  counts,
  energies,
  markInBrackets,
  markInStars,
  notes,
  setOfList,
} from './deck-forms.ts'
import { decoded } from './entities.ts'
import { conditionOf, type Finish, finishOf, isFinish, isProxy, namedGradeOf } from './words.ts'

export interface Wish {
  readonly name: string
  readonly set?: string | undefined
  readonly number?: string | undefined
}

export interface TypedReading {
  readonly quantity: number
  readonly wish: Wish
  readonly printing: string | undefined
}

/** What a line says about the card besides its name, set and number. */
export interface Marks {
  printing: string | undefined
  not: Finish['not']
  condition: Condition | undefined
  namesCondition: boolean
  grade: string | undefined
  language: string | undefined
  isProxy: boolean
}

export interface TypedLine extends Readonly<Marks> {
  /** What the line may mean, the likeliest first. */
  readonly readings: readonly TypedReading[]
  /** The line without count and marks. */
  readonly rest: string
}

/** The most readings of a line. Each one costs a question, unless an earlier one finds the card. */
const readingsMax = 2
/** The most readings of a line whose form is doubtful. */
const doubtfulMax = 3
/** The most words of a mark. */
const markWordsMax = 4
/**
 * Abbreviations that are marks if they are in capitals. Others are no marks: they may end a name (`Charizard EX`), or
 * be a set's code (`PL`).
 */
const marksInCapitals = new Set(['NM', 'LP', 'MP', 'HP', 'DMG', 'PH'])
const marksInWords = new Set(
  [
    'near mint, lightly played, light played, moderately played, heavily played, damaged, proxy',
    'foil, holo, holofoil, reverse, reverse holo, reverse holofoil, reverse foil, etched, foil etched, cold foil, rainbow foil',
    'non foil, nonfoil, non-foil, normal, unlimited, unlimited holo, limited, 1st edition, 1st ed, first edition',
    '1st edition holo, 1st edition holofoil, 1st edition foil',
  ].flatMap((words) => words.split(', ')),
)

/**
 * @param text at most 300 characters
 * @param isToken true in a section of tokens
 */
export function readTypedLine(text: string, isToken = false): TypedLine {
  const line = text.replace(/\s+/g, ' ').replace(bullet, '')
  const counted = firstGroups(counts, line)
  const bare = counted === undefined ? bareCount.exec(line)?.groups : undefined
  const { count, rest: behind = line } = counted ?? bare ?? {}
  const quantity = Number(count ?? 1)
  const marks = noMarks()
  const { rest, isShortened } = withoutMarks(decoded(behind), marks)
  const { wishes, marked, isDoubtful, mayBeName } = understood(rest, marks)
  const { printing } = marks
  const readingOf = (wish: Wish): TypedReading => ({ quantity, wish, printing })
  const isPlain = wishes[0]!.name === rest
  const readings: TypedReading[] = []
  // The removed mark may be part of the name: `Foil`, `Limit Reverse`.
  if (isShortened && (isPlain || isDoubtful)) readings.push({ quantity, wish: { name: behind }, printing: undefined })
  if (isDoubtful) readings.push(readingOf(marked ?? { name: rest }))
  readings.push(...wishes.map(readingOf))
  if (!isDoubtful && marked !== undefined) readings.push(readingOf(marked))
  if (!isDoubtful && mayBeName) readings.push(readingOf({ name: rest }))
  // The number at the beginning may be part of the name.
  if (bare !== undefined) {
    const own = noMarks()
    const whole = withoutMarks(line, own).rest
    const wish = isDoubtful || isPlain ? { name: whole } : understood(whole, own).wishes[0]!
    readings.push({ quantity: 1, wish, printing: own.printing })
  }
  const max = isDoubtful ? doubtfulMax : Math.max(readingsMax, wishes.length)
  const named = readings
    .slice(0, max)
    .flatMap((reading) =>
      namesOf(reading.wish.name, isToken).map(
        (name): TypedReading => ({ ...reading, wish: { ...reading.wish, name } }),
      ),
    )
  return { ...marks, readings: named, rest }
}

/** Returns the groups of the first pattern that matches the text. */
function firstGroups(forms: readonly RegExp[], text: string): Readonly<Record<string, string>> | undefined {
  for (const pattern of forms) {
    const groups = pattern.exec(text)?.groups
    if (groups !== undefined) return groups
  }
  return undefined
}

const noMarks = (): Marks => ({
  printing: undefined,
  not: undefined,
  condition: undefined,
  namesCondition: false,
  grade: undefined,
  language: undefined,
  isProxy: false,
})

/**
 * Removes notes and marks from the end of a text, and stores the marks. `isShortened` is true if a removed mark may be
 * part of the name.
 */
function withoutMarks(text: string, marks: Marks): { readonly rest: string; readonly isShortened: boolean } {
  let rest = text
  let isShortened = false
  for (let length = 0; length !== rest.length; ) {
    length = rest.length
    if (mayHaveNote.test(rest)) {
      for (const pattern of notes) {
        const note = pattern.exec(rest)
        if (note !== null) rest = note.groups?.['rest'] ?? rest.slice(0, note.index)
      }
    }
    const closed = closedMark(rest)
    if (closed !== null && isClosedMark(closed[1]!) && takeMark(closed[1]!, marks)) {
      rest = rest.slice(0, closed.index)
      // `(F)` may be part of the name `Unown (F)`. After a set's code it is a mark.
      isShortened ||= closed[1]!.length === 1 && closed[0].endsWith(')')
      continue
    }
    for (const space of lastSpaces(rest)) {
      const last = rest.slice(space + 1)
      if (!isMark(last) || !takeMark(last, marks)) continue
      rest = withoutSeparators(rest.slice(0, space))
      isShortened ||= marksInWords.has(last.toLowerCase())
      break
    }
  }
  return { rest, isShortened }
}

const mayHaveNote = /[#^\]]/

function closedMark(text: string): RegExpExecArray | null {
  const end = text.at(-1)
  if (end === '*') return markInStars.exec(text)
  if ((end !== ')' && end !== ']') || letterInBrackets.test(text)) return null
  return markInBrackets.exec(text)
}

/** Returns the places of the last `markWordsMax` spaces, in ascending order. */
function lastSpaces(text: string): number[] {
  const places: number[] = []
  for (let at = text.lastIndexOf(' '); at > 0 && places.length < markWordsMax; at = text.lastIndexOf(' ', at - 1))
    places.unshift(at)
  return places
}

const isMark = (text: string): boolean =>
  marksInCapitals.has(text) || marksInWords.has(text.toLowerCase()) || namedGradeOf(text) !== undefined

/** Texts that are marks only within brackets or between stars: `*F*`, `*CMDR*`, `*A*` for an altered card. */
const closedMarks = new Set(['f', 'e', 'f-etch', 'a', 'cmdr', 'playtest'])
/** In square brackets, a letter is part of a name: `Unown [F]`. */
const letterInBrackets = / \[[a-z]\]$/i

const isClosedMark = (text: string): boolean => isMark(text) || isProxy(text) || closedMarks.has(text.toLowerCase())

/** Stores a mark. Returns false if the text is no mark. */
function takeMark(text: string, marks: Marks): boolean {
  const grade = namedGradeOf(text)
  if (isProxy(text)) marks.isProxy = true
  else if (text === 'PH') marks.printing ??= 'Reverse Holofoil'
  else if (grade !== undefined) marks.grade ??= grade
  else if (isFinish(text)) {
    const { printing, not } = finishOf(text)
    marks.printing ??= printing
    marks.not ??= not
  } else {
    const condition = conditionOf(text)
    if (condition === undefined) return /^(?:a|cmdr)$/i.test(text)
    marks.condition ??= condition.condition
    marks.namesCondition = true
  }
  return true
}

/** The cards that a text may mean. */
interface Understood {
  /** The cards by the form of the text. Without a form, the whole text is the name. */
  readonly wishes: readonly Wish[]
  /** The card if the text in brackets is part of the name. */
  readonly marked?: Wish
  /** True if the whole text is probably a name (`CardForm.isDoubtful`). */
  readonly isDoubtful: boolean
  /** True if the whole text may be a name, but rarely is. */
  readonly mayBeName: boolean
}

/** Reads a text by the first form that it has. */
function understood(text: string, marks: Marks): Understood {
  for (const form of cardForms) {
    const groups = form.pattern.exec(text)?.groups
    if (groups !== undefined) return understoodAs(form, groups, marks)
  }
  return { wishes: [{ name: text }], isDoubtful: false, mayBeName: false }
}

type Groups = Readonly<Record<string, string | undefined>>

function understoodAs(form: CardForm, groups: Groups, marks: Marks): Understood {
  const { variant, subtitle, condition, language, printing, finish, state } = groups
  if (state !== undefined) {
    const own = finishOf(finish!)
    marks.printing ??= own.printing
    marks.not ??= own.not
    marks.condition ??= conditionOf(state)?.condition
    marks.namesCondition = true
    marks.language ??= language
  }
  if (condition !== undefined) {
    marks.condition ??= conditionOf(condition, true)?.condition
    marks.namesCondition = true
    marks.language ??= language
    marks.printing ??= printing
  }
  const isNumber = variant !== undefined && /\d/.test(variant)
  const marker = variant === undefined || isNumber ? '' : ` (${variant})`
  const name = withoutSeparators(subtitle === undefined ? groups['name']! : `${groups['name']} - ${subtitle}`) + marker
  const number = (isNumber ? variant : groups['number'])?.replace(/^#/, '')
  const set = withoutSeparators(groups['set'] ?? '').replace(/:$/, '') || undefined
  const wishes = inSets({ name, number, set })
  if (form.mayBeCode && set === undefined) wishes.push({ name, set: number })
  const marked = form.mayBeMarker && number === undefined ? { marked: { name: `${name} (${set})` } } : {}
  return { wishes, ...marked, isDoubtful: form.isDoubtful === true, mayBeName: form.mayBeName === true }
}

/** Returns the card in the set as written, and in the set that a deck builder's code stands for. */
function inSets(wish: Wish): Wish[] {
  const known = wish.set === undefined ? undefined : setOfList(wish.set, wish.number)
  if (known === undefined) return [wish]
  const meant: Wish = {
    name: wish.name,
    set: known.set,
    number: known.set === undefined ? undefined : known.number || undefined,
  }
  return known.isOnly ? [meant] : [wish, meant]
}

/** The pitches of Flesh and Blood. Some programs write their numbers, 1 to 3, instead. */
const pitches = ['Red', 'Yellow', 'Blue']

/**
 * Returns the names under which the data may have a card. `Basic {L} Energy` gets its type in words, a pitch its color,
 * and a token a name with and one without the word `Token`.
 */
export function namesOf(name: string, isToken = false): string[] {
  const symbol = /\{([A-Z])\}/.exec(name)
  const type = symbol === null ? undefined : energies.get(symbol[1]!)
  if (type !== undefined) {
    const spelt = name.replace(symbol![0], type)
    return [...new Set([spelt, spelt.replace(/^Basic /, '')])]
  }
  const [, pitched, pitch] = /^(.+) \(([123])\)$/.exec(name) ?? []
  if (pitched !== undefined) return [name, `${pitched} (${pitches[Number(pitch) - 1]})`]
  const token = /^(.+?) token(?: \(\S{1,9}\))?$/i.exec(name)?.[1]
  if (token !== undefined) return [`${token} Token`, token]
  return isToken ? [name, `${name} Token`] : [name]
}

const withoutSeparators = (text: string): string =>
  text.replace(/^[ ,;:|–-]+/, '').replace(/(?<![ ,;:|–-])[ ,;:|–-]+$/, '')
