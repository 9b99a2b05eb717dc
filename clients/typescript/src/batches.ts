/** Splits lists of any length into batches that fit into the API's requests, and sends them. */
import { CardPricesError } from './errors.ts'

const itemsMax = 20
/** The API's limit of 16 KiB for a body, less the bytes around the items. */
const bytesMax = 16 * 1024 - 64
const atOnce = 4

const bytesOf = (item: unknown): number => new TextEncoder().encode(JSON.stringify(item)).length + 1

/**
 * Returns batches in the order of the items. An item that is too long gets a batch of its own, which the API rejects.
 */
export function batchesOf<Item>(items: readonly Item[]): Item[][] {
  const batches: Item[][] = []
  let bytesLeft = 0
  for (const item of items) {
    const bytes = bytesOf(item)
    const batch = batches.at(-1)
    if (batch === undefined || batch.length === itemsMax || bytes > bytesLeft) {
      batches.push([item])
      bytesLeft = bytesMax - bytes
    } else {
      batch.push(item)
      bytesLeft -= bytes
    }
  }
  return batches
}

/**
 * Sends four batches at a time. After the first error, it sends no more, waits for the pending ones, and throws that
 * error. The error's `found` has the results so far.
 */
export async function askAll<Batch>(
  batches: readonly Batch[],
  ask: (batch: Batch, number: number) => Promise<void>,
  found: () => unknown,
): Promise<void> {
  const errors: unknown[] = []
  let next = 0
  const askInTurn = async () => {
    while (next < batches.length && errors.length === 0) {
      const number = next++
      await ask(batches[number]!, number).catch((error) => errors.push(error))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, askInTurn))
  if (errors.length === 0) return
  const [first] = errors
  if (first instanceof CardPricesError) first.found = found()
  throw first
}
