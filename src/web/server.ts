/** The pages over HTTP: a port of their own, and bounds on what one who opens them can make the thread hold. */
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import { getRequestListener } from '@hono/node-server'
import { pageConnectionsMax, pageHeadBytesMax, pageRequestMsMax, pagesStopMsMax } from '../limits.ts'
import type { App } from './app.ts'

/** PEM, as the files hold it. */
export interface Certificate {
  readonly cert: Uint8Array
  readonly key: Uint8Array
}

export class PagesServer {
  readonly #server: Server

  /** @param certificate absent: plain HTTP, for good */
  constructor(app: App, certificate: Certificate | undefined) {
    const listener = getRequestListener(app.fetch, { overrideGlobalObjects: true }) as RequestListener
    this.#server = serverFor(listener, certificate)
    this.#server.maxConnections = pageConnectionsMax
  }

  /** New connections have this certificate from now on, open ones go on. Throws if it can't be one. */
  secure(certificate: Certificate): void {
    ;(this.#server as TlsServer).setSecureContext(pem(certificate))
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

function serverFor(listener: RequestListener, certificate: Certificate | undefined): Server {
  const options = {
    maxHeaderSize: pageHeadBytesMax,
    requestTimeout: pageRequestMsMax,
    headersTimeout: pageRequestMsMax,
    connectionsCheckingInterval: pageRequestMsMax / 2,
  }
  if (certificate === undefined) return createServer(options, listener)
  return createTlsServer({ ...options, ...pem(certificate) }, listener)
}

/** A buffer that was sent to a thread is no Buffer there. */
const pem = ({ cert, key }: Certificate) => ({ cert: Buffer.from(cert), key: Buffer.from(key) })
