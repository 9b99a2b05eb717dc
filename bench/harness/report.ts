/** Markdown: printed as it comes, kept for the file. The file has all columns; a terminal has room for eight. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Of a table, on a terminal. */
export const columnsMax = 8

/** A title, or one that a terminal is shown only with `--wide`. */
export type Column = string | { readonly wide: string }

export const wide = (title: string): Column => ({ wide: title })

type Row = readonly string[]

export class Report {
  readonly #isWide: boolean
  readonly #lines: string[] = []

  constructor(isWide = false) {
    this.#isWide = isWide
  }

  heading(text: string): void {
    this.#print('', `## ${text}`, '')
  }

  text(text: string): void {
    this.#print(text, '')
  }

  /** Rows of cells; numbers stand to the right. */
  table(columns: readonly Column[], rows: readonly Row[]): void {
    const titles = columns.map((column) => (typeof column === 'string' ? column : column.wide))
    const shown = columns.flatMap((column, i) => (this.#isWide || typeof column === 'string' ? [i] : []))
    if (!this.#isWide && shown.length > columnsMax) throw new Error(`${titles[0]}: ${shown.length} columns`)
    const picked = (row: Row) => shown.map((i) => row[i]!)
    this.#lines.push(...linesOf(titles, rows))
    for (const line of linesOf(picked(titles), rows.map(picked))) console.log(line)
  }

  /** Text that only the file has. */
  keep(text: string): void {
    this.#lines.push(text, '')
  }

  /** All of it, with every column. */
  get markdown(): string {
    return `${this.#lines.join('\n').trim()}\n`
  }

  /** Writes all of it into `folder`; returns the file's path. */
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
