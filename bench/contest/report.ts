/** Markdown: printed as it comes, kept for the file. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export class Report {
  readonly #lines: string[] = []

  heading(text: string): void {
    this.#print('', `## ${text}`, '')
  }

  text(text: string): void {
    this.#print(text, '')
  }

  /** Rows of cells; numbers stand to the right. */
  table(header: readonly string[], rows: readonly (readonly string[])[]): void {
    const widths = header.map((cell, column) => Math.max(...[cell, ...rows.map((row) => row[column]!)].map(columnsOf)))
    const right = header.map((_, column) => rows.every((row) => /^[-–~\d.,%× *†/()]*$/.test(row[column]!)))
    const line = (cells: readonly string[]) =>
      `| ${cells.map((cell, i) => pad(cell, widths[i]!, right[i]!)).join(' | ')} |`
    const rule = `|${widths.map((width, i) => `${'-'.repeat(width + 1)}${right[i] ? ':' : '-'}`).join('|')}|`
    this.#print(line(header), rule, ...rows.map(line), '')
  }

  /** Writes all of it into `folder`; returns the file's path. */
  save(folder: string, name: string): string {
    mkdirSync(folder, { recursive: true })
    const file = join(folder, name)
    writeFileSync(file, `${this.#lines.join('\n').trim()}\n`)
    return file
  }

  #print(...lines: string[]): void {
    this.#lines.push(...lines)
    for (const line of lines) console.log(line)
  }
}

const columnsOf = (cell: string) => [...cell].length

function pad(cell: string, width: number, right: boolean): string {
  const blanks = ' '.repeat(width - columnsOf(cell))
  return right ? blanks + cell : cell + blanks
}

export const whole = (value: number): string => (Number.isNaN(value) ? '–' : Math.round(value).toLocaleString('en'))

export const fixed = (value: number, digits: number): string => (Number.isNaN(value) ? '–' : value.toFixed(digits))

export const percent = (share: number): string => (Number.isNaN(share) ? '–' : `${Math.round(share * 100)} %`)

export const megabytes = (bytes: number): string => fixed(bytes / 1e6, 1)
