/** Long answers: whole in any fate of reader, version or server, and none holds up another one. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { openDataset } from '../../src/api/dataset.ts'
import { Downloads } from '../../src/http/connections/long-responses.ts'
import type { HttpResponse } from '../../src/http/connections/uws.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { amount } from '../support/amount.ts'
import { build, temporaryFolder } from '../support/command.ts'
import { requestText } from '../support/proxy-wire.ts'
import { randomFrom } from '../support/random.ts'
import { serveHere } from '../support/servers-here.ts'
import { send } from '../support/service.ts'
import { until } from '../support/until.ts'
import { longAnswer, Reader, readSlowly, serveOne } from './long-answers.ts'

const path = '/v1/bulk/pokemon'
/** Some 9 MB, of which a connection within a machine holds six. */
const { snapshot } = longAnswer(13, 1, 10)

const sum = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const here = await serveHere(snapshot)
after(() => here.close())
const server = here.server('A')
const port = Number(new URL(here.address('A')).port)
const sumOfBody = sum(server.data!.catalog.bulk(0))
const request = () => requestText(path, here.keys.business)

const nobodyReads = () => until('no download is left', () => server.downloads.count === 0)

describe('A download', () => {
  it('A connection delivers whole downloads one after the other, and then another response', async () => {
    const reader = new Reader(port, request())
    for (let round = 0; round < 3; round++) {
      assert.equal(sum(await reader.body()), sumOfBody)
      reader.socket.write(request())
    }
    await reader.body()
    reader.socket.write(requestText('/v1/games', here.keys.business))
    assert.equal(JSON.parse((await reader.body()).toString()).data.length, 8)
    reader.socket.destroy()
    await nobodyReads()
  })

  it('A download continues with the version it began with, though the server has switched to another', async () => {
    const other = longAnswer(1, 2, 10)
    const indexDir = temporaryFolder()
    assert.equal((await build(other.snapshot, indexDir)).code, 0)
    const readers = Array.from({ length: 3 }, () => new Reader(port, request()))
    await Promise.all(readers.map((reader) => reader.stall()))
    const was = server.data!
    server.data = await openDataset(await loadVersion(indexDir, readFileSync(join(indexDir, 'current'), 'utf8').trim()))
    const fresh = new Reader(port, request())
    assert.equal(sum(await fresh.body()), sum(server.data.catalog.bulk(0)))
    for (const reader of readers) assert.equal(sum(await reader.body()), sumOfBody)
    server.data = was
    for (const reader of [fresh, ...readers]) reader.socket.destroy()
    await nobodyReads()
  })

  it('A download whose client leaves is forgotten', async () => {
    const readers = Array.from({ length: 5 }, () => new Reader(port, request()))
    await Promise.all(readers.map((reader) => reader.stall()))
    assert.equal(server.downloads.count, 5)
    for (const reader of readers.slice(0, 2)) reader.socket.destroy()
    await until('two are forgotten', () => server.downloads.count === 3)
    for (const reader of readers.slice(2)) reader.socket.resetAndDestroy()
    await nobodyReads()
    // Some of these are about to be written to.
    const hasty = Array.from({ length: 20 }, () => new Reader(port, request()))
    await until('all read', () => hasty.every(({ bytes }) => bytes > 0))
    for (const { socket } of hasty) socket.resetAndDestroy()
    await nobodyReads()
  })

  it('A download to a slow reader waits for that reader, and delays nobody else', async () => {
    const readers = await readSlowly(20, 10_000, port, request())
    assert.equal(server.downloads.count, 20)
    for (let round = 0; round < 50; round++) {
      const { status } = await send(here.address('A'), '/v1/games', { headers: { 'x-api-key': here.keys.trader } })
      assert.equal(status, 200)
    }
    const quick = new Reader(port, request())
    assert.equal(sum(await quick.body()), sumOfBody)
    assert.equal(server.downloads.count, 20)
    quick.socket.destroy()
    for (const { bytes, closed, socket } of readers) {
      assert.ok(!closed && bytes < server.data!.catalog.bulk(0).length, `${bytes} bytes`)
      socket.destroy()
    }
    await nobodyReads()
  })
})

it('A server that stops waits for downloads until its time limit, and then closes them', async () => {
  for (const [state, msMax, givenUp] of [
    ['serving', 30_000, 0],
    ['empty', 100, 1],
  ] as const) {
    const stopped = here.server('B', state)
    stopped.data = server.data
    const reader = new Reader(Number(new URL(here.address('B', state)).port), request())
    await reader.stall()
    const stopping = stopped.stop(msMax)
    if (givenUp === 0) assert.equal(sum(await reader.body()), sumOfBody, 'who reads on has all')
    assert.equal(await stopping, givenUp)
    reader.socket.resume()
    await until('the connection is closed', () => reader.closed)
  }
})

describe('The long responses', () => {
  it('A client that reads nothing for too long is disconnected, and one that reads slowly is not', async () => {
    const bytes = new Uint8Array(new SharedArrayBuffer(20_000_000))
    const { downloads, port: itsPort, close } = await serveOne(bytes, { lookMs: 100, stallMsMax: 1500 })
    const [dead, slow] = [new Reader(itsPort, requestText('/')), new Reader(itsPort, requestText('/'))]
    await Promise.all([dead.stall(), slow.stall()])
    const reading = setInterval(() => {
      slow.socket.resume()
      slow.socket.once('data', () => slow.socket.pause())
    }, 50)
    await until('one is closed', () => downloads.count === 1)
    clearInterval(reading)
    assert.equal((await slow.body()).length, bytes.length)
    await until('none is left', () => downloads.count === 0)
    dead.socket.resume()
    await until('it sees the end', () => dead.closed)
    assert.ok(dead.bytes < bytes.length)
    close()
  })

  it('A response of any length arrives whole, even one of a single byte or one that ends between slices', async () => {
    const random = Buffer.alloc(300_000, 'any bytes, but not the same everywhere ')
    for (const length of [1, 16_383, 16_384, 16_385, 65_536, 81_920, 131_071, 131_072, 131_073, 299_999]) {
      const shared = new Uint8Array(new SharedArrayBuffer(length))
      shared.set(random.subarray(0, length))
      const { port: itsPort, close, downloads } = await serveOne(shared, { lookMs: 50, stallMsMax: 5000 })
      const reader = new Reader(itsPort, requestText('/'))
      await reader.stall()
      assert.equal(sum(await reader.body()), sum(shared), String(length))
      assert.equal(downloads.count, 0)
      reader.socket.destroy()
      close()
    }
  })
})

const corkBytes = 16 * 1024

/**
 * The library's side of one response, as its source has it, over a connection whose room is drawn: uncorked, or too long for the cork,
 * a piece goes to the kernel. The last byte counts as sent only when the kernel has all. The rest in the library is lost when it gives a
 * reader up, eight seconds later.
 */
class Connection {
  room = 0
  taken = 0
  /** Taken from the download and not yet by the kernel. */
  inLibrary = 0
  isDone = false
  readonly #body: Uint8Array
  #isCorked = false
  #writable = (_offset: number) => true

  constructor(body: Uint8Array) {
    this.#body = body
  }

  tryEnd(piece: Uint8Array, total: number): [boolean, boolean] {
    assert.ok(!this.isDone)
    this.#flush()
    if (this.inLibrary > 0) return [false, false]
    const isHeld = this.#isCorked && piece.length <= corkBytes
    const byKernel = Math.min(this.room, piece.length)
    this.room -= byKernel
    const taken = isHeld ? piece.length : byKernel
    this.inLibrary = taken - byKernel
    assert.equal(Buffer.compare(piece.subarray(0, taken), this.#body.subarray(this.taken, this.taken + taken)), 0)
    this.taken += taken
    this.isDone = this.taken === total
    return [taken === piece.length, this.isDone]
  }

  cork(write: () => void): void {
    this.#isCorked = true
    write()
    this.#isCorked = false
  }

  getWriteOffset = () => this.taken
  onAborted = () => {}
  onWritable = (call: (offset: number) => boolean) => (this.#writable = call)
  pause = () => {}
  resume = () => {}
  end = () => assert.fail('a short answer')
  close = () => assert.fail('this reader reads')

  /** The reader takes so much. */
  read(bytes: number): void {
    this.room += bytes
    this.#flush()
    if (!this.isDone) this.#writable(this.taken)
  }

  #flush(): void {
    const flushed = Math.min(this.room, this.inLibrary)
    this.room -= flushed
    this.inLibrary -= flushed
  }
}

it('A body of any length ends only after all its bytes have left the HTTP library', async () => {
  const random = randomFrom(26)
  const edges = [16, 32, 64, 80, 96, 128, 144, 192].flatMap((kb) => [-1, 0, 1].map((by) => kb * 1024 + by))
  const lengths = [
    ...edges.filter((length) => length > corkBytes),
    ...Array.from({ length: amount(20, 60) }, () => 17_000 + random() * 300_000),
  ]
  const all = Uint8Array.from({ length: 320_000 }, (_, i) => i % 251)
  for (const length of lengths.map(Math.floor)) {
    const bytes = all.subarray(0, length)
    const downloads = new Downloads({ lookMs: 1, stallMsMax: 60_000 })
    const connection = new Connection(bytes)
    connection.room = Math.floor(random() * 2 * length)
    connection.cork(() => downloads.begin(connection as unknown as HttpResponse, bytes))
    for (let turns = 0; !connection.isDone; turns++) {
      assert.ok(turns < 1_000_000, `${length} bytes are not sent`)
      connection.read(Math.floor(random() ** 4 * 40_000))
      await nextTurn()
    }
    assert.equal(connection.inLibrary, 0, `${length} bytes: so many wait in the library`)
    assert.equal(connection.taken, length)
    assert.equal(downloads.count, 0)
  }
})

it('The last bytes of a body are sent one by one while the kernel accepts no more', async () => {
  const bytes = new Uint8Array(20_000)
  const downloads = new Downloads({ lookMs: 1, stallMsMax: 60_000 })
  const connection = new Connection(bytes)
  connection.room = 19_990
  connection.cork(() => downloads.begin(connection as unknown as HttpResponse, bytes))
  connection.room = 5
  await until('the library has one byte', () => connection.inLibrary === 1)
  assert.equal(connection.taken, 19_996)
  connection.room = 100
  await until('only the last byte is left', () => connection.taken === 19_999)
  await sleep(20)
  assert.ok(!connection.isDone)
  connection.read(0)
  assert.ok(connection.isDone)
  assert.equal(downloads.count, 0)
})
