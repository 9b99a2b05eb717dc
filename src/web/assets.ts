/**
 * Styles, scripts and third-party components. Their addresses change with their content, so browsers cache them for good.
 *
 *   /assets/HASH/style.css        HASH covers our own files, and the versions of third-party packages
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { packageFolder, packageVersion } from '../packages.ts'
import { Brand } from './brand.ts'
import { SharedContent } from './shared-content.ts'

const css = 'text/css; charset=utf-8'
const script = 'text/javascript; charset=utf-8'
const icon = 'image/svg+xml'

/** Files of third-party packages, read at the first request. */
const components = [
  { name: 'uplot.js', from: 'uplot', file: 'dist/uPlot.iife.min.js', type: script },
  { name: 'uplot.css', from: 'uplot', file: 'dist/uPlot.min.css', type: css },
  { name: 'reference.js', from: 'swagger-ui-dist', file: 'swagger-ui-bundle.js', type: script },
  { name: 'reference.css', from: 'swagger-ui-dist', file: 'swagger-ui.css', type: css },
] as const

/** The files in style/, concatenated in this order: of two equally specific rules, the later wins. */
const styles = [
  'tokens',
  'page',
  'parts',
  'tables',
  'home',
  'card',
  'account',
  'value',
  'guide',
  'narrow',
  'reference',
] as const

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
  const addOwn = (name: string, type: string, bytes: Buffer) => {
    hash.update(`${name}\n`).update(bytes)
    assets.set(name, new SharedContent(type, () => bytes))
  }
  addOwn(
    'style.css',
    css,
    Buffer.concat(styles.map((name) => readFileSync(new URL(`./style/${name}.css`, import.meta.url)))),
  )
  addOwn('icon.svg', icon, readFileSync(new URL('./icon.svg', import.meta.url)))
  for (const { name, bytes } of clientModules()) addOwn(name, script, bytes)
  for (const name of new Set(components.map(({ from }) => from))) hash.update(`${name} ${packageVersion(name)}\n`)
  for (const { name, from, file, type } of components) {
    const path = join(packageFolder(from), file)
    assets.set(name, new SharedContent(type, () => readFileSync(path)))
  }
  return new Assets(hash.digest('hex').slice(0, 12), assets)
}

/** The modules in client/ as JavaScript. A package has them compiled. */
function clientModules(): { name: string; bytes: Buffer }[] {
  const folder = new URL('./client/', import.meta.url)
  const files = readdirSync(folder).filter((file) => /\.[jt]s$/.test(file))
  const scripts = files.sort().map((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8')
    const script = file.endsWith('.ts') ? stripTypeScriptTypes(text) : text
    return { name: file.replace(/\.ts$/, '.js'), script: script.replace(/(from '\.\/[a-z-]+)\.ts'/g, "$1.js'") }
  })
  const suggest = scripts.find(({ name }) => name === 'suggest.js')!
  return scripts.map(({ name, script }) => {
    // Every page needs both: one request less.
    const isOfAllPages = name === 'figures.js'
    return {
      name,
      bytes: Buffer.from(isOfAllPages ? `${script}{${suggest.script.replace('export {};', '')}}\n` : script),
    }
  })
}
