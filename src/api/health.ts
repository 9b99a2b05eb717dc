/** Renders the body of /healthz. */
import type { About } from '../indexes/about-file.ts'
import { softwareVersion } from '../version.ts'
import type { ResponseOf } from './schemas.ts'

interface Healthy {
  readonly version: string
  /** YYYY-MM-DD, null if unknown. */
  readonly asOf: string | null
  readonly cardCount: number
  readonly about: About
}

/** The body of a 200. */
export function healthOf({ version, asOf, cardCount, about: { currency } }: Healthy): Uint8Array {
  const data = { version, asOf, cards: cardCount, ...(currency && { currency }) }
  const body: ResponseOf<'health'> = { status: 'ok', ...data, software: softwareVersion }
  return Buffer.from(JSON.stringify(body))
}
