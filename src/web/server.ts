/** The HTTP server of the pages, on its own port. */

import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { pageConnectionsMax, pageHeadBytesMax, pageRequestMsMax, pageStallMsMax } from '../limits.ts'
import { BoundedServer, type Certificate } from '../node-http/server.ts'
import type { App } from './app.ts'

const bounds = {
  connections: pageConnectionsMax,
  headBytes: pageHeadBytesMax,
  requestMs: pageRequestMsMax,
  stallMs: pageStallMsMax,
}

/** @param certificate absent: plain HTTP, for good */
export const pagesServer = (app: App, certificate: Certificate | undefined): BoundedServer =>
  new BoundedServer(getRequestListener(app.fetch) as RequestListener, bounds, certificate)
