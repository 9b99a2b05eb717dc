/**
 * Says, for operators, why a server and the database don't fit together. Each text follows "the database at HOST:PORT".
 */
import type { CopyState } from '../../store/store-records.ts'
import type { Standing } from './shared-store.ts'

const wayOut = "restore the database's own backup, or upload a copy (card-prices accounts push)"

export const duplicateRejection =
  "is used by another server with this one's id: was its STORE_DIR copied? Stop one of them and empty its STORE_DIR"

/**
 * Says why the copy can't follow the accounts of the database, or why the database does not accept a change.
 * @param number the last change in the database
 * @param advice follows the reason where an operator must decide
 */
export function rejectionOf(
  state: Standing,
  number: number | null | undefined,
  copy: CopyState | undefined,
  advice = `: ${wayOut}`,
): string {
  if (state === 'empty') {
    if (copy === undefined) return 'is empty: no account has been created there yet'
    return `is empty, and this copy has ${copy.number} changes${advice}`
  }
  if (state === 'other') return 'has other accounts than this copy: correct DATABASE_URL, or empty STORE_DIR'
  if (state === 'older' && number == null) return `is older than what servers have${advice}`
  if (state === 'older') return `is older, with ${number} changes, than this copy with ${copy?.number}${advice}`
  if (state === 'diverged') return `has other changes than this copy${advice}`
  return 'is being copied by the server of this STORE_DIR'
}
