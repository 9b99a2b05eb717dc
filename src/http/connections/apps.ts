/**
 * The library's apps of one server. The library reads a certificate only when an app is made, so each certificate has
 * its own app. The first app keeps the port for all apps:
 *
 *   port ─▶ first app ─┬─ until a second certificate comes ──▶ keeps the connections that it accepts
 *                      └─ from then on ──────────────────────▶ passes them to the newest app
 *
 * A connection stays with the app that accepted it, so open connections continue. The listening socket stays open, so
 * no connection in its backlog is lost. Older apps stay, at a tenth of a megabyte each: the library does not report
 * when the last connection of an app has ended.
 */
import type { Logger } from 'pino'
import type { Connections } from './connections.ts'
import { type Place, Port } from './listening-port.ts'
import { learnUnsentBytes } from './unsent.ts'
import { type TemplatedApp, uws } from './uws.ts'

/** Paths of PEM files, read when an app is made. */
export interface CertificateFiles {
  readonly cert: string
  readonly key: string
}

/** Methods that the library's types lack. With them, an app passes each connection that it accepts to another app. */
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
  /** An app without routes that measures unsent bytes. It has a certificate if the other apps have one. */
  #probe: App | undefined
  #isSecure = false
  readonly #port: Port

  /** @param register registers the routes with an app */
  constructor(connections: Connections, log: Logger, register: (app: TemplatedApp) => void) {
    this.#connections = connections
    this.#port = new Port(connections, log)
    this.#register = register
  }

  /** Creates an app without a certificate. Call this once, and never together with `secure`. */
  answerPlainly(): void {
    this.#add(() => uws().App() as App)
  }

  /**
   * From now on, new connections get this certificate. With TLS, call this before `listen`. Throws if the files are
   * invalid.
   */
  secure({ cert, key }: CertificateFiles): void {
    this.#isSecure = true
    this.#add(() => uws().SSLApp({ cert_file_name: cert, key_file_name: key }) as App)
  }

  /** @returns the port; undefined if it is in use, or `leavePort` was called before */
  async listen(place: Place): Promise<number | undefined> {
    this.#connections.measureBy(await learnUnsentBytes(this.#probe!, this.#isSecure))
    return this.#port.listen(this.#all[0]!, place)
  }

  /** Accepts no new connections. */
  leavePort(): void {
    this.#port.leave()
  }

  /** Closes all connections at once. */
  close(): void {
    this.leavePort()
    for (const app of this.#all) app.close()
  }

  /** @param make makes an app and reads the certificate; the files may be removed afterwards */
  #add(make: () => App): void {
    const app = make()
    this.#probe ??= make()
    this.#connections.follow(app)
    this.#register(app)
    const first = this.#all[0]
    if (first !== undefined) {
      const before = this.#all.at(-1)!
      // Both calls are in one turn of the event loop, so no connection is accepted in between.
      if (before !== first) first.removeChildAppDescriptor(before.getDescriptor())
      first.addChildAppDescriptor(app.getDescriptor())
    }
    this.#all.push(app)
  }
}
