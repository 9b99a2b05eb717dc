/** The log of a server: it holds no key, however that is spelled, and stops no answer. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { AccessLine } from '../../src/log/access.ts'
import { withoutKeys } from '../../src/log/secrets.ts'
import { softwareVersion } from '../../src/version.ts'
import { amount } from '../support/amount.ts'
import { accounts, temporaryFolder } from '../support/command.ts'
import { pipelined, requestText } from '../support/proxy-wire.ts'
import { fixtureIndex } from '../support/sample.ts'
import { type Sent, type Service, send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

/** A line of the access log. */
interface Line extends Omit<AccessLine, 'query'> {
  readonly time: number
  readonly query?: string
}

const linesOf = ({ log }: Service): Line[] =>
  log()
    .split('\n')
    .filter((line) => line.startsWith('{"time":'))
    .map((line) => JSON.parse(line))

/** Waits until its log has so many lines. */
const untilLines = (service: Service, count: number): Promise<void> =>
  until(
    `the log has ${count} lines`,
    () => linesOf(service).length >= count,
    undefined,
    () => `${linesOf(service).length}, the last of ${JSON.stringify(linesOf(service).at(-1))}`,
  )

describe('The log of a server', () => {
  const indexDir = temporaryFolder()
  const storeDir = temporaryFolder()
  let key: string
  /** Its log is read until the last test. */
  let service: Service

  before(async () => {
    await fixtureIndex(indexDir)
    key = (await accounts(storeDir, 'create', 'a', '--plan', 'business')).key
    service = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir, LOG_LEVEL: 'trace', ACCESS_LOG: '1' })
  })

  after(() => service.child.kill('SIGKILL'))

  const escaped = (text: string, upper = false) =>
    [...Buffer.from(text)].map((byte) => `%${upper ? byte.toString(16).toUpperCase() : byte.toString(16)}`).join('')
  const twice = (text: string) => text.replaceAll('%', '%25')
  const random = () => key.slice('cpl_live_'.length)
  /** A key as someone may have mistyped it: it has no mark any more. */
  const mistyped = () => `clp_live-${random()}`

  describe('The keys in requests', () => {
    const spelled: readonly (readonly [how: string, spell: (key: string) => string])[] = [
      ['as it is', (text) => text],
      ['in capitals', (text) => text.toUpperCase()],
      ['in small letters', (text) => text.toLowerCase()],
      ['encoded', (text) => escaped(text)],
      ['encoded in capitals', (text) => escaped(text, true)],
      ['encoded twice', (text) => twice(escaped(text))],
      ['encoded three times', (text) => twice(twice(escaped(text)))],
      ['its mark encoded', (text) => escaped('cpl_live_') + text.slice('cpl_live_'.length)],
      ['its line encoded', (text) => text.replaceAll('_', '%5F')],
      ['some of it encoded', (text) => text.slice(0, 12) + escaped(text.slice(12, 20)) + text.slice(20)],
      ['cut short', (text) => text.slice(0, -3)],
      ['with something behind it', (text) => `${text}.json`],
      ['behind something', (text) => `Bearer%20${text}`],
    ]
    const places: readonly (readonly [where: string, path: (key: string) => string])[] = [
      ['in a path', (text) => `/v1/cards/${text}`],
      ['in a path of no route', (text) => `/${text}/x`],
      ['as api_key', (text) => `/v1/games?api_key=${text}`],
      ['behind a malformed escape', (text) => `/v1/search?q=%zz&api_key=${text}`],
      ['as a value that is answered as wrong', (text) => `/v1/search?q=a&game=${text}`],
      ['as a value that is malformed', (text) => `/v1/search?q=a&game=%zz${text}`],
      ['as a long value', (text) => `/v1/search?q=a&limit=${'x'.repeat(60)}${text}`],
      ['as a name', (text) => `/v1/games?${text}`],
    ]
    /** The values of these are left out even without a key's mark. */
    const parameters = 'key KEY apikey API_KEY x-api-key api%5Fkey %61pi_key api%255fkey %256bey %zzkey'.split(' ')

    // This level logs all that others log.
    it('A log at level trace has no key, however a request encodes the key and wherever it sends it', async () => {
      const asked: [path: string, sent: Sent][] = []
      for (const [, path] of places) {
        for (const [, spell] of spelled) asked.push([path(spell(key)), { headers: { 'x-api-key': key } }])
        asked.push([path(key), {}], [path(key), { method: 'PUT' }], [path(key), { method: 'OPTIONS' }])
        asked.push([path(key), { method: 'POST', body: `{"ids":["${key}"]}`, headers: { 'x-api-key': key } }])
      }
      for (const name of parameters) {
        for (const secret of [key, mistyped()]) {
          asked.push([`/v1/games?${name}=${secret}`, {}], [`/v1/games?a=1&?${name}=${secret}&b=2`, {}])
        }
      }
      const batch = { method: 'POST', headers: { 'content-type': 'application/json', 'x-api-key': key } }
      asked.push(
        ['/v1/cards/batch', { ...batch, body: `{"ids":["${key}"]}` }],
        ['/v1/games', { headers: { 'x-api-key': mistyped() } }],
      )
      const statuses = new Set<number>()
      for (const [path, sent] of asked) {
        const reply = await send(service.address, path, sent)
        statuses.add(reply.status)
        if (reply.status === 400) assertNoKey(reply.body, path)
      }
      assert.deepEqual([...statuses].sort(), [200, 204, 400, 401, 404, 405])
      const countLogged = () => service.log().split('"msg":"request"').length - 1
      await untilLines(service, asked.length)
      await until('each request is logged', () => countLogged() >= asked.length && service.log().endsWith('\n'))
      const lines = service.log().trim().split('\n')
      assert.equal(JSON.parse(lines[0]!).software, softwareVersion)
      assert.equal(service.log().split('"software"').length, 2, 'one line tells the version')
      const logged = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request')
      assert.equal(logged.length, asked.length, 'each request is logged')
      assertNoKey(service.log(), 'the log')
      assert.ok(logged.some(({ url }) => url === '/v1/games?a=1&b=2'))
    })

    it('The log leaves text without keys as it is, and cuts keys however they are spelled', () => {
      for (const text of ['', 'cpl_liv', 'cpl-live-abc', 'monkey', '%63%70%6c', 'q=caf%C3%A9'])
        assert.equal(withoutKeys(text), text)
      for (const [how, spell] of spelled) {
        const cut = withoutKeys(`a ${spell(key)} b ${spell(key)}`)
        assert.equal(cut.match(/cpl_live_…/g)!.length, 2, how)
        assertNoKey(cut, how)
        assert.match(cut, /^a .* b /)
      }
    })
  })

  it('The access log says of each request what it was and how it was answered', async () => {
    const loggedBefore = linesOf(service).length
    const headers = { 'x-api-key': key }
    const posted = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{"ids":[]}' }
    const asked = [
      ['/v1/search?q=x', { headers }, '/v1/search', 'GET', 200, 0],
      ['/v1/cards/pokemon-base1-004', { headers }, '/v1/cards/:id', 'GET', 200, 0],
      ['/v1/cards/no-card', { headers }, '/v1/cards/:id', 'GET', 404, 0],
      ['/v1/games', { headers, method: 'HEAD' }, '/v1/games', 'HEAD', 200, 0],
      ['/v1/games', { headers: { ...headers, 'if-none-match': '*' } }, '/v1/games', 'GET', 304, 0],
      ['/v1/games?a=b', {}, '/v1/games', 'GET', 401, null],
      ['/v1/games', { headers, method: 'PATCH' }, '/v1/games', 'PATCH', 405, null],
      ['/v1/games', { headers, method: 'OPTIONS' }, '/v1/games', 'OPTIONS', 204, null],
      ['/v1/cards/batch', posted, '/v1/cards/batch', 'POST', 200, 0],
      ['/v1/cards/batch', { ...posted, headers }, '/v1/cards/batch', 'POST', 415, 0],
      ['/v1/bulk/mtg', { headers }, '/v1/bulk/:game', 'GET', 200, 0],
      ['/healthz', {}, '/healthz', 'GET', 200, null],
      ['/nowhere', { headers, method: 'PROPFIND' }, 'other', 'other', 404, null],
    ] as const
    const from = Date.now()
    const bytes: number[] = []
    for (const [path, sent, , , status] of asked) {
      const reply = await send(service.address, path, sent)
      assert.equal(reply.status, status, path)
      bytes.push(reply.bytes.length)
    }
    await untilLines(service, loggedBefore + asked.length)
    const lines = linesOf(service).slice(loggedBefore)
    for (const { time, us } of lines) {
      assert.ok(Number.isSafeInteger(time) && time >= from - 2 && time <= Date.now() + 2)
      assert.ok(Number.isSafeInteger(us) && us >= 0 && us < 60_000_000)
    }
    const reported = lines.map(({ time, us, ...rest }) => JSON.stringify(rest))
    const expected = asked.map(([path, , route, method, status, account], i) =>
      JSON.stringify({ route, method, status, bytes: bytes[i], account, query: path.split('?')[1] ?? '' }),
    )
    assert.deepEqual(reported, expected)
  })

  it('The access log has the own method and query of a request that waited for its body while another came', async () => {
    const before = linesOf(service).length
    const { hostname, port } = new URL(service.address)
    const socket = connect(Number(port), hostname)
    const headers = `X-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 10\r\nExpect: 100-continue`
    socket.write(`POST /v1/cards/batch?own=1 HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n`)
    await once(socket, 'data')
    await send(service.address, '/v1/search?q=of-another', { headers: { 'x-api-key': key } })
    socket.write('{"ids":[]}')
    await once(socket, 'data')
    socket.destroy()
    await untilLines(service, before + 2)
    assert.deepEqual(
      linesOf(service)
        .slice(before)
        .map(({ route, method, query }) => [route, method, query]),
      [
        ['/v1/search', 'GET', 'q=of-another'],
        ['/v1/cards/batch', 'POST', 'own=1'],
      ],
    )
  })

  /** Neither the key nor any eight characters of its secret part, however they are written. */
  function assertNoKey(text: string, where: string): void {
    let plain = text.toLowerCase()
    for (let i = 0; i < 4; i++)
      plain = plain.replace(/%([0-9a-f]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    const secret = random().toLowerCase()
    for (let i = 0; i + 8 <= secret.length; i++) {
      assert.ok(!plain.includes(secret.slice(i, i + 8)), `${where} holds a part of a key`)
    }
  }

  it('A log that nobody reads, or whose reader is gone, delays no response and no stop', async () => {
    const request = requestText(`/v1/cards/nope?${'x'.repeat(100)}`, key)
    for (const leave of ['pause', 'destroy'] as const) {
      service.child.stderr![leave]()
      for (let i = 0; i < amount(20, 400); i++) {
        assert.deepEqual([...(await pipelined(service.address, request, 40))], [[404, 40]])
      }
    }
    assert.equal(await service.stop(), 0)
  })
})
