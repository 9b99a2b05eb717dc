/** File servers as bad as they come: what each does with a file that it is asked for, drawn by a seed, and what must come of it. */
import { setTimeout as pause } from 'node:timers/promises'
import {
  type Asked,
  cutOff,
  encoded,
  endless,
  endlessHeaders,
  type Fault,
  leadingTo,
  otherRange,
  silent,
  status,
  trickling,
  withoutRanges,
  wrongBytes,
  wrongLength,
} from '../support/file-server.ts'
import { drawBelow, drawFrom, type Random } from '../support/random.ts'

export type End = 'succeeds' | 'fails' | 'succeeds or fails'

export interface Hostile {
  readonly what: string
  /** Whether it can do that with `current` and the manifest, too. */
  readonly of: 'any' | 'files' | 'current'
  readonly end: End
  fault(random: Random): Fault
}

/** Sent as it stands, without the HTTP library's help. */
function raw({ response }: Asked, head: string, body: Uint8Array | string = ''): void {
  response.socket!.write(`${head}\r\n\r\n`)
  response.socket!.write(body)
}

const always = (fault: Fault) => () => fault
const head = ({ content }: Asked) => `HTTP/1.1 200 OK\r\nContent-Length: ${content.length}`

const slow: Fault = async ({ content, response }) => {
  response.writeHead(200, { 'Content-Length': content.length })
  for (let at = 0; at < content.length && !response.destroyed; at += slowBytes, await pause(20)) {
    response.write(content.subarray(at, at + slowBytes))
  }
  response.end()
}
const slowBytes = 64 * 1024

/** The bytes change with each question. */
const changing: Fault = ({ content, before, answer }) => {
  const other = Buffer.from(content)
  other[before % other.length]! ^= 1
  answer(other)
}

const interim: Fault = async ({ response }) => {
  const socket = response.socket!
  for (; !socket.destroyed; await pause(5)) socket.write('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n')
}

const redirectedOnce: Fault = (asked) => (asked.before % 2 === 0 ? leadingTo(`/${asked.path}`)(asked) : asked.answer())

const cutThenOtherRange = (bytes: number): Fault => {
  const cut = cutOff(bytes)
  return (asked) => (asked.before === 0 ? cut(asked) : otherRange(asked))
}

export const hostiles: readonly Hostile[] = [
  { what: 'silent', of: 'any', end: 'fails', fault: always(silent) },
  { what: 'silent after the head', of: 'any', end: 'fails', fault: always((asked) => raw(asked, head(asked))) },
  { what: 'trickling', of: 'files', end: 'succeeds or fails', fault: always(trickling) },
  { what: 'slow', of: 'files', end: 'succeeds', fault: always(slow) },
  { what: 'endless', of: 'any', end: 'fails', fault: always(endless) },
  { what: 'all headers', of: 'any', end: 'fails', fault: always(endlessHeaders) },
  { what: 'all interim answers', of: 'any', end: 'fails', fault: always(interim) },
  {
    what: 'failing',
    of: 'any',
    end: 'fails',
    fault: (random) => status(drawFrom(random, [400, 401, 403, 404, 429, 500, 502, 503])),
  },
  {
    what: 'leading elsewhere',
    of: 'any',
    end: 'fails',
    fault: always(leadingTo('http://127.0.0.2:1/')),
  },
  {
    what: 'leading round',
    of: 'any',
    end: 'fails',
    fault: always((asked) => leadingTo(`/${asked.path}`)(asked)),
  },
  { what: 'leading on within the host', of: 'any', end: 'succeeds', fault: always(redirectedOnce) },
  { what: 'encoding', of: 'any', end: 'fails', fault: always(encoded) },
  { what: 'wrong in a bit', of: 'files', end: 'fails', fault: always(wrongBytes) },
  { what: 'changing with each question', of: 'files', end: 'fails', fault: always(changing) },
  {
    what: 'of another length',
    of: 'files',
    end: 'fails',
    fault: (random) => wrongLength(drawFrom(random, [-100, -1, 1, 5000])),
  },
  { what: 'without ranges', of: 'any', end: 'succeeds', fault: always(withoutRanges) },
  {
    what: 'cutting off',
    of: 'files',
    end: 'succeeds or fails',
    fault: (random) => cutOff(drawBelow(random, 200_000), 1 + drawBelow(random, 5)),
  },
  {
    what: 'resetting in the midst',
    of: 'any',
    end: 'fails',
    fault: (random) => {
      const share = random()
      return (asked) => {
        raw(asked, head(asked), asked.content.subarray(0, Math.floor(asked.content.length * share)))
        setTimeout(() => asked.response.socket?.resetAndDestroy(), 20)
      }
    },
  },
  {
    what: 'giving another range than was asked for',
    of: 'files',
    end: 'succeeds or fails',
    fault: (random) => cutThenOtherRange(70_000 + drawBelow(random, 25_000)),
  },
  {
    what: 'giving a range unasked',
    of: 'any',
    end: 'fails',
    fault: always((asked) =>
      asked.response
        .writeHead(206, { 'Content-Range': `bytes 0-9/${asked.content.length}` })
        .end(asked.content.subarray(0, 10)),
    ),
  },
  { what: 'saying that nothing changed', of: 'files', end: 'fails', fault: always(status(304)) },
  {
    what: 'changing the protocol',
    of: 'any',
    end: 'fails',
    fault: always((asked) => raw(asked, 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade')),
  },
  {
    what: 'speaking something else',
    of: 'any',
    end: 'fails',
    fault: always((asked) => raw(asked, '220 mail.example ESMTP')),
  },
  {
    what: 'telling two lengths',
    of: 'any',
    end: 'fails',
    fault: always((asked) => raw(asked, `${head(asked)}\r\nContent-Length: 1`, asked.content)),
  },
  {
    what: 'breaking a chunk',
    of: 'any',
    end: 'fails',
    fault: always((asked) => raw(asked, 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked', '5\r\nabcdeXXX\r\n')),
  },
  {
    what: 'sending more than it says',
    of: 'any',
    end: 'succeeds or fails',
    fault: always((asked) => raw(asked, head(asked), Buffer.concat([asked.content, Buffer.alloc(1000)]))),
  },
  {
    what: 'closing after each answer, as HTTP/1.0 does',
    of: 'any',
    end: 'succeeds',
    fault: always((asked) => {
      raw(asked, 'HTTP/1.0 200 OK', asked.content)
      asked.response.socket!.end()
    }),
  },
  {
    what: 'closing after each answer without saying so',
    of: 'any',
    end: 'succeeds',
    fault: always((asked) => {
      raw(asked, `${head(asked)}\r\nConnection: keep-alive`, asked.content)
      asked.response.socket!.end()
    }),
  },
  {
    what: 'naming another version each time',
    of: 'current',
    end: 'succeeds or fails',
    fault: always(({ before, content, answer }) =>
      answer(before % 2 === 0 ? content : Buffer.from('2026-01-01-000000000000\n')),
    ),
  },
]

/** Of a version's files, which it does that with. */
export function drawPath({ of }: Hostile, random: Random, version: string, files: readonly string[]): string {
  if (of === 'current') return 'current'
  const file = `${version}/${drawFrom(random, files)}`
  return of === 'files' ? file : drawFrom(random, ['current', `${version}/manifest.json`, file])
}
