/** The client address of a request for a page. */
import { isIP } from 'node:net'
import type { PageContext, Site } from './site.ts'

/** A proxy appends the address that it sees. Anybody can send the ones before it. */
export function visitorAddress({ trustsProxy }: Site, context: PageContext): string {
  const forwarded = trustsProxy ? context.req.header('X-Forwarded-For')?.split(',').at(-1)?.trim() : undefined
  return forwarded !== undefined && isIP(forwarded) !== 0
    ? forwarded
    : (context.env.incoming.socket.remoteAddress ?? '')
}
