/**
 * An operator's choices for a snapshot folder, kept in `import/choices.json`: {"currency":"EUR","sealed":true}. Without the file, prices
 * are in dollars, and sealed products are left out. The currency is in `about.json`, too, which is the operator's own: what contradicts it
 * is an error before anything is written.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { aboutName, aboutSchema } from '../../read/about.ts'
import { shown } from '../../read/snapshot-problems.ts'
import { ImportError, type ImportErrors } from '../import-errors.ts'
import { type Currency, currencies, type Layer } from '../source-catalog.ts'
import type { Catalogs } from './assign.ts'
import { idsFile, importFolder, ownCards } from './folder.ts'
import { isOwnPrice } from './markets.ts'
import { isPriced } from './plausibility.ts'

export const choicesFile = `${importFolder}/choices.json`

const schema = v.object({
  currency: v.optional(v.picklist(currencies), 'USD'),
  sealed: v.optional(v.boolean(), false),
})
export type Choices = Readonly<v.InferOutput<typeof schema>>

/** Throws ImportError if the file is damaged: another currency would be mixed in. */
export function readChoices(out: string): Choices {
  const path = join(out, choicesFile)
  try {
    return v.parse(schema, existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {})
  } catch {
    throw new ImportError([`${path}: must have a currency of ${currencies.join(', ')}, and sealed, true or false`])
  }
}

type Given = { readonly [Choice in keyof Choices]?: Choices[Choice] | undefined }

/** The folder's choices with those given. Throws ImportError for another currency without `force`. */
export function chooseFor(out: string, given: Given, force: boolean): Choices & { readonly isNewCurrency: boolean } {
  const kept = readChoices(out)
  const currency = given.currency ?? kept.currency
  const isNewCurrency = currency !== kept.currency && existsSync(join(out, idsFile))
  if (isNewCurrency && !force) {
    const advice = `--force imports in ${currency} and begins its history anew`
    throw new ImportError([`${out}: has prices in ${kept.currency}, and --currency says ${currency}: ${advice}`])
  }
  return { currency, sealed: given.sealed ?? kept.sealed, isNewCurrency }
}

/** Layers whose prices are always in US dollars. */
const layersInDollars: readonly string[] = ['pricecharting', 'tcgplayer-pricing']

/** True if the layer has prices that stand beside a card's own: all but those of other markets. */
const hasOwnPrices = ({ byId, byName }: Layer): boolean => byName.length > 0 || byId.some(({ key }) => isOwnPrice(key))

interface Folder {
  readonly out: string
  readonly currency: Currency
  /** The currency has changed. */
  readonly isAnew: boolean
  readonly errors: ImportErrors
}

/** Adds an error for each layer whose prices are in another currency than the folder's. */
export function checkLayers(layers: readonly Layer[], { out, currency, isAnew, errors }: Folder): void {
  for (const layer of layers) {
    const isInDollars = layersInDollars.includes(layer.label)
    const isWrong = isInDollars ? currency !== 'USD' : isAnew && hasOwnPrices(layer)
    if (!isWrong) continue
    const what = isInDollars ? 'has prices in US dollars' : 'may have prices in the earlier currency'
    const advice = `card-prices import overlay --remove ${JSON.stringify(layer.label)} --out ${out}`
    errors.add(out, layer.label, `${what}, and the folder's are in ${currency}: take the layer away (${advice})`)
  }
}

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
  source: string | undefined,
  layers: readonly Layer[],
  { out, currency, isAnew, errors }: Folder,
): readonly [name: string, line: string] | undefined {
  const path = join(out, aboutName)
  const about = existsSync(path) ? objectIn(path) : {}
  if (about === undefined) return undefined
  if (isAnew && currencies.some((one) => one === about['currency'])) delete about['currency']
  const wrong = wrongCurrency(about['currency'], source, currency)
  if (wrong !== undefined) errors.add(path, 'currency', wrong, shown(about['currency']))
  const isOwn = currency === 'USD' && (layers.some(isOverlay) || ownCards(out).length > 0)
  const named = { ...about, currency }
  // The build reports what else is wrong in the file.
  return isOwn || about['currency'] || !v.is(aboutSchema, named) ? undefined : [aboutName, JSON.stringify(named)]
}
