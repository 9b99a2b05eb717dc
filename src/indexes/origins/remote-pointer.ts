/** The remote pointer: the version that `current` names on a web server. Polled with conditional requests. */
import { pointerBytesMax } from '../../limits.ts'
import { currentName, versionNamedIn } from '../manifest.ts'
import { type Downloaded, download, type TryOut } from './download-version.ts'
import { never, type WebFolder } from './web-folder.ts'

export interface RemoteFigures {
  /** True if the last request succeeded. */
  readonly isUp: boolean
  /** Undefined until the first success. */
  readonly version: string | undefined
  /** When the pointer first named this version, by performance.now(). */
  readonly namedAtMs: number
}

export class RemotePointer {
  readonly #web: WebFolder
  /** The tag of the last response. */
  #tag: string | undefined
  #figures: RemoteFigures = { isUp: false, version: undefined, namedAtMs: 0 }

  constructor(web: WebFolder) {
    this.#web = web
  }

  get figures(): RemoteFigures {
    return this.#figures
  }

  /** The version that the pointer names now. Throws IndexError. */
  async ask(signal?: AbortSignal): Promise<string> {
    try {
      const response = await this.#web.text(currentName, pointerBytesMax, signal, this.#tag)
      // If the response is undefined, the request had a tag. Then a version was read before.
      let version = this.#figures.version!
      let { namedAtMs } = this.#figures
      if (response !== undefined) {
        version = versionNamedIn(response.text, this.#web.addressOf(currentName))
        if (version !== this.#figures.version) namedAtMs = performance.now()
        this.#tag = response.tag
      }
      this.#figures = { isUp: true, version, namedAtMs }
      return version
    } catch (error) {
      this.#figures = { ...this.#figures, isUp: false }
      throw error
    }
  }

  /**
   * Downloads the version to INDEX_DIR and makes it current there. Throws as `download` does, and also if the pointer
   * names another version by then, or if the signal is aborted.
   */
  async download(indexDir: string, tryOut: TryOut, signal = never): Promise<Downloaded & { readonly version: string }> {
    const version = await this.ask(signal)
    const isNamed = async () => (await this.ask(signal)) === version
    return { version, ...(await download({ web: this.#web, indexDir, version, isNamed, tryOut, signal })) }
  }
}
