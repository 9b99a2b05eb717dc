/** The command line and the output of `card-prices update`. */
import { command, type Output, UsageError } from '../../src/command/command.ts'
import { table } from '../../src/command/table.ts'
import { readSetting } from '../../src/settings.ts'
import {
  chosenBy,
  type FetchValues,
  fetchFlags,
  fetchOptions,
  reportOf,
  summaryOf,
  writeReport,
} from '../fetch/command-line.ts'
import { fetchedSources, sourceNames } from '../fetch/sources/publishers.ts'
import { retryMsIn, withRetries } from './retries.ts'
import { exitCodeOf, type SourceRun, type UpdateResult, update } from './update.ts'

const usage = `Usage: card-prices update SOURCE[,SOURCE…] --out SNAPSHOTS [--games a,b] [--from URL] [--agent NAME/VERSION] [--again]
                          [--retry-for 12h] [--report FILE] [--quiet]

Fetches each source into SNAPSHOTS/import/mirror/SOURCE, imports new data into SNAPSHOTS, and builds it into INDEX_DIR. Running
servers switch to it by themselves. Run it once a day: each run adds a day of history.

  SOURCE           ${sourceNames.join(', ')} (its token from PRICECHARTING_TOKEN)
  --out SNAPSHOTS  the snapshot folder
${fetchFlags}
  --retry-for 12h  tries again every 10 minutes while the network, a 5xx or a 429 keeps a source away; 90m: minutes

Exit codes: 0 done or nothing new, 75 a source was kept away and another try later may succeed, 1 failed otherwise, 2 wrong usage.`

const options = { ...fetchOptions, 'retry-for': { type: 'string' } } as const
type Values = FetchValues & { readonly 'retry-for'?: string }

/** Runs `card-prices update ARGS`. Returns the exit code. */
export const updateCommand = (args: readonly string[], output: Output): Promise<number> =>
  command(
    usage,
    options,
    1,
    async (commandLine) => {
      const values = commandLine.values as unknown as Values
      const [names] = commandLine.positionals
      if (names === undefined) throw new UsageError('a source must be named')
      if (!values.out) throw new UsageError('--out: the snapshot folder must be named')
      const chosen = await chosenBy(names.split(','), values)
      const { out, 'retry-for': retryFor = '' } = values
      const retryMs = retryFor === '' ? 0 : retryMsIn(retryFor)
      if (retryMs === undefined)
        throw new UsageError(`--retry-for: must be at most 12h, or minutes, as 90m (${retryFor})`)
      const run = (): Promise<UpdateResult> => update(chosen, out, readSetting('INDEX_DIR'))
      const result = await withRetries(run, retryMs, ({ failures }, next) => {
        reportFailures(failures, output)
        if (!values.quiet) output.error(`tries again at ${next}`)
      })
      writeReport(values.report, jsonOf(result))
      if (!values.quiet) output.log(textOf(result))
      reportFailures(result.failures, output)
      return exitCodeOf(result)
    },
    args,
    output,
  )

function reportFailures(failures: UpdateResult['failures'], output: Output): void {
  for (const { lines } of failures) if (lines.length > 1) output.error(lines.join('\n'))
  for (const { step, lines, advice } of failures) {
    output.error(`${step} failed: ${lines[0]}; ${advice}; what was served is served on`)
  }
}

function textOf({ runs, version }: UpdateResult): string {
  const terms = runs.filter(({ isFirst }) => isFirst).map(({ name }) => fetchedSources[name].terms)
  const header = ['source', 'fetched', 'imported', 'day', 'missing days']
  const built = version === undefined ? 'nothing new was built' : `version ${version} is current`
  return [...terms, table([header, ...runs.map(rowOf)]), built].join('\n\n')
}

function rowOf({ name, fetched, imported, update }: SourceRun): string[] {
  const { counts, day, missingDays } = update
  const figures = counts === null ? '' : `${number(counts.cards)} cards, ${number(counts.prices)} prices`
  const done = imported.length > 0 ? figures : 'nothing new'
  return [
    name,
    fetched === undefined ? 'failed' : summaryOf(fetched),
    update.error === null ? done : 'failed',
    day ?? '',
    missingDays.join(', '),
  ]
}

const number = (value: number): string => value.toLocaleString('en')

const jsonOf = ({ runs, version, failures }: UpdateResult) => ({
  version: version ?? null,
  failures,
  sources: runs.map(({ name, fetched, imported, update }) => ({
    source: name,
    fetched: fetched === undefined ? null : reportOf(fetched),
    update,
    records: imported.flatMap(({ report }) => report.records),
  })),
})
