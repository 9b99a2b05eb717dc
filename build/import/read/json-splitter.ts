/**
 * Splits streamed JSON into values that are parsed one by one. It buffers one value at a time, whose size is bounded.
 *
 *   {"meta":{…},"data":{"<uuid>":{…},"<uuid>":{…}}}     members of the container `data`; of the rest each member of the root
 *   {"success":true,"results":[{…},{…}]}                elements of the container `results`, and the same
 *   [{…},{…}]                                           elements of the root
 *
 * A value ends where its brackets close, outside strings. Only its parsing shows whether it is JSON.
 */

/** @param key of a member, or the index of an element */
export type OnBytes = (key: string | number, bytes: Buffer) => void

/** The message has the byte and the reason. */
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

/** The largest values, sets of MTGJSON, have some 30 MB. */
const valueBytesMax = 128 * 1024 * 1024

/** The token that must come next. */
type Expected = 'root' | 'first' | 'key' | 'colon' | 'value' | 'next' | 'nothing'

interface Level {
  readonly isArray: boolean
  readonly isContainer: boolean
  count: number
}

export class JsonSplitter {
  readonly #container: string
  readonly #onValue: OnBytes
  readonly #onRootMember: OnBytes
  #bytes: Buffer = Buffer.alloc(0)
  /** For a value in several chunks: it holds #bytes, and has space behind them. */
  #buffer: Buffer = Buffer.alloc(0)
  #at = 0
  /** The number of bytes before #bytes. */
  #before = 0
  #expected: Expected = 'root'
  readonly #levels: Level[] = []
  #key = ''
  /** Where the current value starts, -1 outside values; #depth and #inString are the state within it. */
  #start = -1
  #depth = 0
  #inString = false

  /** @param container the root's member whose members or elements are the values; an array as root is itself the container */
  constructor(container: string, onValue: OnBytes, onRootMember: OnBytes) {
    this.#container = container
    this.#onValue = onValue
    this.#onRootMember = onRootMember
  }

  /** Throws CutError. */
  take(chunk: Buffer): void {
    const from = this.#start === -1 ? this.#at : this.#start
    const rest = this.#bytes.subarray(from)
    if (rest.length > valueBytesMax) throw this.#error(`a value must not be over ${valueBytesMax} bytes`)
    this.#bytes = rest.length === 0 ? chunk : this.#joined(rest, chunk)
    this.#before += from
    this.#at -= from
    if (this.#start !== -1) this.#start = 0
    while (this.#step()) {}
  }

  /** Appends to #buffer, which doubles when it is full. It never overwrites bytes that values refer to. */
  #joined(rest: Buffer, chunk: Buffer): Buffer {
    const bytes = rest.length + chunk.length
    let start = rest.byteOffset - this.#buffer.byteOffset
    if (rest.buffer !== this.#buffer.buffer || start + bytes > this.#buffer.length) {
      this.#buffer = Buffer.allocUnsafeSlow(2 * bytes)
      start = 0
      rest.copy(this.#buffer)
    }
    chunk.copy(this.#buffer, start + rest.length)
    return this.#buffer.subarray(start, start + bytes)
  }

  /** Throws CutError if the text is not complete. */
  end(): void {
    if (this.#expected !== 'nothing') throw this.#error('the file is cut short')
  }

  #error(wrong: string): SplitError {
    return new SplitError(this.#before + this.#at, wrong)
  }

  /** Consumes one token or value; false if it needs more bytes. */
  #step(): boolean {
    if (this.#start !== -1) return this.#value()
    const bytes = this.#bytes
    while (this.#at < bytes.length && bytes[this.#at]! <= 0x20) this.#at++
    if (this.#at >= bytes.length) return false
    const byte = bytes[this.#at]!
    const level = this.#levels.at(-1)
    switch (this.#expected) {
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
        else this.#expected = level!.isArray ? 'value' : 'key'
        return true
      case 'key':
        return this.#takeKey(byte)
      case 'colon':
        if (byte !== colon) throw this.#error('a colon must stand here')
        this.#at++
        this.#expected = 'value'
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
          this.#expected = level!.isArray ? 'value' : 'key'
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
    this.#expected = 'first'
  }

  #leave(): void {
    this.#at++
    this.#levels.pop()
    this.#expected = this.#levels.length === 0 ? 'nothing' : 'next'
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
    this.#expected = 'colon'
    return true
  }

  /** Scans on in the current value; false if it doesn't end in these bytes. */
  #value(): boolean {
    const bytes = this.#bytes
    const { length } = bytes
    let at = this.#at
    let depth = this.#depth
    for (;;) {
      if (this.#inString) {
        const end = stringEnd(bytes, at)
        if (end === -1) {
          // A backslash at the end may be half of an escape, so the next scan starts at it.
          at = Math.max(at, length - trailingBackslashes(bytes, at))
          break
        }
        at = end
        this.#inString = false
        if (depth === 0) return this.#endValue(at)
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
        if (depth === 0) return this.#endValue(at)
        at++
        if (--depth === 0) return this.#endValue(at)
      } else if (depth === 0 && (byte === comma || byte <= 0x20)) return this.#endValue(at)
      else at++
    }
    this.#at = at
    this.#depth = depth
    return false
  }

  #endValue(end: number): true {
    const level = this.#levels.at(-1)!
    const value = this.#bytes.subarray(this.#start, end)
    if (value.length === 0) throw this.#error('a value must stand here')
    this.#at = end
    this.#start = -1
    this.#expected = 'next'
    const onBytes = level.isContainer ? this.#onValue : this.#onRootMember
    onBytes(level.isArray ? level.count++ : this.#key, value)
    return true
  }
}

/** The offset behind the quote that closes the string around `from`; -1 if it isn't there. */
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
