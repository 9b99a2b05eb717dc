/** Requests that a server may take or refuse, and bytes that are no HTTP at all. All bytes are latin1 characters. */
import { drawBelow, drawFrom, type Random } from '../support/random.ts'

/** @param key a good one */
type Broken = (random: Random, key: string) => string
type Odd = (random: Random, key: string) => { bytes: string; statuses: readonly number[]; isHead: boolean }

const request = (first: string, key: string, more = '', body = '') =>
  `${first}\r\nHost: x\r\nX-API-Key: ${key}\r\n${more}\r\n${body}`
const get = (key: string, more = '', body = '') => request('GET /v1/games HTTP/1.1', key, more, body)
const batch = (key: string, more: string, body: string) =>
  request('POST /v1/cards/batch HTTP/1.1', key, `Content-Type: application/json\r\n${more}`, body)
const odd = (bytes: string, ...statuses: number[]) => ({ bytes, statuses, isHead: false })

const hidden = 'GET /v1/sets?limit=1 HTTP/1.1\r\nHost: x\r\n\r\n'

export const oddities: readonly Odd[] = [
  (random, key) => odd(get(key, `X-Much: ${'m'.repeat(3500 + drawBelow(random, 4000))}\r\n`), 200, 431),
  (random, key) =>
    odd(request(`GET /v1/games?${'x'.repeat(3500 + drawBelow(random, 2000))} HTTP/1.1`, key), 200, 414, 431),
  (random, key) => odd(get(key, 'X-Many: 1\r\n'.repeat(90 + drawBelow(random, 40))), 200, 431),
  (_, key) => odd(get(key, 'Content-Length: 5\r\n', 'abcde'), 200, 400, 413),
  (_, key) => odd(get(key, `Content-Length: ${hidden.length}\r\n`, hidden), 200, 400, 413),
  (_, key) => odd(get(key, 'Transfer-Encoding: chunked\r\n', '5\r\nabcde\r\n0\r\n\r\n'), 200, 400, 413),
  (_, key) => odd(get(key, 'Content-Length: 0\r\n'), 200),
  (_, key) => odd(get(key, 'Connection: close\r\n'), 200),
  (_, key) => odd(get(key, 'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: eA==\r\n'), 200, 400, 426),
  (_, key) => odd(request('get /v1/games HTTP/1.1', key), 200, 400, 405, 501),
  (_, key) => odd(request(`${'M'.repeat(300)} /v1/games HTTP/1.1`, key), 400, 405, 431, 501, 505),
  (_, key) => odd(request('GET http://x/v1/games HTTP/1.1', key), 200, 400, 404, 505),
  (_, key) => odd(request('OPTIONS * HTTP/1.1', key), 200, 204, 400, 404, 405, 505),
  (_, key) => odd(request('GET /v1/games#part HTTP/1.1', key), 200, 400, 404),
  (_, key) =>
    odd(batch(key, 'Transfer-Encoding: chunked\r\n', '0a;ext=1\r\n{"ids":[]}\r\n0\r\n\r\n'), 200, 400, 413, 505),
  (_, key) => odd(batch(key, 'Transfer-Encoding: chunked\r\n', '000a\r\n{"ids":[]}\r\n0\r\n\r\n'), 200, 400, 413),
  (_, key) => odd(batch(key, 'transfer-encoding: Chunked\r\n', 'a\r\n{"ids":[]}\r\n0\r\n\r\n'), 200, 400, 413, 501),
  (_, key) => odd(batch(key, 'Content-Length: 1000000000\r\n', ''), 413),
  (_, key) => odd(`\r\n${get(key)}`, 200, 400, 505),
]

const firstLines = [
  'GET /v1/games HTTP/1.0',
  'GET /v1/games HTTP/2.0',
  'GET /v1/games HTTP/9.9',
  'GET /v1/games http/1.1',
  'GET',
  'GET /v1/games',
  'GET  /v1/games  HTTP/1.1',
  '/v1/games',
  ' GET /v1/games HTTP/1.1',
  'GET\t/v1/games\tHTTP/1.1',
  'GET v1/games HTTP/1.1',
  'GET /v1/games HTTP/1.1 x',
  'PRI * HTTP/2.0',
  'CONNECT x:1 HTTP/1.1',
  'G\x00T / HTTP/1.1',
]
const headerLines = [
  'No colon',
  ': no name',
  'Sp ace: x',
  'Space : x',
  'Nul: a\x00b',
  'N\x00l: x',
  'Folded: a\r\n b',
  'Bare: a\nb',
  'Cr: a\rb',
  '\xff: x',
  ...['-1', 'x', '', '1e3', '0x10', '99999999999999999999', '5, 5'].map((value) => `Content-Length: ${value}`),
  'Content-Length: 5\r\nContent-Length: 6',
  'Content-Length: 5\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked, chunked',
  'Transfer-Encoding: gzip',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding:\x0bchunked',
  'Transfer-Encoding: x\r\nTransfer-Encoding: chunked',
]
const chunkBodies = [
  'z\r\n',
  '-1\r\n\r\n',
  '\r\n',
  '5\r\nabc',
  '3\r\nabcdef\r\n0\r\n\r\n',
  'ffffffffffffffff\r\n',
  '5\nabcde\n0\n\n',
  'a\r\n{"ids":[]}\r\n0\r\nTrailer: 1\r\n\r\n',
  '10000000000000000\r\n',
  '0x5\r\nabcde\r\n0\r\n\r\n',
  ' 5\r\nabcde\r\n0\r\n\r\n',
]

const anyBytes = (random: Random, most: number) =>
  Array.from({ length: 1 + drawBelow(random, most) }, () => String.fromCharCode(drawBelow(random, 256))).join('')

/** With some of its bytes changed, taken away or put in. */
function mutated(random: Random, text: string): string {
  let result = text
  for (let changes = 1 + drawBelow(random, 4); changes > 0; changes--) {
    const at = drawBelow(random, result.length)
    const put =
      drawBelow(random, 3) === 0 ? '' : drawFrom(random, ['\r', '\n', '\0', ' ', ':', '\xff', anyBytes(random, 3)])
    result = result.slice(0, at) + put + result.slice(at + drawBelow(random, 3))
  }
  return result
}

export const breaks: readonly Broken[] = [
  (random, key) => request(drawFrom(random, firstLines), key),
  (random, key) => get(key, `${drawFrom(random, headerLines)}\r\n`, drawBelow(random, 2) === 0 ? hidden : 'abcde'),
  (random, key) => batch(key, `${drawFrom(random, headerLines)}\r\n`, '{"ids":[]}'),
  (random, key) => batch(key, 'Transfer-Encoding: chunked\r\n', drawFrom(random, chunkBodies) + hidden),
  (random) => anyBytes(random, 400),
  () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  () => '\r\n\r\n\0\r\n\r\n',
  (_, key) => get(key).replaceAll('\r\n', '\n'),
  (_, key) => get(key).replace('Host: x\r\n', ''),
  (_, key) => get(key).replace('Host: x\r\n', 'Host: x\r\nHost: y\r\n'),
  (_, key) => `PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n${get(key)}`,
  (_, key) => `\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c\x01\x02\x03\x04\x05\x06\x07\x08\x00\x01\x00\x02${get(key)}`,
  (_, key) => get(key, `X-Much: ${'m'.repeat(20_000)}\r\n`),
  (random, key) => mutated(random, get(key)),
  (random, key) => mutated(random, batch(key, 'Content-Length: 10\r\n', '{"ids":[]}')),
  (random, key) => mutated(random, batch(key, 'Transfer-Encoding: chunked\r\n', 'a\r\n{"ids":[]}\r\n0\r\n\r\n')),
]
