/** The table of sources, and the command line of `card-prices import`. */
import type { Option } from 'commander'
import { listOf, type Output, optionOf, ProgramCommand, UsageError } from '../../src/command/command.ts'
import { gamesOf, onlyDefaultGames } from '../games/folder-games.ts'
import { type ImportResult, runImport } from './import.ts'
import { type Currency, catalogSources, currencies } from './source-catalog.ts'
import { dayOfText, isAfterTomorrow } from './source-values.ts'
import { cardmarket } from './sources/cardmarket-source.ts'
import { mtgjson } from './sources/mtgjson/mtgjson-source.ts'
import { overlay, wrongLayerName } from './sources/overlay-source.ts'
import { pricecharting } from './sources/pricecharting-source.ts'
import { scryfall } from './sources/scryfall-source.ts'
import type { ImportOptions, Source } from './sources/source.ts'
import { tcgcsv, tcgcsvArchive } from './sources/tcgcsv/tcgcsv-source.ts'
import { tcgplayerPricing } from './sources/tcgplayer-pricing-source.ts'
import type { GivenChoices } from './write/choices.ts'
import { acceptedSets, type HeldSet, heldList, heldTable, readHeld } from './write/held.ts'

/**
 * The sources by name. `card-prices fetch` uses the same names, so `card-prices update` can import what it has fetched.
 */
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

const remembered = 'as the folder remembers'

const takesOwnName = (flags: string, description: string): Option =>
  // With `negate: false`, commander stores the option under its own name, and the command sees if both options are
  // given. Otherwise it would be the value `false` of --sealed.
  Object.assign(optionOf(flags, description, remembered), { negate: false })

/** Adds the options whose values the folder remembers. `card-prices update` has these options, too. */
export const addChoices = (command: ProgramCommand): ProgramCommand =>
  command
    .addOption(
      optionOf(
        '--base <URL>',
        "the address of images: of the source's addresses only the last part is kept",
        `${remembered}, at first the source's own`,
      ),
    )
    .addOption(
      optionOf(
        '--prefer <a,b>',
        'whose prices a card of several sources gets',
        `${remembered}, at first ${catalogSources.join(',')}`,
      ),
    )
    .addOption(
      optionOf(
        '--currency <CODE>',
        "what a card's own prices are in; another one begins the history anew",
        `${remembered}, at first USD`,
      ).choices(currencies),
    )
    .addOption(optionOf('--sealed', 'tcgcsv only: makes cards of sealed products', remembered))
    .addOption(takesOwnName('--no-sealed', 'tcgcsv only: ends --sealed').conflicts('sealed'))
    .addHelpText(
      'after',
      `
The folder remembers --base, --prefer, --currency, --sealed, and the --games of
its first import. Another value needs --force.`,
    )

export interface Choices {
  readonly base?: string
  readonly prefer?: string
  readonly currency?: Currency
  readonly sealed?: true
  readonly noSealed?: true
}

interface Values extends Choices {
  readonly out: string
  readonly games?: string
  readonly date?: string
  readonly partial: boolean
  readonly force: boolean
  readonly accept?: string
  readonly as?: string
  readonly remove?: string
  readonly report?: string
}

export const importCommand = (output: Output): ProgramCommand =>
  addChoices(
    new ProgramCommand('import', output)
      .description(
        'Imports files of a public source into a snapshot folder. They may be plain or .gz. card-prices fetch downloads them.',
      )
      .argument('<SOURCE>', 'one of the sources below')
      .argument('[PATH...]', "the source's files")
      .option('--out <DIR>', 'the snapshot folder', 'prices')
      .addOption(
        optionOf('--games <a,b>', `only these of ${onlyDefaultGames.slugs.join(', ')}`, 'all that the source has'),
      )
      .addOption(
        optionOf(
          '--date <YYYY-MM-DD>',
          'the day of the prices; at most tomorrow',
          "that of last-updated.txt or the file's meta date, else the newest modifiedOn, else the files' own",
        ),
      ),
  )
    .option(
      '--partial',
      'accepts groups without files and an unfinished mirror: what is missing stays as the folder has it',
      false,
    )
    .option(
      '--force',
      'imports prices even if they differ too much from the last import, or are of an earlier day',
      false,
    )
    .addOption(
      optionOf(
        '--accept <SET,…>',
        'imports these as they are: held sets by code or name, or GAME/CODE; or whole games',
        'none',
      ),
    )
    .addOption(
      optionOf(
        '--as <NAME>',
        'the name of an overlay in sources of its cards. Each name is a layer: the same name replaces it, and another one lies over it',
        "the file's name without .csv",
      ),
    )
    .addOption(
      optionOf(
        '--remove <NAME>',
        'overlay only: takes that layer away: an overlay, pricecharting, cardmarket or tcgplayer-pricing',
        'none',
      ),
    )
    .addOption(optionOf('--report <FILE>', 'writes every record that was left out or doubtful, as JSON', 'none'))
    .section('Sources:', () =>
      Object.entries(sources).map(([name, { paths, adds }]): [string, string] => [`${name} ${paths}`, adds]),
    )
    .examples('card-prices import tcgcsv mirror --games pokemon,mtg', 'card-prices import overlay --remove my-prices')
    .action(async (name: string, paths: readonly string[], values: Values) => {
      const chosen = await chosenBy(name, paths, values)
      const started = performance.now()
      const result = await runImport(name, ...chosen)
      const texts = [result.report.table(), ...heldTable(result.held), summaryOf(result, performance.now() - started)]
      output.log(texts.join('\n\n'))
    })

/**
 * Returns the sets and games that `--accept` names. Throws UsageError for a name of neither a held set nor a game.
 * @param held the held sets of the imported sources
 */
export function acceptedOf(
  list: string | undefined,
  held: readonly HeldSet[],
  games: readonly string[],
): ReadonlySet<string> {
  const { accepted, unknown } = acceptedSets(list ?? '', held, games)
  if (unknown.length > 0) throw new UsageError(`--accept: ${unknown.join(', ')}: no held set; ${heldList(held)}`)
  return accepted
}

function summaryOf({ date, changed, unchanged, historyRows }: ImportResult, ms: number): string {
  const files = changed.length === 0 ? 'nothing changed' : `${changed.length} files changed, ${unchanged} unchanged`
  return `${date ?? 'no day'}: ${historyRows.toLocaleString('en')} history rows; ${files}; ${(ms / 1000).toFixed(1)} s`
}

/**
 * The choices that a command line makes for some sources, without the choice of games. Throws UsageError if one is
 * wrong.
 */
export function choicesOf(
  { base, prefer, currency, sealed, noSealed }: Choices,
  names: readonly string[],
): GivenChoices {
  if (base !== undefined && !(/^https?:\/\//i.test(base) && URL.canParse(base))) {
    throw new UsageError(`--base: must be an http or https address (${base})`)
  }
  const preferred = prefer === undefined ? undefined : listOf('--prefer', prefer, catalogSources, [])
  const flag = sealed ? '--sealed' : noSealed ? '--no-sealed' : undefined
  if (flag !== undefined && !names.includes('tcgcsv')) throw new UsageError(`${flag}: only for tcgcsv`)
  const isSealed = flag === undefined ? undefined : sealed === true
  return { imageBase: base, prefer: preferred, currency, sealed: isSealed }
}

/** The day of `--date`. Throws UsageError if the text is not a date, or the date is after tomorrow. */
export function dateOf(date: string | undefined): string | undefined {
  if (date !== undefined && dayOfText(date) !== date)
    throw new UsageError(`--date: must be a date, YYYY-MM-DD (${date})`)
  if (date !== undefined && isAfterTomorrow(date)) throw new UsageError(`--date: must not be after tomorrow (${date})`)
  return date
}

/** Checks the command line. Throws UsageError if something in it is wrong. */
async function chosenBy(
  name: string,
  paths: readonly string[],
  values: Values,
): Promise<readonly [Source, ImportOptions]> {
  const source: Source | undefined = Object.hasOwn(sources, name) ? sources[name as SourceName] : undefined
  if (source === undefined) throw new UsageError(`unknown source ${name}`)
  const { as, remove } = values
  if ((as !== undefined || remove !== undefined) && source !== overlay)
    throw new UsageError(`${as === undefined ? '--remove' : '--as'}: only for overlay`)
  const wrongName = as === undefined ? undefined : wrongLayerName(as)
  if (wrongName !== undefined) throw new UsageError(`--as: ${wrongName} (${as})`)
  const isMissing = paths.length === 0 && remove === undefined
  const pathsMax = remove !== undefined ? 0 : source.takesMany ? paths.length : 1
  if (isMissing || paths.length > pathsMax) throw new UsageError(`${name} takes ${source.paths}`)
  const { slugs } = await gamesOf(values.out)
  const games = values.games === undefined ? undefined : new Set(listOf('--games', values.games, slugs, slugs))
  if (games !== undefined && source.games?.some((game) => games.has(game)) === false)
    throw new UsageError(`--games: ${name} has only ${source.games.join(', ')}`)
  const { out, partial, force, accept, report } = values
  const date = dateOf(values.date)
  const choices = choicesOf(values, [name])
  const chosen = { ...choices, paths, out, games, date, partial, force, report, as, remove }
  const held = readHeld(out).filter((set) => set.source === source.catalog)
  return [source, { ...chosen, accept: acceptedOf(accept, held, slugs) }]
}
