/**
 * Locks a folder, so that at most one build runs in a folder of versions, one import in a snapshot folder, and one
 * fetch in a mirror. Rollbacks and downloads count as builds.
 *
 *   .lock.db        an empty file, locked by the process that works in the folder
 *   .lock-holder    one line about that process, for the messages of other processes
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FileLock, tryLock } from '../../platform/file-lock.ts'

/** How long a build waits for another one. */
const buildLockMsMax = 1000

const lockName = '.lock.db'
const holderName = '.lock-holder'
const holderLine = /^process \d+ on [!-~]{1,255}, since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
const pauseMs = 50

/**
 * Locks the folder, and returns a function that unlocks it. Throws a one-line Error that names the holder if another
 * process keeps the lock for longer than a second.
 *
 * @param what the kind of work, for the message
 */
export async function lockBuilds(folder: string, what = 'build'): Promise<() => void> {
  const path = join(folder, lockName)
  const giveUpAt = performance.now() + buildLockMsMax
  for (;;) {
    const lock = tryLockIn(path)
    if (lock !== undefined) return holding(folder, lock)
    if (performance.now() > giveUpAt) throw new Error(`another ${what} is running (${holderOf(folder)})`)
    await sleep(pauseMs * (0.5 + Math.random()))
  }
}

/** Writes the holder's line, and returns a function that unlocks the folder. */
function holding(folder: string, lock: FileLock): () => void {
  const path = join(folder, holderName)
  const since = `${new Date().toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}Z`
  try {
    // A killed process may have left its line.
    rmSync(path, { force: true })
    writeFileSync(path, `process ${process.pid} on ${hostname()}, since ${since}\n`, { flag: 'wx' })
  } catch {
    // The disk may be full. A build can still remove the remains of killed builds, so it continues without its line.
  }
  return () => {
    try {
      rmSync(path, { force: true })
    } finally {
      lock.close()
    }
  }
}

function tryLockIn(path: string): FileLock | undefined {
  try {
    return tryLock(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error
    throw new Error(`${path} can't be locked (${(error as Error).message}): remove it if it is no empty file`)
  }
}

function holderOf(folder: string): string {
  try {
    const line = readFileSync(join(folder, holderName), 'utf8').trimEnd()
    if (holderLine.test(line)) return line
  } catch {
    // The holder is about to write the line, or has just removed it.
  }
  return `which one is not known: ${join(folder, lockName)} is locked, or its file system has no locks`
}
