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
import { type SourceRun, type UpdateResult, update } from './update.ts'

const usage = `Usage: card-prices update SOURCE[,SOURCE…] --out SNAPSHOTS [--games a,b] [--from URL] [--agent NAME/VERSION] [--again]
                          [--report FILE] [--quiet]

Fetches each source into SNAPSHOTS/import/mirror/SOURCE, imports new data into SNAPSHOTS, and builds it into INDEX_DIR. Running
servers switch to it by themselves. Run it once a day: each run adds a day of history.

  SOURCE           ${sourceNames.join(', ')} (its token from PRICECHARTING_TOKEN)
  --out SNAPSHOTS  the snapshot folder
${fetchFlags}`

/** Runs `card-prices update ARGS`. Returns the exit code. */
export const updateCommand = (args: readonly string[], output: Output): Promise<number> =>
  command(
    usage,
    fetchOptions,
    1,
    async (commandLine) => {
      const values = commandLine.values as unknown as FetchValues
      const [names] = commandLine.positionals
      if (names === undefined) throw new UsageError('a source must be named')
      if (!values.out) throw new UsageError('--out: the snapshot folder must be named')
      const chosen = await chosenBy(names.split(','), values)
      const result = await update(chosen, values.out, readSetting('INDEX_DIR'))
      writeReport(values.report, jsonOf(result))
      if (!values.quiet) output.log(textOf(result))
      for (const { lines } of result.failures) if (lines.length > 1) output.error(lines.join('\n'))
      for (const { step, lines, advice } of result.failures) {
        output.error(`${step} failed: ${lines[0]}; ${advice}; what was served is served on`)
      }
      return result.failures.length === 0 ? 0 : 1
    },
    args,
    output,
  )

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
