/**
 * The temporary folder of a run. It contains keys and hundreds of megabytes, so it must not stay behind. It is removed
 * when the process ends. If the process is killed, the next run removes it.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const prefix = 'card-price-bench-'

/** Makes a folder that is removed when the process ends. */
export function temporaryFolder(): string {
  removeLeft(tmpdir())
  const folder = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`))
  process.on('exit', () => remove(folder))
  return folder
}

/** Removes the folders of runs whose processes have ended. */
export function removeLeft(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, pid] = /^card-price-bench-(\d+)-/.exec(name) ?? []
    if (pid !== undefined && !isRunning(Number(pid))) remove(join(parent, name))
  }
}

// A child that was just killed may still write.
const remove = (folder: string) => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process exists, and is another user's.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
