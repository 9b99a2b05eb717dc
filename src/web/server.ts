/** The pages over HTTP: a port of their own, and bounds on what one who opens them can make the thread hold. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { getRequestListener } from '@hono/node-server'
import { pageConnectionsMax, pageHeadBytesMax, pageRequestMsMax, pagesStopMsMax } from '../limits.ts'
import type { Settings } from '../settings.ts'
import type { App } from './app.ts'

export class PagesServer {
  readonly #server: Server

  constructor(app: App, settings: Pick<Settings, 'TLS_CERT' | 'TLS_KEY'>) {
    const listener = getRequestListener(app.fetch, { overrideGlobalObjects: true }) as RequestListener
    this.#server = serverFor(listener, settings)
    this.#server.maxConnections = pageConnectionsMax
  }

  /** Rejects if the address can't be listened on. */
  async listen(host: string, port: number): Promise<void> {
    this.#server.listen({ host, port, exclusive: true })
    await once(this.#server, 'listening')
  }

  /** Resolves when what was in flight is answered, or has had time to be. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeIdleConnections()
    const late = setTimeout(() => this.#server.closeAllConnections(), pagesStopMsMax / 2)
    await closed
    clearTimeout(late)
  }
}

function serverFor(listener: RequestListener, { TLS_CERT, TLS_KEY }: Pick<Settings, 'TLS_CERT' | 'TLS_KEY'>): Server {
  const options = {
    maxHeaderSize: pageHeadBytesMax,
    requestTimeout: pageRequestMsMax,
    headersTimeout: pageRequestMsMax,
    connectionsCheckingInterval: pageRequestMsMax / 2,
  }
  if (TLS_CERT === undefined || TLS_KEY === undefined) return createServer(options, listener)
  return createTlsServer({ ...options, cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) }, listener)
}
