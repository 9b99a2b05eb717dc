/** The choice of the HTTP library, by folders of packages as an operator may have them. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { learnUnsentBytes } from '../../src/http/connections/unsent.ts'
import type * as library from '../../src/http/connections/uws.ts'
import { findLibrary, LibraryError, loadLibrary, uws } from '../../src/http/connections/uws.ts'
import { packageFolders } from '../../src/platform/packages.ts'
import { projectDir, temporaryFolder } from '../support/command.ts'

const installed = join(projectDir, 'node_modules')
const mended = '@btc-vision/uwebsockets.js'
const alias = 'uWebSockets.js'
const hasAlias = JSON.parse(readFileSync(join(installed, alias, 'package.json'), 'utf8')).name === 'uws-pack'
/** Upstream's own may be in its place. */
const skip = !hasAlias && `needs the package that package.json calls ${alias}`
const binary = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`

/** A node_modules with these of the installed packages. */
function folderWith(...packages: readonly string[]): string {
  const folder = temporaryFolder()
  mkdirSync(join(folder, '@btc-vision'))
  for (const name of packages) symlinkSync(join(installed, name), join(folder, name))
  return folder
}

/** A package that says of itself what it is. */
function addPackage(folder: string, name: string, code: string): void {
  mkdirSync(join(folder, name))
  writeFileSync(join(folder, name, 'package.json'), JSON.stringify({ name, version: '20.99.0', main: 'uws.js' }))
  writeFileSync(join(folder, name, 'uws.js'), code)
}

/** The error when none loads. */
const noneOf = (...passedOver: readonly string[]): LibraryError =>
  new LibraryError(
    `No HTTP library loads in Node.js ${process.versions.node} on ${process.platform} ${process.arch}: ` +
      `${passedOver.join('; ')}. Use Node.js 22 on Linux with glibc or on macOS, or install upstream's own in its ` +
      'place, a release that covers this machine (github.com/uNetworking/uWebSockets.js)',
  )

const nameOf = (folder: string, name: string): string => {
  const manifest = JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8'))
  return `${manifest.name} ${manifest.version}`
}

describe('The choice of the HTTP library', () => {
  it('The server loads upstream’s own uWebSockets.js, of any version, if an operator has installed it', () => {
    const folder = folderWith(mended)
    addPackage(folder, alias, 'exports.App = () => "upstream"')
    const { api, ...found } = findLibrary([folder])
    assert.equal((api.App as unknown as () => string)(), 'upstream')
    const path = join(folder, alias)
    assert.deepEqual(found, { path, name: 'uWebSockets.js 20.99.0', failsOnPieces: false, passedOver: [] })
  })

  it('The server loads the HTTP library from the nearest node_modules folder, or else from its own package', () => {
    assert.equal(packageFolders(mended).at(-1), join(projectDir, 'packages'))
    const [near, far] = [folderWith(), folderWith(mended, alias)]
    addPackage(near, alias, 'exports.App = 1')
    assert.equal(findLibrary([near, far]).name, 'uWebSockets.js 20.99.0')
    assert.equal(findLibrary([folderWith(), far]).name, loadLibrary().name)
  })

  it('An upstream library that does not load is skipped with its reason', () => {
    const folder = folderWith()
    addPackage(folder, alias, 'throw new Error("not for this machine\\nreally")')
    const error = noneOf('uWebSockets.js 20.99.0: not for this machine', `${mended} is not installed`)
    assert.throws(() => findLibrary([folder]), error)
  })

  it('The HTTP library with the bug of v20.49 is loaded if no other one loads', { skip }, () => {
    const { name, failsOnPieces, passedOver } = findLibrary([folderWith(alias)])
    assert.deepEqual(
      [name, failsOnPieces, passedOver],
      [nameOf(installed, alias), true, [`${mended} is not installed`]],
    )
  })

  it('An HTTP library whose file has a wrong hash is never loaded', { skip }, () => {
    const folder = folderWith()
    cpSync(join(installed, alias), join(folder, alias), { recursive: true })
    const path = join(folder, alias, 'dist', 'bin', binary)
    const bytes = readFileSync(path)
    const expected = hash('sha256', bytes)
    bytes[bytes.length >> 1]! ^= 1
    writeFileSync(path, bytes)
    const refused = `${path} has the SHA-256 ${hash('sha256', bytes)} and not ${expected}, so it is not loaded`
    const error = noneOf(`${mended} is not installed`, `${nameOf(folder, alias)}: ${refused}`)
    assert.throws(() => findLibrary([folder]), error)
  })

  it('A machine for which no HTTP library is installed gets an error of one line with a remedy', async () => {
    assert.throws(() => findLibrary([folderWith()]), noneOf(`${mended} is not installed`, `${alias} is not installed`))
    const { arch } = process
    Object.defineProperty(process, 'arch', { value: 'mips' })
    try {
      const elsewhere: typeof library = await import(`${import.meta.resolve('../../src/http/connections/uws.ts')}?mips`)
      const unknown = `has no binary for ${process.platform}_mips_${process.versions.modules}`
      const error = noneOf(`${nameOf(installed, mended)}: ${unknown}`, `${alias} is not installed`)
      assert.throws(() => elsewhere.findLibrary([folderWith(mended)]), { message: error.message })
    } finally {
      Object.defineProperty(process, 'arch', { value: arch })
    }
  })

  it('An HTTP library that does not report unsent bytes is rejected', async () => {
    // It opens no WebSocket over TLS to an app without a certificate.
    const error = new LibraryError('The HTTP library does not report the unsent bytes of a connection')
    await assert.rejects(learnUnsentBytes(uws().App(), true), error)
  })

  it('The code has the hash of each library binary that a supported Node.js can load', () => {
    const source = readFileSync(join(projectDir, 'src/http/connections/uws.ts'), 'utf8')
    const folders = [join(installed, mended), ...(hasAlias ? [join(installed, alias, 'dist', 'bin')] : [])]
    for (const name of folders.flatMap((folder) => readdirSync(folder))) {
      const binaryOf = /^uws_(\w+_\d+)\.node$/.exec(name)?.[1]
      if (binaryOf !== undefined && !/^win32|_(108|115|120)$/.test(binaryOf))
        assert.ok(source.includes(`  ${binaryOf}: '`), name)
    }
  })
})

/** By Debian's release. */
const glibcOf: Readonly<Record<string, number>> = { 12: 36, 13: 41 }
/** The version of a Node.js's binary interface, and its end of life. */
const nodeOf: Readonly<Record<string, readonly [modules: number, until: string]>> = {
  22: [127, 'April 2027'],
  24: [137, 'April 2028'],
}

/** The least glibc 2.N that a binary needs. */
const glibcMinOf = (path: string): number =>
  Math.max(...[...readFileSync(path, 'latin1').matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor)))

it('docs/versions.md lists only pairs of Debian and Node.js in which a binary loads, each until that Node.js is unsupported', {
  skip,
}, () => {
  const text = readFileSync(join(projectDir, 'docs/versions.md'), 'utf8')
  const pairs = [
    ...text.matchAll(/^\| Debian (\d+) on x64, the server in Node\.js (\d+) \| tested.* \| (\w+ \d+) \|$/gm),
  ]
  assert.deepEqual(
    pairs.map(([, debian, node]) => `${debian} ${node}`),
    ['12 22', '13 22', '13 24'],
  )
  for (const [, debian, node, until] of pairs) {
    const [modules, end] = nodeOf[node!]!
    const files = [mended, join(alias, 'dist/bin')].map((folder) =>
      join(installed, folder, `uws_linux_x64_${modules}.node`),
    )
    const loading = files.filter((path) => existsSync(path) && glibcMinOf(path) <= glibcOf[debian!]!)
    assert.deepEqual([loading.length > 0, until], [true, end], `${debian} ${node}`)
  }
})
