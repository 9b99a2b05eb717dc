/**
 * The build lock: one build at a time. Each builder creates a file of its own in `indexes/`, whose name is its identity:
 *
 *   .lock-PID-START-XXXX    process id, start time of the process in ticks, and random digits for each try
 *
 *   1. create my file              2. list all others
 *                                     of a dead process    remove it
 *                                     of a live process    remove mine, and retry a little later
 *                                     none remains         the lock is mine until I remove my file
 *
 * Two builders never have the lock at once: the one that creates its file later sees the file of the other, which stays as
 * long as that build runs. A dead builder never blocks, and no lock is taken over: a dead identity never comes back, so any
 * process may remove its file at any time. On a system without /proc there are no start times, and a process with a reused id
 * counts as the former one.
 */
import { randomBytes } from 'node:crypto'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildLockMsMax } from '../../limits.ts'
import { isAlive, startOf } from '../../platform/process-start.ts'

const lockName = /^\.lock-(\d+)-(\d+)-[0-9a-f]+$/
/** Between two tries: two builders may have collided, or the other may be about to end. */
const pauseMs = 50

/**
 * Acquires the lock and returns its release. Throws if a live process has it for longer than a second.
 *
 * @param what the kind of work, for the message: imports lock their folder, too
 */
export async function lockBuilds(indexDir: string, what = 'build'): Promise<() => Promise<void>> {
  const name = `.lock-${process.pid}-${startOf(process.pid) ?? 0}-${randomBytes(4).toString('hex')}`
  const path = join(indexDir, name)
  const release = () => rm(path, { force: true })
  const giveUpAt = performance.now() + buildLockMsMax
  for (;;) {
    await writeFile(path, '')
    const holder = await livingHolder(indexDir, name).catch(async (error) => {
      await release()
      throw error
    })
    if (holder === undefined) return release
    await release()
    if (performance.now() > giveUpAt) throw new Error(`another ${what} is running (process ${holder})`)
    await sleep(pauseMs * (0.5 + Math.random()))
  }
}

/** The process id of another live builder, if there is one. Removes the files of dead ones. */
async function livingHolder(indexDir: string, mine: string): Promise<number | undefined> {
  for (const name of await readdir(indexDir)) {
    const match = lockName.exec(name)
    if (match === null || name === mine) continue
    const pid = Number(match[1])
    if (isAlive(pid, match[2]!)) return pid
    await rm(join(indexDir, name), { force: true })
  }
  return undefined
}
