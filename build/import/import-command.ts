/** The table of sources, and the command line of `card-prices import`. */
import type { parseArgs } from 'node:util'
import { command, listOf, type Output, UsageError } from '../../src/command/command.ts'
import { gameSlugs } from '../../src/games.ts'
import { type ImportResult, runImport } from './import.ts'
import { catalogSources, currencies } from './source-catalog.ts'
import { cardmarket } from './sources/cardmarket-source.ts'
import { mtgjson } from './sources/mtgjson/mtgjson-source.ts'
import { overlay, wrongLayerName } from './sources/overlay-source.ts'
import { pricecharting } from './sources/pricecharting-source.ts'
import { scryfall } from './sources/scryfall-source.ts'
import type { ImportOptions, Source } from './sources/source.ts'
import { tcgcsv, tcgcsvArchive } from './sources/tcgcsv/tcgcsv-source.ts'
import { tcgplayerPricing } from './sources/tcgplayer-pricing-source.ts'
import { dayOfText, isAfterTomorrow } from './sources/values.ts'
import type { GivenChoices } from './write/choices.ts'
import { acceptedSets, type HeldSet, heldList, heldTable, readHeld } from './write/held.ts'

/** `update` imports a source of `card-prices fetch` by the same name. */
export const sources = {
  tcgcsv,
  'tcgcsv-archive': tcgcsvArchive,
  mtgjson,
  scryfall,
  pricecharting,
  cardmarket,
  'tcgplayer-pricing': tcgplayerPricing,
  overlay,
} satisfies Record<string, Source>
type SourceName = keyof typeof sources

const listed = Object.entries(sources).map(([name, { paths, adds }]) => `  ${`${name} ${paths}`.padEnd(46)}${adds}`)

/** `update` has them, too. */
export const choiceFlags = `  --base URL         the address of images: of the source's addresses only the last part is kept
  --prefer a,b       whose prices a card of several sources gets (at first ${catalogSources.join(',')})
  --currency USD|EUR
                     what a card's own prices are in (at first USD); another one begins the history anew
  --sealed           tcgcsv only: makes cards of sealed products, until --no-sealed
                     The folder remembers these and the --games of its first import. Another value needs --force`

const usage = `Usage: card-prices import SOURCE PATH… [--out DIR] [--games a,b] [--date YYYY-MM-DD] [--base URL] [--prefer a,b]
                          [--currency USD|EUR] [--sealed] [--partial] [--force] [--accept SET,…] [--as NAME] [--report FILE]
       card-prices import overlay --remove NAME [--out DIR]

Imports files of a public source into a snapshot folder. They may be plain or .gz. card-prices fetch downloads them.

${listed.join('\n')}

  --out DIR          the snapshot folder (default: prices)
  --games a,b        only these of ${gameSlugs.join(', ')}
  --date YYYY-MM-DD  the day of the prices (default: that of last-updated.txt or the file's meta date, else the newest
                     modifiedOn, else the files' own); at most tomorrow
${choiceFlags}
  --partial          accepts groups without files and an unfinished mirror: what is missing stays as the folder has it
  --force            imports prices even if they differ too much from the last import, or are of an earlier day; card-prices
                     build may need it, too
  --accept SET,…     imports these held sets as they are: codes or names, or GAME/CODE
  --as NAME          the name of an overlay in sources of its cards (default: the file's name without .csv). Each name is a
                     layer: the same name replaces it, and another one lies over it
  --remove NAME      takes that layer away: an overlay, pricecharting, cardmarket or tcgplayer-pricing
  --report FILE      writes every record that was left out or doubtful, as JSON
  --help             shows this`

export const choiceOptions = {
  base: { type: 'string' },
  prefer: { type: 'string' },
  currency: { type: 'string' },
  sealed: { type: 'boolean' },
  'no-sealed': { type: 'boolean' },
} as const

const options = {
  ...choiceOptions,
  out: { type: 'string', default: 'prices' },
  games: { type: 'string' },
  date: { type: 'string' },
  partial: { type: 'boolean', default: false },
  force: { type: 'boolean', default: false },
  accept: { type: 'string' },
  as: { type: 'string' },
  remove: { type: 'string' },
  report: { type: 'string' },
} as const
type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values']

/** Runs `card-prices import ARGS`. Returns the exit code. */
export const importCommand = (args: readonly string[], output: Output): Promise<number> =>
  command(
    usage,
    { options, positionalsMax: Number.MAX_SAFE_INTEGER },
    async ({ values, positionals }) => {
      const [name, ...paths] = positionals
      const chosen = chosenBy(name, paths, values as unknown as Values)
      const started = performance.now()
      const result = await runImport(name!, ...chosen)
      const texts = [result.report.table(), ...heldTable(result.held), summaryOf(result, performance.now() - started)]
      output.log(texts.join('\n\n'))
      if (values['force'] === true) output.log('card-prices build may need --force for these prices, too')
      return 0
    },
    { args, output },
  )

/** The sets of `--accept`. Throws UsageError for one that is not held. @param held of the sources that are imported */
export function acceptedOf(list: string | undefined, held: readonly HeldSet[]): ReadonlySet<string> {
  const { accepted, unknown } = acceptedSets(list ?? '', held)
  if (unknown.length > 0) throw new UsageError(`--accept: ${unknown.join(', ')}: no held set; ${heldList(held)}`)
  return accepted
}

function summaryOf({ date, changed, unchanged, historyRows }: ImportResult, ms: number): string {
  const files = changed.length === 0 ? 'nothing changed' : `${changed.length} files changed, ${unchanged} unchanged`
  return `${date ?? 'no day'}: ${historyRows.toLocaleString('en')} history rows; ${files}; ${(ms / 1000).toFixed(1)} s`
}

/** The choices of a command line for some sources, without games. Throws UsageError. */
export function choicesOf(
  { base, prefer, currency, sealed, 'no-sealed': unsealed }: Pick<Values, keyof typeof choiceOptions>,
  names: readonly string[],
): GivenChoices {
  if (base !== undefined && !(/^https?:\/\//i.test(base) && URL.canParse(base))) {
    throw new UsageError(`--base: must be an http or https address (${base})`)
  }
  const preferred = prefer === undefined ? undefined : listOf('--prefer', prefer, catalogSources, [])
  const chosen = currency === undefined ? undefined : listOf('--currency', currency, currencies, [])[0]
  const flag = sealed === true ? '--sealed' : unsealed === true ? '--no-sealed' : undefined
  if (flag !== undefined && !names.includes('tcgcsv')) throw new UsageError(`${flag}: only for tcgcsv`)
  if (sealed === true && unsealed === true) throw new UsageError('--no-sealed: not beside --sealed')
  const isSealed = flag === undefined ? undefined : sealed === true
  return { imageBase: base, prefer: preferred, currency: chosen, sealed: isSealed }
}

/** The day of `--date`. Throws UsageError. */
export function dateOf(date: string | undefined): string | undefined {
  if (date !== undefined && dayOfText(date) !== date)
    throw new UsageError(`--date: must be a date, YYYY-MM-DD (${date})`)
  if (date !== undefined && isAfterTomorrow(date)) throw new UsageError(`--date: must not be after tomorrow (${date})`)
  return date
}

/** Throws UsageError. */
function chosenBy(
  name: string | undefined,
  paths: readonly string[],
  values: Values,
): readonly [Source, ImportOptions] {
  const source: Source | undefined =
    name === undefined || !Object.hasOwn(sources, name) ? undefined : sources[name as SourceName]
  if (source === undefined)
    throw new UsageError(name === undefined ? 'a source must be named' : `unknown source ${name}`)
  const { as, remove } = values
  if ((as !== undefined || remove !== undefined) && source !== overlay)
    throw new UsageError(`${as === undefined ? '--remove' : '--as'}: only for overlay`)
  const wrongName = as === undefined ? undefined : wrongLayerName(as)
  if (wrongName !== undefined) throw new UsageError(`--as: ${wrongName} (${as})`)
  const isMissing = paths.length === 0 && remove === undefined
  const pathsMax = remove !== undefined ? 0 : source.takesMany ? paths.length : 1
  if (isMissing || paths.length > pathsMax) throw new UsageError(`${name} takes ${source.paths}`)
  const games = values.games === undefined ? undefined : new Set(listOf('--games', values.games, gameSlugs, gameSlugs))
  if (games !== undefined && !source.games.some((game) => games.has(game)))
    throw new UsageError(`--games: ${name} has only ${source.games.join(', ')}`)
  const { out, partial, force, accept, report } = values
  const date = dateOf(values.date)
  const choices = choicesOf(values, [name!])
  const chosen = { ...choices, paths, out, games, date, partial, force, report, as, remove }
  const held = readHeld(out).filter((set) => set.source === source.catalog)
  return [source, { ...chosen, accept: acceptedOf(accept, held) }]
}
