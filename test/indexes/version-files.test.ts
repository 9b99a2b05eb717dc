/** The files of a version: a build writes what readers assume, and an entry that is no plain file is logged in one line and never waited for. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, it } from 'node:test'
import * as v from 'valibot'
import { compilerFingerprint } from '../../build/compile/fingerprint.ts'
import { bytesColumn, formatVersion, IndexError, indexFile, noMeta, u32Column } from '../../src/indexes/format.ts'
import { loadVersion, verifyVersion } from '../../src/indexes/load.ts'
import { readCurrent } from '../../src/indexes/manifest.ts'
import { versionNameOf } from '../../src/indexes/publish/versions.ts'
import { descriptorsOpen } from '../../src/platform/descriptors.ts'
import { someOf } from '../support/amount.ts'
import { build, runHere, temporaryFolder, withLimits } from '../support/command.ts'
import { FileServer } from '../support/file-server.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { fixtureIndex, sampleIndex } from '../support/sample.ts'
import { send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { columnsOf, makeCurrent } from '../support/versions.ts'
import { checkVersion } from './checks/version.ts'

/** Any other text, rarity, product or printing could be right, and most prices are known by nothing else. */
const couldBeRight: Readonly<Record<string, readonly string[]>> = {
  'cards-000': ['details', 'items', 'summaries', 'extras'],
  catalog: ['sets'],
  'set-figures': ['cents', 'counts', 'dearest'],
  search: ['nameText', 'wordText', 'cardRarity'],
  lists: [
    'cardPrinting',
    'keyText',
    'setEnds',
    'suggestions',
    'numberText',
    'productIds',
    'productCards',
    'cardmarketIds',
    'cardmarketCards',
  ],
  'history-000': ['series'],
  changes: ['changes'],
}

const load = async (indexDir: string) => loadVersion(indexDir, (await readCurrent(indexDir))!)
const published = await fixtureIndex()
const fixture = await load(published)

it('The indexes of the sample and the fixture are consistent', async () => {
  checkVersion(await load(await sampleIndex()))
  checkVersion(fixture)
})

it('The files compiled from the sample have the recorded fingerprint', async () => {
  const { asOf, files } = (await load(await sampleIndex())).manifest
  // Another release of Node.js may compress that file differently.
  const plain = files.filter(({ name }) => name !== 'bulk.msgpack')
  const [found] = versionNameOf(asOf, plain).split('-').slice(-1)
  assert.equal(
    found,
    compilerFingerprint,
    `The compiler writes other bytes for the sample. Set compilerFingerprint in build/compile/fingerprint.ts to '${found}', and raise formatVersion in src/indexes/format.ts if it still is that of the last release and a server of that release would read them wrongly.`,
  )
})

it('An index file returns what was written, or says what is wrong with it', () => {
  const of = (views: object, content: object, kind = 'sample') =>
    Buffer.concat(indexFile(kind, views as Record<string, typeof bytesColumn>, noMeta).write({ ...content }))
  const views = { numbers: u32Column, bytes: bytesColumn }
  const { read, write } = indexFile('sample', views, v.object({ count: v.number() }))
  const content = { numbers: Uint32Array.of(4, 2 ** 32 - 1), bytes: Uint8Array.of(7), count: 6 }
  const file = Buffer.concat(write(content))
  assert.deepEqual(read(aligned(file)), content)
  const withByte = (at: number, byte: number) => file.map((old, i) => (i === at ? byte : old))
  const column = file.lastIndexOf(0xc6)
  const cut = 'the sample file is cut short or damaged at its column bytes'
  const wrong: readonly (readonly [bytes: Uint8Array, message: string])[] = [
    [file.subarray(0, 4), 'the sample file has no head'],
    [withByte(0, 0xcf), 'the sample file has no head'],
    [file.subarray(0, 9), "the head of the sample file can't be read (Unexpected end of MessagePack data)"],
    [of(views, content, 'other'), 'a sample file was expected, this is a other file'],
    [
      withByte(file.indexOf('format') + 6, 99),
      `the sample file has format 99 instead of ${formatVersion}: run card-prices build once`,
    ],
    [of({ numbers: u32Column }, content), 'the sample file has the columns numbers instead of bytes,numbers'],
    [of(views, { ...content, count: undefined }), 'the sample file is damaged (count)'],
    [of(views, { ...content, numbers: content.bytes }), 'the column numbers ends within a number'],
    ...[file.subarray(0, -1), withByte(column, 0), withByte(column + 4, 2)].map((bytes) => [bytes, cut] as const),
    [Buffer.concat([file, file]), 'the sample file has bytes after its last column'],
  ]
  for (const [bytes, message] of wrong) assert.throws(() => read(aligned(bytes)), new IndexError(message), message)
  const large = { ...content, bytes: { byteLength: 2 ** 31 } as Uint8Array }
  assert.throws(() => write(large), new RangeError('the sample file would take 2147483824 bytes'))
})

it('The check of a version finds a changed byte in each column of its files', () => {
  const through: string[] = []
  const columns = columnsOf(fixture).filter(({ bytes }) => bytes > 0)
  assert.ok(columns.length > 60, `${columns.length} columns`)
  for (const { file, name, start, bytes } of columns) {
    for (const at of someOf([start, start + bytes - 1, start + (bytes >> 1)], 2)) {
      const wrong = Buffer.from(fixture.files.get(file)!)
      wrong[at]! ^= 0x41
      try {
        checkVersion({ ...fixture, files: new Map(fixture.files).set(file, aligned(wrong)) })
        if (!couldBeRight[file.replace('.msgpack', '')]?.includes(name)) through.push(`${file} ${name}`)
      } catch {}
    }
  }
  assert.deepEqual(through, [])
})

/** Columns of numbers are views of the file's memory. */
function aligned(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length))
  copy.set(bytes)
  return copy
}

const snapshot = fixtureSnapshot()
const { version } = fixture.manifest
let indexDir: string

const pipe = (...paths: string[]) => execFileSync('mkfifo', paths)
const kinds: readonly (readonly [what: string, make: (path: string) => unknown])[] = [
  ['a pipe', pipe],
  ['a folder', (path) => mkdirSync(path)],
  ['a device', (path) => symlinkSync('/dev/zero', path)],
]

/** Puts it in the place of what lies there. @param name as seen from INDEX_DIR, VERSION for the version's folder */
function replace(name: string, make: (path: string) => unknown): string {
  const path = join(indexDir, name.replace('VERSION', version))
  rmSync(path, { recursive: true, force: true })
  make(path)
  return path
}

it('The file `current` is closed after each reading', async () => {
  const [indexDir, open] = [await fixtureIndex(), descriptorsOpen('self') ?? 0]
  for (let i = 0; i < 20; i++) await readCurrent(indexDir)
  assert.ok((descriptorsOpen('self') ?? 0) < open + 10)
})

describe('A file of INDEX_DIR that is not plain, or not whole', { concurrency: false }, () => {
  beforeEach(async () => {
    indexDir = await fixtureIndex()
  })

  const bytes = fixture.files.get('ids.msgpack')!.length
  const copied = 'still being copied?'
  const nothing = () => {}
  const cut = (path: string) => writeFileSync(path, 'x')
  const cases: readonly (readonly [name: string, what: string, make: (path: string) => unknown, said?: string])[] = [
    ...kinds.map((kind) => ['current', ...kind] as const),
    ['VERSION/ids.msgpack', ...kinds[0]!],
    ...['current', 'VERSION/manifest.json', 'VERSION/ids.msgpack'].map(
      (name) => [name, 'a link to itself', (path: string) => symlinkSync(path, path), "can't be read (ELOOP)"] as const,
    ),
    ['VERSION/manifest.json', 'missing', nothing, `is not there: is the version ${copied} Publish current last`],
    ['VERSION/ids.msgpack', 'missing', nothing, `is not there: is it ${copied}`],
    ['VERSION/ids.msgpack', 'cut', cut, `has 1 bytes, its manifest says ${bytes}: is it ${copied}`],
  ]
  for (const [name, what, make, said = `must be a plain file, or a link to one (${what})`] of cases) {
    it(`A version can’t be loaded if ${name} is ${what}`, { timeout: 300_000 }, async () => {
      const message = `${replace(name, make)} ${said}`
      await assert.rejects(load(indexDir), { message })
      if (name !== 'current') await assert.rejects(verifyVersion(indexDir, version), { message })
    })
  }

  it('A running server logs that `current` is a pipe, keeps serving, and stops as usual', async () => {
    const limits = withLimits({ currentPollMs: 50 })
    const service = await startService({ INDEX_DIR: indexDir, STORE_DIR: temporaryFolder(), ...limits })
    const path = replace('current', pipe)
    await until('it is logged', () => service.log().includes(`${path} must be a plain file, or a link to one (a pipe)`))
    assert.equal((await send(service.address, '/healthz')).status, 200)
    makeCurrent(indexDir, version)
    assert.equal(await service.stop(), 0)
  })

  const inTheWay = ['current', 'build.msgpack', 'VERSION/manifest.json', 'VERSION/catalog.msgpack']
  for (const name of inTheWay) {
    it(`A build is not held up by a pipe in the place of ${name}`, { timeout: 300_000 }, async () => {
      replace(name, pipe)
      mkdirSync(join(indexDir, '.fetching'))
      const { code, stderr } = await build(snapshot, indexDir)
      assert.equal(code, 0, stderr)
      assert.ok(existsSync(join(indexDir, version, 'manifest.json')))
      assert.ok(!existsSync(join(indexDir, '.fetching')), 'what a killed download left is removed')
    })
  }

  it('A push reports a pipe in the place of a file', { timeout: 300_000 }, async () => {
    replace('VERSION/ids.msgpack', pipe)
    const { code, stderr } = await runHere(['push', temporaryFolder()], { INDEX_DIR: indexDir })
    assert.equal(code, 1)
    assert.match(stderr, /^\S+ids\.msgpack must be a plain file, or a link to one \(a pipe\)\n$/)
  })

  it('A pull replaces a pipe or a socket in the place of a file by downloading the file again', {
    timeout: 300_000,
  }, async () => {
    const server = await FileServer.start(published)
    replace('VERSION/ids.msgpack', pipe)
    const socket = createServer()
    replace('VERSION/search.msgpack', (path) => socket.listen(path))
    await once(socket, 'listening')
    mkdirSync(join(indexDir, '.fetching'))
    const { files } = (await send(server.url, `/${version}/manifest.json`)).json
    const sums = new Set<string>(files.map((file: { sha256: string }) => file.sha256))
    pipe(...[...sums].map((sha256) => join(indexDir, '.fetching', sha256)))
    const pulled = await runHere(['pull', server.url], { INDEX_DIR: indexDir })
    assert.deepEqual([pulled.code, pulled.stderr], [0, ''])
    assert.match(pulled.stdout, /; downloaded 2 files/)
    socket.close()
    await server.stop()
  })
})
