/**
 * Formats log lines for people at a terminal. Programs read the JSON lines instead:
 *
 *   {"level":40,"time":1795328236131,"pid":7,"hostname":"a","file":"cert.pem","msg":"the certificate is refused"}
 *   19:57:16.131 WARN  the certificate is refused  file=cert.pem
 *
 * An error's stack follows on lines of its own.
 */
import { isatty, WriteStream } from 'node:tty'
import { styleText } from 'node:util'
import type { Settings } from '../settings.ts'
import { printable, printableLine } from './printable.ts'

/** Turns a complete JSON line into the complete line to write. */
export type LineFormat = (json: string) => string

const standardError = 2

/** @param chosen if undefined, lines are text on a terminal and JSON elsewhere */
export function lineFormat(chosen: Settings['LOG_FORMAT']): LineFormat {
  const isTerminal = isatty(standardError)
  if ((chosen ?? (isTerminal ? 'text' : 'json')) === 'json') return printable
  // getColorDepth reads only environment variables, such as NO_COLOR and TERM, so it needs no open stream.
  const hasColours = isTerminal && WriteStream.prototype.getColorDepth(process.env) > 1
  return (json) => textLine(json, hasColours)
}

type Style = Parameters<typeof styleText>[0]

/** By pino's level number. */
const levels: Readonly<Record<number, readonly [name: string, style: Style]>> = {
  10: ['TRACE', 'gray'],
  20: ['DEBUG', 'gray'],
  30: ['INFO', 'green'],
  40: ['WARN', 'yellow'],
  50: ['ERROR', 'red'],
  60: ['FATAL', 'red'],
}
/** Lines of the access log have no level. */
const request = ['REQ', 'cyan'] as const
const levelLength = 5

export function textLine(json: string, hasColours: boolean): string {
  const { time, level, msg = '', pid: _, hostname: __, err, ...fields } = JSON.parse(json)
  const style = (name: Style, text: string) => (hasColours ? styleText(name, text, { validateStream: false }) : text)
  const [name, colour] = level === undefined ? request : (levels[level] ?? levels[30]!)
  const shown = Object.entries(fields).map(([field, value]) => style('gray', `${field}=${valueText(value)}`))
  const start = `${style('gray', clockTime(time))} ${style(colour, name.padEnd(levelLength))}`
  const line = [start, ...(msg === '' ? [] : [printableLine(msg)])].join(' ')
  return `${[line, ...(shown.length > 0 ? [shown.join(' ')] : [])].join('  ')}\n${errorText(err)}`
}

/** HH:MM:SS.mmm in this machine's time zone. */
function clockTime(ms: number): string {
  const local = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000)
  return local.toISOString().slice('YYYY-MM-DDT'.length, -1)
}

/** The value in quotation marks, unless it is one plain word. */
const valueText = (value: unknown): string =>
  typeof value === 'string' && /^[\w./:@+,~-]+$/.test(value) ? value : printableLine(JSON.stringify(value))

function errorText(err: { readonly stack?: string; readonly message?: string } | undefined): string {
  const text = err?.stack ?? err?.message
  if (text === undefined) return ''
  return text
    .split('\n')
    .map((line) => `    ${printableLine(line.trim())}\n`)
    .join('')
}
