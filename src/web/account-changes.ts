/** Changes of accounts that a page makes: in whose name, and what becomes of them. */
import { invalidateThreads } from '../accounts/shared.ts'
import { Refusal, StoreError, UnknownOutcome } from '../store/accounts-error.ts'
import type { Site } from './site.ts'

export type Changed<T> =
  /** `isConfirmed` is false if a live server has not confirmed the change in time. */
  | { readonly outcome: 'made'; readonly result: T; readonly isConfirmed: boolean }
  /** Nothing was changed. The message is a sentence for the form. */
  | { readonly outcome: 'refused'; readonly message: string }
  /** The store of shared accounts can't be asked: nothing was changed, or it is not known whether it was. */
  | { readonly outcome: 'away'; readonly isUnknown: boolean }

/**
 * Makes the change and waits until it is in force in every thread and on every live server. Rejects with what else `action` throws.
 * @param actor of the audit log
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
    if (error instanceof Refusal) return { outcome: 'refused', message: sentenceOf(error) }
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
