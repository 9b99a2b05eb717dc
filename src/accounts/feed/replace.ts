/** Makes accounts those of the shared store, all at once: a first store's, or those of one that was emptied or is older. */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { feedSettlingMs } from '../../limits.ts'
import type { Replaced, SharedStore } from './shared-store.ts'

const lookMs = 100

export const newStoreId = (): string => randomBytes(8).toString('hex')

/**
 * Waits for a store that settles.
 * @param copy where the accounts are from, and the chain of the history that begins
 * @param pages all records
 */
export async function replaceAll(
  shared: SharedStore,
  copy: { readonly id: string; readonly number: number; readonly chain: string },
  how: 'begin' | 'push',
  isForced: boolean,
  pages: Iterable<readonly [place: string, record: Buffer][]>,
): Promise<Replaced> {
  const name = randomBytes(8).toString('hex')
  await shared.stage(name, pages)
  const until = performance.now() + 2 * feedSettlingMs
  for (;;) {
    const replaced = await shared.replace(name, copy, how, isForced)
    if (replaced.state !== 'settling' || performance.now() > until) return replaced
    await pause(lookMs)
  }
}
