/** The note that a version was checked: it spares the check of these very bytes, by this very checker, and no other. */
import assert from 'node:assert/strict'
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, extname, join, relative } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  checkerSources,
  isVerified,
  recordVerified,
  verifiedName,
} from '../../src/indexes/checks/verification-record.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { readManifest } from '../../src/indexes/manifest.ts'
import type { VersionFiles } from '../../src/indexes/version.ts'
import { someOf } from '../support/amount.ts'
import { pathOf, projectDir, run, temporaryFolder, withLimits } from '../support/command.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { type Service, send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { addVersion, columnsOf, damagedCopy, makeCurrent, versionNamed } from '../support/versions.ts'

/** Of the modules that this process and the server run: the project's own folder, or where it was compiled to. */
const modulesDir = join(dirname(pathOf('src/main.ts')), '..')
const extension = extname(pathOf('src/main.ts'))

const indexDir = temporaryFolder()
let version: string
let good: VersionFiles
let service: Service

before(async () => {
  version = await addVersion(indexDir, fixtureSnapshot())
  good = await loadVersion(indexDir, version)
  makeCurrent(indexDir, version)
  // Compiled if this process is: all processes use one checker.
  service = await startService({
    ...{ INDEX_DIR: indexDir, STORE_DIR: temporaryFolder() },
    ...withLimits({ currentPollMs: 50 }),
  })
})
after(() => service.stop())

const noteOf = (name: string) => join(indexDir, name, verifiedName)
const servedVersion = async () => (await send(service.address, '/healthz')).json.version

/** Makes it current; returns whether it is served, or the line of the log that refuses it. */
async function offer(name: string): Promise<true | string> {
  const refusal = () =>
    service
      .log()
      .split('\n')
      .find((line) => line.includes('rejected') && line.includes(join(indexDir, name)))
  makeCurrent(indexDir, name)
  await until('it is served or refused', async () => refusal() !== undefined || (await servedVersion()) === name)
  return refusal() ?? true
}

/** A number that only the check knows to be wrong: threads open the version, and answer from it. */
const wrongNumbers = ['search wordLetters', 'ids details']
let made = 0

/** A version with a wrong number, a manifest that fits it, and the note of the version that it was made from. */
function wrongVersion(column: string): string {
  const place = columnsOf(good).find(({ file, name }) => `${file.replace('.msgpack', '')} ${name}` === column)!
  const name = versionNamed(++made)
  damagedCopy(indexDir, good, name, place.file, (bytes) => {
    bytes[place.start + place.bytes - 1]! ^= 1
  })
  return name
}

const noteFittingly = async (name: string) => recordVerified(join(indexDir, name), await readManifest(indexDir, name))

function changeNote(name: string, change: (note: string) => string | Buffer): void {
  writeFileSync(noteOf(name), change(readFileSync(noteOf(name), 'utf8')))
}

const otherDigit = (digit: string) => (digit === '0' ? '1' : '0')

const notesThatDoNotFit: readonly [what: string, write: (name: string) => unknown][] = [
  ['of the version that it was made from', () => undefined],
  ['that is not there', (name) => rmSync(noteOf(name))],
  ['of another checker', (name) => changeNote(name, (note) => note.replace(/.(?=\n$)/, otherDigit))],
  ['of other words', (name) => changeNote(name, (note) => note.replace(/^./, otherDigit))],
  [
    'of other files under its name',
    async (name) => {
      const manifest = await readManifest(indexDir, name)
      await recordVerified(join(indexDir, name), { ...manifest, files: good.manifest.files })
    },
  ],
  ['that is cut short', (name) => changeNote(name, (note) => note.slice(0, -1))],
  ['that goes on', (name) => changeNote(name, (note) => `${note}\n`)],
  ['that is empty', (name) => changeNote(name, () => '')],
  ['that is anything', (name) => changeNote(name, () => Buffer.alloc(5000, 0xff))],
  [
    'that is a folder',
    (name) => {
      rmSync(noteOf(name))
      mkdirSync(noteOf(name))
    },
  ],
]

/** Others are looked at as the server looks at them, and not offered to it. */
const offered = someOf(notesThatDoNotFit, 2).map(([what]) => what)

describe('a version is checked in whole with a note', () => {
  for (const [what, write] of notesThatDoNotFit) {
    it(what, async () => {
      for (const column of wrongNumbers) {
        const name = wrongVersion(column)
        await noteFittingly(name)
        if (what === notesThatDoNotFit[0]![0]) copyFileSync(noteOf(version), noteOf(name))
        await write(name)
        if (offered.includes(what)) {
          assert.match(String(await offer(name)), new RegExp(`${name}/${column.split(' ')[0]}.msgpack: is damaged`))
        }
        assert.equal(
          await isVerified(join(indexDir, name), await readManifest(indexDir, name)),
          false,
          'nothing is noted',
        )
      }
    })
  }
})

it('what is noted is not checked again, but a file that was changed since is refused by its checksum', async () => {
  for (const column of wrongNumbers) {
    const name = wrongVersion(column)
    await noteFittingly(name)
    assert.equal(await offer(name), true)
    assert.equal(await offer(version), true)
    const path = join(indexDir, name, 'search.msgpack')
    const bytes = readFileSync(path)
    bytes[bytes.length >> 1]! ^= 1
    writeFileSync(path, bytes)
    assert.match(String(await offer(name)), /search\.msgpack has a wrong checksum/)
    assert.equal(await offer(version), true)
  }
})

it('the same snapshots have the same record from any writer', async () => {
  const other = temporaryFolder()
  assert.equal(await addVersion(other, fixtureSnapshot()), version)
  const byBuild = readFileSync(noteOf(version))
  assert.ok(readFileSync(join(other, version, verifiedName)).equals(byBuild))
  // The first server that checks it in whole.
  const copy = versionNamed(++made)
  damagedCopy(indexDir, good, copy, 'none', () => undefined)
  assert.equal(await offer(copy), true)
  assert.equal(await isVerified(join(indexDir, copy), await readManifest(indexDir, copy)), true)
  rmSync(noteOf(version))
  assert.equal(await offer(version), true)
  assert.ok(readFileSync(noteOf(version)).equals(byBuild))
})

it('a version whose record can not be read or written is served all the same, without a line', async () => {
  const name = versionNamed(++made)
  damagedCopy(indexDir, good, name, 'none', () => undefined)
  rmSync(noteOf(name))
  mkdirSync(noteOf(name))
  assert.equal(await offer(name), true)
  assert.ok(!service.log().includes(name))
})

it('a file of no bytes is as its manifest says', async () => {
  const name = versionNamed(++made)
  damagedCopy(indexDir, good, name, 'none', () => undefined)
  const path = join(indexDir, name, 'manifest.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8'))
  const sha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
  const files = [...manifest.files, { name: 'empty.msgpack', bytes: 0, sha256 }]
  writeFileSync(path, JSON.stringify({ ...manifest, files }))
  writeFileSync(join(indexDir, name, 'empty.msgpack'), '')
  assert.equal(await offer(name), true)
})

it('another checker is one with any other source: it checks anew, and notes it', async () => {
  const project = temporaryFolder()
  for (const name of ['src', 'package.json']) cpSync(join(modulesDir, name), join(project, name), { recursive: true })
  symlinkSync(join(projectDir, 'node_modules'), join(project, 'node_modules'))
  appendFileSync(join(project, `src/indexes/checking${extension}`), '// Changed.\n')
  const name = wrongVersion('ids details')
  const other = temporaryFolder()
  for (const folder of [name, version]) {
    await noteFittingly(folder)
    cpSync(join(indexDir, folder), join(other, folder), { recursive: true })
  }
  const inspect = () => run(join(project, `src/cli/inspect${extension}`), [], { INDEX_DIR: other })
  makeCurrent(other, name)
  assert.match((await inspect()).stderr, /ids\.msgpack: is damaged/)
  makeCurrent(other, version)
  assert.equal((await inspect()).code, 0)
  const [words, checker] = readFileSync(join(other, version, verifiedName), 'utf8').split('\n')
  const [ourWords, ourChecker] = readFileSync(noteOf(version), 'utf8').split('\n')
  assert.equal(words, ourWords)
  assert.match(checker!, /^[0-9a-f]{64}$/)
  assert.notEqual(checker, ourChecker)
})

it('the checker is all that its checks import', () => {
  const seen = new Set<string>()
  const walk = (path: string) => {
    if (seen.has(path)) return
    seen.add(path)
    for (const [, name] of readFileSync(join(modulesDir, path), 'utf8').matchAll(/ from ['"](\.[^'"]+)['"]/g)) {
      walk(relative(modulesDir, join(modulesDir, dirname(path), name!)))
    }
  }
  walk(`src/indexes/load${extension}`)
  assert.ok(seen.size > 10 && existsSync(join(modulesDir, `src/indexes/checks/check${extension}`)))
  assert.deepEqual(
    [...seen].filter((path) => !checkerSources.includes(path)),
    [],
  )
})
