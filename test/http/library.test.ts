/** The choice of the HTTP library, by folders of packages as an operator may have them. */
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { findLibrary, LibraryError, loadLibrary } from '../../src/http/connections/uws.ts'
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

describe('the HTTP library', () => {
  it('is upstream’s own if an operator has put it there, of any version', () => {
    const folder = folderWith(mended)
    addPackage(folder, alias, 'exports.App = () => "upstream"')
    const { api, name, passedOver } = findLibrary([folder])
    assert.equal((api.App as unknown as () => string)(), 'upstream')
    assert.equal(name, 'uWebSockets.js 20.99.0')
    assert.deepEqual(passedOver, [])
  })

  it('is looked for in the nearest folder first, and last in what the package has of it', () => {
    assert.equal(packageFolders(mended).at(-1), join(projectDir, 'packages'))
    const [near, far] = [folderWith(), folderWith(mended, alias)]
    addPackage(near, alias, 'exports.App = 1')
    assert.equal(findLibrary([near, far]).name, 'uWebSockets.js 20.99.0')
    assert.equal(findLibrary([folderWith(), far]).name, loadLibrary().name)
  })

  it('is the next one if the first does not load', { skip }, () => {
    const folder = folderWith(mended)
    addPackage(folder, alias, 'throw new Error("not for this machine\\nreally")')
    const passed = passedOverIn(folder)
    assert.equal(passed[0], 'uWebSockets.js 20.99.0: not for this machine')
  })

  it('is never a file that is another than it should be', { skip }, () => {
    const folder = folderWith(mended)
    cpSync(join(installed, alias), join(folder, alias), { recursive: true })
    const path = join(folder, alias, 'dist', 'bin', binary)
    const bytes = readFileSync(path)
    bytes[bytes.length >> 1]! ^= 1
    writeFileSync(path, bytes)
    const alone = folderWith()
    symlinkSync(join(folder, alias), join(alone, alias))
    assert.throws(
      () => findLibrary([alone]),
      (error) =>
        error instanceof LibraryError && /dist\/bin\/uws_\S+ has the SHA-256 \w{64} and not \w{64}/.test(error.message),
    )
  })

  it('is reported as missing in one line, with a remedy', () => {
    assert.throws(
      () => findLibrary([folderWith()]),
      (error) =>
        error instanceof LibraryError &&
        !error.message.includes('\n') &&
        /is not installed.*Use Node\.js 22.*npm install/.test(error.message),
    )
  })

  it('has its hash for every binary of the packages that a Node.js which runs TypeScript can load, but for Windows', () => {
    const source = readFileSync(join(projectDir, 'src/http/connections/uws.ts'), 'utf8')
    const folders = [join(installed, mended), ...(hasAlias ? [join(installed, alias, 'dist', 'bin')] : [])]
    for (const name of folders.flatMap((folder) => readdirSync(folder))) {
      const binaryOf = /^uws_(\w+_\d+)\.node$/.exec(name)?.[1]
      if (binaryOf !== undefined && !/^win32|_(108|115|120)$/.test(binaryOf))
        assert.ok(source.includes(`  ${binaryOf}: '`), name)
    }
  })
})

/** Packages that are passed over there, with or without another one that loads. */
function passedOverIn(folder: string): readonly string[] {
  try {
    return findLibrary([folder]).passedOver
  } catch (error) {
    assert.ok(error instanceof LibraryError)
    return [/on \w+ \w+: (.*?); /.exec(error.message)![1]!]
  }
}
