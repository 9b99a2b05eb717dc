/** What `current` names behind an address: asked for again and again, and told whole only when it is another file. */
import { currentBytesMax } from '../../limits.ts'
import { currentName, versionNamedIn } from '../manifest.ts'
import { type Brought, download } from './download.ts'
import type { RemoteFigures } from './source.ts'
import type { Validators, WebFolder } from './web-folder.ts'

export class RemotePointer {
  readonly #web: WebFolder
  /** What tells whether the file is still what it was when it was asked for last. */
  #known: Validators | undefined
  #isUp = false
  #version: string | undefined
  #namedAtMs = 0

  constructor(web: WebFolder) {
    this.#web = web
  }

  /** The version that is named there now. Throws IndexError. */
  async ask(signal: AbortSignal): Promise<string> {
    try {
      const told = await this.#web.text(currentName, currentBytesMax, signal, this.#known)
      if (told !== undefined) {
        const version = versionNamedIn(told.text, this.#web.addressOf(currentName))
        if (version !== this.#version) this.#namedAtMs = performance.now()
        this.#version = version
        this.#known = told.validators
      }
      this.#isUp = true
      // What was known had a name.
      return this.#version!
    } catch (error) {
      this.#isUp = false
      throw error
    }
  }

  /** Has it in INDEX_DIR, and current there, unless another one is named by then. Throws as `bring`. */
  async bring(indexDir: string, signal: AbortSignal): Promise<Brought & { readonly version: string }> {
    const version = await this.ask(signal)
    const isNamed = async () => (await this.ask(signal)) === version
    return { version, ...(await download({ web: this.#web, indexDir, version, isNamed, signal })) }
  }

  get figures(): RemoteFigures {
    return { isUp: this.#isUp, version: this.#version, namedAtMs: this.#namedAtMs }
  }
}
