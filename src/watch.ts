/** Notices that another version was made current: a build's, or a rollback's. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { currentName } from './indexes/manifest.ts'

const lookEveryMs = 250

/** What tells one `indexes/current` from the next; empty if there is none. To be taken before the version is read. */
export async function currentStamp(indexDir: string): Promise<string> {
  const found = await stat(join(indexDir, currentName)).catch(() => undefined)
  return found === undefined ? '' : `${found.ino} ${found.mtimeMs} ${found.size}`
}

/**
 * Calls `onChange` each time `indexes/current` is replaced after `seen` was taken, one call after the other. Looking at
 * one small file four times a second works on every file system; notifications do not.
 *
 * @returns what ends the watch
 */
export function watchCurrent(indexDir: string, seen: string, onChange: () => Promise<void>): () => void {
  let last = seen
  let ended = false
  let timer = setTimeout(look, lookEveryMs)
  async function look(): Promise<void> {
    const now = await currentStamp(indexDir)
    if (now !== last) {
      last = now
      if (now !== '') await onChange()
    }
    if (!ended) timer = setTimeout(look, lookEveryMs)
  }
  return () => {
    ended = true
    clearTimeout(timer)
  }
}
