/**
 * The pieces of a download as the library gets them, over a connection whose room is drawn: the last byte counts as sent
 * only when the kernel has all. The rest in the library is lost when it gives a reader up, eight seconds later.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Downloads } from '../../src/http/connections/long-responses.ts'
import type { HttpResponse } from '../../src/http/connections/uws.ts'
import { amount } from '../support/amount.ts'
import { randomFrom } from '../support/random.ts'

const corkBytes = 16 * 1024

/** The library's side of one response, as its source has it: uncorked, or too long for the cork, a piece goes to the kernel. */
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

it('no body ends while bytes of it wait in the library, of any length, for any reader', async () => {
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
