/** A version is downloaded completely, or not at all with one line that says why. */
import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import { loadVersion } from '../../src/indexes/load.ts'
import type { Manifest } from '../../src/indexes/manifest.ts'
import type { TryOut } from '../../src/indexes/origins/download-version.ts'
import { RemotePointer } from '../../src/indexes/origins/remote-pointer.ts'
import { RemoteVersions } from '../../src/indexes/origins/remote-versions.ts'
import { WebFolder } from '../../src/indexes/origins/web-folder.ts'
import { Checksum } from '../../src/indexes/plain-file.ts'
import { lockBuilds } from '../../src/indexes/publish/lock.ts'
import { softwareVersion } from '../../src/version.ts'
import { temporaryFolder } from '../support/command.ts'
import {
  cutOff,
  encoded,
  endless,
  endlessHeaders,
  type Fault,
  FileServer,
  leadingTo,
  otherRange,
  silent,
  status,
  trickling,
  tricklingFrom,
  withoutRanges,
  wrongBytes,
  wrongLength,
} from '../support/file-server.ts'
import { syncedBy } from '../support/synced.ts'
import { until } from '../support/until.ts'
import { bytesOf, makeCurrent, publishMade } from '../support/versions.ts'

const folder = temporaryFolder()
const big = 600_000
const contents = {
  'cards-000.msgpack': bytesOf(1, big),
  'ids.msgpack': bytesOf(2, 50_000),
  'search.msgpack': bytesOf(3, 1000),
}
const cards = 'cards-000.msgpack'
const allBytes = Object.values(contents).reduce((sum, { length }) => sum + length, 0)
const patience = { ms: 20_000, bytes: 16 * 1024, resumeMs: 50 }
/** For servers that keep them waiting. */
const impatience = { ...patience, ms: 1000 }

let server: FileServer
let version: string
let indexDir: string

before(async () => {
  version = publishMade(folder, contents)
  server = await FileServer.start(folder)
})
after(() => server.stop())
beforeEach(() => {
  server.beginAnew()
  makeCurrent(folder, version)
  indexDir = temporaryFolder()
})

/** Loads a version without its trial, because these files have bytes that no index has. */
const anyBytes = loadVersion
const webFolder = (path = '', waiting = patience) => new WebFolder(server.url + path, undefined, waiting)
const download = (waiting = patience) => new RemotePointer(webFolder('', waiting)).download(indexDir, anyBytes)

/** Why it is refused, in one line. */
async function refusal(waiting = patience): Promise<string> {
  const { message } = await download(waiting).then(
    () => assert.fail('it was downloaded'),
    (error: Error) => error,
  )
  assert.doesNotMatch(message, /\n/)
  return message.replaceAll(server.url, 'URL').replaceAll(version, 'VERSION')
}

function assertWhole(name = version, made: Readonly<Record<string, Buffer>> = contents): void {
  assert.equal(readFileSync(join(indexDir, 'current'), 'utf8'), `${name}\n`)
  for (const [file, content] of Object.entries(made)) {
    assert.ok(readFileSync(join(indexDir, name, file)).equals(content), file)
  }
  const found = readdirSync(indexDir).filter((entry) => entry.startsWith('.'))
  assert.deepEqual(found, ['.lock.db'], 'nothing is left')
}

/** Bytes of index files, without `current` and manifests. */
const fileBytesSent = () =>
  server.bytesSent() - [...server.sent].reduce((sum, [path, bytes]) => (/\.msgpack$/.test(path) ? sum : sum + bytes), 0)

describe('A version from INDEX_URL', () => {
  it('A download fetches each file of a version once, and the files are as they were published', async () => {
    for (const left of ['.staging-1', '.removing-1']) mkdirSync(join(indexDir, left))
    const timers = () => process.getActiveResourcesInfo().filter((what) => what === 'Timeout').length
    const [before, { signal }] = [timers(), new AbortController()]
    const whole = await new RemotePointer(webFolder()).download(indexDir, anyBytes, signal)
    assert.deepEqual(whole, { version, files: 3, bytes: allBytes })
    assert.deepEqual([timers(), getEventListeners(signal, 'abort')], [before, []], 'nothing waits any more')
    assertWhole()
    assert.equal(fileBytesSent(), allBytes)
    for (const { headers } of server.asked) assert.equal(headers['accept-encoding'], 'identity')
    const { ino } = statSync(join(indexDir, 'current'))
    await download()
    assert.equal(statSync(join(indexDir, 'current')).ino, ino, 'followers see no other one')
  })

  it('A downloaded version becomes current only after its files and folders are flushed to the disk', async (context) => {
    const synced = await syncedBy(context, indexDir, download)
    const names = synced.map((name) => name.replace(/^\.staging-\w{12}/, '.staging'))
    const files = Object.values(contents).map((content) => `.fetching/${new Checksum().add(content).end().sha256}`)
    assert.deepEqual(names.slice(0, 3).sort(), files.sort())
    assert.deepEqual(names.slice(3), ['.staging/manifest.json', '.staging', '', '.staging-current', ''])
  })

  it('A download fetches only the files that no local version has, and links the others', async () => {
    await download()
    server.beginAnew()
    const next = { ...contents, 'ids.msgpack': bytesOf(4, 60_000), 'lists.msgpack': contents['search.msgpack'] }
    const name = publishMade(folder, next, { asOf: '2026-11-21' })
    assert.deepEqual(await download(), { version: name, files: 1, bytes: 60_000 })
    assertWhole(name, next)
    assert.equal(fileBytesSent(), 60_000)
    const inode = (of: string) => statSync(join(indexDir, of, cards)).ino
    assert.equal(inode(name), inode(version))
    server.beginAnew()
    makeCurrent(folder, version)
    assert.deepEqual(await download(), { version, files: 0, bytes: 0 }, 'an older one, which is here')
    assertWhole()
    assert.equal(fileBytesSent(), 0)
  })

  it('A version’s report is downloaded with it, does not change its name, and is not loaded by servers', async () => {
    const report = bytesOf(8, 700)
    assert.equal(publishMade(folder, contents, { report }), version)
    const loaded: string[] = []
    const tryOut: TryOut = async (dir, name) => loaded.push(...(await loadVersion(dir, name)).files.keys())
    const whole = await new RemotePointer(webFolder()).download(indexDir, tryOut)
    assert.deepEqual([whole.files, whole.bytes, loaded.sort()], [4, allBytes + 700, Object.keys(contents).sort()])
    assertWhole(version, { ...contents, 'report.json': report })
    writeFileSync(join(folder, version, 'report.json'), bytesOf(9, 700))
    writeFileSync(join(indexDir, version, 'report.json'), bytesOf(9, 700))
    assert.equal(await refusal(), 'URL/VERSION/report.json has a wrong checksum')
    publishMade(folder, contents)
  })

  it('A download replaces a damaged local file, whether of its own version or of one that it links from', async () => {
    await download()
    server.beginAnew()
    writeFileSync(join(indexDir, version, cards), bytesOf(5, big))
    const { ino } = statSync(join(indexDir, 'current'))
    assert.equal((await download()).bytes, big)
    assert.notEqual(statSync(join(indexDir, 'current')).ino, ino, 'followers load it again')
    assertWhole()
    writeFileSync(join(indexDir, version, cards), bytesOf(6, big))
    const next = { ...contents, 'ids.msgpack': bytesOf(7, 10) }
    const name = publishMade(folder, next, { asOf: '2026-11-22' })
    assert.equal((await download()).bytes, big + 10)
    assertWhole(name, next)
  })

  it('A download keeps the three newest versions', async () => {
    const names: string[] = []
    for (let day = 10; day < 15; day++) {
      names.push(publishMade(folder, { 'ids.msgpack': bytesOf(day, 10) }, { asOf: `2026-11-${day}` }))
      await download()
    }
    assert.deepEqual(readdirSync(indexDir).sort(), ['.lock.db', ...names.slice(-3), 'current'])
  })

  it('A download is refused while a build runs in the same folder', async () => {
    const unlock = await lockBuilds(indexDir)
    assert.match(await refusal(), /^another build or fetch is running \(process \d+ on .+, since .+\)$/)
    unlock()
  })
})

/** Breaks off after 200,000 bytes, and from then on answers by the fault. */
const cutThen =
  (fault: Fault): Fault =>
  (asked) =>
    asked.before === 0 ? cutOff(200_000)(asked) : fault(asked)

describe('A transfer that broke off', () => {
  const ranges = () =>
    server.asked.filter(({ path }) => path.endsWith(cards)).map(({ headers }) => headers.range !== undefined)
  /** How many bytes of the largest file are kept for the next try. */
  const keptBytes = () => Math.max(0, ...keptFiles().map((name) => statSync(join(indexDir, '.fetching', name)).size))
  const keptFiles = () => readdirSync(join(indexDir, '.fetching'))

  it('A transfer that broke off resumes where it was', async () => {
    server.failures[`${version}/${cards}`] = cutOff(200_000, 2)
    const resumeMs = 300
    const from = performance.now()
    assert.equal((await download({ ...patience, resumeMs })).bytes, allBytes)
    assert.ok(performance.now() - from >= 2 * resumeMs, 'a server that breaks off is given time')
    assertWhole()
    assert.deepEqual(ranges(), [false, true, true])
  })

  it('A transfer that broke off begins again if the server does not support ranges', async () => {
    server.failures[`${version}/${cards}`] = cutThen(withoutRanges)
    assert.equal((await download()).bytes, allBytes)
    assertWhole()
    assert.equal(fileBytesSent(), allBytes + 200_000)
  })

  it('A transfer that broke off resumes at the next download, though the server failed in between', async () => {
    server.failures[`${version}/${cards}`] = cutThen(status(503))
    assert.match(await refusal(), /answered 503/)
    const kept = keptBytes()
    assert.ok(kept > 64 * 1024, `${kept} bytes`)
    server.beginAnew()
    assert.ok((await download()).bytes <= allBytes - kept)
    assertWhole()
    assert.deepEqual(ranges(), [true])
  })

  it('The files of a failed download serve the next version that has them, and the others are removed', async () => {
    server.failures[`${version}/${cards}`] = cutThen(status(503))
    await refusal()
    server.beginAnew()
    const other = { 'ids.msgpack': contents['ids.msgpack'] }
    const name = publishMade(folder, other, { asOf: '2026-11-25' })
    server.failures['current'] = (asked) => (asked.before === 0 ? asked.answer() : status(500)(asked))
    await refusal()
    assert.equal(keptFiles().length, 1)
    server.beginAnew()
    assert.equal((await download()).bytes, 0)
    assertWhole(name, other)
  })
})

describe('A wrong version or file at INDEX_URL', () => {
  const manifestWith =
    (change: (manifest: Manifest) => object): Fault =>
    ({ content, answer }) =>
      answer(Buffer.from(JSON.stringify(change(JSON.parse(content.toString())))))
  const withFile = (file: object) =>
    manifestWith((manifest) => ({
      ...manifest,
      files: [{ ...manifest.files[0], ...file }, ...manifest.files.slice(1)],
    }))
  const of9Gb = (manifest: Manifest) => {
    const large = Array.from({ length: 5 }, (_, i) => ({
      ...manifest.files[0]!,
      name: `cards-01${i}.msgpack`,
      bytes: 1.8e9,
    }))
    return { ...manifest, files: [...manifest.files, ...large] }
  }
  const manifest = 'VERSION/manifest.json'
  const file = `VERSION/${cards}`
  const reversed: Fault = ({ content, answer }) => answer(Buffer.from(content).reverse())
  const endingEarly: Fault = ({ response, content }) => {
    response.write(content.subarray(0, 1000))
    response.end()
  }

  const saying =
    (text: string): Fault =>
    ({ response }) =>
      response.end(text)
  const reset: Fault = ({ response }) => response.socket!.resetAndDestroy()
  const otherProtocol: Fault = ({ response }) =>
    response.socket!.end('HTTP/1.1 101 x\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')
  const ofFormat = (release?: unknown) => manifestWith((all) => ({ ...all, format: 2, release }))

  const cases: readonly (readonly [path: string, what: string, fault: Fault, reason: RegExp])[] = [
    ['current', 'not there', status(404), /^URL\/current answered 404$/],
    ['current', 'a web page', saying('<html>\nlog in'), /current names no version \("<html>\\nlog in"\)$/],
    ['current', 'a path out of the folder', saying('../../etc'), /current names no version/],
    ['current', 'endless', endless, /^URL\/current has more than 200 bytes$/],
    [
      'current',
      'nothing but headers',
      endlessHeaders,
      /current (is too slow|can't be fetched \(.*Headers Overflow.*\))$/,
    ],
    ['current', 'never answered', silent, /^URL\/current is too slow$/],
    ['current', 'compressed unasked', encoded, /^URL\/current has an encoding that was not requested \(gzip\)$/],
    ['current', 'a redirect', leadingTo('/other'), /^URL\/current answered 302, and redirects are not followed$/],
    ['current', 'cut off by a reset', reset, /^URL\/current can't be fetched \(ECONNRESET\)$/],
    ['current', 'in another protocol', otherProtocol, /can't be fetched \(the connection ended without an answer\)$/],
    [manifest, 'huge', endless, /^URL\/VERSION\/manifest.json has more than 1048576 bytes$/],
    [manifest, 'no JSON', saying('{'), /manifest.json is not JSON$/],
    [
      manifest,
      'of another format',
      ofFormat('0.9.1'),
      /: built by release 0\.9\.1, this is [\d.]+(-dev(\+\w+)?)?: run .+ once$/,
    ],
    [manifest, 'of a format without a release', ofFormat(['x']), /: built by release before (\S+), this is \1: /],
    [
      manifest,
      'of another format of this release',
      ofFormat(softwareVersion),
      /: built by release (\S+), this is \1 \(index format 2, not \d+\): run card-prices build once$/,
    ],
    [manifest, 'of another version', manifestWith((all) => ({ ...all, version: 'x' })), /belongs to version x$/],
    [
      manifest,
      'of a date that does not exist',
      manifestWith((all) => ({ ...all, asOf: '2026-02-30' })),
      /is damaged \(asOf: is no date/,
    ],
    [
      manifest,
      'naming a file outside of its folder',
      withFile({ name: '../cards.msgpack' }),
      /is damaged \(files.0.name: /,
    ],
    [manifest, 'with a path for a checksum', withFile({ sha256: '../../x' }), /is damaged \(files.0.sha256: /],
    [manifest, 'with a file twice', withFile({ name: 'ids.msgpack' }), /is damaged \(files: has a file twice\)$/],
    [
      manifest,
      'with a file that this release does not know',
      withFile({ name: 'cards.msgpack' }),
      /\(files.0.name: is no file that this release/,
    ],
    [manifest, 'with a file of 3 GB', withFile({ bytes: 3e9 }), /is damaged \(files.0.bytes: /],
    [
      manifest,
      'with files of 9 GB in all',
      manifestWith(of9Gb),
      /is damaged \(files: has more than 8589934592 bytes\)$/,
    ],
    [manifest, 'with another checksum', withFile({ sha256: '0'.repeat(64) }), /not come from its files' checksums$/],
    [file, 'not there', status(404), /cards-000.msgpack answered 404$/],
    [file, 'of other bytes', wrongBytes, /cards-000.msgpack has a wrong checksum$/],
    [
      file,
      'a byte too long',
      wrongLength(1),
      / has 600001 bytes, its manifest says 600000: is it still being copied\?$/,
    ],
    [file, 'endless', endless, /cards-000.msgpack has more than the 600000 bytes that its manifest says$/],
    [file, 'trickling', trickling, /cards-000.msgpack is too slow$/],
    [file, 'trickling after a good beginning', tricklingFrom(100_000), /cards-000.msgpack is too slow$/],
    [file, 'cut off before 64 KiB have come', cutOff(64 * 1024 - 1), /cards-000.msgpack can't be fetched \(/],
    [file, 'ended early', endingEarly, /cards-000.msgpack ended early$/],
    [file, 'refused when it is resumed', cutThen(status(416)), /cards-000.msgpack answered 416$/],
    [file, 'resumed at another range', cutThen(otherRange), /came in another range than was asked for/],
    [file, 'resumed with other bytes', cutThen(reversed), /has a wrong checksum$/],
  ]
  for (const [path, what, fault, reason] of cases) {
    it(`A download fails if the file ${path} is ${what}, and the next one succeeds`, { timeout: 300_000 }, async () => {
      server.failures[path.replace('VERSION', version)] = fault
      assert.match(await refusal(reason.source.includes('too slow') ? impatience : patience), reason)
      assert.ok(!existsSync(join(indexDir, 'current')))
      const found = readdirSync(indexDir).filter((name) => name !== '.fetching' && name !== '.lock.db')
      assert.deepEqual(found, [])
      server.beginAnew()
      await download()
      assertWhole()
      assert.ok(fileBytesSent() <= allBytes)
    })
  }

  it('A download fails if `current` names another version meanwhile, and the next one fetches that version', async () => {
    const next = { ...contents, 'ids.msgpack': bytesOf(9, 10) }
    const name = publishMade(folder, next, { asOf: '2026-11-23' })
    makeCurrent(folder, version)
    server.failures[`${version}/${cards}`] = ({ answer }) => {
      makeCurrent(folder, name)
      answer()
    }
    assert.match(await refusal(), /^URL\/VERSION was replaced by another version meanwhile$/)
    assert.ok(!existsSync(join(indexDir, 'current')))
    assert.deepEqual(await download(), { version: name, files: 3, bytes: 10 }, 'what had come is good for it')
    assertWhole(name, next)
  })
})

it('A download succeeds, however long it takes in total, if each part arrives in time', async (context) => {
  let now = 0
  // A wait takes a sixth of the time that is allowed.
  context.mock.method(performance, 'now', () => (now += patience.ms / 6))
  server.failures['current'] = async ({ response }) => {
    for (let part = 0; part < 10; part++, await pause(10)) response.write('x'.repeat(patience.bytes))
    response.end()
  }
  assert.equal((await webFolder().text('current', 1e6))!.text.length, 10 * patience.bytes)
})

it('A download sends the user and password of its address, or a given header instead, and no message shows either', async () => {
  const withUser = `${server.url.replace('//', '//me:p%40ss@')}/below`
  const basic = `Basic ${Buffer.from('me:p@ss').toString('base64')}`
  server.failures['below/current'] = status(403)
  for (const [header, sent] of [
    ['X-Secret: hidden', basic],
    ['Authorization: Bearer x', 'Bearer x'],
  ] as const) {
    const web = new WebFolder(withUser, header, patience)
    await assert.rejects(web.text('current', 200), { message: `${server.url}/below/current answered 403` })
    assert.equal(server.asked.at(-1)!.headers.authorization, sent)
  }
})

it('The file `current` is downloaded again only if it changed, or is too new to rule out a change', async () => {
  const published = new RemotePointer(webFolder())
  for (let i = 0; i < 2; i++) assert.equal(await published.ask(), version)
  assert.equal(server.asked.at(-1)!.headers['if-none-match'], undefined)
  const longAgo = new Date(Date.now() - 60_000)
  utimesSync(join(folder, 'current'), longAgo, longAgo)
  server.beginAnew()
  for (let i = 0; i < 3; i++) assert.equal(await published.ask(), version)
  assert.equal(server.sent.get('current'), version.length + 1)
  for (const { headers } of server.asked) assert.equal(headers['cache-control'], 'no-cache', 'never of a cache alone')
  makeCurrent(folder, publishMade(folder, { 'ids.msgpack': bytesOf(10, 10) }))
  assert.notEqual(await published.ask(), version)
  const { isUp } = published.figures
  server.failures['current'] = status(403)
  await assert.rejects(published.ask(), /403/)
  assert.deepEqual([isUp, published.figures.isUp], [true, false], 'whether it answers, before and after it failed')
})

it('A server downloads a new version at once, and logs its size and time', async () => {
  const lines: string[] = []
  const log = pino({ base: null, timestamp: false }, { write: (line) => lines.push(line) })
  const remote = new RemoteVersions(webFolder(), indexDir, anyBytes, log)
  const from = performance.now()
  remote.begin()
  await until('it is logged', () => lines.length > 0)
  remote.end()
  assertWhole()
  const { seconds, ...line } = JSON.parse(lines.join())
  assert.deepEqual(line, { level: 30, version, files: 3, bytes: allBytes, msg: 'fetched' })
  assert.ok(seconds > 0 && seconds <= (performance.now() - from) / 1000, `${seconds} s`)
  const { namedAtMs, ...figures } = remote.figures
  assert.deepEqual([figures, namedAtMs > from, remote.address], [{ isUp: true, version }, true, `${server.url}/`])
})

it('A download ends at once when the server stops, and leaves no lock', async () => {
  server.failures[`${version}/${cards}`] = silent
  const ending = new AbortController()
  const downloading = new RemotePointer(webFolder()).download(indexDir, anyBytes, ending.signal)
  await until('it waits for a file', () => server.timesAsked(`${version}/${cards}`) > 0)
  ending.abort()
  await assert.rejects(downloading, { name: 'AbortError' })
  const unlock = await lockBuilds(indexDir)
  unlock()
  server.beginAnew()
  await download()
  assertWhole()
})
