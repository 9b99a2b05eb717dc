/**
 * Collects a report as Markdown, part by part, and prints each piece at once. The file has all columns of tables. A
 * terminal has room for eight.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The most columns of a table on a terminal. */
export const columnsMax = 8

/** A column's title. A terminal shows a `wide` column only with `--wide`. */
export type Column = string | { readonly wide: string }

export const wide = (title: string): Column => ({ wide: title })

type Row = readonly string[]

export class Report {
  readonly #isWide: boolean
  #lines: string[] = []
  /** The lines of each part, by its name. The part without a name is the first. */
  readonly #parts = new Map<string, string[]>([['', this.#lines]])

  constructor(isWide = false) {
    this.#isWide = isWide
  }

  /** Begins a part, to which all later text belongs. */
  begin(part: string): void {
    this.#lines = []
    this.#parts.set(part, this.#lines)
  }

  heading(text: string): void {
    this.#print('', `## ${text}`, '')
  }

  text(text: string): void {
    this.#print(text, '')
  }

  /** Adds a table. Columns of numbers are aligned to the right. */
  table(columns: readonly Column[], rows: readonly Row[]): void {
    const titles = columns.map((column) => (typeof column === 'string' ? column : column.wide))
    const shown = columns.flatMap((column, i) => (this.#isWide || typeof column === 'string' ? [i] : []))
    if (!this.#isWide && shown.length > columnsMax) throw new Error(`${titles[0]}: ${shown.length} columns`)
    const picked = (row: Row) => shown.map((i) => row[i]!)
    this.#lines.push(...linesOf(titles, rows))
    for (const line of linesOf(picked(titles), rows.map(picked))) console.log(line)
  }

  /** The part's text, with all columns. Empty if the part was not begun. */
  textOf(part: string): string {
    return (this.#parts.get(part) ?? []).join('\n').trim()
  }

  /** The whole report, with all columns. */
  get markdown(): string {
    return `${[...this.#parts.keys()].map((part) => this.textOf(part)).join('\n\n')}\n`
  }

  /** Writes the whole report into `folder`, and returns the file's path. */
  save(folder: string, name: string): string {
    mkdirSync(folder, { recursive: true })
    const file = join(folder, name)
    writeFileSync(file, this.markdown)
    return file
  }

  #print(...lines: string[]): void {
    this.#lines.push(...lines)
    for (const line of lines) console.log(line)
  }
}

function linesOf(titles: Row, rows: readonly Row[]): string[] {
  const widths = titles.map((cell, column) => Math.max(...[cell, ...rows.map((row) => row[column]!)].map(charsOf)))
  const right = titles.map((_, column) => rows.every((row) => /^[-–~\d.,%× *†/()]*$/.test(row[column]!)))
  const line = (cells: Row) => `| ${cells.map((cell, i) => pad(cell, widths[i]!, right[i]!)).join(' | ')} |`
  const rule = `|${widths.map((width, i) => `${'-'.repeat(width + 1)}${right[i] ? ':' : '-'}`).join('|')}|`
  return [line(titles), rule, ...rows.map(line), '']
}

const charsOf = (cell: string) => [...cell].length

function pad(cell: string, width: number, right: boolean): string {
  const blanks = ' '.repeat(width - charsOf(cell))
  return right ? blanks + cell : cell + blanks
}

export const whole = (value: number): string => (Number.isNaN(value) ? '–' : Math.round(value).toLocaleString('en'))

export const fixed = (value: number, digits: number): string => (Number.isNaN(value) ? '–' : value.toFixed(digits))

export const percent = (share: number): string => (Number.isNaN(share) ? '–' : `${Math.round(share * 100)} %`)

export const megabytes = (bytes: number): string => fixed(bytes / 1e6, 1)

/** Escapes a text for use in XML. */
export const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
