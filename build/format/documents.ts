/**
 * The interface in documents that programs find without a server: npm run documents writes docs/openapi.json, docs/llms.txt and
 * NOTICE, the licenses of the packages that the package contains.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
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

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

const modules = 'node_modules'
/** Parts of them are in the package: see build/package.sh. */
const vendored = ['@btc-vision/uwebsockets.js', 'uWebSockets.js']

/** The document of form A, readable. */
export const openApi = (): string =>
  `${JSON.stringify(JSON.parse(Buffer.from(describeInterface('A', {})).toString()), null, 1)}\n`

/** With the address of `npm start`. */
export const llms = (): string => llmsText('http://127.0.0.1:8080', 'Card price lookup')

/** A line a package: name, version, license, holder. Their license files are beside their code in the package. */
export function notice(): string {
  const names = new Set([...(manifestOf('.').bundleDependencies ?? []), ...vendored])
  // A set's iteration also visits what is added meanwhile.
  for (const name of names) {
    if (vendored.includes(name)) continue
    const { dependencies, optionalDependencies } = manifestOf(join(modules, name))
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) {
      // Binaries for one system belong to the package that asks for them.
      if (existsSync(join(modules, needed)) && manifestOf(join(modules, needed)).os === undefined) names.add(needed)
    }
  }
  const lines = [...names].sort().map((name) => {
    const folder = join(modules, name)
    const { version, license = 'see its license file' } = manifestOf(folder)
    return `${name} ${version}: ${license}${holderIn(folder)}`
  })
  return `The package card-price-lookup contains these packages or parts of them, each under its own license.\n\n${lines.join('\n')}\n`
}

/** The copyright line of its license file. */
function holderIn(folder: string): string {
  const [file] = globSync(join(folder, '{LICENSE,LICENCE,license,COPYING}*')).sort()
  const line = file && /^\W*((?:\(c\)|copyright) .*(?:\d{4}|\(c\)).*)$/im.exec(readFileSync(file, 'utf8'))?.[1]
  return line === undefined || line === '' ? '' : `, ${line.trim()}`
}

if (import.meta.main) {
  writeFileSync('docs/openapi.json', openApi())
  writeFileSync('docs/llms.txt', llms())
  writeFileSync('NOTICE', notice())
}
