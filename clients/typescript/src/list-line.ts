/**
 * Reads a line as people type it and deck builders write it, by the tables of forms:
 *
 *   * 4x Charizard ex OBF 125 *F* #tag
 *   └┬┘└┬┘└──────┬────────┘ └┬┘ └┬─┘
 *  bullet count  form        mark note
 */
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
} from './list-decks.ts'
import { type Condition, conditionOf, type Finish, finishOf, isFinish, isProxy, namedGradeOf } from './list-words.ts'

export interface Wish {
  readonly name: string
  readonly set?: string | undefined
  readonly number?: string | undefined
}

export interface TypedReading {
  readonly quantity: number
  readonly wish: Wish
}

/** What a line says besides. */
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
  /** The likeliest first. */
  readonly readings: readonly TypedReading[]
  /** The line without count and marks. */
  readonly rest: string
}

/** Each costs a question. */
const readingsMax = 3
/** Names of finishes, conditions and grades have so many words. */
const markWordsMax = 4
/** These words may also be the end of a name (`Charizard EX`), or a set's code (`PL`). */
const marksInCapitals = new Set(['NM', 'LP', 'MP', 'HP', 'DMG', 'PH'])
const marksInWords = new Set([
  ...['near mint', 'lightly played', 'light played', 'moderately played', 'heavily played', 'damaged'],
  ...[
    'foil',
    'holo',
    'holofoil',
    'reverse',
    'reverse holo',
    'reverse holofoil',
    'reverse foil',
    'etched',
    'foil etched',
  ],
  ...['non foil', 'nonfoil', 'non-foil', 'normal', 'cold foil', 'rainbow foil', 'unlimited', 'proxy'],
  ...[
    '1st edition',
    '1st ed',
    'first edition',
    '1st edition holo',
    '1st edition holofoil',
    '1st edition foil',
    'unlimited holo',
  ],
])

/** @param text of at most 300 characters @param isToken of a section of tokens */
export function readTypedLine(text: string, isToken = false): TypedLine {
  const line = text.replace(/\s+/g, ' ').replace(bullet.pattern, '')
  const counted = counts.map(({ pattern }) => pattern.exec(line)?.groups).find((groups) => groups !== undefined)
  const bare = counted === undefined ? bareCount.pattern.exec(line)?.groups : undefined
  const { count, rest: behind = line } = counted ?? bare ?? {}
  const quantity = Number(count ?? 1)
  const marks: Marks = {
    ...{ printing: undefined, not: undefined, condition: undefined, namesCondition: false },
    ...{ grade: undefined, language: undefined, isProxy: false },
  }
  const { rest, isShortened } = withoutMarks(unescaped(behind), marks)
  const wishes = wishesOf(rest, marks)
  // A mark without brackets may be the end of a name: `Foil`.
  const whole = isShortened ? [{ name: behind }] : []
  const readings = [...wishes, ...whole].map((wish) => ({ quantity, wish }))
  if (bare !== undefined)
    readings.push(
      ...wishesOf(withoutMarks(line, { ...marks }).rest, { ...marks })
        .slice(0, 1)
        .map((wish) => ({ quantity: 1, wish })),
    )
  const named = readings.flatMap(({ quantity, wish }) =>
    namesOf(wish.name, isToken).map((name) => ({ quantity, wish: { ...wish, name } })),
  )
  return { ...marks, readings: named.slice(0, readingsMax), rest }
}

const unescaped = (text: string): string =>
  text.includes('&') ? text.replaceAll('&quot;', '"').replaceAll('&apos;', "'").replaceAll('&amp;', '&') : text

/** Takes notes and marks off a line's end, one after the other. */
function withoutMarks(text: string, marks: Marks): { readonly rest: string; readonly isShortened: boolean } {
  let rest = text
  let isShortened = false
  for (let length = 0; length !== rest.length; ) {
    length = rest.length
    for (const { pattern } of notes) rest = rest.replace(pattern, '')
    const closed = markInStars.pattern.exec(rest) ?? markInBrackets.pattern.exec(rest)
    if (closed !== null && isClosedMark(closed[1]!) && takeMark(closed[1]!, marks)) {
      rest = rest.slice(0, closed.index)
      continue
    }
    const words = rest.split(' ')
    for (let count = Math.min(markWordsMax, words.length - 1); count > 0; count--) {
      const last = words.slice(-count).join(' ')
      if (!isMark(last) || !takeMark(last, marks)) continue
      rest = withoutSeparators(words.slice(0, -count).join(' '))
      isShortened = true
      break
    }
  }
  return { rest, isShortened }
}

const isMark = (text: string): boolean =>
  marksInCapitals.has(text) || marksInWords.has(text.toLowerCase()) || namedGradeOf(text) !== undefined

/** What deck builders write between brackets or stars alone: `*F*`, `*CMDR*`, `*A*` for an altered card. */
const closedMarks = new Set(['f', 'e', 'f-etch', 'a', 'cmdr', 'playtest'])

const isClosedMark = (text: string): boolean => isMark(text) || isProxy(text) || closedMarks.has(text.toLowerCase())

/** False for a text that says nothing. */
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

/** The first form that the text has, and its other reading; else the text is a name. */
function wishesOf(text: string, marks: Marks): Wish[] {
  for (const form of cardForms) {
    const groups = form.pattern.exec(text)?.groups
    if (groups !== undefined) return wishesIn(text, form, groups, marks)
  }
  return [{ name: text }]
}

type Groups = Readonly<Record<string, string | undefined>>

function wishesIn(text: string, form: CardForm, groups: Groups, marks: Marks): Wish[] {
  const { variant, subtitle, condition, language, printing } = groups
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
  const wish: Wish = { name, number, set: withoutSeparators(groups['set'] ?? '') || undefined }
  const read = form.else === 'code' && wish.set === undefined ? [wish, { name, set: number }] : inSets(wish)
  const other: Wish | undefined =
    form.else === 'whole'
      ? { name: text }
      : form.else === 'marker' && number === undefined
        ? { name: `${name} (${wish.set})` }
        : undefined
  if (other === undefined) return read
  return form.isElseFirst ? [other, ...read] : [...read.slice(0, 2), other].slice(0, 2)
}

/** With the set's own code, and with the words that a code of lists stands for. */
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

/** `Basic {L} Energy` has its type in words, and tokens are named with and without the word. */
export function namesOf(name: string, isToken = false): string[] {
  const symbol = /\{([A-Z])\}/.exec(name)
  const type = symbol === null ? undefined : energies.get(symbol[1]!)
  if (type !== undefined) {
    const spelt = name.replace(symbol![0], type)
    return [...new Set([spelt, spelt.replace(/^Basic /, '')])]
  }
  const token = /^(.+?) token(?: \(\S{1,9}\))?$/i.exec(name)?.[1]
  if (token !== undefined) return [`${token} Token`, token]
  return isToken ? [name, `${name} Token`] : [name]
}

const withoutSeparators = (text: string): string =>
  text.replace(/^[ ,;:|–-]+/, '').replace(/(?<![ ,;:|–-])[ ,;:|–-]+$/, '')
