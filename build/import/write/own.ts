/** The operator's own files are never changed: conflicts with them are errors before anything is written. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { lineBytesMax } from '../../../src/limits.ts'
import { aboutName, aboutSchema } from '../../read/about.ts'
import { shown } from '../../read/problems.ts'
import { type ComposedCard, type ComposedSet, type Currency, currencies, type Layer } from '../catalog.ts'
import type { ImportErrors } from '../errors.ts'
import { lineEnd, splitRecords } from '../read/lines.ts'
import { inputFile } from '../read/open.ts'
import type { Catalogs } from './assign.ts'
import { hasOwnPrices, layersInDollars } from './choices.ts'
import { ownFiles } from './folder.ts'
import { isPriced } from './plausibility.ts'

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
    await splitRecords(file, errors, { endOf: lineEnd, bytesMax: lineBytesMax }, (bytes, line) => {
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

const spellings: Readonly<Record<Currency, RegExp>> = {
  USD: /^(USD|US ?\$|\$|US dollars?)$/i,
  EUR: /^(EUR|€|euros?)$/i,
}

/** A source whose prices have the folder's currency; undefined if it has only overlays, which may be in any currency. */
export const pricedSource = (catalogs: Catalogs, layers: Iterable<Layer>): string | undefined =>
  [...catalogs].find(([, { cards }]) => cards.some(isPriced))?.[0] ??
  [...layers].map(({ label }) => label).find((label) => layersInDollars.includes(label))

/** Why about.json must not name this currency beside the source's prices; undefined if it may. */
export const wrongCurrency = (named: unknown, source: string | undefined, currency: Currency): string | undefined =>
  source === undefined || typeof named !== 'string' || named === '' || spellings[currency].test(named)
    ? undefined
    : `must be ${currency}, or absent: the prices of ${source} are in ${currency === 'USD' ? 'US dollars' : 'euros'}`

const isOverlay = (layer: Layer): boolean => hasOwnPrices(layer) && !layersInDollars.includes(layer.label)

/**
 * `about.json` with the currency of the sources, if all prices of the folder are theirs; undefined if it is not to change. It keeps a
 * currency and all else that the file has.
 * @param source whose prices have that currency; another one in the file is then an error, unless an import wrote it that began anew
 */
export function aboutWithCurrency(
  out: string,
  source: string | undefined,
  layers: Iterable<Layer>,
  { currency, isNewCurrency }: { readonly currency: Currency; readonly isNewCurrency: boolean },
  errors: ImportErrors,
): readonly [name: string, line: string] | undefined {
  const path = join(out, aboutName)
  const about = existsSync(path) ? objectIn(() => readFileSync(path, 'utf8').replace(/^\ufeff/, '')) : {}
  if (about === undefined) return undefined
  if (isNewCurrency && currencies.some((one) => one === about['currency'])) delete about['currency']
  const wrong = wrongCurrency(about['currency'], source, currency)
  if (wrong !== undefined) errors.add(path, 'currency', wrong, shown(about['currency']))
  const isOwn = currency === 'USD' && ([...layers].some(isOverlay) || ownFiles(out, 'cards').length > 0)
  const named = { ...about, currency }
  // The build reports what else is wrong in the file.
  return isOwn || about['currency'] || !v.is(aboutSchema, named) ? undefined : [aboutName, JSON.stringify(named)]
}
