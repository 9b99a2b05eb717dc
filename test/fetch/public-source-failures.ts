/** Failures of publishers during a fetch, and the required result of each. `[once]` failures are over with the next request. */
import { gzipSync } from 'node:zlib'
import { breaking, encoded, type Fault, leadingTo, replying, silent, trickling } from '../support/file-server.ts'
import type { Random } from '../support/random.ts'
import type { PublicSource } from './public-source.ts'

export interface PublisherFault {
  readonly what: string
  /** The one line, with ADDRESS for the file's and ELSEWHERE for another publisher's; undefined if the fetch succeeds all the same. */
  readonly line: string | undefined
  /** The paths of files that can fail so. */
  readonly paths: RegExp
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

type Row = readonly [what: string, line: string | undefined, fault: PublisherFault['fault'], paths?: RegExp]

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

const rows: readonly Row[] = [
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
    'bans',
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
  ['finds it wrong', `ADDRESS answered 400${yourself}`, always(replying(400))],
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

export const publisherFailures = rows.map(
  ([what, line, fault, paths = /./]): PublisherFault => ({ what, line, fault, paths }),
)

/** Changes during a run, after so many answers. */
export function afterAnswers(source: PublicSource, count: number, change: () => void): void {
  let left = count
  source.onStage = (stage) => {
    if (stage === 'answered' && --left === 0) change()
  }
}
