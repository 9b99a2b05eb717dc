/** Renders the body of /healthz. */
import type { About } from '../indexes/about-file.ts'
import type { Manifest } from '../indexes/manifest.ts'
import { softwareVersion } from '../version.ts'
import type { ResponseOf } from './schemas.ts'

/** The body of a 200. */
export function healthOf({ version, asOf, counts }: Manifest, { currency }: About): Uint8Array {
  const data = { version, asOf, cards: counts.cards, ...(currency && { currency }) }
  const body: ResponseOf<'health'> = { status: 'ok', ...data, software: softwareVersion }
  return Buffer.from(JSON.stringify(body))
}
