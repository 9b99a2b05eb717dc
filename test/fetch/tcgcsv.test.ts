/** A mirror of TCGCSV is fetched politely in every case, and only the new part of it. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { lockBuilds } from '../../src/indexes/publish/lock.ts'
import { amount } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'
import {
  breaking,
  encoded,
  endless,
  type Fault,
  leadingTo,
  replying,
  silent,
  trickling,
} from '../support/file-server.ts'
import { errorsOf, importInto } from '../support/import.ts'
import { drawFrom, type Random, randomFrom } from '../support/random.ts'
import { clock, differing, fetchHere, lineOf, notesOf, shortPatience } from './fetching.ts'
import { mirrorGroups } from './mirror-groups.ts'
import { fewGroups, firstStamp, nextStamp, PublicSource, tcgcsvFiles } from './public-source.ts'

const games = ['pokemon', 'onepiece'] as const
const groups = fewGroups(2)
const gone = groups[1]!

const stateOf = (mirror: string) => JSON.parse(readFileSync(join(mirror, 'fetch.json'), 'utf8'))
const requestsCounted = (mirror: string) =>
  Object.values<number>(stateOf(mirror).requests).reduce((sum, count) => sum + count)

describe('A fetch of TCGCSV', () => {
  it('A fetch of TCGCSV downloads all that the import reads and keeps its pauses, and the next one sends one request', async () => {
    const source = await PublicSource.start(tcgcsvFiles(mirrorGroups))
    const mirror = temporaryFolder()
    const { isNew, requests } = await fetchHere('tcgcsv', source, mirror)
    assert.deepEqual([isNew, differing(source, mirror), source.breaches], [true, [], []])
    assert.equal(requests, source.asked.length)
    assert.ok(source.connections < requests / 2, `${source.connections} connections`)
    assert.equal(stateOf(mirror).state, 'whole')
    assert.ok(!existsSync(join(mirror, '.fetching')))
    const imported = await importInto(temporaryFolder(), 'tcgcsv', [mirror])
    assert.equal(imported.date, firstStamp.slice(0, 10))
    source.forget()
    assert.equal((await fetchHere('tcgcsv', source, mirror)).isNew, false)
    assert.deepEqual(source.asked, ['/last-updated.txt'])
    source.forget()
    const early = await fetchHere('tcgcsv', source, mirror, { again: false })
    assert.deepEqual([early.isNew, source.asked], [false, []])
  })

  it('A fetch of TCGCSV succeeds from a server that lacks the list of categories', async () => {
    const files = tcgcsvFiles(mirrorGroups)
    files.delete('/tcgplayer/categories')
    const [source, mirror] = [await PublicSource.start(files), temporaryFolder()]
    assert.equal((await fetchHere('tcgcsv', source, mirror)).isNew, true)
    assert.ok(source.asked.includes('/tcgplayer/categories'))
  })

  it('A fetch of TCGCSV on the next day asks for all groups’ prices, and for products of changed or new groups', async () => {
    const source = await PublicSource.start(tcgcsvFiles(mirrorGroups.filter(({ id }) => id !== gone.id)))
    const mirror = temporaryFolder()
    await fetchHere('tcgcsv', source, mirror)
    source.forget()
    const [moved] = groups
    const files = tcgcsvFiles(mirrorGroups, nextStamp, { [moved!.id]: '2026-11-21T09:00:00' })
    for (const [path, content] of files) source.set(path, content)
    assert.equal((await fetchHere('tcgcsv', source, mirror)).isNew, true)
    const products = source.asked.filter((path) => path.endsWith('/products'))
    assert.deepEqual(
      products.sort(),
      [moved!, gone].map(({ category, id }) => `/tcgplayer/${category}/${id}/products`).sort(),
    )
    assert.equal(source.asked.filter((path) => path.endsWith('/prices')).length, mirrorGroups.length)
    assert.deepEqual([differing(source, mirror), source.breaches], [[], []])
    rmSync(join(mirror, `${moved!.category}/${moved!.id}/products`))
    source.forget()
    await fetchHere('tcgcsv', source, mirror)
    assert.ok(
      source.asked.includes(`/tcgplayer/${moved!.category}/${moved!.id}/products`),
      'what is missing is fetched',
    )
    assert.deepEqual(differing(source, mirror), [])
  })

  it('A fetch of TCGCSV begins again if last-updated.txt changes meanwhile, and leaves out a group that is gone then', async () => {
    const [source, mirror] = [await PublicSource.start(), temporaryFolder()]
    let left = 4
    source.onStage = (stage) => {
      if (stage !== 'answered' || --left !== 0) return
      for (const path of source.files.keys()) if (path.includes(`/${gone.id}/`)) source.files.delete(path)
      for (const [path, content] of tcgcsvFiles(
        groups.filter((group) => group !== gone),
        nextStamp,
      ))
        source.set(path, content)
    }
    await fetchHere('tcgcsv', source, mirror, { games })
    assert.equal(stateOf(mirror).stamp, nextStamp)
    assert.deepEqual([differing(source, mirror), source.breaches], [[], []])
  })

  it('A fetch of TCGCSV gives up if last-updated.txt changes again and again', async () => {
    const source = await PublicSource.start()
    source.fault = ({ path, before, answer }) =>
      answer(path === '/last-updated.txt' ? Buffer.from(`2026-11-20T20:05:${10 + before}Z`) : undefined)
    const mirror = temporaryFolder()
    assert.match(
      (await lineOf(fetchHere('tcgcsv', source, mirror, { games })))!,
      /changes while its prices are fetched/,
    )
    assert.equal(stateOf(mirror).state, 'unfinished')
    assert.equal(requestsCounted(mirror), source.asked.length)
    assert.notEqual(await lineOf(fetchHere('tcgcsv', source, mirror, { games })), undefined)
    assert.equal(requestsCounted(mirror), source.asked.length + 1, 'one that a killed run may have sent')
  })

  it('A fetch of TCGCSV stops at the publisher’s limit of requests a day, counted over all runs', async () => {
    const [source, mirror] = [await PublicSource.start(), temporaryFolder()]
    await fetchHere('tcgcsv', source, mirror, { games })
    const state = stateOf(mirror)
    assert.equal(requestsCounted(mirror), source.asked.length)
    const now = clock.now()
    const hour = new Date(now - 86_400_000).toISOString().slice(0, 'YYYY-MM-DDTHH'.length)
    writeFileSync(join(mirror, 'fetch.json'), JSON.stringify({ ...state, requests: { [hour]: 9999 } }))
    source.forget()
    source.set('/last-updated.txt', nextStamp)
    const standing = { now: () => now, sleep: async () => undefined }
    const line = await lineOf(fetchHere('tcgcsv', source, mirror, { games, clock: standing }))
    const most = 'was asked 10,000 times in 24 hours, the most that its publisher allows'
    assert.equal(line, `${source.url}/ ${most}: run it again in some hours; received files are kept`)
    assert.deepEqual(source.asked, ['/last-updated.txt'])
  })

  it('A fetch of TCGCSV 10 to 24 hours after the last one waits until it may ask, so that no day is skipped', async () => {
    const [source, mirror] = [await PublicSource.start(), temporaryFolder()]
    await fetchHere('tcgcsv', source, mirror, { games })
    const before = stateOf(mirror)
    for (const hours of [9, 10, 20, 25]) {
      const askedMs = clock.now() - hours * 3_600_000
      const askedAt = new Date(askedMs).toISOString()
      writeFileSync(join(mirror, 'fetch.json'), JSON.stringify({ ...before, askedAt }))
      source.forget()
      const options = { games, again: false, quiet: false }
      const [{ why }, notes] = await notesOf(() => fetchHere('tcgcsv', source, mirror, options))
      const due = new Date(askedMs + 86_400_000).toISOString()
      const waits = `waits until ${due}, when it may be asked again (--again asks now)`
      assert.equal(notes.replaceAll(/^\W*tcgcsv\W+|\W*$/g, ''), hours < 10 || hours > 24 ? '' : waits.slice(0, -1))
      assert.equal(
        why,
        hours < 10
          ? `nothing new: asked at ${askedAt}, next at ${due} (--again asks now)`
          : `nothing new since ${firstStamp}`,
      )
      assert.deepEqual(source.asked, hours < 10 ? [] : ['/last-updated.txt'])
    }
  })

  it('A fetch of TCGCSV stops a download that never ends, and keeps nothing of it', async () => {
    const [source, mirror] = [await PublicSource.start(), temporaryFolder()]
    source.fault = (asked) => (asked.path.endsWith('/3/groups') ? endless(asked) : asked.answer())
    const line = await lineOf(fetchHere('tcgcsv', source, mirror, { games }))
    assert.match(`${line}`, /3\/groups has more than 67 MB as sent or 67 MB unpacked: look at the address yourself: it/)
    assert.deepEqual(readdirSync(join(mirror, '.fetching')), [])
  })

  it('A fetch of TCGCSV says in one line what is wrong with its folder', async () => {
    const source = await PublicSource.start()
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    await assert.rejects(fetchHere('tcgcsv', source, file), new Error(`${file} must be a folder, and is a file`))
  })

  it('A fetch of TCGCSV refuses a folder that another running fetch uses', async () => {
    const [source, mirror] = [await PublicSource.start(), temporaryFolder()]
    const unlock = await lockBuilds(mirror, 'fetch')
    const running = /^another fetch into \S+ is running \(process \d+ on \S+, since \S+Z\)$/
    await assert.rejects(fetchHere('tcgcsv', source, mirror, { games }), { message: running })
    unlock()
    await fetchHere('tcgcsv', source, mirror, { games })
  })
})

const cutting =
  (share: number): Fault =>
  ({ response, content }) => {
    response.writeHead(200, { 'Content-Length': content.length + 1 })
    response.write(content.subarray(0, Math.floor(content.length * share)), () => response.destroy())
  }

const always = (fault: Fault) => () => fault
const once =
  (fault: Fault): (() => Fault) =>
  () =>
  (asked) =>
    asked.before === 0 ? fault(asked) : asked.answer()

const bomb = gzipSync(Buffer.alloc(65 * 1024 * 1024, ' '))
const data = /^\/tcgplayer\//

const thrice = ' (3 times): check whether it can be reached, and run it again'
const look = ': look at the address yourself'
const yourself = `${look}, and run it again`
const otherRange = replying(206, 'x', { 'Content-Range': 'bytes 5-5/6' })
const noSuccess = replying(200, '{"success":false,"errors":["no"],"results":[]}')
const noList = replying(200, '{"success":true,"errors":[],"results":{}}')
const later = ': run it again after that; received files are kept'

const busy = (seconds: string) => replying(503, '', { 'Retry-After': seconds })

/**
 * A fault of a publisher, and the required line, with ADDRESS for the file's and ELSEWHERE for another publisher's; undefined
 * if the fetch succeeds all the same. Where the last is given, only files of those paths can fail so.
 */
type Failure = readonly [
  what: string,
  line: string | undefined,
  fault: (random: Random, elsewhere: string) => Fault,
  paths?: RegExp,
]

const failures: readonly Failure[] = [
  ['cuts an answer once', undefined, (random) => once(cutting(random()))()],
  ['cuts each answer', `ADDRESS can't be fetched (ECONNRESET)${thrice}`, (random) => cutting(random())],
  ['sends a byte now and then', `ADDRESS is too slow${thrice}`, always(trickling)],
  ['says nothing', `ADDRESS is too slow${thrice}`, always(silent)],
  ['is busy once and says for how long', undefined, once(busy('3'))],
  ['is busy once', undefined, once(replying(503, 'busy'))],
  ['is busy for long', `ADDRESS answered 503 and asks for a pause of 60 minutes${later}`, always(busy('3600'))],
  ['is busy for ever', `ADDRESS answered 503 and asks for a pause of 4 minutes${later}`, always(busy('200'))],
  ['throttles until a time', undefined, once(replying(429, '', { 'Retry-After': new Date(0).toUTCString() }))],
  ['fails once', undefined, once(replying(500, 'oops'))],
  ['fails', `ADDRESS answered 502 ("bad gateway")${thrice}`, always(replying(502, '<h1>bad gateway</h1>'))],
  ['answers a page', `ADDRESS is a web page instead of data${yourself}`, always(replying(200, ' <html></html>')), data],
  [
    'has no time',
    `ADDRESS is no time (${'Hello '.repeat(33)}He…): look at the address yourself`,
    always(replying(200, `<html><style>a { }</style><body>\n${'Hello '.repeat(40)}</body></html>`)),
    /updated/,
  ],
  ['answers without success', `ADDRESS is wrong (success: must be true (false))${yourself}`, always(noSuccess), data],
  [
    'cuts its JSON',
    `ADDRESS is wrong (line 1, byte N: the file is cut short)${yourself}`,
    always(({ content, answer }) => answer(content.subarray(0, content.length - 2))),
    data,
  ],
  ['has no list', `ADDRESS is wrong (results: must be an array ({}))${yourself}`, always(noList), data],
  [
    'bans the fetch',
    'ADDRESS answered 403 ("You are banned"): find out why before you ask again: see its rules in docs/data.md, or ask the publisher',
    always(replying(403, '<p>You are <b>banned</b></p>')),
  ],
  [
    'refuses the agent',
    'ADDRESS answered 401: the publisher may need another name of this program (--agent NAME/VERSION), or a token',
    always(replying(401, '')),
  ],
  [
    'has lost a file',
    'ADDRESS answered 404: check whether the publisher has moved it, and whether --from is right',
    always(replying(404, '')),
  ],
  ['answers that the request is wrong', `ADDRESS answered 400${yourself}`, always(replying(400))],
  [
    'sends a bomb',
    'ADDRESS has more than 67 MB as sent or 67 MB unpacked: look at the address yourself: it publishes no file of that size',
    always(replying(200, bomb, { 'Content-Encoding': 'gzip' })),
    data,
  ],
  ['says gzip and sends none', `the response's gzip is damaged (incorrect header check)${thrice}`, always(encoded)],
  [
    'encodes otherwise',
    `the response is encoded as br, which was not asked for${thrice}`,
    always(replying(200, 'hello', { 'Content-Encoding': 'br' })),
  ],
  [
    'leads elsewhere',
    'ADDRESS redirects to ELSEWHERE, which is not followed: check whether it has moved',
    (_, elsewhere) => leadingTo(`${elsewhere}/x?secret=1`),
  ],
  ['leads round and round', `ADDRESS redirects more than 5 times${look}`, () => (one) => leadingTo(one.path)(one)],
  ['leads to itself five times', undefined, () => (one) => (one.before < 5 ? leadingTo(one.path)(one) : one.answer())],
  ['answers a range unasked', `ADDRESS answered 206, which was not asked for${thrice}`, always(otherRange), data],
  ['breaks the connection', `ADDRESS can't be fetched (ECONNRESET)${thrice}`, always(breaking)],
]

const elsewhere = await PublicSource.start(new Map())

describe('A publisher in trouble', { concurrency: 4 }, () => {
  const rounds = Number(process.env['ROUNDS'] ?? failures.length * amount(1, 2))
  for (let round = 0; round < rounds; round++) {
    const [what, line, fault, paths = /./] = failures[round % failures.length]!
    it(`A fetch succeeds, or fails with one line and is completed by the next fetch, if the publisher ${what} (round ${round})`, async () => {
      const random = randomFrom(`${what} ${round}`)
      const source = await PublicSource.start()
      const mirror = temporaryFolder()
      const at = drawFrom(
        random,
        [...source.files.keys()].filter((path) => paths.test(path)),
      )
      const wrong = fault(random, elsewhere.url)
      source.packs = random() < 0.5
      source.hasTags = random() < 0.5
      source.fault = (asked) => (asked.path === at ? wrong(asked) : asked.answer())
      const isSlow = line?.includes('slow')
      const reported = await lineOf(
        fetchHere('tcgcsv', source, mirror, { games, ...(isSlow && { patience: shortPatience }) }),
      )
      if (line === undefined) assert.equal(reported, undefined, at)
      else {
        const shown = reported!.replace(source.url + at, 'ADDRESS').replace(elsewhere.url, 'ELSEWHERE')
        assert.equal(shown.replace(/byte \d+/, 'byte N'), line, at)
        const refused = await errorsOf(importInto(temporaryFolder(), 'tcgcsv', [mirror]))
        assert.match(refused, /is a mirror whose fetch is unfinished: run card-prices fetch again/)
      }
      source.fault = undefined
      const came = new Set(source.answered.filter((path) => path !== at && path !== '/last-updated.txt'))
      source.forget()
      assert.equal(await lineOf(fetchHere('tcgcsv', source, mirror, { games })), undefined)
      const found = source.asked.filter((path) => came.has(path))
      assert.deepEqual(found, [], 'what came whole is not asked for again')
      assert.deepEqual([differing(source, mirror), source.breaches, elsewhere.asked], [[], [], []])
    })
  }
})
