/**
 * Splits streamed JSON into values that are parsed one by one. It buffers one value at a time, whose size is bounded.
 * These are the values, if the container has the name `data`, `results`, or no name:
 *
 *   {"meta":{…},"data":{"<uuid>":{…},"<uuid>":{…}}}    each member of the container, and each other member of the root
 *   {"success":true,"results":[{…},{…}]}               each element of the container, and each other member of the root
 *   [{…},{…}]                                          each element of the root
 *
 * A value ends where its brackets close, outside strings. Only parsing the value shows whether it is JSON.
 */

import { jsonValueBytesMax } from '../../../src/limits.ts'
import { linesIn } from './lines.ts'

/** @param key the key of a member, or the index of an element */
type OnBytes = (key: string | number, bytes: Buffer) => void

/** The error's message begins with the line and the byte. */
export class SplitError extends Error {}

const quote = 0x22
const backslash = 0x5c
const openObject = 0x7b
const closeObject = 0x7d
const openArray = 0x5b
const closeArray = 0x5d
const comma = 0x2c
const colon = 0x3a
const byteOrderMark = Buffer.from('\ufeff')

/** A generator waits for more bytes at a `yield`. */
type Waiting<Result = void> = Generator<void, Result, void>

export class JsonSplitter {
  readonly #container: string
  readonly #onValue: OnBytes
  readonly #onRootMember: OnBytes
  readonly #splitting: Waiting
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0
  /** Where the current token or value starts. The bytes before it are dropped when more bytes come. */
  #start = 0
  /** The bytes and lines before #bytes. */
  #bytesBefore = 0
  #linesBefore = 0
  #isComplete = false

  /**
   * @param container the name of the root's member that holds the values; '' if the root is an array of values
   * @param onRootMember also gets the container itself, as an empty object or array
   */
  constructor(container: string, onValue: OnBytes, onRootMember: OnBytes) {
    this.#container = container
    this.#onValue = onValue
    this.#onRootMember = onRootMember
    this.#splitting = this.#document()
  }

  /** Takes the next bytes. Throws SplitError if they are wrong. */
  take(chunk: Buffer): void {
    const rest = this.#bytes.subarray(this.#start)
    if (rest.length > jsonValueBytesMax) throw this.#error(`a value must not be over ${jsonValueBytesMax} bytes`)
    this.#linesBefore += linesIn(this.#bytes.subarray(0, this.#start))
    this.#bytesBefore += this.#start
    this.#at -= this.#start
    this.#start = 0
    this.#bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    this.#splitting.next()
  }

  /** Throws SplitError if the text is not complete. */
  end(): void {
    if (this.#isComplete) return
    const isEmpty = this.#bytesBefore + this.#start === 0
    throw isEmpty ? this.#error('must be JSON', 'the file is empty') : this.#error('the file is cut short')
  }

  #error(wrong: string, found?: string): SplitError {
    const line = this.#linesBefore + linesIn(this.#bytes.subarray(0, this.#at)) + 1
    const text = found === undefined ? wrong : `${wrong} (${found})`
    return new SplitError(`line ${line}, byte ${this.#bytesBefore + this.#at}: ${text}`)
  }

  *#document(): Waiting {
    yield* this.#token()
    if (this.#bytes.subarray(this.#at, this.#at + byteOrderMark.length).equals(byteOrderMark))
      this.#at += byteOrderMark.length
    const isArray = this.#container === ''
    if ((yield* this.#token()) !== (isArray ? openArray : openObject))
      throw this.#error('must be JSON', 'an object must stand here')
    yield* this.#entries(isArray)
    this.#isComplete = true
    yield* this.#token()
    throw this.#error('must be JSON', 'nothing may follow the end')
  }

  /** The members of an object, or the elements of an array. */
  *#entries(isContainer: boolean): Waiting {
    const isArray = this.#bytes[this.#at++] === openArray
    const close = isArray ? closeArray : closeObject
    const onValue = isContainer ? this.#onValue : this.#onRootMember
    let next = yield* this.#token()
    for (let index = 0; next !== close; index++) {
      if (index > 0) {
        if (next !== comma) throw this.#error('must be JSON', 'a comma or the closing bracket must stand here')
        this.#at++
      }
      const key = isArray ? index : yield* this.#key()
      const first = yield* this.#token()
      if (!isContainer && key === this.#container && (first === openObject || first === openArray)) {
        onValue(key, Buffer.from(first === openObject ? '{}' : '[]'))
        yield* this.#entries(true)
      } else onValue(key, yield* this.#value())
      next = yield* this.#token()
    }
    this.#at++
  }

  /** The next byte that is not white space. */
  *#token(): Waiting<number> {
    for (;;) {
      while (this.#at < this.#bytes.length && this.#bytes[this.#at]! <= 0x20) this.#at++
      this.#start = this.#at
      if (this.#at < this.#bytes.length) return this.#bytes[this.#at]!
      yield
    }
  }

  *#key(): Waiting<string> {
    if ((yield* this.#token()) !== quote) throw this.#error('must be JSON', 'a key must stand here')
    const text = (yield* this.#value()).toString('utf8')
    let key: string
    try {
      key = JSON.parse(text) as string
    } catch {
      throw this.#error('must be JSON', 'a key must stand here')
    }
    if ((yield* this.#token()) !== colon) throw this.#error('must be JSON', 'a colon must stand here')
    this.#at++
    return key
  }

  *#value(): Waiting<Buffer> {
    let depth = 0
    for (;;) {
      const bytes = this.#bytes
      let at = this.#at
      let isEnd = false
      while (at < bytes.length && !isEnd) {
        const byte = bytes[at]!
        if (byte === quote) {
          const end = stringEnd(bytes, at + 1)
          if (end === -1) break
          at = end
          isEnd = depth === 0
        } else if (byte === openObject || byte === openArray) {
          depth++
          at++
        } else if (byte === closeObject || byte === closeArray) {
          isEnd = depth <= 1
          if (depth > 0) at++
          depth--
        } else if (depth === 0 && (byte === comma || byte <= 0x20)) isEnd = true
        else at++
      }
      this.#at = at
      if (isEnd) break
      yield
    }
    if (this.#at === this.#start) throw this.#error('must be JSON', 'a value must stand here')
    return this.#bytes.subarray(this.#start, this.#at)
  }
}

/** The offset behind the quote that closes the string in which `from` is; -1 if the bytes end before the quote. */
function stringEnd(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(quote, from); at !== -1; at = bytes.indexOf(quote, at + 1)) {
    let escapes = 0
    while (at - escapes - 1 >= from && bytes[at - escapes - 1] === backslash) escapes++
    if (escapes % 2 === 0) return at + 1
  }
  return -1
}
