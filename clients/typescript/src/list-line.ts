/** Cards as people and deck builders write them, a line each: `4 Lightning Bolt (2XM) 141 *F*`, `1 Charizard 4/102 Base Set Holo`. */
import { type Finish, finishOf } from './list-columns.ts'

export interface Wish {
  readonly name: string
  readonly set?: string | undefined
  readonly number?: string | undefined
  readonly printing?: string | undefined
}

/** The readings of a line, the likeliest first. */
export interface TypedLine {
  readonly quantity: number
  readonly rest: string
  readonly wishes: readonly Wish[]
  readonly not: Finish['not']
}

const printingWords =
  '(?:1st ed(?:ition)? |unlimited |reverse )?(?:holo(?:foil)?|foil)|1st ed(?:ition)?|unlimited|reverse|etched|foil etched|non-?foil|normal'
const printingAtEnd = new RegExp(`\\s+(${printingWords})$`, 'i')
const printingInBrackets = new RegExp(`\\s+[([](f|${printingWords})[)\\]]$`, 'i')
const starred = /\s+\*([^*]*)\*$/
/** Notes of deck builders: `^Have,#37d67a^`, `#Card draw #!Ramp`, `[Ramp,Maybeboard{noDeck}]`. A `#` before a number is the card's. */
const notes = [/\s+\^[^^]*\^$/, /\s+#(?!\S*\d)\S.*$/, /\s+\[[^\]]*[{,][^\]]*\]$/]

export function readTypedLine(text: string): TypedLine {
  const [, before, count, behind] = /^(?:[*•-]\s+)?(?:SB:\s*)?((?:(\d{1,6})\s*[x×]?\s+)?(.+))$/is.exec(
    text.replace(/\s+/g, ' '),
  )!
  const counted = count === undefined ? /^(.+?)\s+[x×]\s?(\d{1,6})$/i.exec(before!) : null
  const quantity = Number(count ?? counted?.[2] ?? 1)
  let rest = (counted?.[1] ?? behind!).trim()
  let finish: Finish = {}
  for (let length = 0; length !== rest.length; ) {
    length = rest.length
    const mark = printingInBrackets.exec(rest) ?? starred.exec(rest)
    if (mark !== null) {
      if (!/^cmdr$/i.test(mark[1]!)) finish = finishOf(mark[1]!)
      rest = rest.slice(0, mark.index)
    }
    for (const note of notes) rest = rest.replace(note, '')
  }
  const { printing, not } = finish
  const wishes = wishesOf(rest).map((wish) => ({ wish, said: finishOf(wish.printing ?? '') }))
  return {
    quantity,
    rest,
    wishes: wishes.map(({ wish, said }) => ({ ...wish, printing: printing ?? said.printing })),
    not: not ?? wishes[0]?.said.not,
  }
}

function wishesOf(text: string): Wish[] {
  const variant = /\s*<([^>]*)>/.exec(text)
  const plain = variant === null ? text : text.replace(variant[0], '')
  const number = variant !== null && /\d/.test(variant[1]!) ? variant[1] : undefined
  const marker = variant === null || number !== undefined ? '' : ` (${variant[1]})`
  const wishes = bracketed(plain) ?? spaced(plain)
  return wishes.map((wish) => ({ number, ...wish, name: wish.name + marker }))
}

const codeInBrackets = /\s+[([]([A-Za-z0-9._-]{1,10})[)\]](?:\s+#?([^\s([]*\d\S*|[^\s([]*★)(?=\s|$))?/g
const codeBefore = /^[([]([A-Za-z0-9._-]{1,10})(?:[#:]\s*(\S+?))?[)\]]\s+(.+)$/

const isCode = (text: string): boolean =>
  /[a-z]/i.test(text) && (/\d/.test(text) || text === text.toUpperCase() || text === text.toLowerCase())

/** Undefined if the line has no set's code in brackets. */
function bracketed(text: string): Wish[] | undefined {
  const first = codeBefore.exec(text)
  if (first !== null && isCode(first[1]!)) {
    const [, set, number, name] = first
    return [{ name: name!, set, number }]
  }
  const codes = [...text.matchAll(codeInBrackets)].filter(([, code]) => isCode(code!)).reverse()
  const found = codes.find(([, , number]) => number !== undefined) ?? codes[0]
  if (found === undefined) return undefined
  const [whole, set, number] = found
  const name = text.slice(0, found.index)
  const behind = text.slice(found.index + whole.length).trim()
  const printing = printingAtEnd.exec(` ${behind}`)?.[1]
  const isCategory = /^\[[^\]]*\]$/.test(behind)
  if (behind !== '' && !isCategory && printing !== behind) return undefined
  // The text in brackets may also belong to the name.
  return [
    { name, set, number, printing },
    { name: `${name} (${set})`, number, printing },
  ]
}

/** Words that can't be part of a name: `4/102`, `SV001/SV122`, `#4`, `OP01-001`, `LOB-EN001`; else `25` or `SV25`. */
const numberPatterns = [
  /^#?[A-Z]{0,6}\d+[a-z]?\/\S+$|^#\S+$|^[A-Z0-9]{1,5}-[A-Z]{0,4}\d{1,4}(?:[a-z]|_\w+)?[,;]?$/i,
  /^(?:[A-Z]{1,6})?\d{1,4}[a-z]?[,;]?$/,
]
const numberLast = /^#?(?:[A-Z0-9]{1,6}-)?[A-Z]{0,4}\d{1,4}(?:[a-z★]|_\w+)?(?:\/\S+)?$/i
const nameEnds = /^(?:ex|gx|v|vmax|vstar|v-union|break|legend|lv|sp|gl|fb|tag|team|prime|star)$/i

/** -1 if no word behind the first is a number. */
function numberAt(words: readonly string[]): number {
  for (const pattern of numberPatterns) {
    const at = words.findIndex((word, i) => i > 0 && pattern.test(word))
    if (at !== -1) return at
  }
  return -1
}

/** A set's code without brackets differs from a word of the name by its capitals and digits before a number; else it comes last. */
function spaced(text: string): Wish[] {
  const literal = literalOf(text, text.split(/\s+/))
  const printed = printingAtEnd.exec(text)
  const plain = printed === null ? text : text.slice(0, printed.index)
  const words = plain.split(/\s+/)
  const hasNumber = words.length > 2 && numberLast.test(words.at(-1)!)
  const last = words.at(-1)!
  const set = words.at(hasNumber ? -2 : -1)!
  const coded: Wish = {
    name: withoutSeparators(words.slice(0, hasNumber ? -2 : -1).join(' ')),
    set,
    number: hasNumber ? last.replace(/^#/, '') : undefined,
    printing: printed?.[1],
  }
  const mayBeCode = coded.name !== '' && /^[a-z0-9][a-z0-9._-]{1,9}$/i.test(set) && isCode(set) && !nameEnds.test(set)
  const isClear = mayBeCode && hasNumber && (/[\d-]/.test(set) || set === set.toUpperCase())
  return [
    ...(isClear ? [coded] : []),
    literal,
    ...(printed !== null && literal.number === undefined ? [{ name: plain, printing: printed[1] }] : []),
    ...(mayBeCode && !isClear ? [coded] : []),
    // `M12` looks like a number and is a set's code.
    ...(hasNumber && isCode(last)
      ? [{ ...coded, name: words.slice(0, -1).join(' '), set: last, number: undefined }]
      : []),
  ]
}

function literalOf(text: string, words: readonly string[]): Wish {
  const at = numberAt(words)
  if (at === -1) return { name: text }
  const behind = ` ${words.slice(at + 1).join(' ')}`
  const printing = printingAtEnd.exec(behind)
  return {
    name: withoutSeparators(words.slice(0, at).join(' ')),
    number: words[at]!.replace(/^#|[,;]$/g, ''),
    set: withoutSeparators(printing === null ? behind : behind.slice(0, printing.index)) || undefined,
    printing: printing?.[1],
  }
}

const withoutSeparators = (text: string): string => text.replace(/^[\s,;:|–-]+|[\s,;:|–-]+$/g, '')

const deckParts =
  'about|deck|main(?: ?board| ?deck)?|side ?(?:board|deck)|maybe ?board|considering|commanders?|companions?|extra deck|stickers|attractions|tokens?'
const kinds =
  'creatures?|lands?|instants?|sorcer(?:y|ies)|artifacts?|enchantments?|planeswalkers?|battles?|(?:other )?spells?|others?|pok[eé]mon|trainers?|energy|energies|supporters?|items?|stadiums?|monsters?|traps?|leaders?|characters?|events?|stages?'
const heading = new RegExp(
  `^(?://|#(?!\\S*\\d)|-{2,}|={2,})|^\\[[^\\]]+\\]$|^\\D[^:]*:\\s*\\d*$|^(?:${deckParts})$|^(?:${deckParts}|${kinds})\\s*[-–]?\\s*\\(?\\d+\\)?$|^(?:creatures|lands|instants|sorceries|artifacts|enchantments|planeswalkers)$`,
  'i',
)

/** `Deck`, `Sideboard:`, `// Lands`, `Creatures (12)`, `##Pokémon - 12` */
export const isHeading = (text: string): boolean => heading.test(text)
