/**
 * Requests, as bytes, whose ends can be read in more than one way, or that hide another request. The hidden one carries a
 * key and a card of its own.
 */

/** As docs/operating.md names the server that the proxies stand for. */
export const host = 'prices.example'

/** Each is answered with what is right, in this order, or refused; nothing more comes. */
export interface HostileRequest {
  readonly what: string
  readonly text: string
  /** The bodies of right answers, each with status 200; where there is none, it must be refused. */
  readonly right: readonly RegExp[]
}

/** @param first method and address */
export const requestOf = (first: string, key: string, more = '') =>
  `${first} HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: ${key}\r\n${more}\r\n`
const long = (bytes: number | string) => `Content-Length: ${bytes}\r\n`
const chunkedType = 'Transfer-Encoding: chunked\r\n'
const chunk = (text: string, extension = '') => `${text.length.toString(16)}${extension}\r\n${text}\r\n`
const batch = '{"ids":["mtg-lea-21"]}'
const batchAnswer = '{"data":[{"id":"mtg-lea-21","name":"Forest","game":"mtg","prices":{"market":null}}]}'
const chunks = `${chunk(batch)}0\r\n\r\n`
const card = '/v1/cards/mtg-lea-22'
const much = (bytes: number) => 'a'.repeat(bytes)

const isBatch = new RegExp(`^${batchAnswer.replaceAll(/[[\]{}]/g, '\\$&')}$`)
const isCard = /^\{"data":\{"id":"mtg-lea-22",/
const isGames = /^\{"data":\[\{"id":"pokemon",/
const isEmpty = /^$/

const row = (what: string, right: readonly RegExp[], text: string): HostileRequest => ({ what, right, text })

export function hostileRequests(key: string, hiddenKey: string): HostileRequest[] {
  const head = (first: string, more = '') => requestOf(first, key, more)
  const get = (path: string, more = '') => head(`GET ${path}`, more)
  const post = (more: string, body: string) =>
    head('POST /v1/cards/batch', `Content-Type: application/json\r\n${more}`) + body
  const hidden = requestOf('GET /v1/cards/mtg-lea-25', hiddenKey)
  const both = batch + hidden
  return [
    row('two Content-Lengths, the short one first', [], post(long(batch.length) + long(both.length), both)),
    row('two Content-Lengths, the long one first', [], post(long(both.length) + long(batch.length), both)),
    row('two Content-Lengths in one header', [], post(long(`${batch.length}, 999`), both)),
    row('the same Content-Length twice', [isBatch], post(long(batch.length) + long(batch.length), batch)),
    row('chunks and a Content-Length beyond them', [isBatch], post(long(both.length + 40) + chunkedType, chunks)),
    row('chunks and a Content-Length that ends in them', [isBatch], post(long(4) + chunkedType, chunks)),
    row(
      'a Content-Length over chunks of none and a request behind them',
      [],
      post(chunkedType + long(5 + hidden.length), `0\r\n\r\n${hidden}`),
    ),
    row('a Transfer-Encoding that nobody knows', [], post(`Transfer-Encoding: xchunked\r\n`, both)),
    row('identity and a Content-Length', [], post(`Transfer-Encoding: identity\r\n${long(batch.length)}`, batch)),
    row('chunked before identity', [], post('Transfer-Encoding: chunked, identity\r\n', chunks)),
    row('two Transfer-Encodings', [], post(`${chunkedType}Transfer-Encoding: identity\r\n`, chunks)),
    row('a blank before the colon', [], post('Transfer-Encoding : chunked\r\n', chunks)),
    row(
      'a control character before chunked',
      [],
      post(`Transfer-Encoding: \x0bchunked\r\n${long(batch.length)}`, both),
    ),
    ...['-1', '+22', '0x16', '22a', '9'.repeat(30), ''].map((length) =>
      row(`a Content-Length of “${length}”`, [], post(long(length), both)),
    ),
    row('a folded header', [isCard], get(card, 'X-Folded: a\r\n b\r\n')),
    row('a folded Content-Length', [isBatch], post(`Content-Length:\r\n ${batch.length}\r\n`, batch)),
    row('a body on GET', [isCard], get(card, long(hidden.length)) + hidden),
    row('a body on GET, in chunks', [isCard], `${get(card, chunkedType)}${chunk(hidden)}0\r\n\r\n`),
    row('a body on HEAD', [isEmpty], head(`HEAD ${card}`, long(hidden.length)) + hidden),
    row('a body on a method that is none of ours', [], head(`DELETE ${card}`, long(hidden.length)) + hidden),
    row('a body where there is no route', [], head('POST /nope', long(hidden.length)) + hidden),
    row('a body of another type', [], head('POST /v1/cards/batch', long(hidden.length)) + hidden),
    row('a batch in chunks', [isBatch], post(chunkedType, chunks)),
    row('a batch in chunks with extensions', [isBatch], post(chunkedType, `${chunk(batch, ';a=b')}0\r\n\r\n`)),
    row('a trailer', [isBatch], post(chunkedType, `${chunk(batch)}0\r\nX-Trailer: 1\r\n\r\n`)),
    row(
      'a trailer that reads as a request',
      [isBatch],
      post(chunkedType, `${chunk(batch)}0\r\nxxget: /v1/cards/mtg-lea-25 HTTP/1.1\r\nhost: ${host}\r\n\r\n`),
    ),
    row('a chunk whose length is no number', [], post(chunkedType, `zz\r\n${batch}\r\n0\r\n\r\n`)),
    row('a chunk longer than numbers are', [], post(chunkedType, `ffffffffffffffff16\r\n${batch}\r\n0\r\n\r\n`)),
    row('Expect: 100-continue', [isBatch], post(`Expect: 100-continue\r\n${long(batch.length)}`, batch)),
    row('Connection: Content-Length', [isBatch], post(`Connection: Content-Length\r\n${long(batch.length)}`, batch)),
    row('an absolute address', [isCard], get(`http://${host}${card}`)),
    row('an address without a path', [], head('OPTIONS *')),
    row('CONNECT', [], head(`CONNECT ${host}:80`)),
    row('HTTP/1.0', [isCard], get(card).replace('HTTP/1.1', 'HTTP/1.0')),
    row('HTTP/1.0 in chunks', [], post(chunkedType, chunks + hidden).replace('HTTP/1.1', 'HTTP/1.0')),
    row('the preface of HTTP/2', [], 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    row(
      'Upgrade: h2c',
      [isGames],
      get('/v1/games', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'),
    ),
    row('no Host', [], get('/v1/games').replace(`Host: ${host}\r\n`, '')),
    row('two Hosts', [], get('/v1/games', 'Host: other.example\r\n')),
    row('lines that end in LF alone', [isGames], get('/v1/games').replaceAll('\r\n', '\n')),
    row('a CR within a header', [], get('/v1/games', 'X-A: a\rX-B: b\r\n')),
    row('a blank in the address', [], get('/v1/cards/a b')),
    row('headers of 3.5 KB', [isGames], get('/v1/games', `X-Much: ${much(3500)}\r\n`)),
    row('headers of 5 KB', [], get('/v1/games', `X-Much: ${much(2500)}\r\nX-More: ${much(2500)}\r\n`)),
    row('headers of 40 KB', [], get('/v1/games', `X-Much: ${much(40_000)}\r\n`)),
    row('an address of 3.5 KB', [isGames], get(`/v1/games?${much(3500)}`)),
    row('an address of 5 KB', [], get(`/v1/games?${much(5000)}`)),
    row('a body of 16 KiB', [isBatch], post(long(16_384), batch.padEnd(16_384))),
    row('a body of 16 KiB and a byte', [], post(long(16_385), batch.padEnd(16_385))),
    row('a body of 1 MB', [], post(long(1_000_000), batch.padEnd(1_000_000))),
    row('1 MB in chunks', [], post(chunkedType, `${chunk(batch.padEnd(1_000_000))}0\r\n\r\n`)),
  ]
}
