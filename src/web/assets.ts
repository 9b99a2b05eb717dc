/**
 * Styles, scripts and third-party components. Their addresses change with their content, so browsers cache them for good.
 *
 *   /assets/HASH/style.css
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { packageFolder } from '../platform/packages.ts'
import { Brand } from './brand.ts'
import { SharedContent } from './shared-content.ts'

const css = 'text/css; charset=utf-8'
const script = 'text/javascript; charset=utf-8'
const icon = 'image/svg+xml'

/** Files of the package uplot. */
const components = [
  { name: 'uplot.js', file: 'dist/uPlot.iife.min.js', type: script },
  { name: 'uplot.css', file: 'dist/uPlot.min.css', type: css },
] as const

/** The files in style/, concatenated in this order: of two equally specific rules, the later wins. */
const styles = ['tokens', 'page', 'parts', 'tables', 'home', 'card', 'account', 'value', 'guide', 'narrow'] as const

export class Assets {
  readonly #folder: string
  readonly #assets: ReadonlyMap<string, SharedContent>
  readonly brand = new Brand(this)

  constructor(hash: string, assets: ReadonlyMap<string, SharedContent>) {
    this.#folder = `/assets/${hash}/`
    this.#assets = assets
  }

  /** The address of an asset. */
  path(name: string): string {
    if (!this.#assets.has(name)) throw new Error(`there is no asset ${name}`)
    return this.#folder + name
  }

  /** The asset at that address, if there is one. */
  find(path: string): SharedContent | undefined {
    return path.startsWith(this.#folder) ? this.#assets.get(path.slice(this.#folder.length)) : undefined
  }
}

export function loadAssets(): Assets {
  const assets = new Map<string, SharedContent>()
  const hash = createHash('sha256')
  const add = (name: string, type: string, bytes: Buffer) => {
    hash.update(`${name}\n`).update(bytes)
    assets.set(name, new SharedContent(type, bytes))
  }
  add(
    'style.css',
    css,
    Buffer.concat(styles.map((name) => readFileSync(new URL(`./style/${name}.css`, import.meta.url)))),
  )
  add('icon.svg', icon, readFileSync(new URL('./icon.svg', import.meta.url)))
  const folder = new URL('./client/', import.meta.url)
  for (const file of readdirSync(folder).filter((file) => /\.[jt]s$/.test(file))) {
    add(file.replace(/\.ts$/, '.js'), script, Buffer.from(scriptOf(file, readFileSync(new URL(file, folder), 'utf8'))))
  }
  for (const { name, file, type } of components) add(name, type, readFileSync(join(packageFolder('uplot'), file)))
  return new Assets(hash.digest('hex').slice(0, 12), assets)
}

/** A module of client/ as JavaScript. A package has them compiled. */
const scriptOf = (file: string, text: string): string =>
  file.endsWith('.ts') ? stripTypeScriptTypes(text).replace(/(from '\.\/[a-z-]+)\.ts'/g, "$1.js'") : text
