/** The files of a version: a build writes what readers assume, and an entry that is no plain file is logged in one line and never waited for. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, it } from 'node:test'
import { pullCommand } from '../../src/cli/pull-command.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { readCurrent } from '../../src/indexes/manifest.ts'
import { descriptorsOpen } from '../../src/platform/descriptors.ts'
import { someOf } from '../support/amount.ts'
import { build, run, runHere, temporaryFolder, withLimits } from '../support/command.ts'
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
  search: ['nameText', 'wordText', 'cardRarity'],
  lists: [
    ...['cardPrinting', 'keyText', 'setEnds', 'suggestions', 'numberText'],
    ...['productIds', 'productCards', 'cardmarketIds', 'cardmarketCards'],
  ],
  'history-000': ['series'],
  changes: ['changes'],
}

const load = async (indexDir: string) => loadVersion(indexDir, (await readCurrent(indexDir))!)
const published = await fixtureIndex()
const fixture = await load(published)

it('the sample and the fixture are consistent', async () => {
  checkVersion(await load(await sampleIndex()))
  checkVersion(fixture)
})

it('a wrong number is found, in each column', () => {
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

it('a file that was read is closed again', async () => {
  const [indexDir, open] = [await fixtureIndex(), descriptorsOpen('self') ?? 0]
  for (let i = 0; i < 20; i++) await readCurrent(indexDir)
  assert.ok((descriptorsOpen('self') ?? 0) < open + 10)
})

describe('what is no plain file in INDEX_DIR', { concurrency: false }, () => {
  beforeEach(async () => {
    indexDir = await fixtureIndex()
  })

  const cases = [...kinds.map((kind) => ['current', ...kind] as const), ['VERSION/ids.msgpack', ...kinds[0]!] as const]
  for (const [name, what, make] of cases) {
    it(`can't be loaded: ${name} is ${what}`, { timeout: 30_000 }, async () => {
      const path = replace(name, make)
      const message = `${path} must be a plain file, or a link to one (${what})`
      await assert.rejects(load(indexDir), { message })
    })
  }

  it('ends a start with one line', { timeout: 30_000 }, async () => {
    const path = replace('VERSION/manifest.json', pipe)
    const env = { PORT: '0', LOG_LEVEL: 'error', INDEX_DIR: indexDir, STORE_DIR: temporaryFolder() }
    const stderr = `${path} must be a plain file, or a link to one (a pipe)\n`
    assert.deepEqual(await run('src/cli/serve-command.ts', [], env), { code: 1, stdout: '', stderr })
  })

  it('is logged by a server that runs, which serves on, and stops', async () => {
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
    it(`holds up no build: ${name}`, { timeout: 30_000 }, async () => {
      replace(name, pipe)
      const { code, stderr } = await build(snapshot, indexDir)
      assert.equal(code, 0, stderr)
      assert.ok(existsSync(join(indexDir, version, 'manifest.json')))
    })
  }

  it('is reported by a push of any version', { timeout: 30_000 }, async () => {
    const path = replace('VERSION/ids.msgpack', pipe)
    const target = temporaryFolder()
    const { code, stderr } = await runHere('src/cli/push-command.ts', [target], { INDEX_DIR: indexDir })
    assert.equal(code, 1)
    assert.match(stderr, /^\S+ids\.msgpack must be a plain file, or a link to one \(a pipe\)\n$/)
    rmSync(path)
    cpSync(join(published, version, 'ids.msgpack'), path)
    assert.equal((await runHere('src/cli/push-command.ts', [target], { INDEX_DIR: indexDir })).code, 0)
  })

  it('is fetched again by a pull, also what had come of it', { timeout: 30_000 }, async () => {
    const server = await FileServer.start(published)
    replace('VERSION/ids.msgpack', pipe)
    const socket = createServer()
    replace('VERSION/search.msgpack', (path) => socket.listen(path))
    await once(socket, 'listening')
    mkdirSync(join(indexDir, '.fetching'))
    const { files } = (await send(server.url, `/${version}/manifest.json`)).json
    const sums = new Set<string>(files.map((file: { sha256: string }) => file.sha256))
    pipe(...[...sums].map((sha256) => join(indexDir, '.fetching', sha256)))
    const pulled = await runHere(pullCommand, [server.url], { INDEX_DIR: indexDir })
    assert.deepEqual([pulled.code, pulled.stderr], [0, ''])
    assert.match(pulled.stdout, /; downloaded 2 files/)
    socket.close()
    await server.stop()
  })
})
