/**
 * The library's apps of one server. The library reads a certificate only when an app is made, so each certificate has its
 * own app. The first app keeps the port for all of them:
 *
 *   port ─▶ first app ─┬─ until another certificate comes ──▶ its own connections
 *                      └─ from then on to the newest app ───▶ those made since
 *
 * A connection stays with the app that accepted it, so open connections continue. The listening socket stays open, so no
 * connection in its backlog is lost. Older apps stay, at a tenth of a megabyte each: the library does not report when the
 * last connection of an app has ended.
 */
import type { Connections } from './connections.ts'
import { learnUnsentBytes } from './unsent.ts'
import { listenOn, type TemplatedApp, type us_listen_socket, uws } from './uws.ts'

/** Paths of PEM files, read when an app is made. */
export interface CertificateFiles {
  readonly cert: string
  readonly key: string
}

/** Missing in the library's types: an app passes each connection that it accepts to its child. */
interface HandsOn {
  getDescriptor(): unknown
  addChildAppDescriptor(descriptor: unknown): void
  removeChildAppDescriptor(descriptor: unknown): void
}

type App = TemplatedApp & HandsOn

export class Apps {
  readonly #connections: Connections
  readonly #register: (app: TemplatedApp) => void
  readonly #all: App[] = []
  /** Without routes, of the same kind as all others: it measures unsent bytes. */
  #probe: App | undefined
  #isSecure = false
  #listening: us_listen_socket | undefined
  #hasLeftPort = false

  /** @param register puts the routes into an app */
  constructor(connections: Connections, register: (app: TemplatedApp) => void) {
    this.#connections = connections
    this.#register = register
  }

  /** Without a certificate; only once. */
  answerPlainly(): void {
    this.#add(() => uws().App() as App)
  }

  /** New connections use this certificate from now on. With TLS, call it before `listen`. Throws if the files hold none. */
  secure({ cert, key }: CertificateFiles): void {
    this.#isSecure = true
    this.#add(() => uws().SSLApp({ cert_file_name: cert, key_file_name: key }) as App)
  }

  /**
   * @param port 0 for any free one
   * @param exclusive the port is not shared with other threads
   * @returns the port; undefined if it is in use, or `leavePort` was called before
   */
  async listen(host: string, port: number, exclusive: boolean): Promise<number | undefined> {
    this.#connections.measureBy(await learnUnsentBytes(this.#probe!, this.#isSecure))
    // A thread that listens after its stop never ends.
    if (this.#hasLeftPort) return undefined
    const socket = await listenOn(this.#all[0]!, host, port, exclusive)
    if (!socket) return undefined
    this.#listening = socket
    return uws().us_socket_local_port(socket)
  }

  /** Accepts no new connections. */
  leavePort(): void {
    this.#hasLeftPort = true
    if (this.#listening !== undefined) uws().us_listen_socket_close(this.#listening)
    this.#listening = undefined
  }

  /** Closes all connections at once. */
  close(): void {
    for (const app of this.#all) app.close()
    this.#listening = undefined
  }

  /** @param make reads the certificate; its files may be removed afterwards */
  #add(make: () => App): void {
    const app = make()
    this.#probe ??= make()
    this.#connections.follow(app)
    this.#register(app)
    const first = this.#all[0]
    if (first !== undefined) {
      const before = this.#all.at(-1)!
      // Both in one turn of the event loop: no connection is accepted in between.
      if (before !== first) first.removeChildAppDescriptor(before.getDescriptor())
      first.addChildAppDescriptor(app.getDescriptor())
    }
    this.#all.push(app)
  }
}
