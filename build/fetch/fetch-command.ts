/** The command lines of `card-prices fetch` and `card-prices update`, and the output of fetch. */
import { writeFileSync } from 'node:fs'
import type { parseArgs } from 'node:util'
import { command, listOf, type Output, UsageError } from '../../src/command/command.ts'
import { gameSlugs } from '../../src/games.ts'
import { diskErrorText } from '../../src/indexes/publish/durable.ts'
import { softwareVersion } from '../../src/version.ts'
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

export const fetchFlags = `  --games a,b    only these of ${gameSlugs.join(', ')}
  --from URL     the address to ask instead of the source's own host
  --agent NAME/VERSION
                 the User-Agent (default: card-price-lookup/${softwareVersion})
  --again        asks even if the source was asked within its interval
  --report FILE  writes what was done, as JSON
  --quiet        prints only errors
  --help         shows this`

const usage = `Usage: card-prices fetch SOURCE --out MIRROR [--games a,b] [--from URL] [--agent NAME/VERSION] [--again]
                         [--report FILE] [--quiet]

Downloads what a public source publishes into the folder MIRROR, as card-prices import reads it. It keeps the publisher's rules:
one request at a time, with a pause after each response. A run that ended early is resumed.

  SOURCE         ${sourceNames.join(', ')} (its token from PRICECHARTING_TOKEN)
  --out MIRROR   the folder; each source needs its own
${fetchFlags}`

export const fetchOptions = {
  out: { type: 'string' },
  games: { type: 'string' },
  from: { type: 'string' },
  agent: { type: 'string' },
  again: { type: 'boolean', default: false },
  report: { type: 'string' },
  quiet: { type: 'boolean', default: false },
} as const

export type FetchValues = ReturnType<typeof parseArgs<{ options: typeof fetchOptions }>>['values']

export type Chosen = readonly (readonly [SourceName, Omit<FetchOptions, 'out'>])[]

/** The options of each chosen source, without the folder. Throws UsageError. */
export async function chosenBy(names: readonly string[], values: FetchValues): Promise<Chosen> {
  const { from, agent = `card-price-lookup/${softwareVersion}`, again, quiet } = values
  const unknown = names.find((name) => !(sourceNames as readonly string[]).includes(name))
  if (unknown !== undefined) throw new UsageError(`unknown source ${unknown}`)
  if (from !== undefined && !isAddress(from))
    throw new UsageError('--from: must be an http or https address without a query')
  if (!/^[\w.-]{1,64}\/\d+(\.\d+){0,3}$/.test(agent))
    throw new UsageError('--agent: must be NAME/VERSION, such as shop/1.0.0')
  const chosen = listOf('--games', values.games, gameSlugs, gameSlugs)
  const options: [SourceName, Omit<FetchOptions, 'out'>][] = []
  for (const name of new Set(names as readonly SourceName[])) {
    const { games: own, tokenSetting }: FetchedSource = fetchedSources[name]
    const games = own.filter((game) => chosen.includes(game))
    if (games.length === 0) throw new UsageError(`--games: ${name} has only ${own.join(', ')}`)
    // Loaded only for a token: the schemas of settings take memory.
    const token = tokenSetting && (await import('../../src/settings.ts')).readSetting(tokenSetting)
    options.push([name, { games, from, agent, again, quiet, token }])
  }
  return options
}

function isAddress(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false
  const { search, hash } = new URL(text)
  return search + hash === ''
}

/** Runs `card-prices fetch ARGS`. Returns the exit code. */
export const fetchCommand = (args: readonly string[], output: Output): Promise<number> =>
  command(
    usage,
    { options: fetchOptions, positionalsMax: 1 },
    async (commandLine) => {
      const values = commandLine.values as unknown as FetchValues
      const [name] = commandLine.positionals
      if (name === undefined) throw new UsageError('a source must be named')
      if (!values.out) throw new UsageError('--out: the folder of the mirror must be named')
      const [[source, options]] = (await chosenBy([name], values)) as [Chosen[number]]
      const result = await fetchSource(source, { ...options, out: values.out }).catch((error: Error) => error)
      const isFailed = result instanceof Error
      if (isFailed) output.error(result.message)
      else if (!values.quiet) output.log(`${source}: ${summaryOf(result)}`)
      writeReport(values.report, { source, ...(isFailed ? { error: result.message } : reportOf(result)) })
      return isFailed ? 1 : 0
    },
    { args, output },
  )

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
