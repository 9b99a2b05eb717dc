/**
 * The choices with which a snapshot folder was imported. `import/choices.json` stores them for later imports and
 * updates:
 *
 *   {"currency":"EUR","sealed":true,"prefer":["scryfall","tcgcsv","mtgjson"],"base":{"tcgcsv":"https://…"},
 *    "games":{"tcgcsv":["mtg"]}}
 *
 * The file always has `currency` and `sealed`, and each other choice once it was given. The operator's own file
 * `about.json` names the currency, too. If the two files name different currencies, an import ends with an error before
 * it writes anything.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { type GameSlug, slugForm } from '../../../src/games.ts'
import { replaceFile } from '../../../src/indexes/publish/durable.ts'
import { type FolderGames, onlyDefaultGames } from '../../games/folder-games.ts'
import { aboutName, aboutSchema } from '../../read/about.ts'
import { shown } from '../../read/snapshot-problems.ts'
import { ImportError, type ImportErrors } from '../import-errors.ts'
import { type CatalogSource, type Currency, catalogSources, currencies, type Layer } from '../source-catalog.ts'
import { idsFile, importFolder, ownCards, sourceCacheFile } from './folder.ts'
import { isOwnPrice } from './markets.ts'
import { isPriced } from './plausibility.ts'
import type { Catalogs } from './tcgplayer-products.ts'

export const choicesFile = `${importFolder}/choices.json`

const schema = v.object({
  currency: v.optional(v.picklist(currencies), 'USD'),
  /** True if sealed products become cards. Only TCGCSV has sealed products. */
  sealed: v.optional(v.boolean(), false),
  prefer: v.optional(v.array(v.picklist(catalogSources))),
  /** The address of images, by source. */
  base: v.optional(v.record(v.string(), v.string())),
  games: v.optional(v.record(v.string(), v.array(v.pipe(v.string(), v.regex(slugForm))))),
})
const keptExample = '{"currency":"USD","sealed":false}'
export type KeptChoices = Readonly<v.InferOutput<typeof schema>>

/**
 * Throws ImportError if the file is damaged. Without this error, an import could mix prices of another currency into
 * the folder.
 */
export function readChoices(out: string): KeptChoices {
  const path = join(out, choicesFile)
  try {
    return v.parse(schema, existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {})
  } catch {
    throw new ImportError([`${path}: must have the choices that an import keeps: ${keptExample}`])
  }
}

/**
 * Adds the game to the games that the folder remembers for each source, or removes it there. MTGJSON and Scryfall have
 * only Magic, so the game is not added to their games. Does nothing if the folder remembers no games.
 */
export async function withGame(out: string, game: GameSlug, isAdded: boolean): Promise<void> {
  const { games, ...others } = readChoices(out)
  if (games === undefined) return
  const after = Object.entries(games).map(([source, own]) => {
    const kept = own.filter((slug) => slug !== game)
    return [source, isAdded && source !== 'mtgjson' && source !== 'scryfall' ? [...kept, game] : kept] as const
  })
  const text = JSON.stringify({ ...others, games: Object.fromEntries(after) })
  await replaceFile(join(out, choicesFile), Buffer.from(`${text}\n`))
}

/** The choices of a command line. If a choice is undefined, the folder's choice stays. */
export interface GivenChoices {
  readonly currency?: Currency | undefined
  readonly sealed?: boolean | undefined
  /** The order of preference. A card of several sources gets the prices of the first of them. */
  readonly prefer?: readonly CatalogSource[] | undefined
  /** The address of images. */
  readonly imageBase?: string | undefined
  readonly games?: ReadonlySet<GameSlug> | undefined
}

/** The choices that an import uses: the command line's, else the folder's. */
export interface Choices {
  readonly currency: Currency
  readonly sealed: boolean
  /** All sources of cards, in the order of preference. */
  readonly prefer: readonly CatalogSource[]
  readonly imageBase: string | undefined
  readonly games: ReadonlySet<GameSlug>
}

interface Chosen {
  readonly choices: Choices
  /** The choices to write to `import/choices.json`. */
  readonly kept: KeptChoices
  readonly isNewCurrency: boolean
  /** True if the folder had other choices. All that was imported must then be imported again. */
  readonly isChanged: boolean
}

/** The part of a source's description that choices depend on. */
interface SourceOfChoices {
  readonly games?: readonly GameSlug[]
  readonly isHistoryOnly?: boolean
}

/** Sources whose files are imported again and again as a whole. The folder remembers the games of their imports. */
const sourcesWithGames: readonly string[] = [...catalogSources, 'pricecharting']

const allOf = (prefer: readonly CatalogSource[]): readonly CatalogSource[] => [
  ...new Set([...prefer, ...catalogSources]),
]

/**
 * Joins the folder's choices with those given for a source. Throws ImportError if a given choice differs from the
 * folder's, unless `force` is true.
 */
export function chooseFor(
  out: string,
  name: string,
  { games: someGames, isHistoryOnly }: SourceOfChoices,
  {
    force,
    folder = onlyDefaultGames,
    ...given
  }: GivenChoices & { readonly force: boolean; readonly folder?: FolderGames },
): Chosen {
  const kept = readChoices(out)
  const ownGames = someGames ?? folder.slugs
  const refused: string[] = []
  /** The value to use: `now` if it is given, else the folder's value, `before`. */
  const choose = <Value>(before: Value | undefined, now: Value | undefined, line: (now: Value) => string) => {
    const isOther = before !== undefined && now !== undefined && String(before) !== String(now)
    if (isOther && !force) refused.push(`${out}: ${line(now)}`)
    return now ?? before
  }
  const otherLine = (option: string, before: unknown) => (now: unknown) =>
    `was imported with ${option} ${before}, and ${option} says ${now}: --force changes it`
  const currency = given.currency ?? kept.currency
  const isNewCurrency = currency !== kept.currency && existsSync(join(out, idsFile))
  if (isNewCurrency && !force) {
    const advice = `--force imports in ${currency} and begins its history anew`
    refused.push(`${out}: has prices in ${kept.currency}, and --currency says ${currency}: ${advice}`)
  }
  const toUnsealed = () => 'was imported with --sealed, and --no-sealed says otherwise: --force changes it'
  const sealed = choose(kept.sealed || undefined, given.sealed, toUnsealed) ?? false
  const preferBefore = kept.prefer && allOf(kept.prefer)
  const prefer = choose(preferBefore, given.prefer && allOf(given.prefer), otherLine('--prefer', preferBefore))
  const baseBefore = kept.base?.[name]
  const imageBase = choose(baseBefore, given.imageBase, otherLine('--base', baseBefore))
  const gamesBefore = kept.games?.[name]
  const gamesNow = given.games && ownGames.filter((game) => given.games!.has(game))
  const hasGames = sourcesWithGames.includes(name) && isHistoryOnly !== true
  const games = hasGames ? choose(gamesBefore, gamesNow, otherLine('--games', gamesBefore)) : gamesNow
  if (refused.length > 0) throw new ImportError(refused)
  // If all games of a source were imported without a choice, a later import of a few games is not remembered as the
  // choice.
  const isGamesKept = hasGames && (gamesBefore !== undefined || force || !existsSync(join(out, sourceCacheFile(name))))
  const after: KeptChoices = {
    currency,
    sealed,
    prefer: prefer && [...prefer],
    base: imageBase === undefined ? kept.base : { ...kept.base, [name]: imageBase },
    games: games === undefined || !isGamesKept ? kept.games : { ...kept.games, [name]: [...games] },
  }
  return {
    choices: { currency, sealed, prefer: prefer ?? catalogSources, imageBase, games: new Set(games ?? ownGames) },
    kept: after,
    isNewCurrency,
    isChanged: !isDeepStrictEqual(JSON.parse(JSON.stringify(kept)), JSON.parse(JSON.stringify(after))),
  }
}

/** Layers whose prices are always in US dollars. */
const layersInDollars: readonly string[] = ['pricecharting', 'tcgplayer-pricing']

/** True if the layer has prices that replace a card's own prices, and not only prices at other markets. */
const hasOwnPrices = ({ byId, byName }: Layer): boolean => byName.length > 0 || byId.some(({ key }) => isOwnPrice(key))

interface Folder {
  readonly out: string
  readonly currency: Currency
  /** True if the currency has changed. */
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

/** The JSON object in a file. Undefined if there is none, or if the file can't be read; the build reports this. */
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

/**
 * A source whose prices are in the folder's currency. Undefined if all prices are from overlays, which may be in any
 * currency.
 */
export const pricedSource = (catalogs: Catalogs, layers: Iterable<Layer>): string | undefined =>
  [...catalogs].find(([, { cards }]) => cards.some(isPriced))?.[0] ??
  [...layers].map(({ label }) => label).find((label) => layersInDollars.includes(label))

/**
 * Returns the reason why about.json must not name the currency `named`; undefined if it may. `source` is a source with
 * prices in `currency`.
 */
export const wrongCurrency = (named: unknown, source: string | undefined, currency: Currency): string | undefined =>
  source === undefined || typeof named !== 'string' || named === '' || spellings[currency].test(named)
    ? undefined
    : `must be ${currency}, or absent: the prices of ${source} are in ${currency === 'USD' ? 'US dollars' : 'euros'}`

const isOverlay = (layer: Layer): boolean => hasOwnPrices(layer) && !layersInDollars.includes(layer.label)

/**
 * The line of `about.json` with the sources' currency; undefined if the file stays as it is. The currency is added only
 * if all prices of the folder are from sources. A currency that the file names stays, as do its other fields.
 * @param source a source whose prices are in `currency`. If the file names another currency, this is an error, unless
 * the folder's currency has changed and an import wrote the name
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
  // If anything else in the file is wrong, the build reports it.
  return isOwn || about['currency'] || !v.is(aboutSchema, named) ? undefined : [aboutName, JSON.stringify(named)]
}
