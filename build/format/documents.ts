/**
 * The interface in documents that programs find without a server: npm run documents writes docs/openapi.json, docs/llms.txt,
 * docs/postman.json (by openapi2postmanv2: npm install --global openapi-to-postmanv2), and NOTICE, the licenses of the packages that the package contains.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeInterface } from '../../src/api/description/document.ts'
import { llmsText } from '../../src/web/llms.ts'

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

/** The part used here of a collection of Postman's, format 2.1. */
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
/** Parts of them are in the package: see build/package.sh. */
const vendored = ['@btc-vision/uwebsockets.js', 'uWebSockets.js']

export const postmanOptions = 'folderStrategy=Tags,parametersResolution=Example'

/** The document of form A, readable. */
export const openApi = (): string =>
  `${JSON.stringify(JSON.parse(Buffer.from(describeInterface('A', {})).toString()), null, 1)}\n`

const llms = (): string => llmsText(address, 'Card price lookup')

/** A line a package: name, version, license, holder. Their license files are beside their code in the package. */
function notice(): string {
  const names = new Set([...manifestOf('.').bundleDependencies!, ...vendored])
  // A set's iteration also visits what is added meanwhile.
  for (const name of names) {
    const { dependencies, optionalDependencies } = manifestOf(join(modules, name))
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) {
      // Binaries for one system belong to the package that asks for them.
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

/** The documents that need no other program, by path. */
export const documents = { 'docs/openapi.json': openApi, 'docs/llms.txt': llms, NOTICE: notice }

/** The copyright line of its license file. */
function holderIn(folder: string): string {
  const [file] = globSync(join(folder, '{LICENSE,LICENCE,license,COPYING}*')).sort()
  const line = file && /^\W*((?:\(c\)|copyright) .*(?:\d{4}|\(c\)).*)$/im.exec(readFileSync(file, 'utf8'))?.[1]
  return line === undefined ? '' : `, ${line.trim()}`
}

/**
 * A collection without what differs from run to run: ids, and values made up for parameters without an example, which are off.
 * And without the examples of responses: they are nine tenths of it, and the description has them.
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
  const { status } = spawnSync('openapi2postmanv2', args)
  if (status === 0) writeFileSync('docs/postman.json', stable(readFileSync(collection, 'utf8'), openApi()))
  else
    console.error(
      'docs/postman.json stays as it was: openapi2postmanv2 fails (npm install --global openapi-to-postmanv2)',
    )
  rmSync(folder, { recursive: true })
  process.exitCode = status === 0 ? 0 : 1
}
