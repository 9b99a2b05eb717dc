/** The command line and the output of `card-prices update`. */
import type { parseArgs } from 'node:util'
import { command, type Output, UsageError } from '../../src/command/command.ts'
import { table } from '../../src/command/table.ts'
import { gameSlugs } from '../../src/games.ts'
import { pushText } from '../../src/indexes/publish/push-version.ts'
import { readSetting } from '../../src/settings.ts'
import { fetchedSources, sourceNames } from '../fetch/fetch.ts'
import { chosenBy, fetchFlags, fetchOptions, reportOf, summaryOf, writeReport } from '../fetch/fetch-command.ts'
import { acceptedOf, choiceFlags, choiceOptions, choicesOf } from '../import/import-command.ts'
import { heldTable } from '../import/write/held.ts'
import { retryMsIn, withRetries } from './retries.ts'
import { exitCodeOf, type SourceRun, sumOf, type UpdateResult, update } from './update.ts'

const usage = `Usage: card-prices update SOURCE[,SOURCE…] --out SNAPSHOTS [--games a,b] [--from URL] [--agent NAME/VERSION] [--again]
                          [--currency USD|EUR] [--sealed] [--accept SET,…] [--push DIR] [--force] [--retry-for 12h] [--report FILE] [--quiet]

Fetches each source into SNAPSHOTS/import/mirror/SOURCE, imports new data into SNAPSHOTS, and builds it into INDEX_DIR. Running
servers switch to it by themselves. Run it once a day: each run adds a day of history.

  SOURCE           ${sourceNames.join(', ')} (its token from PRICECHARTING_TOKEN)
  --out SNAPSHOTS  the snapshot folder
  --accept SET,…   imports these held sets as they are: codes, or GAME/CODE
${fetchFlags}
${choiceFlags}
  --push DIR       at the end publishes the version in DIR, as card-prices push does
  --force          imports and publishes prices even if they differ too much from the last ones
  --retry-for 12h  tries again every 10 minutes while the network, a 5xx or a 429 keeps a source away; 90m: minutes

Exit codes: 0 done or nothing new, 75 a source was kept away and another try later may succeed, 1 failed otherwise, 2 wrong usage.`

const options = {
  ...fetchOptions,
  ...choiceOptions,
  accept: { type: 'string' },
  push: { type: 'string' },
  force: { type: 'boolean', default: false },
  'retry-for': { type: 'string' },
} as const
type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values']

/** Runs `card-prices update ARGS`. Returns the exit code. */
export const updateCommand = (args: readonly string[], output: Output): Promise<number> =>
  command(
    usage,
    { options, positionalsMax: 1 },
    async (commandLine) => {
      const values = commandLine.values as unknown as Values
      const [names] = commandLine.positionals
      if (names === undefined) throw new UsageError('a source must be named')
      if (!values.out) throw new UsageError('--out: the snapshot folder must be named')
      const chosen = await chosenBy(names.split(','), values)
      const { out, accept, push: pushTo, force, 'retry-for': retryFor } = values
      if (pushTo === '') throw new UsageError('--push: the folder must be named')
      const retryMs = retryFor === undefined ? 0 : retryMsIn(retryFor)
      if (retryMs === undefined)
        throw new UsageError(`--retry-for: must be at most 12h, or minutes, as 90m (${retryFor})`)
      const options = { accept: acceptedOf(accept), pushTo, force, ...choicesOf(values, names.split(',')) }
      const run = (): Promise<UpdateResult> => update(chosen, out, readSetting('INDEX_DIR'), options)
      const result = await withRetries(run, retryMs, ({ failures }, next) => {
        reportFailures(failures, output)
        if (!values.quiet) output.error(`tries again at ${next}`)
      })
      if (!values.quiet) output.log(textOf(result, pushTo))
      reportFailures(result.failures, output)
      writeReport(values.report, jsonOf(result))
      return exitCodeOf(result)
    },
    { args, output },
  )

function reportFailures(failures: UpdateResult['failures'], output: Output): void {
  for (const { lines } of failures) if (lines.length > 1) output.error(lines.join('\n'))
  for (const { step, lines, advice } of failures) {
    output.error(`${step} failed: ${lines[0]}; ${advice}; what was served is served on`)
  }
}

function textOf({ runs, version, warnings, pushed }: UpdateResult, target: string | undefined): string {
  const terms = runs.filter(({ isFirst }) => isFirst).map(({ name }) => fetchedSources[name].terms)
  const header = ['source', 'fetched', 'imported', 'day', 'missing days', 'game', 'new', 'gone', 'changed', 'held']
  const built = version === undefined ? 'nothing new was built' : `version ${version} is current`
  const rows = table([header, ...runs.flatMap(rowsOf)], [6, 7, 8, 9])
  const held = runs.flatMap(({ update }) => heldTable(update.held))
  const end = pushed === undefined ? built : `${built}\n${pushText(pushed, target!)}`
  return [...terms, rows, ...held, ...warnings.map((warning) => `warning: ${warning}`), end].join('\n\n')
}

/** A row a game that was imported, at least one. */
function rowsOf(run: SourceRun): string[][] {
  const columns = columnsOf(run)
  const sums = sumOf(run.imported).games
  const games = gameSlugs.flatMap((game) => {
    const sum = sums.get(game)
    return sum === undefined ? [] : [[game, ...[sum.added, sum.gone, sum.changed, sum.held].map(number)]]
  })
  const [first = ['', '', '', '', ''], ...others] = games
  return [[...columns, ...first], ...others.map((cells) => [...columns.map(() => ''), ...cells])]
}

function columnsOf({ name, fetched, imported, update }: SourceRun): string[] {
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

const jsonOf = ({ runs, version, pushed, failures }: UpdateResult) => ({
  version: version ?? null,
  pushed: pushed ?? null,
  failures,
  sources: runs.map(({ name, fetched, imported, update }) => ({
    source: name,
    fetched: fetched === undefined ? null : reportOf(fetched),
    update: { ...update, version: version ?? null },
    records: imported.flatMap(({ report }) => report.records),
  })),
})
