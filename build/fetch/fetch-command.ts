/** card-prices fetch: downloads the files of a public source. */
import { writeFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { listOf, type Output, optionOf, ProgramCommand, UsageError } from '../../src/command/command.ts'
import { diskErrorText } from '../../src/indexes/publish/durable.ts'
import { packageVersion } from '../../src/version.ts'
import { type FolderGames, gamesOf, onlyDefaultGames } from '../games/folder-games.ts'
import {
  type FetchOptions,
  type FetchResult,
  fetchedSources,
  fetchSource,
  type SourceName,
  sourceNames,
} from './fetch.ts'
import { megabytes } from './fetch-progress.ts'
import type { FetchedSource } from './sources/fetched-source.ts'

export const usualAgent = `card-price-lookup/${packageVersion.replace('-dev', '')}`
export const sourcesText = `${sourceNames.join(', ')} (its token from PRICECHARTING_TOKEN)`

/** Adds the options of a fetch. `card-prices update` has them, too. */
export const addFetchOptions = (command: ProgramCommand): ProgramCommand =>
  command
    .addOption(optionOf('--games <a,b>', `only these of ${onlyDefaultGames.slugs.join(', ')}`, 'all'))
    .addOption(optionOf('--from <URL>', 'the address to ask', "the source's own host"))
    .option('--agent <NAME/VERSION>', 'the User-Agent', usualAgent)
    .option('--again', 'asks even if the source was asked within its interval', false)
    .addOption(optionOf('--report <FILE>', 'writes what was done, as JSON', 'none'))
    .option('--quiet', 'prints only errors', false)

export interface FetchValues {
  readonly out: string
  readonly games?: string
  readonly from?: string
  readonly agent: string
  readonly again: boolean
  readonly report?: string
  readonly quiet: boolean
}

export type Chosen = readonly (readonly [SourceName, Omit<FetchOptions, 'out'>])[]

/** The fetch options of each chosen source, except the mirror's folder. Throws UsageError. */
export async function chosenBy(names: readonly string[], values: FetchValues, folder: FolderGames): Promise<Chosen> {
  const { from, agent, again, quiet } = values
  const unknown = names.find((name) => !(sourceNames as readonly string[]).includes(name))
  if (unknown !== undefined) throw new UsageError(`unknown source ${unknown}`)
  if (from !== undefined && !isAddress(from))
    throw new UsageError('--from: must be an http or https address without a query')
  if (!/^[\w.-]{1,64}\/\d+(\.\d+){0,3}$/.test(agent))
    throw new UsageError('--agent: must be NAME/VERSION, such as shop/1.0.0')
  const chosen = listOf('--games', values.games, folder.slugs, folder.slugs)
  const options: [SourceName, Omit<FetchOptions, 'out'>][] = []
  for (const name of new Set(names as readonly SourceName[])) {
    const { tokenSetting, ...source }: FetchedSource = fetchedSources[name]
    const own = source.games(folder)
    const games = own.filter((game) => chosen.includes(game))
    if (games.length === 0) throw new UsageError(`--games: ${name} has only ${own.join(', ')}`)
    // The settings are loaded only if a token is needed, since their schemas take memory.
    const token = tokenSetting && (await import('../../src/settings.ts')).readSetting(tokenSetting)
    options.push([name, { games, folder, from, agent, again, quiet, token }])
  }
  return options
}

function isAddress(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false
  const { search, hash } = new URL(text)
  return search + hash === ''
}

/**
 * The snapshot folder whose games are fetched. If the mirror is in FOLDER/import/mirror/, as `card-prices update` has
 * it, that is FOLDER; otherwise it is the usual folder.
 */
function snapshotsOf(mirror: string): string {
  const imports = dirname(dirname(resolve(mirror)))
  const isWithin = basename(imports) === 'import' && basename(dirname(resolve(mirror))) === 'mirror'
  return isWithin ? dirname(imports) : 'prices'
}

export const fetchCommand = (output: Output): ProgramCommand =>
  addFetchOptions(
    new ProgramCommand('fetch', output)
      .description(
        "Downloads what a public source publishes into the folder MIRROR, as card-prices import reads it. It keeps the publisher's " +
          'rules: one request at a time, with a pause after each response. A run that ended early is resumed.',
      )
      .argument('<SOURCE>', sourcesText)
      .requiredOption('--out <MIRROR>', 'the folder; each source needs its own'),
  )
    .examples('card-prices fetch tcgcsv --out mirror --games pokemon')
    .action(async (name: string, values: FetchValues) => {
      if (values.out === '') throw new UsageError('--out: the folder of the mirror must be named')
      const [[source, options]] = (await chosenBy([name], values, await gamesOf(snapshotsOf(values.out)))) as [
        Chosen[number],
      ]
      const result = await fetchSource(source, { ...options, out: values.out }).catch((error: Error) => error)
      const isFailed = result instanceof Error
      if (isFailed) output.error(result.message)
      else if (!values.quiet) output.log(`${source}: ${summaryOf(result)}`)
      writeReport(values.report, { source, ...(isFailed ? { error: result.message } : reportOf(result)) })
      return isFailed ? 1 : 0
    })

export const reportOf = ({ isNew, why, requests, bytes, state: { stamp, games } }: FetchResult) => ({
  isNew,
  why,
  stamp,
  games,
  requests,
  bytes,
})

export function summaryOf({ isNew, why, requests, bytes, state }: FetchResult): string {
  if (!isNew) return why!
  return `${state.stamp}, in ${requests.toLocaleString('en')} requests, ${megabytes(bytes)}`
}

export function writeReport(file: string | undefined, report: object): void {
  if (file === undefined) return
  try {
    writeFileSync(file, `${JSON.stringify(report)}\n`)
  } catch (error) {
    throw new Error(`${file}: the report can't be written: ${diskErrorText(error)}`)
  }
}
