/**
 * Follows what others replace, files or what a server answers: takes up what it becomes, and what could not be taken up
 * again and again, as long as it is there. Of `indexes/current`: takes up each version that it names, a build's or a
 * rollback's, and what could not be taken up again and again, as long as it is named.
 *
 *   current    ──── A ───────────── B ──────────────────────────────────── C ────
 *   taken up        ✓               ✕ · ✕ · · ✕ · · · · ✕                  ✓           delays of 1, 2, 4 … 60 s
 *   logged          serving         refused (once, and again only if the reason is another)   serving
 *
 * Files may arrive later than `current`, a disk or a descriptor may be free again. Looking at one small file four times a
 * second works on every file system; notifications do not.
 */
import { currentLookMs, versionRetryMsFirst, versionRetryMsMax } from './limits.ts'

interface Follower {
  /** Takes up what is there, or throws why not. */
  readonly take: () => Promise<void>
  /** Hears why, the first time and each time that it is for another reason. */
  readonly onRefusal: (reason: string) => void
  /** Between two looks, 250 ms by itself. What was refused is looked at sooner when it is to be tried again sooner. */
  readonly lookMs?: number
  /** What was refused is tried again after so long, 1 s by itself, doubled each time. */
  readonly retryMs?: number
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
export function follow(
  stampOf: () => Promise<string>,
  taken: string,
  { take, onRefusal, lookMs = currentLookMs, retryMs = versionRetryMsFirst }: Follower,
): Following {
  /** The stamp of what is refused, how often it was, for which reason the last time, and when it is tried again. */
  let refused = ''
  let refusals = 0
  let reason = ''
  let retryAt = 0
  let ended = false
  let looking = false
  let timer = setTimeout(look, Math.min(currentLookMs, lookMs))

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
    if (!ended) timer = setTimeout(look, nextLookMs())
  }

  const nextLookMs = () =>
    refusals === 0 ? lookMs : Math.min(Math.max(retryAt - performance.now(), currentLookMs), lookMs)

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
    retryAt = performance.now() + Math.min(retryMs * 2 ** refusals, versionRetryMsMax)
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
