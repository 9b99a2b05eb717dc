/** Failures of publishers during a fetch, and the required result of each. `[once]` failures are over with the next request. */
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Random } from '../support/random.ts'
import type { PublicSource, SourceFault } from './public-source.ts'

export interface PublisherFault {
  readonly what: string
  /** The text of the one line; undefined if the fetch succeeds all the same. */
  readonly line: RegExp | undefined
  /** Whether the file may be last-updated.txt. */
  readonly isOfAny: boolean
  fault(random: Random, elsewhere: string): SourceFault
}

const cutting =
  (share: number): SourceFault =>
  ({ response, content }) => {
    response.writeHead(200, { 'Content-Length': content.length + 1 })
    response.write(content.subarray(0, Math.floor(content.length * share)), () => response.destroy())
  }

const always = (fault: SourceFault) => () => fault
const once =
  (fault: SourceFault): (() => SourceFault) =>
  () =>
  (asked) =>
    asked.before === 0 ? fault(asked) : asked.answer()

const plain =
  (status: number, text: string, headers: Readonly<Record<string, string>> = {}): SourceFault =>
  ({ response }) =>
    response.writeHead(status, headers).end(text)

/** Byte by byte, as long as somebody reads. */
const trickling: SourceFault = async ({ response, content }) => {
  response.writeHead(200, { 'Content-Length': content.length + 1000 })
  for (let at = 0; !response.destroyed; at++) {
    response.write(Buffer.of(content[at % content.length]!))
    await pause(10)
  }
}

const endless =
  (headers: Readonly<Record<string, string>>, piece: Buffer): SourceFault =>
  ({ response }) => {
    response.writeHead(200, headers)
    const more = () => {
      while (!response.destroyed && response.write(piece));
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  }

const megabyte = Buffer.alloc(1024 * 1024, ' ')
const bomb = gzipSync(Buffer.alloc(65 * 1024 * 1024, ' '))

export const publisherFailures: readonly PublisherFault[] = [
  { what: 'cuts an answer once', line: undefined, isOfAny: true, fault: (random) => once(cutting(random()))() },
  { what: 'cuts each answer', line: /\(3 times\)/, isOfAny: true, fault: (random) => cutting(random()) },
  { what: 'sends a byte now and then', line: /is too slow \(3 times\)/, isOfAny: true, fault: always(trickling) },
  { what: 'says nothing', line: /is too slow \(3 times\)/, isOfAny: true, fault: always(() => {}) },
  {
    what: 'is busy once and says for how long',
    line: undefined,
    isOfAny: true,
    fault: once(plain(503, '', { 'Retry-After': '3' })),
  },
  { what: 'is busy once', line: undefined, isOfAny: true, fault: once(plain(503, 'busy')) },
  {
    what: 'is busy for long',
    line: /answered 503 and asks for a pause of \d+ minutes/,
    isOfAny: true,
    fault: always(plain(503, '', { 'Retry-After': '3600' })),
  },
  {
    what: 'is busy for ever',
    line: /answered 503 and asks for a pause/,
    isOfAny: true,
    fault: always(plain(503, 'busy', { 'Retry-After': '200' })),
  },
  {
    what: 'throttles until a time',
    line: undefined,
    isOfAny: true,
    fault: once(plain(429, '', { 'Retry-After': new Date(0).toUTCString() })),
  },
  { what: 'fails once', line: undefined, isOfAny: true, fault: once(plain(500, 'oops')) },
  {
    what: 'fails',
    line: /answered 502 \("bad gateway"\) \(3 times\)/,
    isOfAny: true,
    fault: always(plain(502, '<h1>bad gateway</h1>')),
  },
  {
    what: 'answers a page',
    line: /is a web page instead of data|is no time \(Hello\)/,
    isOfAny: true,
    fault: always(plain(200, '<html><body>Hello</body></html>')),
  },
  {
    what: 'answers without success',
    line: /is wrong \(success: must be true/,
    isOfAny: false,
    fault: always(plain(200, '{"success":false,"errors":["no"],"results":[]}')),
  },
  {
    what: 'cuts its JSON',
    line: /is wrong \(.*the file is cut short/,
    isOfAny: false,
    fault: always(({ content, answer }) => answer(content.subarray(0, content.length - 2))),
  },
  {
    what: 'has no list',
    line: /is wrong \(results: must be an array/,
    isOfAny: false,
    fault: always(plain(200, '{"success":true,"errors":[],"results":{}}')),
  },
  {
    what: 'bans',
    line: /answered 403 \("You are banned"\): find out why before you ask again/,
    isOfAny: true,
    fault: always(plain(403, '<p>You are <b>banned</b></p>')),
  },
  {
    what: 'refuses the agent',
    line: /answered 401.*--agent NAME\/VERSION/,
    isOfAny: true,
    fault: always(plain(401, '')),
  },
  { what: 'has lost a file', line: /answered 404/, isOfAny: true, fault: always(plain(404, '')) },
  { what: 'never ends', line: /has more than 67 MB|is no time/, isOfAny: true, fault: always(endless({}, megabyte)) },
  {
    what: 'sends a bomb',
    line: /has more than 67 MB|is no time/,
    isOfAny: true,
    fault: always(plain(200, bomb as unknown as string, { 'Content-Encoding': 'gzip' })),
  },
  {
    what: 'says gzip and sends none',
    line: /gzip is damaged.*\(3 times\)/,
    isOfAny: true,
    fault: always(plain(200, 'hello', { 'Content-Encoding': 'gzip' })),
  },
  {
    what: 'encodes otherwise',
    line: /is encoded as br, which was not asked for \(3 times\)/,
    isOfAny: true,
    fault: always(plain(200, 'hello', { 'Content-Encoding': 'br' })),
  },
  {
    what: 'leads elsewhere',
    line: /redirects to http:\/\/127\.0\.0\.1:\d+, which is not followed/,
    isOfAny: true,
    fault: (_, elsewhere) => plain(302, '', { Location: `${elsewhere}/x?secret=1` }),
  },
  {
    what: 'leads round and round',
    line: /redirects more than 5 times/,
    isOfAny: true,
    fault: always(({ path, response }) => response.writeHead(302, { Location: path }).end()),
  },
  {
    what: 'leads to itself once',
    line: undefined,
    isOfAny: true,
    fault: once(({ path, response }) => response.writeHead(301, { Location: path }).end()),
  },
  {
    what: 'answers a range unasked',
    line: /answered 206|is wrong|is no/,
    isOfAny: false,
    fault: always(plain(206, 'x', { 'Content-Range': 'bytes 5-5/6' })),
  },
  {
    what: 'breaks the connection',
    line: /\(3 times\)/,
    isOfAny: true,
    fault: always(({ response }) => response.destroy()),
  },
]

/** Changes during a run, after so many answers. */
export function afterAnswers(source: PublicSource, count: number, change: () => void): void {
  let left = count
  source.onStage = (stage) => {
    if (stage === 'answered' && --left === 0) change()
  }
}
