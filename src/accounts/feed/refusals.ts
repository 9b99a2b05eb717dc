/** What operators are told where a copy and the shared store do not go together: each behind "the accounts' store at HOST:PORT". */
import type { CopyOf } from '../../store/records.ts'
import type { Lack, Made, Replaced } from './shared-store.ts'

const wayOut = 'restore a backup of it there, or make a copy its accounts by accounts -- push or restore'
const isAnother = 'is another one than this copy is of: correct ACCOUNTS_STORE, or empty STORE_DIR to copy that one'

export function refusalOf(lack: Lack, at: CopyOf | undefined): string {
  if (lack.state === 'supplanted') {
    return 'is asked by another server with the id of this one: was its STORE_DIR copied? Stop one of them and empty its STORE_DIR'
  }
  if (lack.state === 'empty') {
    if (at === undefined) return 'is empty: no account was made there yet'
    return `is empty, and this copy has ${at.number} changes: ${wayOut}`
  }
  if (lack.state === 'other') return isAnother
  if (lack.state === 'older')
    return `is older, with ${lack.number} changes, than this copy with ${at?.number}: ${wayOut}`
  if (lack.state === 'diverged') return `has other changes than this copy: ${wayOut}`
  return 'is being copied by a server of this STORE_DIR'
}

export function refusalOfChange(made: Exclude<Made['state'], 'made' | 'behind' | 'settling'>, at: CopyOf): string {
  if (made === 'empty') return `is empty, and this copy has ${at.number} changes: ${wayOut}`
  if (made === 'other') return isAnother
  return made === 'older' ? `is older than what servers have: ${wayOut}` : `has other changes than this copy: ${wayOut}`
}

export function refusalOfReplacing(refused: Exclude<Replaced, { state: 'made' }>): string {
  if (refused.state === 'settling') return 'was started a moment ago: try again'
  if (refused.state === 'unstaged') return 'has lost what it was sent: try again'
  if (refused.state === 'taken') return 'has accounts already'
  if (refused.state === 'other')
    return 'has the accounts of another store than these: --force puts these in their place'
  if (refused.state === 'newer') {
    return `has ${refused.number} changes, no fewer than these: there is nothing to push. --force puts these in their place`
  }
  return `has a server, ${refused.address}, that knows ${refused.number} changes, more than these: push there, or --force`
}
