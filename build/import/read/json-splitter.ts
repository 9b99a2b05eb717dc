/**
 * Cuts a JSON text of any size into the pieces that are parsed one by one, as its bytes stream by. Only as much is held as
 * the largest piece takes, which is bounded.
 *
 *   {"meta":{…},"data":{"<uuid>":{…},"<uuid>":{…}}}     members of the container `data`; of the rest each member of the root
 *   {"success":true,"results":[{…},{…}]}                elements of the container `results`; the same
 *   [{…},{…}]                                           elements of the root
 *
 * A piece ends where its brackets close, outside strings. Whether it is JSON, its parsing finds out.
 */

/** @param key of a member, or the place of an element, from 0 */
export type OnPiece = (key: string | number, bytes: Buffer) => void

/** The text is no such JSON: at which byte, and why. */
export class SplitError extends Error {
  constructor(byte: number, wrong: string) {
    super(`byte ${byte}: ${wrong}`)
  }
}

const quote = 0x22
const backslash = 0x5c
const openObject = 0x7b
const closeObject = 0x7d
const openArray = 0x5b
const closeArray = 0x5d
const comma = 0x2c
const colon = 0x3a

/** The largest ones there are, the sets of MTGJSON, have some 30 MB. */
const pieceBytesMax = 128 * 1024 * 1024

/** What is awaited next. */
type Awaited = 'root' | 'first' | 'key' | 'colon' | 'value' | 'next' | 'nothing'

interface Level {
  readonly isArray: boolean
  readonly isContainer: boolean
  count: number
}

export class JsonSplitter {
  readonly #container: string
  readonly #onPiece: OnPiece
  readonly #onRootMember: OnPiece
  #bytes: Buffer = Buffer.alloc(0)
  /** Of a value over several chunks: it holds #bytes, and has room for more behind them. */
  #room: Buffer = Buffer.alloc(0)
  #at = 0
  /** Of the bytes given up before #bytes. */
  #before = 0
  #awaited: Awaited = 'root'
  readonly #levels: Level[] = []
  #key = ''
  /** Within a value that began at #start: how deep, and whether in a string. -1: in none. */
  #start = -1
  #depth = 0
  #inString = false

  /** @param container the root's member whose members or elements are the pieces; they are the root's own if it is an array */
  constructor(container: string, onPiece: OnPiece, onRootMember: OnPiece) {
    this.#container = container
    this.#onPiece = onPiece
    this.#onRootMember = onRootMember
  }

  /** Throws CutError. */
  take(chunk: Buffer): void {
    const from = this.#start === -1 ? this.#at : this.#start
    const rest = this.#bytes.subarray(from)
    if (rest.length > pieceBytesMax) throw this.#error(`a value must not be over ${pieceBytesMax} bytes`)
    this.#bytes = rest.length === 0 ? chunk : this.#joined(rest, chunk)
    this.#before += from
    this.#at -= from
    if (this.#start !== -1) this.#start = 0
    while (this.#step()) {}
  }

  /** Bytes behind others, which are copied now and then only: room is doubled. What pieces were cut from is not written again. */
  #joined(rest: Buffer, chunk: Buffer): Buffer {
    const bytes = rest.length + chunk.length
    let start = rest.byteOffset - this.#room.byteOffset
    if (rest.buffer !== this.#room.buffer || start + bytes > this.#room.length) {
      this.#room = Buffer.allocUnsafeSlow(2 * bytes)
      start = 0
      rest.copy(this.#room)
    }
    chunk.copy(this.#room, start + rest.length)
    return this.#room.subarray(start, start + bytes)
  }

  /** Throws CutError if the text is not complete. */
  end(): void {
    // A number at the root's end would be complete only now; the root is an object or an array.
    if (this.#awaited !== 'nothing') throw this.#error('the file is cut short')
  }

  #error(wrong: string): SplitError {
    return new SplitError(this.#before + this.#at, wrong)
  }

  /** Takes one token or one piece; false if more bytes are needed for it. */
  #step(): boolean {
    if (this.#start !== -1) return this.#value()
    const bytes = this.#bytes
    while (this.#at < bytes.length && bytes[this.#at]! <= 0x20) this.#at++
    if (this.#at >= bytes.length) return false
    const byte = bytes[this.#at]!
    const level = this.#levels.at(-1)
    switch (this.#awaited) {
      case 'root':
        if (
          byte === 0xef &&
          this.#before + this.#at === 0 &&
          bytes.length >= 3 &&
          bytes[1] === 0xbb &&
          bytes[2] === 0xbf
        ) {
          this.#at = 3
          return true
        }
        if (byte !== openObject && byte !== openArray) throw this.#error('must be an object or an array')
        this.#enter(byte === openArray, byte === openArray)
        return true
      case 'first':
        if (byte === (level!.isArray ? closeArray : closeObject)) this.#leave()
        else this.#awaited = level!.isArray ? 'value' : 'key'
        return true
      case 'key':
        return this.#takeKey(byte)
      case 'colon':
        if (byte !== colon) throw this.#error('a colon must stand here')
        this.#at++
        this.#awaited = 'value'
        return true
      case 'value':
        if (this.#levels.length === 1 && !level!.isContainer && this.#key === this.#container) {
          if (byte === openObject || byte === openArray) {
            this.#enter(byte === openArray, true)
            return true
          }
        }
        this.#start = this.#at
        this.#depth = 0
        this.#inString = false
        return true
      case 'next':
        if (byte === comma) {
          this.#at++
          this.#awaited = level!.isArray ? 'value' : 'key'
        } else if (byte === (level!.isArray ? closeArray : closeObject)) this.#leave()
        else throw this.#error('a comma or the closing bracket must stand here')
        return true
      case 'nothing':
        throw this.#error('nothing may follow the end')
    }
  }

  #enter(isArray: boolean, isContainer: boolean): void {
    this.#at++
    this.#levels.push({ isArray, isContainer, count: 0 })
    this.#awaited = 'first'
  }

  #leave(): void {
    this.#at++
    this.#levels.pop()
    this.#awaited = this.#levels.length === 0 ? 'nothing' : 'next'
  }

  #takeKey(byte: number): boolean {
    if (byte !== quote) throw this.#error('a key must stand here')
    const end = stringEnd(this.#bytes, this.#at + 1)
    if (end === -1) return false
    try {
      this.#key = JSON.parse(this.#bytes.toString('utf8', this.#at, end)) as string
    } catch {
      throw this.#error('must be a key')
    }
    this.#at = end
    this.#awaited = 'colon'
    return true
  }

  /** Goes on in the value that began at #start; false if it doesn't end in these bytes. */
  #value(): boolean {
    const bytes = this.#bytes
    const { length } = bytes
    let at = this.#at
    let depth = this.#depth
    for (;;) {
      if (this.#inString) {
        const end = stringEnd(bytes, at)
        if (end === -1) {
          // A backslash that ends the bytes may be half of an escape: it is looked at again.
          at = Math.max(at, length - trailingBackslashes(bytes, at))
          break
        }
        at = end
        this.#inString = false
        if (depth === 0) return this.#piece(at)
      }
      if (at >= length) break
      const byte = bytes[at]!
      if (byte === quote) {
        this.#inString = true
        at++
      } else if (byte === openObject || byte === openArray) {
        depth++
        at++
      } else if (byte === closeObject || byte === closeArray) {
        if (depth === 0) return this.#piece(at)
        at++
        if (--depth === 0) return this.#piece(at)
      } else if (depth === 0 && (byte === comma || byte <= 0x20)) return this.#piece(at)
      else at++
    }
    this.#at = at
    this.#depth = depth
    return false
  }

  #piece(end: number): true {
    const level = this.#levels.at(-1)!
    const piece = this.#bytes.subarray(this.#start, end)
    if (piece.length === 0) throw this.#error('a value must stand here')
    this.#at = end
    this.#start = -1
    this.#awaited = 'next'
    const onPiece = level.isContainer ? this.#onPiece : this.#onRootMember
    onPiece(level.isArray ? level.count++ : this.#key, piece)
    return true
  }
}

/** The position behind the quote that closes the string around `from`; -1 if it isn't there. */
function stringEnd(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(quote, from); at !== -1; at = bytes.indexOf(quote, at + 1)) {
    let escapes = 0
    while (at - escapes - 1 >= from && bytes[at - escapes - 1] === backslash) escapes++
    if (escapes % 2 === 0) return at + 1
  }
  return -1
}

function trailingBackslashes(bytes: Buffer, from: number): number {
  let count = 0
  while (bytes.length - count - 1 >= from && bytes[bytes.length - count - 1] === backslash) count++
  return count
}
