/**
 * Runs the cases `from` up to `to` of a reader in a process of its own, since damaged files can end one. Each case is
 * announced before it runs, by a write that is done when it returns: a reader knows what ended the process.
 */
import { mkdirSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { caseRandom } from './damage.ts'
import { readers } from './readers.ts'

const [name, folder, scratchOfAll, seed, from, to] = process.argv.slice(2) as [string, string, string, ...string[]]
const reader = readers[name]!

/** A line of ASCII: its kind, the case, and all that is known of a failure. */
const tell = (what: string, number: number, more = '') =>
  writeSync(1, `${what} ${number} ${encodeURIComponent(more.toWellFormed())}\n`)

for (let number = Number(from); number < Number(to); number++) {
  const scratch = join(scratchOfAll, String(number))
  mkdirSync(scratch, { recursive: true })
  tell('case', number)
  try {
    tell(await reader.run(caseRandom(Number(seed), number), folder, scratch), number)
  } catch (error) {
    const { stack, cause } = error as Error
    tell('fault', number, `${stack}${cause === undefined ? '' : `\n${(cause as Error).stack}`}`)
  }
  rmSync(scratch, { recursive: true, force: true })
}
