/** Changes of accounts that a page makes. Each change has an actor for the audit log, and an outcome for the page. */
import { TooManyChanges } from '../../accounts/session-changes.ts'
import { invalidateThreads } from '../../accounts/shared.ts'
import { Refusal, StoreError, UnknownOutcome } from '../../store/accounts-error.ts'
import type { Site } from '../site.ts'

export type Changed<T> =
  /** `isConfirmed` is false if a live server has not confirmed the change in time. */
  | { readonly outcome: 'made'; readonly result: T; readonly isConfirmed: boolean }
  /** Nothing was changed. The message is a sentence for the form. */
  | { readonly outcome: 'refused'; readonly message: string; readonly status: 400 | 429 }
  /**
   * The database of shared accounts could not be reached. If `isUnknown` is true, the change may have been made.
   * Otherwise nothing was changed.
   */
  | { readonly outcome: 'away'; readonly isUnknown: boolean }

/**
 * Makes the change, and waits until it is in force in every thread and on every live server. If `action` throws an
 * error that is no outcome, this rejects with it.
 * @param actor the actor in the audit log
 */
export async function changeAccounts<T>(
  { store, replication, accounts, log }: Site,
  actor: string,
  action: () => T,
): Promise<Changed<T>> {
  let result: T
  try {
    result = await replication.change(() => store.as(actor, action))
  } catch (error) {
    if (error instanceof Refusal) {
      const status = error instanceof TooManyChanges ? 429 : 400
      return { outcome: 'refused', message: sentenceOf(error), status }
    }
    if (!(error instanceof StoreError)) throw error
    log.warn({ reason: error.message }, 'accounts could not be changed on a page')
    return { outcome: 'away', isUnknown: error instanceof UnknownOutcome }
  }
  invalidateThreads(accounts)
  const unconfirmed = await replication.confirm()
  if (unconfirmed !== undefined) log.warn(unconfirmed)
  return { outcome: 'made', result, isConfirmed: unconfirmed === undefined }
}

export const sentenceOf = ({ message }: Error): string => `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
