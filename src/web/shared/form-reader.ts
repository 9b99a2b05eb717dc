/**
 * Reads the fields of a form while it arrives. A field that is too long, or a field too many, is rejected before it
 * takes memory; form-table.ts has the bounds. All forms with a list share one bound. Other forms always have room,
 * because each connection has room for one and sends one form at a time.
 *
 *   connection ─ pieces ─► parser ─┬─ a field of the table ─► kept in memory
 *                                  └─ another one           ─► ignored; more than a few reject the form
 *
 *   bodyBytesMax   │ other forms: 16 KB for each connection │ forms with a list │ a list too many: 503
 */
import type { Readable } from 'node:stream'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { bodyBytesMax, formBytesMax, listLinesMax, pageConnectionsMax, strayFieldsMax } from '../../limits.ts'
import { releaseMemory } from '../../platform/memory.ts'
import type { PageContext } from '../site.ts'
import { type Form, type FormShape, shapeOf } from './form-table.ts'
import { SenderGone, Turns } from './turns.ts'

/** Thrown if the forms of others take all memory for forms with a list. */
export class NoRoom extends Error {}

/** Thrown if the form is not as its page sends it. The message is a sentence for the page. */
export class WrongForm extends Error {
  readonly status: 400 | 413

  constructor(status: WrongForm['status'], message: string) {
    super(message)
    this.status = status
  }
}

/** The bytes of forms with a list that this thread has in memory. */
let held = 0
const heldMax = bodyBytesMax - pageConnectionsMax * formBytesMax

/** The parser works on pieces of this size, so that other pages get their turn. One piece has room for 200 parts. */
const pieceBytes = 2048
/** A part's headers are its name, the name of a file, and a type. */
const partHeaderBytesMax = 4096

/**
 * Returns the form, whose length forms.ts has checked. Its bytes count until the response has ended. Rejects with
 * SenderGone, NoRoom or WrongForm.
 */
export function formOf(context: PageContext): Promise<Form> {
  const known = context.get('form') ?? new FormReader(context).read()
  context.set('form', known)
  return known
}

class FormReader {
  readonly #context: PageContext
  readonly #shape: FormShape
  readonly #length: number
  readonly #type: string
  readonly #texts = new Map<string, string>()
  readonly #bytes = new Map<string, Uint8Array>()
  /** How many fields of each numbered kind have arrived. `#strays` counts the fields that the table does not have. */
  readonly #counts: number[]
  #strays = 0
  /** The names of the fields without a number that have arrived. */
  readonly #seen = new Set<string>()
  /** How many lines with text the long fields have so far. */
  #lines = 0
  #isInLine = false
  /** How many fields have arrived that need a line each (`isByLine`). */
  #countsByLine = 0
  #held = 0
  #failure: Error | undefined

  constructor(context: PageContext) {
    this.#context = context
    this.#shape = shapeOf(context.req.path)
    this.#length = Number(context.req.header('Content-Length') ?? 0)
    this.#type = context.req.header('Content-Type') ?? 'application/x-www-form-urlencoded'
    this.#counts = (this.#shape.numbered ?? []).map(() => 0)
  }

  async read(): Promise<Form> {
    const { req, env } = this.#context
    if (env.outgoing.closed) throw new SenderGone('before the form was read')
    // The form stays in memory until the response has ended. The response may be sent in parts.
    env.outgoing.once('close', () => this.#release())
    try {
      if (this.#length > 0) await this.#parse(req.raw.body ?? [], this.#parser())
    } catch (error) {
      this.#release()
      throw error
    }
    return { texts: this.#texts, bytes: this.#bytes }
  }

  #parser(): BusboyInstance {
    const numbered = (this.#shape.numbered ?? []).map(({ bytesMax }) => bytesMax)
    const parts = strayFieldsMax + Object.keys(this.#shape.fields).length + this.#most
    const parser = new Busboy({
      headers: { 'content-type': this.#type },
      isPartAFile: (name) => name !== undefined && this.#isLong(name),
      limits: {
        fieldSize: Math.max(formBytesMax, ...numbered) + 1,
        headerPairs: 8,
        headerSize: partHeaderBytesMax,
        parts,
      },
    })
    parser.on('partsLimit', () => this.#refuse(tooManyFields))
    parser.on('field', (name, text, isNameCut, isCut) => this.#takeText(name, isNameCut ? undefined : text, isCut))
    parser.on('file', (name, stream) => this.#takeBytes(name, stream as unknown as Readable))
    return parser
  }

  get #isInParts(): boolean {
    return /^multipart/i.test(this.#type)
  }

  /** The most numbered fields that the form may have. */
  get #most(): number {
    return (this.#shape.numbered ?? []).reduce((sum, { most }) => sum + most, 0)
  }

  /** True for a field that may be longer than a text. It is read in pieces, as bytes. */
  #isLong(name: string): boolean {
    return Object.hasOwn(this.#shape.fields, name) && this.#shape.fields[name]! > formBytesMax
  }

  async #parse(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, parser: BusboyInstance): Promise<void> {
    const { outgoing } = this.#context.env
    const turns = new Turns(() => outgoing.closed)
    const { promise: done, resolve, reject } = Promise.withResolvers<void>()
    parser.once('finish', resolve)
    parser.on('error', () => reject(new WrongForm(400, 'This form arrived incomplete. Send it again.')))
    outgoing.once('close', () => reject(new SenderGone('while the form was read')))
    done.catch(() => undefined)
    let arrived = 0
    let byLine = 0
    try {
      for await (const chunk of body) {
        arrived += chunk.length
        this.#hold(chunk.length)
        for (let from = 0; from < chunk.length; from += pieceBytes) {
          const { promise: taken, resolve: take } = Promise.withResolvers<void>()
          parser.write(chunk.subarray(from, from + pieceBytes), () => take())
          await Promise.race([taken, done])
          // The parser delivers a long field one piece later than the fields after it, so this compares the count
          // before the piece.
          if (this.#isInParts && byLine > this.#lines) this.#refuse(tooManyFields)
          if (this.#failure !== undefined) throw this.#failure
          byLine = this.#countsByLine
          await turns.pause()
        }
      }
    } catch (error) {
      const isOurs = error instanceof NoRoom || error instanceof WrongForm || error instanceof SenderGone
      throw isOurs ? error : new SenderGone((error as Error).message)
    }
    if (arrived < this.#length) throw new SenderGone(`${arrived} of ${this.#length} bytes arrived`)
    parser.end()
    await done
    // A form that is not multipart is small, so its lines are not counted.
    if (this.#isInParts && this.#countsByLine > this.#lines) this.#refuse(tooManyFields)
    if (this.#failure !== undefined) throw this.#failure
  }

  #refuse(error: Error): void {
    this.#failure ??= error
  }

  #takeText(name: string, text: string | undefined, isCut: boolean): void {
    const bytesMax = this.#admit(name)
    if (bytesMax === undefined || text === undefined) return
    if (isCut || Buffer.byteLength(text) > bytesMax) this.#refuse(tooLong)
    else if (!this.#texts.has(name)) this.#texts.set(name, text)
  }

  #takeBytes(name: string, stream: Readable): void {
    const bytesMax = this.#admit(name)
    // Only the bytes that have arrived take memory. The next field may begin before the last piece of this field is
    // read.
    let body: Buffer | undefined
    let end = 0
    stream.on('error', () => undefined)
    stream.on('data', (piece: Buffer) => {
      if (bytesMax === undefined || this.#failure !== undefined) return
      if (end + piece.length > bytesMax) {
        this.#refuse(tooLong)
        return
      }
      body ??= Buffer.allocUnsafeSlow(Math.min(bytesMax, this.#length))
      body.set(piece, end)
      this.#countLines(piece)
      end += piece.length
    })
    stream.on('end', () => {
      if (bytesMax !== undefined) this.#bytes.set(name, body?.subarray(0, end) ?? new Uint8Array())
    })
  }

  /** Counts the field. Returns the most bytes that it may have; undefined if it is ignored. */
  #admit(name: string | undefined): number | undefined {
    const { fields, numbered = [] } = this.#shape
    // A repeated field is ignored, and counts as a field that the table does not have.
    if (name !== undefined && Object.hasOwn(fields, name) && !this.#seen.has(name)) {
      this.#seen.add(name)
      return fields[name]
    }
    const kind = name === undefined ? -1 : numbered.findIndex(({ names }) => names.test(name))
    if (kind === -1) {
      if (++this.#strays > strayFieldsMax) this.#refuse(tooManyFields)
      return undefined
    }
    const { most, isByLine, bytesMax } = numbered[kind]!
    if (++this.#counts[kind]! > most) this.#refuse(tooManyFields)
    if (isByLine) this.#countsByLine++
    return bytesMax
  }

  /** Counts lines with text, up to `listLinesMax`, because no more fields need a line. */
  #countLines(piece: Uint8Array): void {
    let [lines, isInLine] = [this.#lines, this.#isInLine]
    for (let at = 0; at < piece.length && lines < listLinesMax; at++) {
      const byte = piece[at]!
      if (byte === 10 || byte === 13) isInLine = false
      else if (byte > 32 && !isInLine) {
        isInLine = true
        lines++
      }
    }
    this.#lines = lines
    this.#isInLine = isInLine
  }

  /** Counts bytes that have arrived, including those of ignored fields. Throws NoRoom. */
  #hold(bytes: number): void {
    // Small forms do not count, because each connection has room for one.
    if (this.#length <= formBytesMax) return
    if (held + bytes > heldMax) throw new NoRoom('forms of others take all memory for forms')
    held += bytes
    this.#held += bytes
  }

  #release(): void {
    if (this.#held === 0) return
    held -= this.#held
    this.#held = 0
    if (held === 0) releaseMemory()
  }
}

const tooLong = new WrongForm(413, 'This form is too large.')
const tooManyFields = new WrongForm(413, 'This form has more fields than its page.')
