/** A version is downloaded completely, or not at all with one line that says why. */
import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { Manifest } from '../../src/indexes/manifest.ts'
import { RemotePointer } from '../../src/indexes/origins/remote-pointer.ts'
import { WebFolder } from '../../src/indexes/origins/web-folder.ts'
import { lockBuilds } from '../../src/indexes/publish/lock.ts'
import { fetchResumeBytesMin } from '../../src/limits.ts'
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
const never = new AbortController().signal
const patience = { ms: 20_000, bytes: 16 * 1024, resumeMs: 50 }
/** Of those who meet a server that keeps them waiting. */
const impatience = { ...patience, ms: 250 }

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

const webFolder = (path = '', waiting = patience) => new WebFolder(server.url + path, undefined, waiting)
const download = (signal = never, waiting = patience) =>
  new RemotePointer(webFolder('', waiting)).download(indexDir, signal)

/** Why it is refused, in one line. */
async function refusal(waiting = patience): Promise<string> {
  const { message } = await download(never, waiting).then(
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
  assert.deepEqual(
    readdirSync(indexDir).filter((entry) => entry.startsWith('.')),
    ['.lock.db'],
    'nothing is left',
  )
}

/** Of what is fetched, without `current` and manifests. */
const fileBytesSent = () =>
  server.bytesSent() - [...server.sent].reduce((sum, [path, bytes]) => (/\.msgpack$/.test(path) ? sum : sum + bytes), 0)

describe('a version', () => {
  it('comes whole, each file once, and is asked for as it lies there', async () => {
    for (const left of ['.staging-1', '.removing-1']) mkdirSync(join(indexDir, left))
    assert.deepEqual(await download(), { version, files: 3, bytes: allBytes })
    assertWhole()
    const { ino } = statSync(join(indexDir, 'current'))
    server.beginAnew()
    await download()
    assert.equal(statSync(join(indexDir, 'current')).ino, ino, 'followers see no other one')
    indexDir = temporaryFolder()
    server.beginAnew()
    await download()
    assert.equal(fileBytesSent(), allBytes)
    for (const { headers } of server.asked) assert.equal(headers['accept-encoding'], 'identity')
  })

  it('comes by what it has other than those here; the others are linked', async () => {
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

  it('is fetched again where what lies here is damaged, in place or to be linked', async () => {
    await download()
    server.beginAnew()
    writeFileSync(join(indexDir, version, cards), bytesOf(5, big))
    assert.equal((await download()).bytes, big)
    assertWhole()
    writeFileSync(join(indexDir, version, cards), bytesOf(6, big))
    const next = { ...contents, 'ids.msgpack': bytesOf(7, 10) }
    const name = publishMade(folder, next, { asOf: '2026-11-22' })
    assert.equal((await download()).bytes, big + 10)
    assertWhole(name, next)
  })

  it('is one of three that are kept', async () => {
    const names: string[] = []
    for (let day = 10; day < 15; day++) {
      names.push(publishMade(folder, { 'ids.msgpack': bytesOf(day, 10) }, { asOf: `2026-11-${day}` }))
      await download()
    }
    assert.deepEqual(readdirSync(indexDir).sort(), ['.lock.db', ...names.slice(-3), 'current'])
  })

  it('waits for a build here, and does not run beside it', async () => {
    const unlock = await lockBuilds(indexDir)
    assert.match(await refusal(), /^another build or fetch is running \(process \d+ on .+, since .+\)$/)
    unlock()
  })
})

/** Bytes that had come and were not read yet are lost when a connection breaks: a stream's buffer, and a piece without a place in it. */
const lostBytesMax = 2 * 64 * 1024

/** The part of the largest file, after 200,000 bytes were sent, and its size. */
function cutPart(parts: string): readonly [name: string, size: number] {
  const sizes = readdirSync(parts).map((name) => [name, statSync(join(parts, name)).size] as const)
  const found = sizes.find(([, size]) => size >= 200_000 - lostBytesMax && size <= 200_000)
  return found ?? assert.fail(`none of ${JSON.stringify(sizes)}`)
}

describe('what was broken off', () => {
  it('goes on where it was', async () => {
    server.failures[`${version}/${cards}`] = cutOff(200_000, 2)
    const resumeMs = 300
    const from = performance.now()
    assert.equal((await download(never, { ...patience, resumeMs })).bytes, allBytes)
    assert.ok(performance.now() - from >= 2 * resumeMs, 'a server that breaks off is given time')
    assertWhole()
    assert.equal(server.timesAsked(`${version}/${cards}`), 3)
    assert.ok(fileBytesSent() <= allBytes + 2 * lostBytesMax, `${fileBytesSent()} of ${allBytes}`)
  })

  it('is given up if less than 64 KiB had come', async () => {
    server.failures[`${version}/${cards}`] = cutOff(fetchResumeBytesMin - 1, 1)
    assert.match(await refusal(), /cards-000.msgpack can't be fetched \(/)
  })

  it('goes on with a server that tells no length of the whole', async () => {
    const cut = cutOff(200_000)
    server.failures[`${version}/${cards}`] = (asked) => {
      if (asked.before === 0) return cut(asked)
      const from = Number(/\d+/.exec(asked.headers.range!)![0])
      asked.response.writeHead(206, { 'Content-Range': `bytes ${from}-${big - 1}/*` }).end(asked.content.subarray(from))
      return undefined
    }
    assert.equal((await download()).bytes, allBytes)
    assertWhole()
  })

  it('is asked for by its time where its tag is weak', async () => {
    const changed = statSync(join(folder, version, cards)).mtime.toUTCString()
    const cut = cutOff(200_000)
    server.failures[`${version}/${cards}`] = (asked) => {
      const { response } = asked
      const writeHead = response.writeHead.bind(response) as (code: number, headers: object) => typeof response
      response.writeHead = ((code: number, headers: object) => writeHead(code, { ...headers, ETag: 'W/"1"' })) as never
      return asked.before === 0 ? cut(asked) : asked.answer()
    }
    await download()
    assertWhole()
    assert.equal(server.asked.at(-2)!.headers['if-range'], changed)
  })

  it('begins anew with a server that refuses its range', async () => {
    const cut = cutOff(200_000)
    server.failures[`${version}/${cards}`] = (asked) => {
      if (asked.headers.range !== undefined) return status(416)(asked)
      return asked.before === 0 ? cut(asked) : asked.answer()
    }
    assert.match(await refusal(), /cards-000.msgpack answered 416: it is begun anew$/)
    assert.equal((await download()).bytes, big)
    assertWhole()
  })

  it('begins anew with a server that knows no ranges', async () => {
    let cut = false
    server.failures[`${version}/${cards}`] = (asked) => {
      if (cut) return withoutRanges(asked)
      cut = true
      return cutOff(200_000)(asked)
    }
    await download()
    assertWhole()
    const ranges = server.asked.filter(({ path }) => path.endsWith(cards)).map(({ headers }) => headers.range ?? '')
    assert.match(ranges[1]!, /^bytes=\d{5,6}-$/)
    assert.equal(fileBytesSent(), allBytes + 200_000)
  })

  it('goes on after a restart, if it is still right', async () => {
    const parts = join(indexDir, '.fetching')
    const areAllThere = () => {
      const sizes = readdirSync(parts).map((name) => statSync(join(parts, name)).size)
      return (
        sizes.length === 6 &&
        [contents['ids.msgpack'], contents['search.msgpack']].every(({ length }) => sizes.includes(length))
      )
    }
    server.failures[`${version}/${cards}`] = async (asked) => {
      if (asked.before === 0) return cutOff(200_000)(asked)
      await until('the other files have come', areAllThere)
      return status(500)(asked)
    }
    assert.match(await refusal(), /answered 500/)
    server.beginAnew()
    assert.ok(areAllThere())
    const [, size] = cutPart(parts)
    assert.equal((await download()).bytes, big - size)
    assertWhole()
    assert.equal(fileBytesSent(), big - size)
    assert.notEqual(server.asked.find(({ path }) => path.endsWith(cards))!.headers['if-range'], undefined)
  })

  it('is not gone on with when the file is another meanwhile, or what was kept is damaged', {
    timeout: 60_000,
  }, async () => {
    server.failures[`${version}/${cards}`] = (asked) =>
      asked.before === 0 ? cutOff(200_000)(asked) : status(500)(asked)
    await refusal()
    const parts = join(indexDir, '.fetching')
    const [part] = cutPart(parts)
    server.beginAnew()
    const path = join(folder, version, cards)
    const { atime, mtime } = statSync(path)
    utimesSync(path, atime, new Date(mtime.getTime() + 5000))
    assert.equal((await download()).bytes, big, 'the tag is another, so it came from its start')
    assertWhole()
    rmSync(join(indexDir, version), { recursive: true })
    server.beginAnew()
    server.failures['current'] = (asked) => (asked.before === 0 ? asked.answer() : status(500)(asked))
    assert.match(await refusal(), /current answered 500/, 'all had come')
    server.beginAnew()
    writeFileSync(join(parts, part), bytesOf(8, big))
    assert.equal((await download()).bytes, big, 'a whole part that is wrong')
    assertWhole()
    server.beginAnew()
    indexDir = temporaryFolder()
    mkdirSync(join(indexDir, '.fetching'))
    writeFileSync(join(indexDir, '.fetching', part), bytesOf(8, 100_000))
    assert.equal(
      (await download()).bytes,
      allBytes + big - 100_000,
      'a beginning that is wrong, of which no tag is known',
    )
    assertWhole()
    server.beginAnew()
    indexDir = temporaryFolder()
    mkdirSync(join(indexDir, '.fetching'))
    writeFileSync(join(indexDir, '.fetching', part), bytesOf(8, 100_000))
    server.failures[`${version}/${cards}`] = wrongBytes
    assert.match(await refusal(), /has a wrong checksum$/)
    assert.equal(server.timesAsked(`${version}/${cards}`), 2, 'begun anew once')
  })

  it('is of no use for another version that has another file', async () => {
    server.failures[`${version}/${cards}`] = (asked) =>
      asked.before === 0 ? cutOff(200_000)(asked) : status(500)(asked)
    await refusal()
    server.beginAnew()
    const other = { 'ids.msgpack': contents['ids.msgpack'] }
    const name = publishMade(folder, other, { asOf: '2026-11-25' })
    server.failures['current'] = (asked) => (asked.before === 0 ? asked.answer() : status(500)(asked))
    await refusal()
    assert.deepEqual(
      readdirSync(join(indexDir, '.fetching')).map((file) => file.split('.')[1]),
      ['from', 'part'],
      'what is of no use is removed',
    )
    server.beginAnew()
    assert.equal((await download()).bytes, 0, 'what had come of a file that it has, too, is')
    assertWhole(name, other)
  })
})

describe('what is wrong is refused with one line, nothing changes, and the next try brings it', () => {
  const manifestWith =
    (change: (manifest: Manifest) => object): Fault =>
    ({ content, answer }) =>
      answer(Buffer.from(JSON.stringify(change(JSON.parse(content.toString())))))
  const withFile = (file: object) =>
    manifestWith((manifest) => ({
      ...manifest,
      files: [{ ...manifest.files[0], ...file }, ...manifest.files.slice(1)],
    }))
  const manifest = 'VERSION/manifest.json'
  const file = `VERSION/${cards}`
  const endingEarly: Fault = ({ response, content }) => {
    response.write(content.subarray(0, 1000))
    response.end()
  }

  const cases: readonly (readonly [path: string, what: string, fault: Fault, reason: RegExp])[] = [
    ['current', 'not there', status(404), /^URL\/current answered 404$/],
    ['current', 'failing', status(500), /^URL\/current answered 500$/],
    [
      'current',
      'a page',
      ({ response }) => response.end('<html>\nlog in'),
      /current names no version \("<html>\\nlog in"\)$/,
    ],
    ['current', 'out of the folder', ({ response }) => response.end('../../etc'), /current names no version/],
    ['current', 'endless', endless, /^URL\/current has more than 200 bytes$/],
    [
      'current',
      'all headers',
      endlessHeaders,
      /^URL\/current (is too slow|can't be fetched \(.*Headers Overflow.*\))$/,
    ],
    ['current', 'silent', silent, /^URL\/current is too slow$/],
    ['current', 'encoded', encoded, /^URL\/current has an encoding that was not requested \(gzip\)$/],
    [
      'current',
      'elsewhere',
      leadingTo('http://127.0.0.2:1/current'),
      /redirects to another host \(http:\/\/127.0.0.2:1\), which is not/,
    ],
    ['current', 'round and round', leadingTo('/current'), /^URL\/current redirects more than 5 times$/],
    [
      'current',
      'reset',
      ({ response }) => response.socket!.resetAndDestroy(),
      /^URL\/current can't be fetched \(ECONNRESET\)$/,
    ],
    [manifest, 'not there', status(404), /^URL\/VERSION\/manifest.json answered 404$/],
    [manifest, 'huge', endless, /^URL\/VERSION\/manifest.json has more than 1048576 bytes$/],
    [manifest, 'no JSON', ({ response }) => response.end('{'), /manifest.json is not JSON$/],
    [
      manifest,
      'of another format',
      manifestWith((all) => ({ ...all, format: 2, release: '0.9.1' })),
      /manifest.json: built by release 0\.9\.1, this is \d+\.\d+\.\d+: run card-prices build once$/,
    ],
    [
      manifest,
      'of another format without a release',
      manifestWith((all) => ({ ...all, format: 2, release: ['x'] })),
      /manifest.json: built by release before (\S+), this is \1: run card-prices build once$/,
    ],
    [
      manifest,
      'of another format of this release',
      manifestWith((all) => ({ ...all, format: 2, release: softwareVersion })),
      /manifest.json: built by release (\S+), this is \1 \(index format 2, not \d+\): run card-prices build once$/,
    ],
    [manifest, 'of another version', manifestWith((all) => ({ ...all, version: 'x' })), /belongs to version x$/],
    [manifest, 'leading out', withFile({ name: '../cards.msgpack' }), /is damaged \(files.0.name: /],
    [manifest, 'with a path', withFile({ name: '/etc/passwd' }), /is damaged \(files.0.name: /],
    [manifest, 'with a path for a checksum', withFile({ sha256: '../../x' }), /is damaged \(files.0.sha256: /],
    [manifest, 'with a file twice', withFile({ name: 'ids.msgpack' }), /names a file twice$/],
    [
      manifest,
      'with another checksum',
      withFile({ sha256: '0'.repeat(64) }),
      /version's name does not come from its files' checksums$/,
    ],
    [file, 'not there', status(404), /cards-000.msgpack answered 404$/],
    [file, 'failing', status(503), /cards-000.msgpack answered 503$/],
    [file, 'wrong', wrongBytes, /cards-000.msgpack has a wrong checksum$/],
    [
      file,
      'longer',
      wrongLength(1),
      /cards-000.msgpack has 600001 bytes, its manifest says 600000: is it still being copied\?$/,
    ],
    [file, 'shorter', wrongLength(-1), /cards-000.msgpack has 599999 bytes, its manifest says 600000/],
    [file, 'endless', endless, /cards-000.msgpack has more than the 600000 bytes that its manifest says$/],
    [file, 'trickling', trickling, /cards-000.msgpack is too slow$/],
    [file, 'trickling after a good beginning', tricklingFrom(100_000), /cards-000.msgpack is too slow$/],
    [file, 'silent', silent, /cards-000.msgpack is too slow$/],
    [file, 'encoded', encoded, /cards-000.msgpack has an encoding that was not requested/],
    [
      file,
      'elsewhere',
      leadingTo('https://elsewhere.example/x'),
      /redirects to another host \(https:\/\/elsewhere.example\)/,
    ],
    [file, 'cut off at once, again and again', cutOff(1000, 99), /cards-000.msgpack can't be fetched \(/],
    [file, 'ended early', endingEarly, /cards-000.msgpack ended early$/],
  ]
  for (const [path, what, fault, reason] of cases) {
    it(`${path} is ${what}`, { timeout: 60_000 }, async () => {
      server.failures[path.replace('VERSION', version)] = fault
      assert.match(await refusal(reason.source.includes('too slow') ? impatience : patience), reason)
      assert.ok(!existsSync(join(indexDir, 'current')))
      assert.deepEqual(
        readdirSync(indexDir).filter((name) => name !== '.fetching' && name !== '.lock.db'),
        [],
      )
      server.beginAnew()
      await download()
      assertWhole()
      assert.ok(fileBytesSent() <= allBytes)
    })
  }

  it('a file comes in another range than was asked for', async () => {
    let cut = false
    server.failures[`${version}/${cards}`] = (asked) => {
      if (cut) return otherRange(asked)
      cut = true
      return cutOff(200_000)(asked)
    }
    assert.match(await refusal(), /came in another range than was asked for/)
    server.beginAnew()
    await download()
    assertWhole()
    assert.equal(server.asked.find(({ path }) => path.endsWith(cards))!.headers.range, undefined, 'from its start')
  })

  it('current names another version meanwhile: that one comes next', async () => {
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

describe('addresses', () => {
  it('lead on within the same host', async () => {
    server.failures['other/current'] = leadingTo('/current')
    assert.equal((await webFolder('/other').text('current', 200, never))!.text, `${version}\n`)
    server.failures['other/current'] = leadingTo(server.url.replace('//', '//me:word@').concat('/current#part'))
    await webFolder('/other').text('current', 200, never)
    assert.equal(server.asked.at(-1)!.headers.authorization, undefined, 'as nobody whom it names')
    server.beginAnew()
    server.failures['current'] = leadingTo('/current')
    await assert.rejects(webFolder().text('current', 200, never), /redirects more than 5 times$/)
    assert.equal(server.timesAsked('current'), 6)
    server.failures['current'] = leadingTo(`${server.url.replace('http:', 'https:')}/current`)
    await assert.rejects(webFolder().text('current', 200, never), /https:\S+ can't be fetched \(/, 'as the safer one')
  })

  it('may have user info, and a header: both are sent, and never logged', async () => {
    const withUser = server.url.replace('//', '//me:p%40ss@')
    const web = new WebFolder(withUser, 'X-Secret: hidden value', patience)
    await web.text('current', 200, never)
    const { headers } = server.asked.at(-1)!
    assert.equal(headers.authorization, `Basic ${Buffer.from('me:p@ss').toString('base64')}`)
    assert.equal(headers['x-secret'], 'hidden value')
    assert.equal(web.addressOf('current'), `${server.url}/current`)
    const bearer = new WebFolder(withUser, 'Authorization: Bearer x', patience)
    await bearer.text('current', 200, never)
    assert.equal(server.asked.at(-1)!.headers.authorization, 'Bearer x')
    server.failures['current'] = leadingTo('http://localhost:1/')
    await assert.rejects(bearer.text('current', 200, never), (error: Error) => !/Bearer|p.*ss|me:/.test(error.message))
  })
})

describe('current', () => {
  const ageSeconds = (seconds: number) => {
    const time = new Date(Date.now() - seconds * 1000)
    utimesSync(join(folder, 'current'), time, time)
  }

  it('is logged in full only when it is another one', async () => {
    ageSeconds(60)
    const published = new RemotePointer(webFolder())
    for (let i = 0; i < 3; i++) assert.equal(await published.ask(never), version)
    assert.equal(server.sent.get('current'), version.length + 1)
    assert.deepEqual(published.figures.isUp, true)
    makeCurrent(folder, publishMade(folder, { 'ids.msgpack': bytesOf(10, 10) }))
    assert.notEqual(await published.ask(never), version)
  })

  it('is asked for by its time where it has no tag, and never of a cache alone', async () => {
    server.failures['current'] = ({ headers, content, response }) => {
      const isKnown = headers['if-modified-since'] === new Date(0).toUTCString()
      response
        .writeHead(isKnown ? 304 : 200, { 'Last-Modified': new Date(0).toUTCString() })
        .end(isKnown ? '' : content)
    }
    const published = new RemotePointer(webFolder())
    for (let i = 0; i < 2; i++) assert.equal(await published.ask(never), version)
    assert.equal(server.sent.get('current'), version.length + 1)
    for (const { headers } of server.asked) assert.equal(headers['cache-control'], 'no-cache')
  })

  it('is logged in full as long as it could change and look the same', async () => {
    ageSeconds(0)
    const published = new RemotePointer(webFolder())
    await published.ask(never)
    await published.ask(never)
    assert.equal(server.asked.at(-1)!.headers['if-none-match'], undefined)
  })

  it('that can not be asked for is down, and what it named is known on', async () => {
    const published = new RemotePointer(webFolder())
    assert.deepEqual(published.figures, { isUp: false, version: undefined, namedAtMs: 0 })
    await published.ask(never)
    server.failures['current'] = status(500)
    await assert.rejects(published.ask(never))
    assert.deepEqual([published.figures.isUp, published.figures.version], [false, version])
  })
})

it('ends at once when ordered, and leaves no lock', async () => {
  server.failures[`${version}/${cards}`] = silent
  const ending = new AbortController()
  const downloading = download(ending.signal)
  await until('it waits for a file', () => server.timesAsked(`${version}/${cards}`) > 0)
  ending.abort(new Error('ordered'))
  await assert.rejects(downloading, /ordered/)
  assert.deepEqual(getEventListeners(ending.signal, 'abort'), [])
  server.beginAnew()
  await assert.rejects(download(ending.signal), /ordered/)
  assert.deepEqual(server.asked, [])
  assert.deepEqual(readdirSync(indexDir).sort(), ['.fetching', '.lock.db'])
})
