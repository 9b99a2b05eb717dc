/**
 * The HTTP server of all ports except PORT. It is the server of Node.js, with bounds on memory, connections and time.
 */
import { once } from 'node:events'
import { createServer, type RequestListener, type Server, ServerResponse } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { responseSliceBytes } from '../limits.ts'
import { Connection } from './paced-connection.ts'

/** A certificate and its key, in PEM. */
export interface Certificate {
  readonly cert: Uint8Array
  readonly key: Uint8Array
}

export interface ServerBounds {
  readonly connections: number
  /** The most bytes of a request's first line and headers. */
  readonly headBytes: number
  /** The longest time in which a request must arrive. */
  readonly requestMs: number
  /** The longest time in which the first line and the headers must arrive; by default `requestMs`. */
  readonly headMs?: number
  /** A client that reads nothing, or does not finish its TLS handshake, for this long is disconnected. */
  readonly stallMs: number
}

const connections = new WeakMap<Socket, Connection>()

/**
 * Sends its body in slices. Each slice waits until the client has taken the slice before, because TLS keeps a copy of
 * everything that it gets.
 */
class BoundedResponse extends ServerResponse {
  constructor(...given: ConstructorParameters<typeof ServerResponse>) {
    super(...given)
    connections.get(this.req.socket)!.begin(this.req, this)
  }

  /** A response that is written in several calls has no time limit, as long as its reader takes each part in time. */
  override write(...given: unknown[]): boolean {
    const hadTakenAll = this.writableLength === 0
    const isAccepted = super.write(...(given as Parameters<ServerResponse['write']>))
    if (isAccepted || hadTakenAll) this.#awaitReader()
    return isAccepted
  }

  override end(...given: unknown[]): this {
    const body = typeof given[0] === 'string' ? Buffer.from(given[0]) : given[0]
    if (given.length === 1 && body instanceof Uint8Array) this.#send(body)
    else {
      super.end(...(given as []))
      this.#awaitReader()
    }
    return this
  }

  #awaitReader(): void {
    connections.get(this.req.socket)?.awaitReader()
  }

  #send(bytes: Uint8Array): void {
    if (bytes.length <= responseSliceBytes) {
      super.end(bytes)
      this.#awaitReader()
      return
    }
    const isAccepted = this.write(bytes.subarray(0, responseSliceBytes))
    const rest = bytes.subarray(responseSliceBytes)
    // Other requests get their turn even if the client reads as fast as this writes.
    if (isAccepted) setImmediate(() => this.#send(rest))
    else this.once('drain', () => this.#send(rest))
  }
}

export class BoundedServer {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  /** @param certificate if it is absent, the server speaks plain HTTP */
  constructor(listener: RequestListener, bounds: ServerBounds, certificate?: Certificate) {
    const { headMs = bounds.requestMs } = bounds
    const options = {
      ServerResponse: BoundedResponse as typeof ServerResponse,
      highWaterMark: responseSliceBytes,
      maxHeaderSize: bounds.headBytes,
      requestTimeout: bounds.requestMs,
      headersTimeout: headMs,
      handshakeTimeout: bounds.stallMs,
      connectionsCheckingInterval: headMs / 2,
    }
    this.#server =
      certificate === undefined
        ? createServer(options, listener)
        : createTlsServer({ ...options, ...pem(certificate) }, listener)
    this.#server.maxConnections = bounds.connections
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    this.#server.on(certificate === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
      connections.set(socket, new Connection(socket, bounds.stallMs))
    })
  }

  /** New connections get this certificate; open ones continue. Throws if it is invalid. */
  secure(certificate: Certificate): void {
    ;(this.#server as TlsServer).setSecureContext(pem(certificate))
  }

  /** Returns the port. Rejects if the address is not available. @param port 0 for any free one */
  async listen(host: string, port: number): Promise<number> {
    this.#server.listen({ host, port, exclusive: true })
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  /** Resolves when all connections are closed. @param graceMs the time for requests in flight */
  async close(graceMs: number): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    const late = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy()
    }, graceMs)
    await closed
    clearTimeout(late)
  }
}

/** `Buffer.from` is needed because a Buffer that was sent to a thread arrives as a Uint8Array. */
const pem = ({ cert, key }: Certificate) => ({ cert: Buffer.from(cert), key: Buffer.from(key) })
