/** What `card-prices doctor` finds. The command runs in a process of its own, for a second or more, so pages show the last result. */
import { execFile } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as v from 'valibot'

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

const program = fileURLToPath(new URL(`../../cli/main${extname(import.meta.url)}`, import.meta.url))
const outputBytesMax = 1024 * 1024
const runMsMax = 60_000

/** An older result is shown, and a new one is begun. */
const freshMsMax = 15_000

export class DoctorRuns {
  #last: DoctorResult | undefined
  #running: Promise<DoctorResult> | undefined

  /** The last result; undefined before the first. Begins a new run if it is old. */
  latest(): DoctorResult | undefined {
    if (this.#last === undefined || Date.now() - this.#last.at > freshMsMax) this.run().catch(() => undefined)
    return this.#last
  }

  /** Rejects if the command fails. */
  run(): Promise<DoctorResult> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #run(): Promise<DoctorResult> {
    const stdout = await doctorOutput()
    this.#last = { at: Date.now(), findings: v.parse(findings, JSON.parse(stdout)) }
    return this.#last
  }
}

/**
 * What the command prints, with this process's settings. Rejects if it can't be run, does not end within a minute, or fails without
 * findings. It exits with 1 if something is bad.
 */
function doctorOutput(): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { maxBuffer: outputBytesMax, timeout: runMsMax }
    execFile(process.execPath, [...process.execArgv, program, 'doctor', '--json'], options, (error, stdout) => {
      if (error === null || typeof error.code === 'number') resolve(stdout)
      else reject(error)
    })
  })
}
