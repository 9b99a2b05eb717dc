/**
 * Styles, scripts and third-party components, and the operator's accent and logo. The address of a file changes with
 * its content, so browsers cache it for good.
 *
 *   /assets/HASH/style.css
 *   /brand/HASH/style.css         the pages' style, followed by the accent
 *   /brand/HASH/logo.svg
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { basename, join } from 'node:path'
import { accentStyle } from '../accent.ts'
import { type About, logoTypes } from '../indexes/about-file.ts'
import { packageFolder } from '../platform/packages.ts'
import { SharedContent } from './shared/shared-content.ts'

const css = 'text/css; charset=utf-8'
const script = 'text/javascript; charset=utf-8'
const icon = 'image/svg+xml'

/** Files of the package uplot. */
const components = [
  { name: 'uplot.js', file: 'dist/uPlot.iife.min.js', type: script },
  { name: 'uplot.css', file: 'dist/uPlot.min.css', type: css },
] as const

/** The files in style/, which are joined in this order. Of two equally specific rules, the later rule wins. */
const styles = ['tokens', 'page', 'parts', 'tables', 'pages', 'guide'] as const

/** With this policy, a logo that is opened as a page runs no script and loads nothing. */
export const logoPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

interface Brand {
  readonly about: About
  readonly stylePath: string
  /** Undefined if there is no logo. */
  readonly logoPath: string | undefined
  readonly contents: ReadonlyMap<string, SharedContent>
}

export class Assets {
  readonly #folder: string
  readonly #assets: ReadonlyMap<string, SharedContent>
  /** The current brand and the previous one, because an open page may still load files of the previous brand. */
  #brands: readonly Brand[] = []

  constructor(hash: string, assets: ReadonlyMap<string, SharedContent>) {
    this.#folder = `/assets/${hash}/`
    this.#assets = assets
  }

  path(name: string): string {
    if (!this.#assets.has(name)) throw new Error(`there is no asset ${name}`)
    return this.#folder + name
  }

  /** Returns the content at an address; undefined if there is none. */
  find(path: string): SharedContent | undefined {
    if (path.startsWith(this.#folder)) return this.#assets.get(path.slice(this.#folder.length))
    return this.#brands.find(({ contents }) => contents.has(path))?.contents.get(path)
  }

  brandOf(about: About): Brand {
    if (this.#brands[0]?.about !== about) this.#brands = [this.#makeBrand(about), ...this.#brands.slice(0, 1)]
    return this.#brands[0]!
  }

  #makeBrand(about: About): Brand {
    const { accent, logo } = about
    const plain = this.path('style.css')
    const hash = createHash('sha256')
      .update(`${plain} ${accent} `)
      .update(logo?.bytes ?? '')
    const folder = `/brand/${hash.digest('hex').slice(0, 12)}/`
    const stylePath = accent === undefined ? plain : `${folder}style.css`
    const logoPath = logo && `${folder}${logo.type === logoTypes.png ? 'logo.png' : 'logo.svg'}`
    const contents = new Map<string, SharedContent>()
    if (accent !== undefined) {
      const style = Buffer.concat([this.find(plain)!.bytes, Buffer.from(accentStyle(accent))])
      contents.set(stylePath, new SharedContent(css, style))
    }
    if (logo && logoPath) contents.set(logoPath, new SharedContent(logo.type, Buffer.from(logo.bytes)))
    return { about, stylePath, logoPath, contents }
  }
}

export function loadAssets(): Assets {
  const assets = new Map<string, SharedContent>()
  const hash = createHash('sha256')
  const add = (name: string, type: string, bytes: Buffer) => {
    hash.update(`${name}\n`).update(bytes)
    assets.set(name, new SharedContent(type, bytes))
  }
  const style = styles.map((name) => readFileSync(new URL(`./style/${name}.css`, import.meta.url), 'utf8'))
  add('style.css', css, Buffer.from(withoutComments(style.join(''))))
  add('icon.svg', icon, readFileSync(new URL('./icon.svg', import.meta.url)))
  const folder = new URL('.', import.meta.url)
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  for (const path of paths.filter((path) => /\.browser\.[jt]s$/.test(path)).sort()) {
    const name = basename(path).replace(/\.browser\.[jt]s$/, '.js')
    add(name, script, Buffer.from(scriptOf(path, readFileSync(new URL(path, folder), 'utf8'))))
  }
  for (const { name, file, type } of components) add(name, type, readFileSync(join(packageFolder('uplot'), file)))
  return new Assets(hash.digest('hex').slice(0, 12), assets)
}

/** Removes comments and repeated blanks. No text in the styles contains a comment's signs or two blanks. */
const withoutComments = (style: string): string => style.replace(/\/\*.*?\*\//gs, '').replace(/\s+/g, ' ')

/**
 * Returns a module for browsers as JavaScript, without comments. The addresses of all modules are in one folder, so
 * imports are changed to lead there. In a package, the modules are compiled already.
 */
function scriptOf(path: string, text: string): string {
  const javaScript = path.endsWith('.ts') ? stripTypeScriptTypes(text, { mode: 'transform' }) : text
  return javaScript.replace(/(from ')\.[./a-z-]*\/([a-z-]+)\.browser\.[jt]s'/g, "$1./$2.js'")
}
