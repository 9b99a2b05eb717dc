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

const css = 'text/css; charset=utf-8'
/** A logo that is opened directly runs no script and loads nothing. */
export const logoPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

interface Parts {
  readonly about: About
  readonly folder: string
  readonly style: SharedContent | undefined
  readonly logo: SharedContent | undefined
  readonly logoName: string
}

export class Brand {
  readonly #assets: Assets
  /** The current one, and the one before: an open page may still load its parts. */
  #parts: readonly Parts[] = []

  constructor(assets: Assets) {
    this.#assets = assets
  }

  stylePath(about: About): string {
    const { style, folder } = this.#partsOf(about)
    return style === undefined ? this.#assets.path('style.css') : `${folder}style.css`
  }

  /** Undefined without a logo. */
  logoPath(about: About): string | undefined {
    const { logo, folder, logoName } = this.#partsOf(about)
    return logo && folder + logoName
  }

  find(path: string): SharedContent | undefined {
    const parts = this.#parts.find(({ folder }) => path.startsWith(folder))
    if (parts === undefined) return undefined
    if (path === `${parts.folder}style.css`) return parts.style
    return path === parts.folder + parts.logoName ? parts.logo : undefined
  }

  #partsOf(about: About): Parts {
    if (this.#parts[0]?.about !== about) this.#parts = [this.#make(about), ...this.#parts.slice(0, 1)]
    return this.#parts[0]!
  }

  #make(about: About): Parts {
    const { accent, logo } = about
    const plain = this.#assets.path('style.css')
    const hash = createHash('sha256')
      .update(plain)
      .update(accent ?? '')
      .update(logo?.bytes ?? '')
    const style = () => Buffer.concat([this.#assets.find(plain)!.bytes, Buffer.from(accentStyle(accent!))])
    return {
      about,
      folder: `/brand/${hash.digest('hex').slice(0, 12)}/`,
      style: accent === undefined ? undefined : new SharedContent(css, style),
      logo: logo && new SharedContent(logo.type, () => Buffer.from(logo.bytes)),
      logoName: logo?.type === logoTypes.png ? 'logo.png' : 'logo.svg',
    }
  }
}
