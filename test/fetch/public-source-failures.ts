/** Failures of publishers during a fetch, and the required result of each. `[once]` failures are over with the next request. */
import { gzipSync } from 'node:zlib'
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
import type { Random } from '../support/random.ts'
import type { PublicSource } from './public-source.ts'

export interface PublisherFault {
  readonly what: string
  /** The text of the one line; undefined if the fetch succeeds all the same. */
  readonly line: RegExp | undefined
  /** Whether the file may be last-updated.txt. */
  readonly isOfAny: boolean
  fault(random: Random, elsewhere: string): Fault
}

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

type Row = readonly [what: string, line: RegExp | undefined, fault: PublisherFault['fault'], isOfAny?: boolean]

const bomb = gzipSync(Buffer.alloc(65 * 1024 * 1024, ' '))

const rows: readonly Row[] = [
  ['cuts an answer once', undefined, (random) => once(cutting(random()))()],
  ['cuts each answer', /\(3 times\)/, (random) => cutting(random())],
  ['sends a byte now and then', /is too slow \(3 times\)/, always(trickling)],
  ['says nothing', /is too slow \(3 times\)/, always(silent)],
  ['is busy once and says for how long', undefined, once(replying(503, '', { 'Retry-After': '3' }))],
  ['is busy once', undefined, once(replying(503, 'busy'))],
  [
    'is busy for long',
    /answered 503 and asks for a pause of \d+ minutes/,
    always(replying(503, '', { 'Retry-After': '3600' })),
  ],
  ['is busy for ever', /answered 503 and asks for a pause/, always(replying(503, 'busy', { 'Retry-After': '200' }))],
  ['throttles until a time', undefined, once(replying(429, '', { 'Retry-After': new Date(0).toUTCString() }))],
  ['fails once', undefined, once(replying(500, 'oops'))],
  ['fails', /answered 502 \("bad gateway"\) \(3 times\)/, always(replying(502, '<h1>bad gateway</h1>'))],
  [
    'answers a page',
    /is a web page instead of data|is no time \(Hello\)/,
    always(replying(200, '<html><body>Hello</body></html>')),
  ],
  [
    'answers without success',
    /is wrong \(success: must be true/,
    always(replying(200, '{"success":false,"errors":["no"],"results":[]}')),
    false,
  ],
  [
    'cuts its JSON',
    /is wrong \(.*the file is cut short/,
    always(({ content, answer }) => answer(content.subarray(0, content.length - 2))),
    false,
  ],
  [
    'has no list',
    /is wrong \(results: must be an array/,
    always(replying(200, '{"success":true,"errors":[],"results":{}}')),
    false,
  ],
  [
    'bans',
    /answered 403 \("You are banned"\): find out why before you ask again/,
    always(replying(403, '<p>You are <b>banned</b></p>')),
  ],
  ['refuses the agent', /answered 401.*--agent NAME\/VERSION/, always(replying(401, ''))],
  ['has lost a file', /answered 404/, always(replying(404, ''))],
  ['never ends', /has more than 67 MB|is no time/, always(endless)],
  ['sends a bomb', /has more than 67 MB|is no time/, always(replying(200, bomb, { 'Content-Encoding': 'gzip' }))],
  ['says gzip and sends none', /gzip is damaged.*\(3 times\)/, always(encoded)],
  [
    'encodes otherwise',
    /is encoded as br, which was not asked for \(3 times\)/,
    always(replying(200, 'hello', { 'Content-Encoding': 'br' })),
  ],
  [
    'leads elsewhere',
    /redirects to http:\/\/127\.0\.0\.1:\d+, which is not followed/,
    (_, elsewhere) => leadingTo(`${elsewhere}/x?secret=1`),
  ],
  ['leads round and round', /redirects more than 5 times/, always((asked) => leadingTo(asked.path)(asked))],
  ['leads to itself once', undefined, once((asked) => leadingTo(asked.path)(asked))],
  [
    'answers a range unasked',
    /answered 206|is wrong|is no/,
    always(replying(206, 'x', { 'Content-Range': 'bytes 5-5/6' })),
    false,
  ],
  ['breaks the connection', /\(3 times\)/, always(breaking)],
]

export const publisherFailures = rows.map(
  ([what, line, fault, isOfAny = true]): PublisherFault => ({ what, line, fault, isOfAny }),
)

/** Changes during a run, after so many answers. */
export function afterAnswers(source: PublicSource, count: number, change: () => void): void {
  let left = count
  source.onStage = (stage) => {
    if (stage === 'answered' && --left === 0) change()
  }
}
