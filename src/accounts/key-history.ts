/**
 * Reads from the audit log which keys were revoked, and when secrets were replaced. Revoked keys include those that are
 * no longer listed.
 */
import type { Store } from '../store/store.ts'

/** The details that an audit entry for an imported key can have. A date-time follows `regenerated`. */
const revoked = 'revoked'
const regenerated = 'regenerated '

export class KeyHistory {
  readonly #revoked = new Set<string>()
  readonly #regenerated = new Map<string, number>()

  constructor(store: Store) {
    for (const rows of store.auditLog(undefined, 0)) {
      for (const { action, keyId, detail, time } of rows) {
        if (keyId === null) continue
        if (action === 'key revoked') this.#revoked.add(keyId)
        if (action === 'key regenerated') this.#noteSecret(keyId, time)
        if (action !== 'key imported') continue
        for (const one of detail?.split(', ') ?? []) {
          if (one === revoked) this.#revoked.add(keyId)
          else this.#noteSecret(keyId, Date.parse(one.slice(regenerated.length)))
        }
      }
    }
  }

  isRevoked(keyId: string): boolean {
    return this.#revoked.has(keyId)
  }

  /**
   * When the key's secret was last replaced, by the clock of the machine that replaced it. Undefined if the key has its
   * first secret.
   */
  regeneratedAt(keyId: string): number | undefined {
    return this.#regenerated.get(keyId)
  }

  #noteSecret(keyId: string, time: number): void {
    this.#regenerated.set(keyId, Math.max(time, this.#regenerated.get(keyId) ?? 0))
  }
}

/**
 * The detail of the entry for an imported key.
 * @param regeneratedAt when the imported secret replaced another one; undefined if it did not
 */
export function importDetail(isRevoked: boolean, regeneratedAt: number | undefined): string | undefined {
  const secret = regeneratedAt === undefined ? [] : [regenerated + new Date(regeneratedAt).toISOString()]
  return [...(isRevoked ? [revoked] : []), ...secret].join(', ') || undefined
}
