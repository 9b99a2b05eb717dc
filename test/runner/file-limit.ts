/**
 * How long a file of tests may run: one that does not end is killed, with all that it started, and fails. Node's own limit is
 * a test's, and the very process that hangs reports it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'

/** Of groups of test files, as seen from the project. */
export const groupFolder = 'dist/test'

/** By room; of any file where TEST_FILE_SECONDS is set. */
const secondsOfRoom: Readonly<Record<string, number>> = { long: 3600, programs: 600, browser: 600 }
const secondsOfOthers = 300

const roomOf = (path: string): string =>
  path.startsWith(resolve(groupFolder)) ? basename(path).split('-').slice(0, -1).join('-') : basename(dirname(path))

const secondsOf = (path: string): number =>
  Number(process.env['TEST_FILE_SECONDS'] ?? secondsOfRoom[roomOf(path)] ?? secondsOfOthers)

export class FileLimit {
  readonly #timers = new Map<string, NodeJS.Timeout>()
  /** Of a file, the test that was last begun. */
  readonly #running = new Map<string, string>()
  readonly #ended = new Map<string, string>()

  begin(path: string): void {
    this.#timers.set(
      path,
      setTimeout(() => this.#kill(path), secondsOf(path) * 1000),
    )
  }

  beginTest(path: string, name: string): void {
    this.#running.delete(path)
    this.#running.set(path, name)
  }

  end(path: string): void {
    clearTimeout(this.#timers.get(path))
    this.#timers.delete(path)
  }

  /** Why the file was ended; undefined if it was not. */
  reasonOf(path: string): string | undefined {
    return this.#ended.get(path)
  }

  #kill(path: string): void {
    const files = readFileSync(path, 'utf8')
    const [, running] =
      [...this.#running].findLast(([file]) => file === path || files.includes(`/${basename(file)}'`)) ?? []
    this.#ended.set(
      path,
      `it was ended after ${secondsOf(path)} s${running === undefined ? '' : `, while “${running}” ran`}`,
    )
    const parents = parentsOfProcesses()
    for (const [pid, parent] of parents) {
      if (parent === process.pid && argumentsOf(pid).some((each) => resolve(each) === path)) killTree(pid, parents)
    }
  }
}

/** By process id. None where the system does not tell: there no file is ended. */
function parentsOfProcesses(): Map<number, number> {
  const parents = new Map<number, number>()
  for (const name of textsIn(() => readdirSync('/proc'))) {
    const [, parent] = textsIn(() => readFileSync(`/proc/${name}/stat`, 'latin1').split(') ').at(-1)!.split(' '))
    if (parent !== undefined) parents.set(Number(name), Number(parent))
  }
  return parents
}

const argumentsOf = (pid: number) => textsIn(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0'))

/** None of a process that has ended meanwhile. */
function textsIn(read: () => string[]): string[] {
  try {
    return read()
  } catch {
    return []
  }
}

function killTree(pid: number, parents: ReadonlyMap<number, number>): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
  for (const [child, parent] of parents) if (parent === pid) killTree(child, parents)
}
