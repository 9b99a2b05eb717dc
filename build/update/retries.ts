/** Repeats an update whose source could not be reached. This is for machines on which systemd does not repeat it. */
import { updateRetriesMsMax, updateRetryMs } from '../fetch/fetch-limits.ts'
import { clockOf } from '../fetch/publisher-host.ts'
import { Progress } from '../progress.ts'
import { exitCodeOf, exitTryLater, type SourceRun, type UpdateResult } from './update.ts'

const unitMs = { h: 3_600_000, m: 60_000 }

/**
 * The time `12h` or `90m` in ms. Undefined if the text has another form, or the time is 0 or above
 * `updateRetriesMsMax`.
 */
export function retryMsIn(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,4})([hm])$/.exec(text) ?? []
  const ms = Number(count) * unitMs[unit as keyof typeof unitMs]
  return ms > 0 && ms <= updateRetriesMsMax ? ms : undefined
}

/**
 * Runs an update, and repeats it while a source can't be reached. The result has the first successful run of each
 * source, or else its last run, and the warnings and reports of all tries.
 * @param forMs no try begins later than this time after the first try
 * @param onFailure gets the result of each try that is followed by another try, and the time of the next try
 */
export async function withRetries(
  run: () => Promise<UpdateResult>,
  forMs: number,
  onFailure: (result: UpdateResult, next: string) => void,
): Promise<UpdateResult> {
  const clock = clockOf()
  const progress = new Progress()
  const until = clock.now() + forMs
  const runs = new Map<string, SourceRun>()
  let version: string | undefined
  let pushed: UpdateResult['pushed']
  const warnings = new Set<string>()
  const reports: UpdateResult['reports'][number][] = []
  for (;;) {
    const result = await run()
    for (const one of result.runs) if (!(runs.get(one.name)?.update.success ?? false)) runs.set(one.name, one)
    version = result.version ?? version
    pushed = result.pushed ?? pushed
    for (const warning of result.warnings) warnings.add(warning)
    reports.push(...result.reports)
    const nextMs = clock.now() + updateRetryMs
    if (exitCodeOf(result) !== exitTryLater || nextMs > until)
      return { ...result, version, warnings: [...warnings], reports, pushed, runs: [...runs.values()] }
    onFailure(result, new Date(nextMs).toISOString())
    for (let leftMs = updateRetryMs; leftMs > 0; leftMs = nextMs - clock.now()) {
      progress.step(`tries again in ${Math.ceil(leftMs / 1000)} s`)
      await clock.sleep(Math.min(leftMs, 1000))
    }
    progress.clear()
  }
}
