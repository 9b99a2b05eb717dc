/**
 * Reads and writes the runs in bench/results. The documents cite the run in reference/. A new reference replaces the
 * parts that it measured, unless the old ones are from a quieter machine. Other parts stay.
 *
 *   bench.md        conditions │ <!-- http, 2026-11-24, 117000 --> tables │ <!-- peers, … --> tables │ pictures
 *                                     part, date, and the generator's ceiling on that day (requests a second)
 *   results.json    the figures from which the pictures are drawn
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Results, resultsName } from './results.ts'

export const reportName = 'bench.md'

export interface MeasuredPart {
  readonly name: string
  /** YYYY-MM-DD */
  readonly date: string
  /** @see measureCeiling */
  readonly ceiling: number
  readonly text: string
}

export interface Run {
  readonly head: string
  readonly parts: readonly MeasuredPart[]
  readonly results: Results
}

/** The field of the results with a part's figures, for the parts that have one. */
const figuresOf = {
  http: 'scenarios',
  peers: 'peers',
} as const satisfies Record<string, keyof Results>

/**
 * A new part replaces the old one if its ceiling is at least this share of the old part's. A lower ceiling means that
 * the machine was busier.
 */
export const quietShare = 0.95

/** Reads a folder's run. Undefined if the folder has none. */
export function readRun(folder: string): Run | undefined {
  if (!existsSync(join(folder, resultsName))) return undefined
  if (!existsSync(join(folder, reportName))) return { head: '', parts: [], results: resultsOf(folder) }
  const [head, ...rest] = readFileSync(join(folder, reportName), 'utf8').split(/^<!-- (.+), (.+), (\d+) -->\n/m)
  const parts: MeasuredPart[] = []
  for (let i = 0; i < rest.length; i += 4) {
    const [name, date, ceiling, text] = rest.slice(i, i + 4) as [string, string, string, string]
    const [tables] = text.split(/^<picture>/m) as [string]
    parts.push({ name, date, ceiling: Number(ceiling), text: tables.trim() })
  }
  return { head: head!.trim(), parts, results: resultsOf(folder) }
}

const resultsOf = (folder: string): Results => JSON.parse(readFileSync(join(folder, resultsName), 'utf8'))

/** @param pictures Markdown that shows the run's pictures */
export function writeRun(folder: string, { head, parts, results }: Run, pictures: string): void {
  const texts = parts.map(
    ({ name, date, ceiling, text }) => `<!-- ${name}, ${date}, ${Math.round(ceiling)} -->\n${text}`,
  )
  writeResults(folder, results)
  writeFileSync(join(folder, reportName), `${[head, ...texts, pictures].join('\n\n').trim()}\n`)
}

export function writeResults(folder: string, results: Results): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, resultsName), `${JSON.stringify(results, null, 1)}\n`)
}

/**
 * Returns the new reference.
 * @param names the parts' names, in their order
 * @param before the old reference. If it is from another processor, all of it is dropped
 */
export function mergeRun(names: readonly string[], before: Run | undefined, run: Run): Run {
  if (before === undefined || before.results.conditions['CPU'] !== run.results.conditions['CPU']) return run
  const results: Results = { ...run.results }
  const parts = names.flatMap((name) => {
    const old = before.parts.find((part) => part.name === name)
    const now = run.parts.find((part) => part.name === name)
    if (old === undefined) return now ?? []
    if (now !== undefined && now.ceiling >= quietShare * old.ceiling) return now
    const figures = figuresOf[name as keyof typeof figuresOf]
    if (figures !== undefined) Object.assign(results, { [figures]: before.results[figures] })
    return old
  })
  return { head: run.head, parts, results }
}
