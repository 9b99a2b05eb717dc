/** Runs imports in this process, and reads what a snapshot folder then contains. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type ImportResult, runImport } from '../../build/import/import.ts'
import { importCommand, sources } from '../../build/import/import-command.ts'
import { ImportError } from '../../build/import/import-errors.ts'
import type { ImportOptions } from '../../build/import/sources/source.ts'
import { type Outcome, runMadeHere, temporaryFolder } from './command.ts'

export { copyOf } from './command.ts'

export const importInto = (
  out: string,
  source: string,
  paths: readonly string[],
  options: Partial<ImportOptions> = {},
): Promise<ImportResult> =>
  runImport(source, sources[source as keyof typeof sources], {
    paths,
    out,
    date: undefined,
    partial: false,
    force: false,
    accept: new Set(),
    report: undefined,
    keepsRecords: true,
    ...options,
  })

/** Imports into a new folder. */
export async function importNew(source: string, paths: readonly string[], options: Partial<ImportOptions> = {}) {
  const out = temporaryFolder()
  return { out, ...(await importInto(out, source, paths, options)) }
}

/** Writes a file into a new folder. Returns its path. */
export function file(name: string, content: string | Buffer): string {
  const path = join(temporaryFolder(), name)
  writeFileSync(path, content)
  return path
}

/** Runs `npm run import` in this process. */
export function runImportHere(...args: string[]): Promise<Outcome> {
  return runMadeHere(importCommand, args)
}

/** Returns the lines of the import's error. Throws if the import succeeds. */
export async function errorsOf(importing: Promise<unknown>): Promise<string> {
  try {
    await importing
  } catch (error) {
    if (error instanceof ImportError) return error.lines.join('\n')
    throw error
  }
  throw new Error('the import went through')
}

/** Asserts that an import fails with these lines, and with a last line that has their number. */
export async function assertRefused(importing: Promise<unknown>, ...lines: string[]): Promise<void> {
  const total = `${lines.length} error${lines.length === 1 ? '' : 's'}; nothing was written`
  assert.deepEqual((await errorsOf(importing)).split('\n'), [...lines, total])
}

/** The files of a folder, by name, as bytes in latin1. */
export function contentOf(folder: string): Record<string, string> {
  const files: Record<string, string> = {}
  if (!existsSync(folder)) return files
  for (const name of (readdirSync(folder, { recursive: true }) as string[]).sort())
    if (statSync(join(folder, name)).isFile()) files[name] = readFileSync(join(folder, name), 'latin1')
  return files
}

// biome-ignore lint/suspicious/noExplicitAny: records of files
export function recordsIn(out: string, folder: 'sets' | 'cards' | 'import'): any[] {
  const path = join(out, folder)
  if (!existsSync(path)) return []
  return readdirSync(path)
    .filter((name) => name.endsWith('.ndjson'))
    .flatMap((name) => readFileSync(join(path, name), 'utf8').trimEnd().split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

// biome-ignore lint/suspicious/noExplicitAny: a card as it is written
export const cardsById = (out: string): Map<string, any> =>
  new Map(recordsIn(out, 'cards').map((card) => [card.id, card]))

/** The rows of a history file without its header. */
export const historyOf = (out: string, name: string): string[] =>
  gunzipSync(readFileSync(join(out, 'history', name)))
    .toString()
    .trimEnd()
    .split('\n')
    .slice(1)
