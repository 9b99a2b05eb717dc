/** card-prices update: from public sources to a published version. */
import { execFileSync } from 'node:child_process'
import { type Output, optionOf, ProgramCommand, UsageError } from '../../src/command/command.ts'
import { table } from '../../src/command/table.ts'
import { inFolder } from '../../src/indexes/publish/durable.ts'
import { checkTarget, pushText } from '../../src/indexes/publish/push-version.ts'
import { makeFolder } from '../../src/platform/make-folder.ts'
import { readSetting } from '../../src/settings.ts'
import { fetchedSources } from '../fetch/fetch.ts'
import {
  addFetchOptions,
  chosenBy,
  type FetchValues,
  reportOf,
  sourcesText,
  summaryOf,
  usualAgent,
  writeReport,
} from '../fetch/fetch-command.ts'
import { gamesOf, onlyDefaultGames } from '../games/folder-games.ts'
import { acceptedOf, addChoices, type Choices, choicesOf, dateOf } from '../import/import-command.ts'
import { heldTable, readHeld } from '../import/write/held.ts'
import { gamesTable } from '../version-changes.ts'
import { retryMsIn, withRetries } from './retries.ts'
import { exitCodeOf, mirrorOf, type SourceRun, sumOf, type UpdateResult, update } from './update.ts'

export const updateCommand = (output: Output): ProgramCommand =>
  addChoices(
    addFetchOptions(
      new ProgramCommand('update', output)
        .description(
          'Fetches each source into SNAPSHOTS/import/mirror/SOURCE, imports new data into SNAPSHOTS, and builds it into INDEX_DIR. ' +
            'Running servers switch to it by themselves. Run it once a day: each run adds a day of history.',
        )
        .argument('<SOURCE[,SOURCE…]>', sourcesText)
        .option('--out <SNAPSHOTS>', 'the snapshot folder', 'prices')
        .addOption(optionOf('--date <YYYY-MM-DD>', 'the day of the prices', 'as its source says')),
    ),
  )
    .option('--partial', 'accepts groups without files: what is missing stays as the folder has it', false)
    .addOption(
      optionOf(
        '--accept <SET,…>',
        'imports these as they are: held sets by code or name, or GAME/CODE; or whole games',
        'none',
      ),
    )
    .addOption(
      optionOf(
        '--push <DIR>',
        'at the end publishes the version in DIR, as card-prices push does',
        'it is not published',
      ),
    )
    .option(
      '--force',
      'imports and publishes prices even if they differ too much from the last ones, held sets among them',
      false,
    )
    .addOption(
      optionOf(
        '--retry-for <TIME>',
        'tries again every 10 minutes while the network, a 5xx or a 429 keeps a source away: at most 12h; 90m are minutes',
        'it does not try again',
      ),
    )
    .addHelpText(
      'after',
      `
Exit codes: 0 done or nothing new, 75 a source was kept away and another try
later may succeed, 1 failed otherwise, 2 wrong usage.`,
    )
    .examples('card-prices update tcgcsv,mtgjson --out prices --retry-for 12h')
    .action(async (names: string, values: Values) => {
      const games = await gamesOf(values.out)
      const chosen = await chosenBy(names.split(','), values, games)
      if (values.out === '') throw new UsageError('--out: the folder must be named')
      const { out, accept, partial, push: pushTo, force, retryFor } = values
      if (pushTo === '') throw new UsageError('--push: the folder must be named')
      const retryMs = retryFor === undefined ? 0 : retryMsIn(retryFor)
      if (retryMs === undefined)
        throw new UsageError(`--retry-for: must be at most 12h, or minutes, as 90m (${retryFor})`)
      if (pushTo !== undefined) await inFolder(pushTo, 'nothing was fetched', () => checkTarget(pushTo))
      const held = readHeld(out).filter(({ source }) => chosen.some(([name]) => name === source))
      const options = {
        ...choicesOf(values, names.split(',')),
        games: values.games === undefined ? undefined : new Set(chosen.flatMap(([, { games }]) => games)),
        accept: acceptedOf(accept, held, games.slugs),
        date: dateOf(values.date),
        pushTo,
        words: wordsOf(values),
        force,
        partial,
      }
      for (const [name] of chosen)
        await inFolder(out, 'nothing was fetched', async () => makeFolder(mirrorOf(out, name)))
      const run = (): Promise<UpdateResult> => update(chosen, out, readSetting('INDEX_DIR'), options)
      const result = await withRetries(run, retryMs, ({ failures }, next) => {
        reportFailures(failures, output)
        if (!values.quiet) output.error(`tries again at ${next}`)
      })
      if (!values.quiet) output.log(textOf(result, pushTo))
      reportFailures(result.failures, output)
      writeReport(values.report, jsonOf(result))
      return exitCodeOf(result)
    })

/**
 * The options that a later command for the same update must repeat. They are stored in the record of the run, so an
 * address with a password is left out.
 */
function wordsOf({ games, from, agent, partial, push: pushTo }: Values): string[] {
  const address = from === undefined ? undefined : URL.parse(from)!
  const isSecret = address !== undefined && address.username + address.password !== ''
  return [
    ...(games === undefined ? [] : ['--games', games]),
    ...(from === undefined || isSecret ? [] : ['--from', from]),
    ...(agent === usualAgent ? [] : ['--agent', agent]),
    ...(partial ? ['--partial'] : []),
    ...(pushTo === undefined ? [] : ['--push', pushTo]),
  ]
}

/**
 * Gives this process the priority of systemd's CPUSchedulingPolicy=idle, so that a server on the machine comes first.
 * Threads that start later inherit the priority. If the system forbids the change or has no chrt, the priority stays.
 */
export function lowerPriority(): void {
  try {
    execFileSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(process.pid)], { stdio: 'ignore' })
  } catch {}
}

interface Values extends FetchValues, Choices {
  readonly accept?: string
  readonly date?: string
  readonly partial: boolean
  readonly push?: string
  readonly force: boolean
  readonly retryFor?: string
}

function reportFailures(failures: UpdateResult['failures'], output: Output): void {
  for (const { lines } of failures) if (lines.length > 1) output.error(lines.join('\n'))
  for (const { step, lines, advice } of failures) {
    output.error(`${step} failed: ${lines[0]}; ${advice}; what was served is served on`)
  }
}

function textOf({ runs, version, warnings, reports, pushed }: UpdateResult, target: string | undefined): string {
  const terms = runs.filter(({ isFirst }) => isFirst).map(({ name }) => fetchedSources[name].terms)
  const header = ['source', 'fetched', 'imported', 'day', 'missing days', 'game', 'new', 'gone', 'changed', 'held']
  const built = version === undefined ? 'nothing new was built' : `version ${version} is current`
  const isFetched = runs.some(({ fetched }) => fetched !== undefined)
  const rows = isFetched ? [table([header, ...runs.flatMap(rowsOf)], [6, 7, 8, 9])] : []
  /** These tables have the changes from the version before. The first table has the changes of each import. */
  const changes = reports.flatMap((report) =>
    report.base === null ? [] : [`since version ${report.base.version}\n${gamesTable(report)}`],
  )
  const held = runs.filter(isImported).flatMap(({ update }) => heldTable(update.held))
  const end = pushed === undefined ? built : `${built}\n${pushText(pushed, target!)}`
  return [...terms, ...rows, ...held, ...warnings.map((warning) => `warning: ${warning}`), end, ...changes].join('\n\n')
}

/**
 * True if this run imported the source, or had nothing to import. Otherwise, the source's record is about an earlier
 * run.
 */
const isImported = ({ imported, update }: SourceRun): boolean => imported.length > 0 || update.error === null

/** One row for each imported game; at least one row. */
function rowsOf(run: SourceRun): string[][] {
  const columns = columnsOf(run)
  const sums = sumOf(run.imported).games
  const known = [...sums.keys()].filter((game) => game !== null)
  const games = [...new Set([...onlyDefaultGames.slugs, ...known])].flatMap((game) => {
    const sum = sums.get(game)
    return sum === undefined ? [] : [[game, ...[sum.added, sum.gone, sum.changed, sum.held].map(number)]]
  })
  const [first = ['', '', '', '', ''], ...others] = games
  return [[...columns, ...first], ...others.map((cells) => [...columns.map(() => ''), ...cells])]
}

function columnsOf(run: SourceRun): string[] {
  const { name, fetched, imported, update } = run
  if (fetched === undefined) return [name, 'failed', '', '', '']
  if (!isImported(run)) return [name, summaryOf(fetched), 'failed', '', '']
  const { counts, day, missingDays } = update
  const figures = counts === null ? '' : `${number(counts.cards)} cards, ${number(counts.prices)} prices`
  const done = imported.length > 0 ? figures : 'nothing new'
  return [name, summaryOf(fetched), update.error === null ? done : 'failed', day ?? '', missingDays.join(', ')]
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
