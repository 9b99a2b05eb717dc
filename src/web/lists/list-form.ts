/** The fields of the form: the list's bytes and its text, and the choices that a person made. */
import { isUtf8 } from 'node:buffer'
import type { Games } from '../../games.ts'
import { listLinesMax, responseSliceBytes } from '../../limits.ts'
import { type Field, fieldNames } from '../../lists/fields.ts'
import { choiceLineBytesMax, type Form } from '../shared/form-table.ts'
import type { Turns } from '../shared/turns.ts'

/** Each pick chooses one candidate for every ambiguous line at once. */
export const picks = ['cheapest', 'newest'] as const
export type Pick = (typeof picks)[number]

export interface Choices {
  /** For each line, by its key, the id of the candidate that the person means. */
  readonly byLine: ReadonlyMap<string, string>
  /** The pick for all lines. It overrides `byLine` in each line for which it finds a card. */
  readonly pick: Pick | undefined
}

/** The field of each column, by the column's name in the file. With null, the column changes no amount. */
export type ColumnChoices = Readonly<Record<string, Field | null>>

/**
 * The form has two fields for each column: its name in the file, and what the column is. `at` is the column's place,
 * from 0.
 */
export const columnName = (at: number): string => `column-${at}`
export const columnField = (at: number): string => `column-${at}-is`
/**
 * Without this field, the form's column choices are ignored. The button for the choices sends it. After that, the form
 * around the result always sends it.
 */
export const columnsUsed = 'columns'

/** Returns the chosen columns; undefined if none were chosen. @param fieldOf returns a form's field by its name */
export function columnChoices(fieldOf: (name: string) => string | undefined): ColumnChoices | undefined {
  if (fieldOf(columnsUsed) === undefined) return undefined
  const choices: [string, Field | null][] = []
  for (let at = 0; ; at++) {
    const name = fieldOf(columnName(at))
    if (name === undefined) return Object.fromEntries(choices)
    const field = fieldOf(columnField(at))
    choices.push([name, fieldNames.find((one) => one === field) ?? null])
  }
}

export interface SentList {
  readonly bytes: Uint8Array
  /** The number of lines in the bytes, whichever character ends them. It is at most `listLinesMax`. */
  readonly lineCount: number
  /** Decodes the bytes. */
  text(): string
  /** The list, escaped for the form's field, in parts. */
  fieldParts(): AsyncGenerator<Uint8Array>
  /** The game of lines that name no game. */
  readonly game: string | undefined
  readonly columns: ColumnChoices | undefined
  readonly choices: Choices
  /**
   * True if a script sent the form. The script leaves the form's field as it is, so the response need not contain the
   * list.
   */
  readonly hasScripts: boolean
}

export async function sentListIn({ texts, bytes }: Form, games: Games, turns: Turns): Promise<SentList> {
  /** Returns a field's bytes. A form that is not multipart has all its fields as texts. */
  const bytesIn = (name: string) => bytes.get(name) ?? Buffer.from(texts.get(name) ?? '')
  const file = bytesIn('file')
  const game = texts.get('game')
  // The field is empty if no card had been chosen before the pick.
  const isUndone = bytes.has('undo') || texts.has('undo')
  const list = file.length > 0 ? file : bytesIn('list')
  return {
    bytes: list,
    lineCount: Math.max(endsIn(list, 10), endsIn(list, 13)) + 1,
    text: () => new TextDecoder(encodingOf(list)).decode(list),
    fieldParts: () => fieldParts(list, turns),
    game: game === undefined || games.numberOf(game) === -1 ? undefined : game,
    columns: columnChoices((name) => texts.get(name)),
    choices: {
      byLine: isUndone ? await choicesOf(bytesIn('undo'), turns) : choicesIn(texts),
      pick: picks.find((name) => name === texts.get('pick')),
    },
    hasScripts: texts.has('scripts'),
  }
}

function choicesIn(texts: Form['texts']): Choices['byLine'] {
  const choices = new Map<string, string>()
  for (const [name, id] of texts) {
    if (name.startsWith('card-') && id !== '') choices.set(name.slice('card-'.length), id)
  }
  return choices
}

/** Returns the choices as one field of the form. Each line has a key and an id. */
export const choicesText = (choices: Choices['byLine']): string =>
  [...choices].map(([key, id]) => `${key} ${id}`).join('\n')

/**
 * Reads at most `listLinesMax` choices, and skips lines that are longer than a choice can be. The pages write neither
 * more choices nor longer lines.
 */
async function choicesOf(bytes: Uint8Array, turns: Turns): Promise<Choices['byLine']> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const choices = new Map<string, string>()
  for (let [from, lines] = [0, 0]; from < text.length && lines < listLinesMax; lines++) {
    const end = text.indexOf(10, from)
    const to = end === -1 ? text.length : end
    if (to - from < choiceLineBytesMax) {
      const [key = '', id = ''] = text.toString('utf8', from, to).trimEnd().split(' ', 2)
      if (id !== '') choices.set(key, id)
    }
    from = to + 1
    await turns.pause()
  }
  return choices
}

function endsIn(bytes: Uint8Array, end: number): number {
  let ends = 0
  for (let at = bytes.indexOf(end); at !== -1 && ends < listLinesMax - 1; at = bytes.indexOf(end, at + 1)) ends++
  return ends
}

/**
 * Returns the encoding of the bytes. Spreadsheets write UTF-8, UTF-16 with a byte order mark, or the Western European
 * Windows encoding.
 */
function encodingOf(bytes: Uint8Array): 'utf-16le' | 'utf-8' | 'windows-1252' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return isUtf8(bytes) ? 'utf-8' : 'windows-1252'
}

/** The list, escaped for the form's field, in parts. */
async function* fieldParts(bytes: Uint8Array, turns: Turns): AsyncGenerator<Uint8Array> {
  await turns.pause()
  const encoding = encodingOf(bytes)
  const decoder = encoding === 'utf-8' ? undefined : new TextDecoder(encoding)
  // For other encodings than UTF-8, the decoder removes the byte order mark.
  const start =
    decoder === undefined && byteOrderMark.equals(bytes.subarray(0, byteOrderMark.length)) ? byteOrderMark.length : 0
  for (let from = start; from < bytes.length; from += responseSliceBytes) {
    const slice = bytes.subarray(from, from + responseSliceBytes)
    yield escaped(decoder === undefined ? slice : Buffer.from(decoder.decode(slice, { stream: true })))
    await turns.pause()
  }
  yield Buffer.from(decoder?.decode() ?? '')
}

const byteOrderMark = Buffer.from('\ufeff')
const [and, less, more] = [0x26, 0x3c, 0x3e]

/**
 * Escapes UTF-8 for a `textarea`, where quotes need no escape. It first computes the size, because a list may consist
 * only of characters that must be escaped.
 */
function escaped(slice: Uint8Array): Uint8Array {
  let added = 0
  for (let at = 0; at < slice.length; at++) {
    const byte = slice[at]
    if (byte === and) added += '&amp;'.length - 1
    else if (byte === less || byte === more) added += '&lt;'.length - 1
  }
  if (added === 0) return slice
  const all = Buffer.allocUnsafe(slice.length + added)
  for (let [at, end] = [0, 0]; at < slice.length; at++) {
    const byte = slice[at]!
    if (byte === and) {
      all[end++] = and
      all[end++] = 0x61
      all[end++] = 0x6d
      all[end++] = 0x70
      all[end++] = 0x3b
    } else if (byte === less || byte === more) {
      all[end++] = and
      all[end++] = byte === less ? 0x6c : 0x67
      all[end++] = 0x74
      all[end++] = 0x3b
    } else all[end++] = byte
  }
  return all
}
