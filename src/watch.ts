/** Notices that another version was made current: a build's, or a rollback's. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { currentName } from './indexes/manifest.ts'

const lookEveryMs = 250

/**
 * Calls `onChange` each time `indexes/current` is replaced, one call after the other, and never for what is there now.
 * Looking at one small file four times a second works on every file system; notifications do not.
 *
 * @returns what ends the watch
 */
export async function watchCurrent(indexDir: string, onChange: () => Promise<void>): Promise<() => void> {
  const look = async () => {
    const found = await stat(join(indexDir, currentName)).catch(() => undefined)
    return found === undefined ? '' : `${found.ino} ${found.mtimeMs} ${found.size}`
  }
  let seen = await look()
  let timer: NodeJS.Timeout | undefined
  let ended = false
  const next = async () => {
    const now = await look()
    if (now !== seen) {
      seen = now
      if (now !== '') await onChange()
    }
    if (!ended) timer = setTimeout(next, lookEveryMs)
  }
  timer = setTimeout(next, lookEveryMs)
  return () => {
    ended = true
    clearTimeout(timer)
  }
}
