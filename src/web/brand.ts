/**
 * The operator's accent and logo, as assets. Their addresses change with their content.
 *
 *   /brand/HASH/style.css         the pages' style, and the accent behind it
 *   /brand/HASH/logo.svg
 */
import { createHash } from 'node:crypto'
import { accentStyle } from '../accent.ts'
import { type About, logoTypes } from '../indexes/about-file.ts'
import type { Assets } from './assets.ts'
import { SharedContent } from './shared-content.ts'

/** A logo that is opened directly runs no script and loads nothing. */
export const logoPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

interface Parts {
  readonly about: About
  readonly stylePath: string
  readonly logoPath: string | undefined
  readonly contents: ReadonlyMap<string, SharedContent>
}

export class Brand {
  readonly #assets: Assets
  /** The current one, and the one before: an open page may still load its parts. */
  #parts: readonly Parts[] = []

  constructor(assets: Assets) {
    this.#assets = assets
  }

  /** The addresses of the style and the logo, which is undefined if there is none. */
  pathsOf(about: About): Pick<Parts, 'stylePath' | 'logoPath'> {
    if (this.#parts[0]?.about !== about) this.#parts = [this.#make(about), ...this.#parts.slice(0, 1)]
    return this.#parts[0]!
  }

  find(path: string): SharedContent | undefined {
    return this.#parts.find(({ contents }) => contents.has(path))?.contents.get(path)
  }

  #make(about: About): Parts {
    const { accent, logo } = about
    const plain = this.#assets.path('style.css')
    const hash = createHash('sha256')
      .update(`${plain} ${accent} `)
      .update(logo?.bytes ?? '')
    const folder = `/brand/${hash.digest('hex').slice(0, 12)}/`
    const stylePath = accent === undefined ? plain : `${folder}style.css`
    const logoPath = logo && `${folder}${logo.type === logoTypes.png ? 'logo.png' : 'logo.svg'}`
    const contents = new Map<string, SharedContent>()
    if (accent !== undefined) {
      const style = Buffer.concat([this.#assets.find(plain)!.bytes, Buffer.from(accentStyle(accent))])
      contents.set(stylePath, new SharedContent('text/css; charset=utf-8', style))
    }
    if (logo && logoPath) contents.set(logoPath, new SharedContent(logo.type, Buffer.from(logo.bytes)))
    return { about, stylePath, logoPath, contents }
  }
}
