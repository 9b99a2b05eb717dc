/** `about.json`, which is the operator's own: what contradicts it is an error before anything is written. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { aboutName, aboutSchema } from '../../read/about.ts'
import { shown } from '../../read/problems.ts'
import { type Currency, currencies, type Layer } from '../catalog.ts'
import type { ImportErrors } from '../errors.ts'
import type { Catalogs } from './assign.ts'
import { hasOwnPrices, layersInDollars } from './choices.ts'
import { ownFiles } from './folder.ts'
import { isPriced } from './plausibility.ts'

/** Undefined if the file can't be read, or is no JSON object: the build reports it. */
function objectIn(path: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8').replace(/^\ufeff/, ''))
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
  const about = existsSync(path) ? objectIn(path) : {}
  if (about === undefined) return undefined
  if (isNewCurrency && currencies.some((one) => one === about['currency'])) delete about['currency']
  const wrong = wrongCurrency(about['currency'], source, currency)
  if (wrong !== undefined) errors.add(path, 'currency', wrong, shown(about['currency']))
  const isOwn = currency === 'USD' && ([...layers].some(isOverlay) || ownFiles(out, 'cards').length > 0)
  const named = { ...about, currency }
  // The build reports what else is wrong in the file.
  return isOwn || about['currency'] || !v.is(aboutSchema, named) ? undefined : [aboutName, JSON.stringify(named)]
}
