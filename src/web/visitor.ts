/** The address that a request for a page comes from. */
import { isIP } from 'node:net'
import type { PageContext, Site } from './site.ts'

/** A proxy puts the address that it sees last: what stands before it anybody can have sent. */
export function visitorAddress({ trustsProxy }: Site, context: PageContext): string {
  const told = trustsProxy ? context.req.header('X-Forwarded-For')?.split(',').at(-1)?.trim() : undefined
  return told !== undefined && isIP(told) !== 0 ? told : (context.env.incoming.socket.remoteAddress ?? '')
}
