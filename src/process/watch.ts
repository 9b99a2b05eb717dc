/**
 * Follows files that others replace: takes up what they become, and what could not be taken up again and again, as long as
 * it lies there. Of `indexes/current`: takes up each version that it names, a build's or a rollback's, and what could not be taken
 * up again and again, as long as it is named.
 *
 *   current    ──── A ───────────── B ──────────────────────────────────── C ────
 *   taken up        ✓               ✕ · ✕ · · ✕ · · · · ✕                  ✓           delays of 1, 2, 4 … 60 s
 *   logged          serving         refused (once, and again only if the reason is another)   serving
 *
 * Files may arrive later than `current`, a disk or a descriptor may be free again. Looking at one small file four times a
 * second works on every file system; notifications do not.
 */
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { currentName } from '../indexes/manifest.ts'
import { currentLookMs, versionRetryMsFirst, versionRetryMsMax } from '../limits.ts'

interface Follower {
  /** Takes up what is there, or throws why not. */
  readonly take: () => Promise<void>
  /** Hears why, the first time and each time that it is for another reason. */
  readonly onRefusal: (reason: string) => void
}

/** What tells one `indexes/current` from the next; empty if there is none. To be taken before the version is read. */
export async function currentStamp(indexDir: string): Promise<string> {
  const path = resolve(indexDir, currentName)
  try {
    const { ino, mtimeMs, size } = await stat(path)
    return `${ino} ${mtimeMs} ${size}`
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return ''
    throw new Error(`${path} can't be looked at (${code ?? message})`)
  }
}

export interface Following {
  /** Whether what lies there now was refused. */
  readonly isRefusing: boolean
  /** Looks now, and tells of a refusal even if it was told before. */
  again(): void
  end(): void
}

/**
 * @param stampOf what tells one state of the files from the next; empty if there is nothing to take up. Throws if that
 *   can't be told.
 * @param taken the stamp of what is served already, empty for nothing
 */
export function follow(stampOf: () => Promise<string>, taken: string, { take, onRefusal }: Follower): Following {
  /** The stamp of what is refused, how often it was, for which reason the last time, and when it is tried again. */
  let refused = ''
  let refusals = 0
  let reason = ''
  let retryAt = 0
  let ended = false
  let looking = false
  let timer = setTimeout(look, currentLookMs)

  async function look(): Promise<void> {
    let stamp = refused
    looking = true
    try {
      if (refusals === 0 || performance.now() >= retryAt || (await isAnother())) {
        stamp = await stampOf()
        if (stamp !== '' && stamp !== taken) await take()
        taken = stamp
        refused = ''
        refusals = 0
      }
    } catch (error) {
      if (!ended) refuse(stamp, (error as Error).message)
    }
    looking = false
    if (!ended) timer = setTimeout(look, currentLookMs)
  }

  /** What can't be looked at is no other one. */
  const isAnother = () =>
    stampOf().then(
      (stamp) => stamp !== refused,
      () => false,
    )

  function refuse(stamp: string, message: string): void {
    if (stamp !== refused) refusals = 0
    if (refusals === 0 || message !== reason) onRefusal(message)
    refused = stamp
    reason = message
    retryAt = performance.now() + Math.min(versionRetryMsFirst * 2 ** refusals, versionRetryMsMax)
    refusals++
  }

  return {
    get isRefusing() {
      return refusals > 0
    },
    again: () => {
      refusals = 0
      reason = ''
      taken = ''
      if (looking || ended) return
      clearTimeout(timer)
      look()
    },
    end: () => {
      ended = true
      clearTimeout(timer)
    },
  }
}
