/** A list as a person sent it: its bytes, the choices of the form, and the list as text. */
import { isUtf8 } from 'node:buffer'
import { html } from 'hono/html'
import { gameNumber } from '../games.ts'
import { listLinesMax, responseSliceBytes } from '../limits.ts'
import { type ColumnChoices, columnChoices } from './column-choices.ts'
import type { Turns } from './turns.ts'
import { type Choices, picks } from './valued-list.ts'

export interface SentList {
  readonly bytes: Uint8Array
  /** The game of lines that name no game. */
  readonly game: string | undefined
  readonly columns: ColumnChoices | undefined
  readonly choices: Choices
  /**
   * True if scripts run in the browser. A script keeps the field as it is, so the response need not contain the list.
   */
  readonly hasScripts: boolean
}

/** @param fields the fields of the form, by name */
export function sentListIn(fields: ReadonlyMap<string, Uint8Array>): SentList {
  const textIn = (name: string) => {
    const bytes = fields.get(name)
    return bytes && textOf(bytes)
  }
  const file = fields.get('file')
  const game = textIn('game')
  const before = textIn('undo')
  return {
    bytes: (file?.length ? file : fields.get('list')) ?? new Uint8Array(),
    game: game === undefined || gameNumber(game) === -1 ? undefined : game,
    columns: columnChoices(textIn),
    choices: {
      byLine: before === undefined ? choicesIn(fields) : choicesOf(before),
      pick: picks.find((name) => name === textIn('pick')),
    },
    hasScripts: fields.has('scripts'),
  }
}

function choicesIn(fields: ReadonlyMap<string, Uint8Array>): Choices['byLine'] {
  const choices = new Map<string, string>()
  for (const [name, id] of fields) {
    if (name.startsWith('card-') && id.length > 0) choices.set(name.slice('card-'.length), textOf(id))
  }
  return choices
}

/** The choices as one field of the form. Each line has a key and an id. */
export const choicesText = (choices: Choices['byLine']): string =>
  [...choices].map(([key, id]) => `${key} ${id}`).join('\n')

const choicesOf = (text: string): Choices['byLine'] =>
  new Map(text.split(/\r?\n/).map((line) => line.split(' ') as [string, string]))

/** How many lines the bytes have. It stops at the lines of the largest list. */
export function lineCount(bytes: Uint8Array): number {
  let lines = 1
  for (let at = bytes.indexOf(10); at !== -1 && lines < listLinesMax; at = bytes.indexOf(10, at + 1)) lines++
  return lines
}

/** Spreadsheets write UTF-8, UTF-16 with a byte order mark, or the Western European Windows encoding. */
export function textOf(bytes: Uint8Array): string {
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe
  const encoding = isWide ? 'utf-16le' : isUtf8(bytes) ? 'utf-8' : 'windows-1252'
  return new TextDecoder(encoding).decode(bytes)
}

/** The list, escaped for the form's field, in parts. */
export async function* fieldParts(bytes: Uint8Array, turns: Turns): AsyncGenerator<string> {
  await turns.pause()
  const text = textOf(bytes)
  for (let from = 0; from < text.length; ) {
    const end = Math.min(from + responseSliceBytes, text.length)
    // A part must not end between the two halves of a character.
    const to = /[\ud800-\udbff]/.test(text[end - 1]!) ? end + 1 : end
    yield String(html`${text.slice(from, to)}`)
    from = to
    await turns.pause()
  }
}
