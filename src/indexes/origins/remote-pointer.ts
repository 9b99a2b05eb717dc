/** The remote pointer: the version that `current` names on a web server. Polled with conditional requests. */
import { currentBytesMax } from '../../limits.ts'
import { currentName, versionNamedIn } from '../manifest.ts'
import { type Downloaded, download } from './download-version.ts'
import type { RemoteFigures } from './origin.ts'
import type { Validators, WebFolder } from './web-folder.ts'

export class RemotePointer {
  readonly #web: WebFolder
  /** Validators of the last response. */
  #known: Validators | undefined
  #isUp = false
  #version: string | undefined
  #namedAtMs = 0

  constructor(web: WebFolder) {
    this.#web = web
  }

  /** The version that it names now. Throws IndexError. */
  async ask(signal: AbortSignal): Promise<string> {
    try {
      const response = await this.#web.text(currentName, currentBytesMax, signal, this.#known)
      if (response !== undefined) {
        const version = versionNamedIn(response.text, this.#web.addressOf(currentName))
        if (version !== this.#version) this.#namedAtMs = performance.now()
        this.#version = version
        this.#known = response.validators
      }
      this.#isUp = true
      // There are validators only after a version was read.
      return this.#version!
    } catch (error) {
      this.#isUp = false
      throw error
    }
  }

  /** Downloads the version to INDEX_DIR and makes it current there. Throws as `download`, also if another one is named by then. */
  async download(indexDir: string, signal: AbortSignal): Promise<Downloaded & { readonly version: string }> {
    const version = await this.ask(signal)
    const isNamed = async () => (await this.ask(signal)) === version
    return { version, ...(await download({ web: this.#web, indexDir, version, isNamed, signal })) }
  }

  get figures(): RemoteFigures {
    return { isUp: this.#isUp, version: this.#version, namedAtMs: this.#namedAtMs }
  }
}
