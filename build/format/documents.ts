/**
 * Writes the interface as documents, which programs can read without a server. `npm run documents` writes
 * docs/openapi.json, docs/llms.txt and docs/postman.json, for which npx fetches a converter. It also writes NOTICE, the
 * licenses of the packages that this package contains.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeInterface } from '../../src/api/description/document.ts'
import { llmsText } from '../../src/web/docs/llms.ts'
import { defaultGames } from '../games/default-games.ts'

interface Manifest {
  readonly version: string
  readonly license?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly os?: readonly string[]
  readonly bundleDependencies?: readonly string[]
}

interface Described {
  readonly summary: string
  readonly parameters: readonly { readonly name: string; readonly example?: unknown }[]
}

/** The fields of a Postman collection (format 2.1) that this module uses. */
interface Collection {
  readonly item: readonly { readonly item: readonly Request[] }[]
  variable: readonly Sent[]
}

interface Request {
  readonly name: string
  readonly request: { readonly url: { readonly query: Sent[] }; readonly header: Sent[] }
}

interface Sent {
  readonly key: string
  value: string
  disabled?: boolean
}

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

const modules = 'node_modules'
/** The address of `npm start`. */
const address = 'http://127.0.0.1:8080'
/** Our package contains only parts of these packages (build/package.sh). */
const vendored = ['@btc-vision/uwebsockets.js', 'uWebSockets.js']

/** The version is fixed, because other versions convert to other text. */
export const postmanConverter = 'openapi-to-postmanv2@6.3.3'
export const postmanOptions = 'folderStrategy=Tags,parametersResolution=Example'

/** The OpenAPI document of form A, indented. */
export const openApi = (): string =>
  `${JSON.stringify(JSON.parse(Buffer.from(describeInterface('A', {})).toString()), null, 1)}\n`

const llms = (): string =>
  llmsText(
    address,
    'Card price lookup',
    defaultGames.map(({ name }) => name),
  )

/**
 * One line for each package: name, version, license, copyright. Our package has each license file beside the code of
 * its package.
 */
function notice(): string {
  const names = new Set([...manifestOf('.').bundleDependencies!, ...vendored])
  // The loop also visits names that are added to the set during the loop.
  for (const name of names) {
    const { dependencies, optionalDependencies } = manifestOf(join(modules, name))
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) {
      // Packages with an `os` are left out: they are binaries of the package that depends on them.
      if (existsSync(join(modules, needed)) && manifestOf(join(modules, needed)).os === undefined) names.add(needed)
    }
  }
  const lines = [...names].sort().map((name) => {
    const folder = join(modules, name)
    const { version, license } = manifestOf(folder)
    return `${name} ${version}: ${license}${holderIn(folder)}`
  })
  return `The package card-price-lookup contains these packages or parts of them, each under its own license.\n\n${lines.join('\n')}\n`
}

/** The documents that are written without another program, by path. */
export const documents = { 'docs/openapi.json': openApi, 'docs/llms.txt': llms, NOTICE: notice }

/** The copyright line of a package's license file; empty if there is none. */
function holderIn(folder: string): string {
  const [file] = globSync(join(folder, '{LICENSE,LICENCE,license,COPYING}*')).sort()
  const line = file && /^\W*((?:\(c\)|copyright) .*(?:\d{4}|\(c\)).*)$/im.exec(readFileSync(file, 'utf8'))?.[1]
  return line === undefined ? '' : `, ${line.trim()}`
}

/**
 * The collection without the parts that differ between two runs: ids, and invented values of parameters that have no
 * example. These parameters are disabled. Examples of responses are removed as well: they are nine tenths of the
 * collection, and the description has them.
 */
export function stable(text: string, description: string): string {
  const kept = (key: string, value: unknown) =>
    key === '_postman_id' || key === 'id' ? undefined : key === 'response' ? [] : value
  const collection: Collection = JSON.parse(text, kept)
  const { paths }: { paths: Record<string, Record<string, Described>> } = JSON.parse(description)
  const operations = new Map(
    Object.values(paths)
      .flatMap((ofPath) => Object.values(ofPath))
      .map((one) => [one.summary, one]),
  )
  for (const { name, request } of collection.item.flatMap(({ item }) => item)) {
    const shown = operations.get(name)!.parameters.filter(({ example }) => example !== undefined)
    for (const parameter of [...request.url.query, ...request.header]) {
      if (parameter.key === 'Accept' || parameter.key === 'Content-Type') continue
      if (shown.some((one) => one.name === parameter.key)) continue
      parameter.disabled = true
      parameter.value = ''
    }
  }
  collection.variable = [{ key: 'baseUrl', value: address }]
  return `${JSON.stringify(collection, null, 1)}\n`
}

if (import.meta.main) {
  for (const [name, make] of Object.entries(documents)) writeFileSync(name, make())
  const folder = mkdtempSync(join(tmpdir(), 'postman-'))
  const collection = join(folder, 'collection.json')
  const args = ['-s', 'docs/openapi.json', '-o', collection, '-O', postmanOptions]
  const npx = ['--yes', `--package=${postmanConverter}`, 'openapi2postmanv2', ...args]
  const { status } = spawnSync('npx', npx, { stdio: ['ignore', 'ignore', 'inherit'] })
  if (status === 0) writeFileSync('docs/postman.json', stable(readFileSync(collection, 'utf8'), openApi()))
  else console.error(`docs/postman.json stays as it was: openapi2postmanv2 of ${postmanConverter} failed`)
  rmSync(folder, { recursive: true })
  process.exitCode = status === 0 ? 0 : 1
}
