/**
 * One build at a time. Each builder has a file of its own in `indexes/`, whose name is its identity:
 *
 *   .lock-PID-START-XXXX    process number, its start time in the system's ticks, and a word for each try
 *
 *   1. it makes its file           2. it looks at all others
 *                                     of a dead process    it is removed
 *                                     of a living one      mine is removed, and all is tried again a little later
 *                                     none is left         the lock is held until mine is removed
 *
 * Two never hold it at once: of two files one is made later, and who made it looks afterwards, so it sees the other,
 * which stays as long as its maker builds. A dead builder never hinders, and no lock is taken over: an identity that is
 * gone never comes back, so whoever sees its file may remove it, at any time and as often as they like.
 * Where the system tells no start times (there is no /proc), a number that is used again passes for its former process.
 */
import { randomBytes } from 'node:crypto'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildLockMsMax } from '../../limits.ts'
import { isAlive, startOf } from '../../platform/process-start.ts'

const lockName = /^\.lock-(\d+)-(\d+)-[0-9a-f]+$/
/** Between two tries: another may have met this one by chance, or be about to end. */
const pauseMs = 50

/**
 * Takes the lock and returns what releases it. Throws if a living process holds it for longer than a second.
 *
 * @param what the holder is, for the message: imports lock their folder by the same means
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

/** The process of another living builder's file, if there is one. Removes those of dead ones. */
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
