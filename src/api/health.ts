/** What who asks for the service's health is told of the data that answers. */
import type { Dataset } from './dataset.ts'
import type { Shaped } from './shapes.ts'

/** The body of a 200. */
export function healthOf({
  version,
  asOf,
  cardCount,
  about: { currency },
}: Pick<Dataset, 'version' | 'asOf' | 'cardCount' | 'about'>): Uint8Array {
  const told: Shaped<'health'> = { status: 'ok', version, asOf, cards: cardCount, ...(currency && { currency }) }
  return Buffer.from(JSON.stringify(told))
}
