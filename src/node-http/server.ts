/** A server of Node.js that its clients can't make hold much, or for long: for the ports beside PORT. */
import { once } from 'node:events'
import { createServer, type RequestListener, type Server, ServerResponse } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { responsePieceBytes } from '../limits.ts'
import { Connection } from './connection.ts'

/** PEM, as the files hold it. */
export interface Certificate {
  readonly cert: Uint8Array
  readonly key: Uint8Array
}

export interface ServerBounds {
  readonly connections: number
  /** First line and headers of a request. */
  readonly headBytes: number
  /** A request may take so long to arrive. */
  readonly requestMs: number
  /** A client that takes nothing of its response, or does not end its TLS handshake, for so long is disconnected. */
  readonly stallMs: number
}

const connections = new WeakMap<Socket, Connection>()

/** Sent piece by piece, the next one when the last was taken: TLS encrypts at once, and keeps, what it is given. */
class BoundedResponse extends ServerResponse {
  constructor(...given: ConstructorParameters<typeof ServerResponse>) {
    super(...given)
    connections.get(this.req.socket)!.begin(this.req, this)
  }

  override end(...given: unknown[]): this {
    const body = typeof given[0] === 'string' ? Buffer.from(given[0]) : given[0]
    if (given.length !== 1 || !(body instanceof Uint8Array)) return super.end(...(given as []))
    this.#send(body)
    return this
  }

  #send(bytes: Uint8Array): void {
    let rest = bytes
    while (rest.length > responsePieceBytes) {
      const isTaken = this.write(rest.subarray(0, responsePieceBytes))
      rest = rest.subarray(responsePieceBytes)
      if (isTaken) continue
      const left = rest
      this.once('drain', () => this.#send(left))
      return
    }
    super.end(rest)
  }
}

export class BoundedServer {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  /** @param certificate absent: plain HTTP, for good */
  constructor(listener: RequestListener, bounds: ServerBounds, certificate?: Certificate) {
    const options = {
      ServerResponse: BoundedResponse as typeof ServerResponse,
      highWaterMark: responsePieceBytes,
      maxHeaderSize: bounds.headBytes,
      requestTimeout: bounds.requestMs,
      handshakeTimeout: bounds.stallMs,
      connectionsCheckingInterval: bounds.requestMs / 2,
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

  /** New connections have this certificate from now on, open ones go on. Throws if it can't be one. */
  secure(certificate: Certificate): void {
    ;(this.#server as TlsServer).setSecureContext(pem(certificate))
  }

  /** The port. Rejects if the address can't be listened on. @param port 0 for any free one */
  async listen(host: string, port: number): Promise<number> {
    this.#server.listen({ host, port, exclusive: true })
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  /** Resolves when all connections are closed. @param graceMs what is in flight may take so long to be answered */
  async close(graceMs: number): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    const late = setTimeout(() => this.#disconnect(), graceMs)
    await closed
    clearTimeout(late)
  }

  #disconnect(): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}

/** A buffer that was sent to a thread is no Buffer there. */
const pem = ({ cert, key }: Certificate) => ({ cert: Buffer.from(cert), key: Buffer.from(key) })
