/** One build at a time: `indexes/.lock` names the process that builds. The lock of a process that is gone is taken over. */
import { readFileSync } from 'node:fs'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Takes the lock and returns what releases it. Throws if a living process holds it. */
export async function lockBuilds(indexDir: string): Promise<() => Promise<void>> {
  const path = join(indexDir, '.lock')
  const mine = join(indexDir, `.staging-lock-${process.pid}`)
  await writeFile(mine, identityOf(process.pid) ?? '')
  try {
    for (;;) {
      try {
        await link(mine, path)
        return () => rm(path, { force: true })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
      const holder = await readFile(path, 'utf8').catch(() => '')
      const pid = Number.parseInt(holder, 10)
      if (holder !== '' && identityOf(pid) === holder) throw new Error(`another build is running (process ${pid})`)
      await rm(path, { force: true })
    }
  } finally {
    await rm(mine, { force: true })
  }
}

/** A process' number and, where the system tells it, its start time, since numbers are used again. Undefined if gone. */
function identityOf(pid: number): string | undefined {
  try {
    process.kill(pid, 0)
  } catch {
    return undefined
  }
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!.split(' ')
    return `${pid} ${fields[19]}`
  } catch {
    return `${pid}`
  }
}
