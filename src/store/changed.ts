/**
 * What a change makes of the records that no others tell: names, an account's keys in their order and the secrets in use
 * follow from these. It is what servers that share accounts hand each other.
 *
 *   a:NUMBER → account      k:KEYID → key, never its secret      c:nextAccount, c:nextKey → the next free number
 */
import type { Account, KeyRecord } from './records.ts'

export type Numbered = 'nextAccount' | 'nextKey'

/** A record, or undefined where it is removed. */
export type Changed =
  | { readonly type: 'account'; readonly number: number; readonly record: Account | undefined }
  | { readonly type: 'key'; readonly keyId: string; readonly record: KeyRecord | undefined }
  | { readonly type: 'counter'; readonly name: Numbered; readonly value: number }

/** The last word on each record alone counts. */
export class ChangedRecords {
  readonly #byPlace = new Map<string, Changed>()

  note(changed: Changed): void {
    this.#byPlace.set(placeOf(changed), changed)
  }

  get all(): readonly Changed[] {
    return [...this.#byPlace.values()]
  }
}

/** The name of a record among all. */
export function placeOf(changed: Changed): string {
  if (changed.type === 'account') return `a:${changed.number}`
  return changed.type === 'key' ? `k:${changed.keyId}` : `c:${changed.name}`
}
