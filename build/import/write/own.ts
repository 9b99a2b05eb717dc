/** The operator's own files are never changed: conflicts with them are errors before anything is written. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lineBytesMax } from '../../../src/limits.ts'
import { shown } from '../../read/problems.ts'
import type { ComposedCard, ComposedSet, Layer } from '../catalog.ts'
import type { ImportErrors } from '../errors.ts'
import { splitLines } from '../read/lines.ts'
import { inputFile } from '../read/open.ts'
import { ownFiles } from './folder.ts'

/** @param sets to be written */
export async function checkOwnFiles(
  out: string,
  cards: readonly ComposedCard[],
  sets: readonly ComposedSet[],
  errors: ImportErrors,
): Promise<void> {
  const ids = new Set<unknown>(cards.map(({ id }) => id))
  await eachOwnRecord(out, 'cards', errors, ({ id }, file, line) => {
    if (ids.has(id))
      errors.add(file, `line ${line}.id`, 'is a card of your own, and an imported one has the same id', shown(id))
  })
  const codes = new Set(sets.map(codeOf))
  await eachOwnRecord(out, 'sets', errors, (set, file, line) => {
    if (codes.has(codeOf(set)))
      errors.add(
        file,
        `line ${line}.code`,
        'is a set of your own, and an imported one has the same code',
        shown(set['code']),
      )
  })
}

const codeOf = ({ game, code }: { game?: unknown; code?: unknown }): string => `${game} ${code}`

/** Skips lines that are no records or too long: the build reports them. */
async function eachOwnRecord(
  out: string,
  folder: 'cards' | 'sets',
  errors: ImportErrors,
  on: (record: Record<string, unknown>, file: string, line: number) => void,
): Promise<void> {
  for (const name of ownFiles(out, folder)) {
    const file = inputFile(join(out, name), errors)
    if (file === undefined) continue
    await splitLines(file, errors, lineBytesMax, (bytes, line) => {
      const record = objectIn(() => bytes.toString('utf8'))
      if (record !== undefined) on(record, file.path, line)
    })
  }
}

/** Undefined if the text can't be read, or is no JSON object: the build reports it. */
function objectIn(read: () => string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(read())
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

const aboutFile = 'about.json'
/** Of catalog sources and price guides. */
const currency = 'USD'
const layersInDollars: readonly string[] = ['pricecharting']

/**
 * `about.json` with the currency of the sources, if all prices of the folder are theirs; undefined if it is not to change. It keeps a
 * currency and all else that the file has.
 */
export function aboutWithCurrency(
  out: string,
  layers: Iterable<Layer>,
): readonly [name: string, line: string] | undefined {
  const isOwn = [...layers].some(({ label }) => !layersInDollars.includes(label)) || ownFiles(out, 'cards').length > 0
  if (isOwn) return undefined
  const path = join(out, aboutFile)
  const about = existsSync(path) ? objectIn(() => readFileSync(path, 'utf8')) : {}
  return about === undefined || about['currency'] ? undefined : [aboutFile, JSON.stringify({ ...about, currency })]
}
