/**
 * Says, for operators, why a server and the accounts' store don't fit together. Each text follows "the accounts' store
 * at HOST:PORT".
 */
import type { ReplicaState } from '../../store/store-records.ts'
import type { Appended, Replaced, SyncResult } from './shared-store.ts'

const wayOut = "restore Redis's own backup, or upload a replica (card-prices accounts push)"

type Answer = { readonly state: (SyncResult | Appended)['state']; readonly number?: number }

/**
 * Says why the replica can't follow the store, or why the store does not accept a change of the replica.
 * @param replica the replica's state
 * @param advice follows the reason where an operator must decide
 */
export function rejectionOf(
  { state, number }: Answer,
  replica: ReplicaState | undefined,
  advice = `: ${wayOut}`,
): string {
  if (state === 'duplicate') {
    return "is used by another server with this one's id: was its STORE_DIR copied? Stop one of them and empty its STORE_DIR"
  }
  if (state === 'empty') {
    if (replica === undefined) return 'is empty: no account has been created there yet'
    return `is empty, and this replica has ${replica.number} changes${advice}`
  }
  if (state === 'other') return 'has other accounts than this replica: correct ACCOUNTS_STORE, or empty STORE_DIR'
  if (state === 'older' && number === replica?.number) return `is older than what servers have${advice}`
  if (state === 'older') return `is older, with ${number} changes, than this replica with ${replica?.number}${advice}`
  if (state === 'diverged') return `has other changes than this replica${advice}`
  return 'is being copied by the server of this STORE_DIR'
}

/** Says why an upload can't replace the accounts of the store. */
export function replacingRejection(rejected: Exclude<Replaced, { state: 'made' }>): string {
  if (rejected.state === 'newer') {
    return `has ${rejected.number} changes, no fewer than these: there is nothing to push. --force replaces them`
  }
  if (rejected.state === 'server') {
    return `has a server, ${rejected.address}, with ${rejected.number} changes, more than these: push from there, or use --force`
  }
  return replacingRejections[rejected.state]
}

const replacingRejections = {
  recovering: 'was started a moment ago: try again',
  unstaged: 'has lost the upload: try again',
  taken: 'has accounts already',
  other: 'has other accounts than these: --force replaces them',
}
