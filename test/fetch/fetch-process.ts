/** `card-prices fetch` and `update` as processes, which can be killed and whose memory is seen. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { collect, type Outcome, projectDir, start, temporaryFolder, withLimits } from '../support/command.ts'

const program = 'src/cli/main.ts'
/** The waits of the rules, and shorter ones. */
const shorter = { tcgcsvPauseMs: 5, scryfallPauseMs: 5, mtgjsonPauseMs: 5, sourceRetryMsFirst: 20, updateRetryMs: 100 }
const environment = { CARD_PRICES_ENV: '', PRICECHARTING_TOKEN: '' }

export interface FetchOutcome extends Outcome {
  readonly peakBytes: number
}

/** @param onStart is given the process, to kill it */
export async function runFetch(
  args: readonly string[],
  onStart: (kill: () => void) => void = () => {},
  env: NodeJS.ProcessEnv = {},
  limits: Readonly<Record<string, number>> = {},
): Promise<FetchOutcome> {
  const peakFile = join(temporaryFolder(), 'peak')
  const limited = withLimits({ ...shorter, ...limits }, 'test/fetch/peak-memory.cjs')
  // As bin/card-prices has it.
  const probe = { ...limited, NODE_OPTIONS: `${limited.NODE_OPTIONS} --max-semi-space-size=1`, PEAK_FILE: peakFile }
  const child = start(program, args, { ...environment, ...probe, ...env }, projectDir)
  const output = collect(child)
  onStart(() => child.kill('SIGKILL'))
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  const peakBytes = signal === null ? Number(readFileSync(peakFile, 'utf8')) : 0
  return { code, stdout: output.stdout(), stderr: output.stderr(), peakBytes }
}
