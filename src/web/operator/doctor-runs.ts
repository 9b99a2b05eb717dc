/**
 * Runs `card-prices doctor`. The command runs in its own process for a second or more, so pages show the last result.
 */
import * as v from 'valibot'
import { runProgram } from './program.ts'

const findings = v.array(
  v.object({
    part: v.string(),
    state: v.picklist(['ok', 'warn', 'bad']),
    found: v.string(),
    advice: v.nullable(v.string()),
  }),
)

export type Finding = v.InferOutput<typeof findings>[number]

export interface DoctorResult {
  /** ms since 1970 */
  readonly at: number
  readonly findings: readonly Finding[]
}

/** A result that is older than this is still shown, but a new run begins. */
const freshMsMax = 15_000

export class DoctorRuns {
  #last: DoctorResult | undefined
  #running: Promise<DoctorResult> | undefined
  readonly #doctor: () => Promise<{ readonly stdout: string }>

  /** @param doctor by default, the command */
  constructor(doctor: () => Promise<{ readonly stdout: string }> = () => runProgram('doctor', '--json')) {
    this.#doctor = doctor
  }

  /** Returns the last result; undefined before the first. If the result is missing or old, a new run begins. */
  latest(): DoctorResult | undefined {
    if (this.#last === undefined || Date.now() - this.#last.at > freshMsMax) this.run().catch(() => undefined)
    return this.#last
  }

  /** Resolves to the result of a run, which begins unless one is in progress. Rejects if the command fails. */
  run(): Promise<DoctorResult> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #run(): Promise<DoctorResult> {
    const { stdout } = await this.#doctor()
    this.#last = { at: Date.now(), findings: v.parse(findings, JSON.parse(stdout)) }
    return this.#last
  }
}
