/**
 * Polls something that others replace, such as `indexes/current`, and applies each new state. If a state can't be
 * applied, it is retried until there is another state.
 *
 *   current    ──── A ───────────── B ──────────────────────────────────── C ────
 *   applied         ✓               ✕ · ✕ · · ✕ · · · · ✕                  ✓           delays of 1, 2, 4 … 60 s
 *   logged          serving         rejected (again only for another reason)   serving
 *
 * A retry can succeed: files may arrive later than `current`, and a full disk may get free space. Polling a small file
 * four times a second works on every file system; notifications do not.
 */
import assert from 'node:assert/strict'

/** How often `indexes/current` and the certificate's files are polled. */
export const currentPollMs = 250
/** The delay before a rejected version is retried, doubled each time. */
const versionRetryMsFirst = 1000
const versionRetryMsMax = 60_000

assert(currentPollMs <= versionRetryMsFirst, 'by default, polls are at least as frequent as retries')

interface FollowOptions {
  /** Applies the current state. Throws the reason if it can't. */
  readonly apply: () => Promise<void>
  /** Called at the first failure, and again if the reason changes. */
  readonly onRejection: (reason: string) => void
  /**
   * The time between two polls; by default 250 ms. If it is longer than the delay of a retry, the retry does not wait
   * for the next poll.
   */
  readonly pollMs?: number
  /** The delay of the first retry, doubled each time; by default 1 s. */
  readonly retryMs?: number
}

export interface Following {
  /** True if the current state could not be applied. */
  readonly isRejecting: boolean
  /** Polls now and applies the state anew. Reports a failure even if it was reported before. */
  again(): void
  end(): void
}

/**
 * Starts to follow.
 * @param fingerprintOf returns a text that differs for each state; empty if there is nothing to apply. Throws if the
 * state can't be read
 * @param applied the fingerprint of the state that is applied already; empty if there is none
 */
export function follow(
  fingerprintOf: () => Promise<string>,
  applied: string,
  { apply, onRejection, pollMs = currentPollMs, retryMs = versionRetryMsFirst }: FollowOptions,
): Following {
  /**
   * The fingerprint of the state that failed, the number of failures, the last reason, and the time of the next try.
   */
  let failed = ''
  let failures = 0
  let reason = ''
  let retryAt = 0
  let ended = false
  let isPolling = false
  let timer = setTimeout(poll, Math.min(currentPollMs, pollMs))

  async function poll(): Promise<void> {
    let fingerprint = failed
    isPolling = true
    const isDue = failures === 0 || performance.now() >= retryAt
    try {
      fingerprint = await fingerprintOf()
      if (isDue || fingerprint !== failed) {
        if (fingerprint !== '' && fingerprint !== applied) await apply()
        applied = fingerprint
        failed = ''
        failures = 0
      }
    } catch (error) {
      // If the fingerprint can't be read, `fingerprint` still equals `failed`, the fingerprint of the last failure.
      // Then nothing is reported before a retry is due.
      if (!ended && (isDue || fingerprint !== failed)) fail(fingerprint, (error as Error).message)
    }
    isPolling = false
    if (!ended) timer = setTimeout(poll, nextPollMs())
  }

  const nextPollMs = () =>
    failures === 0 ? pollMs : Math.min(Math.max(retryAt - performance.now(), currentPollMs), pollMs)

  function fail(fingerprint: string, message: string): void {
    if (fingerprint !== failed) failures = 0
    if (failures === 0 || message !== reason) onRejection(message)
    failed = fingerprint
    reason = message
    retryAt = performance.now() + Math.min(retryMs * 2 ** failures, versionRetryMsMax)
    failures++
  }

  return {
    get isRejecting() {
      return failures > 0
    },
    again: () => {
      failures = 0
      reason = ''
      applied = ''
      if (isPolling || ended) return
      clearTimeout(timer)
      poll()
    },
    end: () => {
      ended = true
      clearTimeout(timer)
    },
  }
}
