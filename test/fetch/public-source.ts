/**
 * Publishers of prices as they behave, and worse: a server that gives out files with tags and ranges, watches the manners of
 * every caller, and does what a test would have it do with a request.
 *
 *   an agent that is no NAME/VERSION ─▶ 401        a second request at a time, or too soon ─▶ a breach, and 403 from then on
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync, gzipSync } from 'node:zlib'
import { answerWith, type Fault } from '../support/file-server.ts'
import { mirrorFiles } from '../support/mirror.ts'
import { type MirrorGroup, mirrorGroups } from './mirror-groups.ts'

/** Breaks off a path's answers in their middle, so many times. */
export function breakingOff(path: string, times: number): Fault {
  let left = times
  return ({ path: asked, response, answer }) => {
    if (asked === path && left-- > 0)
      response.end = ((sent: Buffer) =>
        response.write(sent.subarray(0, sent.length >> 1), () =>
          setTimeout(() => response.destroy(), 20),
        )) as unknown as typeof response.end
    answer()
  }
}

/** From an answer to the next request: a little less than the least pause of all tests. */
const pauseMsMin = 4

export class PublicSource {
  readonly files: Map<string, Buffer>
  readonly breaches: string[] = []
  /** The paths, in the order in which they were asked for. */
  readonly asked: string[] = []
  readonly headers: IncomingHttpHeaders[] = []
  /** Those whose answer was sent to its end with 200, 206 or 304. */
  readonly answered: string[] = []
  connections = 0
  /** Whether an answer's bytes are packed for their way. */
  packs = true
  hasTags: boolean | 'weak' = true
  fault: Fault | undefined
  /** When a request has come, and when its answer is out. */
  onStage: (stage: 'asked' | 'answered', path: string) => void = () => {}
  readonly #server: Server
  #active = 0
  #endedAt = Number.NEGATIVE_INFINITY
  #port = 0

  private constructor(files: Map<string, Buffer>) {
    this.files = files
    this.#server = createServer((request, response) => this.#take(request, response))
    this.#server.on('connection', (socket) => {
      socket.unref()
      this.connections++
    })
  }

  /** It needs no end: it keeps no test's process alive. */
  static async start(files: ReadonlyMap<string, string | Buffer> = tcgcsvFiles(fewGroups(2))): Promise<PublicSource> {
    const source = new PublicSource(new Map([...files].map(([path, content]) => [path, Buffer.from(content)])))
    source.#server.listen(0, '127.0.0.1').unref()
    await once(source.#server, 'listening')
    source.#port = (source.#server.address() as AddressInfo).port
    return source
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Forgets what was asked. */
  forget(): void {
    this.asked.length = 0
    this.headers.length = 0
    this.answered.length = 0
  }

  set(path: string, content: string | Buffer): void {
    this.files.set(path, Buffer.from(content))
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url!
    const before = this.asked.filter((other) => other === path).length
    this.asked.push(path)
    this.headers.push(request.headers)
    this.#watch(request, response, path)
    const { 'user-agent': agent = '' } = request.headers
    if (!/^[\w.-]+\/\d+(\.\d+)*$/.test(agent)) return void response.writeHead(401).end('Unauthorized')
    const found = this.files.get(path)
    const content = found ?? Buffer.alloc(0)
    const answer = (bytes = content) =>
      found === undefined ? response.writeHead(404).end() : this.#send(request, response, bytes)
    if (this.fault === undefined) answer()
    else this.fault({ path, headers: request.headers, response, content, before, answer })
    this.onStage('asked', path)
  }

  #watch(request: IncomingMessage, response: ServerResponse, path: string): void {
    const sinceMs = performance.now() - this.#endedAt
    if (this.#active > 0) this.breaches.push(`${path}: beside another`)
    if (sinceMs < pauseMsMin) this.breaches.push(`${path}: ${sinceMs.toFixed(1)} ms after an answer`)
    const { accept, 'accept-encoding': encodings } = request.headers
    if (accept === undefined || encodings !== 'gzip') this.breaches.push(`${path}: ${accept}, ${encodings}`)
    this.#active++
    let isOver = false
    // Before the bytes go out: their reader may run at once, and this thread much later.
    let sentAt: number | undefined
    const { end, destroy } = response
    response.end = ((...args: Parameters<typeof end>) => {
      sentAt ??= performance.now()
      return end.apply(response, args)
    }) as typeof end
    response.destroy = (error) => {
      sentAt ??= performance.now()
      return destroy.call(response, error)
    }
    const over = () => {
      if (isOver) return
      isOver = true
      this.#active--
      // When a client that leaves has left, this thread may hear only as the next one comes.
      this.#endedAt = sentAt ?? Number.NEGATIVE_INFINITY
    }
    response.once('finish', () => {
      over()
      if ([200, 206, 304].includes(response.statusCode)) this.answered.push(path)
      this.onStage('answered', path)
    })
    response.once('close', over)
  }

  #send({ url, headers }: IncomingMessage, response: ServerResponse, content: Buffer): void {
    const etag = `"${createHash('sha256').update(content).digest('hex').slice(0, 16)}"`
    const tag = this.hasTags === 'weak' ? `W/${etag}` : etag
    const tags: Record<string, string> = this.hasTags ? { ETag: tag } : {}
    if (!this.packs || url!.includes('.gz')) answerWith(response, headers, content, tags)
    else answerWith(response, headers, gzipSync(content), { ...tags, 'Content-Encoding': 'gzip' })
  }
}

export const firstStamp = '2026-11-20T20:05:33+0000'
export const nextStamp = '2026-11-21T20:05:31+0000'

/** Some groups of the mirror in small: two games, and as many groups of each. */
export const fewGroups = (count: number): readonly MirrorGroup[] =>
  [3, 68].flatMap((category) => mirrorGroups.filter((group) => group.category === category).slice(0, count))

/** TCGCSV's files by path. @param modified when a group was, by its number, if not as all others */
export function tcgcsvFiles(
  groups: readonly MirrorGroup[],
  stamp = firstStamp,
  modified: Readonly<Record<number, string>> = {},
): Map<string, string | Buffer> {
  const files = new Map<string, string | Buffer>([
    ['/last-updated.txt', stamp],
    [
      '/tcgplayer/categories',
      JSON.stringify({ success: true, errors: [], results: [{ categoryId: 3, name: 'Pokemon' }] }),
    ],
  ])
  for (const [name, content] of mirrorFiles(groups.map((group) => ({ ...group, form: 'json' })))) {
    if (!/^\d+\//.test(name)) continue
    const text = String(name.endsWith('.gz') ? gunzipSync(content) : content)
    const path = `/tcgplayer/${name.replace('.json.gz', '')}`
    files.set(path, path.endsWith('/groups') ? withModified(text, modified) : text)
  }
  return files
}

function withModified(text: string, modified: Readonly<Record<number, string>>): string {
  const file = JSON.parse(text) as { results: { groupId: number; modifiedOn: string }[] }
  for (const group of file.results) group.modifiedOn = modified[group.groupId] ?? group.modifiedOn
  return JSON.stringify(file)
}
