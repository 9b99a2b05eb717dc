/** Conditional requests: the tag of each 200 of a GET, and the requests that get a 304. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { routes } from '../../src/api/routes.ts'
import { someOf } from '../support/amount.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { requestText } from '../support/proxy-wire.ts'
import { rawReply } from './raw.ts'
import { addressOf } from './route-requests.ts'
import { remainingOf, serveForms } from './served-forms.ts'

let tag: string
let key: string
const served = serveForms(fixtureSnapshot, ({ keys }) => {
  tag = served.tag
  key = keys.business
})
const { ask } = served

/** An address of each GET with a key. */
const paths = routes
  .filter(({ method, plan }) => method === 'GET' && plan !== undefined)
  .map((route) => addressOf(route, {}))

describe('The entity tag of a response', () => {
  it('A batch and /healthz have no ETag and never get 304', async () => {
    const headers = { 'content-type': 'application/json', 'if-none-match': tag }
    for (const [path, sent] of [
      ['/v1/cards/batch', { method: 'POST', headers, body: '{"ids":[]}' }],
      ['/healthz', { headers }],
      ['/healthz', { method: 'HEAD', headers }],
    ] as const) {
      const reply = await ask(path, sent)
      assert.deepEqual([reply.status, reply.headers['etag']], [200, undefined], path)
    }
  })
})

describe('If-None-Match', () => {
  it('A request whose If-None-Match has the current ETag gets 304 with the headers of a 200, and is counted', async () => {
    for (const path of paths) {
      for (const method of ['GET', 'HEAD']) {
        const known = await ask(path, { method })
        assert.deepEqual([known.status, known.headers.etag], [200, tag], `${method} ${path}`)
        const { status, headers, body } = await ask(path, { method, headers: { 'if-none-match': tag } })
        assert.deepEqual([status, body], [304, ''], `${method} ${path}`)
        const names = Object.keys(known.headers).filter((name) => !name.startsWith('content-'))
        assert.deepEqual(Object.keys(headers), names)
        for (const name of ['etag', 'x-ratelimit-limit', 'x-ratelimit-reset']) {
          assert.equal(headers[name], known.headers[name], name)
        }
        assert.equal(Number(headers['x-ratelimit-remaining']), remainingOf(known) - 1)
      }
    }
  })

  it('A 304 has no body, so the next response of the connection can be read', async () => {
    const two = requestText('/v1/games', key, `If-None-Match: ${tag}\r\n`) + requestText('/v1/cards/nope', key)
    const text = await rawReply(served.here.address('A'), two, (heard) => heard.includes('CARD_NOT_FOUND'))
    assert.match(text, /^HTTP\/1\.1 304 Not Modified\r\n(?:[^\r\n]+\r\n)+\r\nHTTP\/1\.1 404 Not Found\r\n/)
    assert.doesNotMatch(text.slice(0, text.indexOf('HTTP/1.1 404')), /content-length|transfer-encoding/i)
  })

  const matches: readonly (readonly [list: string, isKnown: boolean])[] = [
    ['TAG', true],
    ['W/TAG', true],
    ['*', true],
    [' * ', true],
    ['"other", TAG', true],
    ['TAG,"other"', true],
    ['W/"other",W/TAG ,"third"', true],
    [', ,TAG,', true],
    ['"with, a comma", TAG', true],
    ['"other"\t,\tTAG\t', true],
    ['"other"', false],
    ['', false],
    ['TAG_UNQUOTED', false],
    ['w/TAG', false],
    ['W/ TAG', false],
    ['"other" TAG', false],
    ['"a,TAG,"', false],
    ['"other", *', false],
    ['**', false],
    ['"', false],
    ['"TAG_UNQUOTED', false],
    ['""', false],
  ]
  for (const [list, isKnown] of matches) {
    it(`${isKnown ? 304 : 200} for If-None-Match: ${JSON.stringify(list)}`, async () => {
      const sent = list.replace('TAG_UNQUOTED', tag.slice(1, -1)).replace('TAG', tag)
      const { status, headers, body } = await ask('/v1/games', { headers: { 'if-none-match': sent } })
      assert.equal(status, isKnown ? 304 : 200)
      assert.equal(body === '', isKnown)
      assert.equal(headers['etag'], tag)
    })
  }

  for (const [list, isListed] of matches.filter(([list]) => list !== '')) {
    it(`${isListed ? 200 : 412} for If-Match: ${JSON.stringify(list)}`, async () => {
      const sent = list.replace('TAG_UNQUOTED', tag.slice(1, -1)).replace('TAG', tag)
      // How a list is read is of no path.
      for (const path of list === 'TAG' || list === '"other"' ? paths : someOf(paths, 1)) {
        const { status, headers } = await ask(path, { headers: { 'if-match': sent } })
        assert.deepEqual([status, headers['etag']], [isListed ? 200 : 412, tag], path)
      }
    })
  }

  it('A request whose If-Match fails gets 412 even if its If-None-Match matches, and is counted', async () => {
    const known = { 'if-none-match': tag }
    const earlier = await ask('/v1/games')
    const other = await ask('/v1/games', { headers: { ...known, 'if-match': '"other"' } })
    assert.deepEqual([other.status, remainingOf(other)], [412, remainingOf(earlier) - 1])
    assert.deepEqual([other.headers['cache-control'], other.json.error.code], ['no-store', 'PRECONDITION_FAILED'])
    assert.equal((await ask('/v1/games', { headers: { ...known, 'if-match': tag } })).status, 304)
    assert.equal((await ask('/v1/games', { headers: { 'if-match': '' } })).status, 200)
    assert.equal((await ask('/healthz', { headers: { 'if-match': '"other"' } })).status, 200)
    const batch = { method: 'POST', headers: { 'content-type': 'application/json', 'if-match': '"other"' } }
    assert.equal((await ask('/v1/cards/batch', { ...batch, body: '{"ids":[]}' })).status, 200)
  })

  it('Several If-None-Match or If-Match headers of one request count as one list', async () => {
    for (const [lines, status] of [
      [['"a"', tag], 304],
      [['"a"', '"b"'], 200],
    ] as const) {
      for (const [name, expected] of [
        ['If-None-Match', status],
        ['If-Match', status === 304 ? 200 : 412],
      ] as const) {
        const head = lines.map((line) => `${name}: ${line}\r\n`).join('')
        const request = requestText('/v1/games', key, `Connection: close\r\n${head}`)
        const text = await rawReply(served.here.address('A'), request)
        assert.equal(Number(text.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)), expected)
      }
    }
  })

  it('An error response ignores If-None-Match and If-Match, and has no ETag', async () => {
    const { spent, free } = served.here.keys
    const table: readonly (readonly [path: string, status: number, asker?: Parameters<typeof ask>[2]])[] = [
      ['/v1/cards/nope', 404],
      ['/v1/cards/nope/history', 404],
      ['/v1/cards/pokemon-base1-004/history?period=2d', 400],
      ['/v1/nope', 404],
      ['/v1/search', 400],
      ['/v1/games', 401, { key: 'wrong' }],
      ['/v1/games', 429, { key: spent }],
      ['/v1/cards/pokemon-base1-004/history', 403, { key: free }],
      ['/v1/cards/batch', 405],
      ['/v1/games', 503, { state: 'empty' }],
    ]
    for (const [path, expected, asker] of table) {
      for (const [name, value] of [
        ['if-none-match', tag],
        ['if-none-match', '*'],
        ['if-match', '"other"'],
      ] as const) {
        const { status, headers, body } = await ask(path, { headers: { [name]: value } }, asker)
        assert.deepEqual([status, headers['etag'], body === ''], [expected, undefined, false], path)
      }
    }
  })

  it('A new version of the data has another ETag, so the old ETag no longer gets 304', async () => {
    const server = served.here.server('B')
    const was = server.data!
    const get = (list: string) => ask('/v1/games', { headers: { 'if-none-match': list } }, { form: 'B' })
    assert.equal((await get(tag)).status, 304)
    server.data = { ...was, version: 'another' }
    const changed = await get(tag)
    assert.deepEqual([changed.status, changed.headers['etag']], [200, '"another"'])
    assert.equal((await get('"another"')).status, 304)
    server.data = was
    assert.equal((await get('"another"')).status, 200)
    assert.equal((await get(tag)).status, 304)
  })
})
