/**
 * An operator's choices for a snapshot folder, kept in `import/choices.json`: {"currency":"EUR","sealed":true}. Without the file, prices
 * are in dollars, and sealed products are left out.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { type Currency, currencies, type Layer } from '../catalog.ts'
import { ImportError, type ImportErrors } from '../errors.ts'
import { idsFile, importFolder } from './folder.ts'
import { isOwnPrice } from './markets.ts'

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

interface Given {
  readonly currency?: Currency | undefined
  readonly sealed?: boolean | undefined
}

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

/** Undefined if the folder needs no file. */
export function choicesLine(out: string, { currency, sealed }: Choices): string | undefined {
  const isUsual = currency === 'USD' && !sealed && !existsSync(join(out, choicesFile))
  return isUsual ? undefined : JSON.stringify({ currency, sealed })
}

/** Layers whose prices are always in US dollars. */
export const layersInDollars: readonly string[] = ['pricecharting', 'tcgplayer-pricing']

/** True if the layer has prices that stand beside a card's own: all but those of other markets. */
export const hasOwnPrices = ({ byId, byName }: Layer): boolean =>
  byName.length > 0 || byId.some(({ key }) => isOwnPrice(key))

/** Adds an error for each layer whose prices are in another currency than the folder's. @param isAnew the folder's has changed */
export function checkLayers(
  layers: readonly Layer[],
  out: string,
  currency: Currency,
  isAnew: boolean,
  errors: ImportErrors,
): void {
  for (const layer of layers) {
    const isInDollars = layersInDollars.includes(layer.label)
    const isWrong = isInDollars ? currency !== 'USD' : isAnew && hasOwnPrices(layer)
    if (!isWrong) continue
    const what = isInDollars ? 'has prices in US dollars' : 'may have prices in the earlier currency'
    const advice = `card-prices import overlay --remove ${JSON.stringify(layer.label)} --out ${out}`
    errors.add(out, layer.label, `${what}, and the folder's are in ${currency}: take the layer away (${advice})`)
  }
}
