/** What operators are told where a copy and the shared store do not go together: each behind "the accounts' store at HOST:PORT". */
import type { CopyOf } from '../../store/records.ts'
import type { Lack, Made, Replaced } from './shared-store.ts'

const wayOut = 'restore a backup of it there, or make a copy its accounts by card-prices accounts push or restore'

type Told = { readonly state: (Lack | Made)['state']; readonly number?: number }

/** @param at the copy's state */
export function refusalOf({ state, number }: Told, at: CopyOf | undefined): string {
  if (state === 'supplanted') {
    return 'is asked by another server with the id of this one: was its STORE_DIR copied? Stop one of them and empty its STORE_DIR'
  }
  if (state === 'empty') {
    if (at === undefined) return 'is empty: no account was made there yet'
    return `is empty, and this copy has ${at.number} changes: ${wayOut}`
  }
  if (state === 'other')
    return 'is another one than this copy is of: correct ACCOUNTS_STORE, or empty STORE_DIR to copy that one'
  if (state === 'older' && number === at?.number) return `is older than what servers have: ${wayOut}`
  if (state === 'older') return `is older, with ${number} changes, than this copy with ${at?.number}: ${wayOut}`
  if (state === 'diverged') return `has other changes than this copy: ${wayOut}`
  return 'is being copied by a server of this STORE_DIR'
}

export function refusalOfReplacing(refused: Exclude<Replaced, { state: 'made' }>): string {
  if (refused.state === 'newer') {
    return `has ${refused.number} changes, no fewer than these: there is nothing to push. --force puts these in their place`
  }
  if (refused.state === 'server') {
    return `has a server, ${refused.address}, that knows ${refused.number} changes, more than these: push there, or --force`
  }
  return refusals[refused.state]
}

const refusals = {
  settling: 'was started a moment ago: try again',
  unstaged: 'has lost what it was sent: try again',
  taken: 'has accounts already',
  other: 'has the accounts of another store than these: --force puts these in their place',
}
