/** Data with an answer that no connection holds at once, and those who read it. */
import { createCipheriv } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { type DownloadBounds, Downloads } from '../../src/http/connections/long-responses.ts'
import { uws } from '../../src/http/connections/uws.ts'
import { aSet, snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'

/** The text of a card's image, its only long field: a line has a bound. */
const imageBytes = 680_000

export interface LongAnswer {
  readonly snapshot: string
  /** Of the cards that are like others. */
  readonly ids: readonly string[]
}

/**
 * A snapshot in which the cards of Pokémon, packed, take some 0.7 MB for each of `longCards`.
 * @param seed another one gives other data
 */
export function longAnswer(longCards: number, seed: number, plainCards = 1000): LongAnswer {
  // A key stream is drawn a hundred times as fast as numbers.
  const random = createCipheriv('aes-128-ctr', Buffer.alloc(16, seed), Buffer.alloc(16))
  const zeros = Buffer.alloc(imageBytes)
  const image = () => `https://images.example/${random.update(zeros).toString('base64url')}`
  const card = (id: string) => ({ id, game: 'pokemon', name: `Card ${id}`, setCode: aSet.code, number: '1' })
  const ids = Array.from({ length: plainCards }, (_, i) => `pokemon-base1-${i}`)
  const long = Array.from({ length: longCards }, (_, i) => ({ ...card(`pokemon-long-${i}`), image: image() }))
  const snapshot = snapshotOf({ 'sets/a.ndjson': [aSet], 'cards/a.ndjson': [...ids.map(card), ...long] })
  return { snapshot, ids }
}

/** A reader that takes what comes, unless it is paused. */
export class Reader {
  readonly socket: Socket
  closed = false
  #chunks: Buffer[] = []
  /** Of this answer, its head among them. */
  bytes = 0

  constructor(toPort: number, request: string) {
    this.socket = connect(toPort, '127.0.0.1', () => this.socket.write(request))
    this.socket.on('error', () => {})
    this.socket.on('close', () => {
      this.closed = true
    })
    this.socket.on('data', (chunk) => {
      this.#chunks.push(chunk)
      this.bytes += chunk.length
    })
  }

  /** Takes the first bytes and no more. To be called before they can arrive: an answer can be whole within milliseconds. */
  async stall(): Promise<void> {
    this.socket.once('data', () => this.socket.pause())
    await until('it begins', () => this.bytes > 0)
  }

  /** The body of the answer that is read now, as soon as it is whole. The next one may follow. */
  async body(): Promise<Buffer> {
    this.socket.resume()
    await until('a head', () => this.#all().includes('\r\n\r\n'))
    const start = this.#all().indexOf('\r\n\r\n') + 4
    const length = Number(/content-length: (\d+)/i.exec(this.#all().toString('latin1', 0, start))![1])
    await until('the whole body', () => this.bytes >= start + length || this.closed)
    const all = this.#all()
    this.#chunks = [all.subarray(start + length)]
    this.bytes -= start + length
    return all.subarray(start, start + length)
  }

  #all(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)]
    return this.#chunks[0] ?? Buffer.alloc(0)
  }
}

/** Readers that each take so many bytes a second and no more; resolves when all have the first ones. */
export async function readSlowly(count: number, bytesPerSecond: number, toPort: number, request: string) {
  const readers = Array.from({ length: count }, () => new Reader(toPort, request))
  for (const { socket } of readers) {
    socket.on('data', ({ length }) => {
      socket.pause()
      setTimeout(() => socket.resume(), (length / bytesPerSecond) * 1000).unref()
    })
  }
  await until('all read', () => readers.every(({ bytes }) => bytes > 0))
  return readers
}

/** A server of one answer, with bounds that a test can wait for. */
export async function serveOne(bytes: Uint8Array, bounds?: DownloadBounds) {
  const downloads = new Downloads(bounds)
  const app = uws().App()
  app.get('/', (res) => {
    res.writeStatus('200 OK')
    downloads.begin(res, bytes)
  })
  const socket = await new Promise<unknown>((resolve) => app.listen('127.0.0.1', 0, resolve))
  const port = uws().us_socket_local_port(socket as never)
  return { downloads, port, close: () => app.close() }
}
