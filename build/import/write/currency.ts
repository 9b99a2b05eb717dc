/**
 * `about.json`'s currency: that of the sources, if all prices of the folder are theirs. An operator's own currency stays, and so
 * does all else that the file says.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Layer } from '../sources/source.ts'
import { ownFiles } from './folder.ts'

const aboutFile = 'about.json'
/** Catalog sources give US dollars alone, as price guides do. */
const currency = 'USD'
const layersInDollars: readonly string[] = ['pricecharting']

/** The file as it should be, with its name; undefined if it stays as it is. */
export function aboutWithCurrency(
  out: string,
  layers: Iterable<Layer>,
): readonly [name: string, line: string] | undefined {
  const isOwn = [...layers].some(({ label }) => !layersInDollars.includes(label)) || ownFiles(out, 'cards').length > 0
  if (isOwn) return undefined
  const about = aboutOf(join(out, aboutFile))
  return about === undefined || about['currency'] ? undefined : [aboutFile, JSON.stringify({ ...about, currency })]
}

/** Undefined of a file that the build would refuse, which says why. */
function aboutOf(path: string): Record<string, unknown> | undefined {
  if (!existsSync(path)) return {}
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
