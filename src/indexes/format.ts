/**
 * The format of every index file: a sequence of msgpack values.
 *
 *   uint32                                       length of the head in bytes
 *   { kind, format, meta, columns: [[name, bytes], …] }   the head, a map
 *   nil … nil  bin32                             the first column; in memory, its bytes start at a cache line
 *   nil … nil  bin32                             the next one
 *
 * A reader decodes only the head, and returns the columns as views of the file's memory: nothing is copied, and shared
 * memory stays shared. (msgpackr's native part crashes on shared memory, so the head is copied first.) Numbers in
 * columns are little-endian, because all supported machines are.
 */
import assert from 'node:assert/strict'
import { endianness } from 'node:os'
import { Packr, Unpackr } from 'msgpackr'
import * as v from 'valibot'
import { indexFileBytesMax } from '../limits.ts'

/** A part file has at most 2^17 = 131,072 cards, so each of its columns is far below 2 GiB. */
export const partCardsShift = 17
export const partCards = 1 << partCardsShift
/** The bytes of a processor's cache line. A card's record takes whole lines. */
export const lineBytes = 64
/** A rarity's number has 16 bits. The highest number means that the card has no rarity. */
export const raritiesMax = 2 ** 16 - 1
/** The same for a printing's number. */
export const printingsMax = 2 ** 16 - 1

assert.equal(endianness(), 'LE', 'index files are little-endian')

/** The schema of the meta of a kind that has only columns. */
export const noMeta = v.object({})

/** Increases with every change that makes older index files unreadable. */
export const formatVersion = 8

/** The advice for an index of another format. */
export const buildOnce = ': run card-prices build once'

/** A column that the build writes. */
export type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array

/** Views a column's bytes. Throws IndexError if they end within a number. */
type ColumnView<Numbers extends Column> = (bytes: Uint8Array, name: string) => Numbers

/** How each column of a kind of file is viewed, by the column's name. */
type ColumnViews = Readonly<Record<string, ColumnView<Column>>>

export type Columns<Views extends ColumnViews> = { readonly [Name in keyof Views]: ReturnType<Views[Name]> }

/** The index can't be used. The message is one line for the operator. */
export class IndexError extends Error {}

/** Returns what `reading` resolves to, or undefined if it rejects with IndexError. */
export async function unlessDamaged<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof IndexError) return undefined
    throw error
  }
}

/** A large block of memory starts this many bytes after a cache line's start, because glibc puts its size before it. */
const blockStart = 16
const uint32 = 0xce
const bin32 = 0xc6
const nil = 0xc0
const numberBytes = 5

const packr = new Packr({ useRecords: false, variableMapSize: true })

const headSchema = v.object({
  kind: v.string(),
  format: v.number(),
  meta: v.record(v.string(), v.unknown()),
  columns: v.array(v.tuple([v.string(), v.pipe(v.number(), v.safeInteger(), v.minValue(0))])),
})

type Head = v.InferOutput<typeof headSchema>

/**
 * The writer and the reader of a kind of index file.
 * @param views the views of all columns; other content is in the head, as `meta`
 */
export const indexFile = <Views extends ColumnViews, Meta extends object>(
  kind: string,
  views: Views,
  metaSchema: v.GenericSchema<unknown, Meta>,
) => ({
  /** The pieces of a file, in order. Throws RangeError above `indexFileBytesMax`. */
  write(content: Columns<Views> & Meta): Uint8Array[] {
    const entries = Object.entries(content)
    const meta = Object.fromEntries(entries.filter(([name]) => !(name in views)))
    const columns = entries.filter((entry): entry is [string, Column] => entry[0] in views)
    const sizes = columns.map(([name, { byteLength }]): [string, number] => [name, byteLength])
    const head = packr.pack({ kind, format: formatVersion, meta, columns: sizes } satisfies Head)
    const start = numberBytes + head.length
    const size = sizes.reduce((at, [, bytes]) => at + paddingBefore(at) + numberBytes + bytes, start)
    if (size > indexFileBytesMax) throw new RangeError(`the ${kind} file would take ${size} bytes`)
    const pieces = [numberPiece(uint32, head.length, 0), head]
    let at = start
    for (const [, { buffer, byteOffset, byteLength }] of columns) {
      const piece = numberPiece(bin32, byteLength, paddingBefore(at))
      pieces.push(piece, new Uint8Array(buffer, byteOffset, byteLength))
      at += piece.length + byteLength
    }
    return pieces
  },
  /** Throws IndexError if the kind, format, columns or meta differ, or the file is truncated. */
  read: (bytes: Uint8Array): Columns<Views> & Meta => decodeIndexFile(kind, bytes, views, metaSchema),
})

/** Where each item starts if items of these lengths follow one another, and where the last item ends. */
export function offsets(lengths: readonly number[]): Uint32Array<ArrayBuffer> {
  const at = new Uint32Array(lengths.length + 1)
  lengths.forEach((length, i) => {
    at[i + 1] = at[i]! + length
  })
  return at
}

function decodeIndexFile<Views extends ColumnViews, Meta extends object>(
  kind: string,
  bytes: Uint8Array,
  views: Views,
  metaSchema: v.GenericSchema<unknown, Meta>,
): Columns<Views> & Meta {
  const head = decodeHead(kind, bytes)
  const found = head.columns.map(([name]) => name).sort()
  const expected = Object.keys(views).sort()
  if (found.join() !== expected.join()) {
    throw new IndexError(`the ${kind} file has the columns ${found.join()} instead of ${expected.join()}`)
  }
  const meta = v.safeParse(metaSchema, head.meta)
  if (!meta.success) throw new IndexError(`the ${kind} file is damaged (${v.getDotPath(meta.issues[0])})`)
  const columns: Record<string, Column> = {}
  let position = numberBytes + readNumber(bytes, 0)
  for (const [name, size] of head.columns) {
    position += paddingBefore(position)
    const start = position + numberBytes
    if (start + size > bytes.length || bytes[position] !== bin32 || readNumber(bytes, position) !== size) {
      throw new IndexError(`the ${kind} file is cut short or damaged at its column ${name}`)
    }
    columns[name] = views[name]!(bytes.subarray(start, start + size), name)
    position = start + size
  }
  if (position !== bytes.length) throw new IndexError(`the ${kind} file has bytes after its last column`)
  return { ...(columns as Columns<Views>), ...meta.output }
}

function decodeHead(kind: string, bytes: Uint8Array): Head {
  if (bytes.length < numberBytes || bytes[0] !== uint32) throw new IndexError(`the ${kind} file has no head`)
  let head: Head
  try {
    const packed = bytes.slice(numberBytes, numberBytes + readNumber(bytes, 0))
    head = v.parse(headSchema, new Unpackr({ useRecords: false }).unpack(packed))
  } catch (error) {
    throw new IndexError(`the head of the ${kind} file can't be read (${(error as Error).message})`)
  }
  if (head.kind !== kind) throw new IndexError(`a ${kind} file was expected, this is a ${head.kind} file`)
  if (head.format !== formatVersion) {
    throw new IndexError(`the ${kind} file has format ${head.format} instead of ${formatVersion}${buildOnce}`)
  }
  return head
}

const paddingBefore = (position: number) => lineBytes - 1 - ((blockStart + position + numberBytes - 1) % lineBytes)

function numberPiece(type: number, value: number, padding: number): Uint8Array {
  const piece = Buffer.alloc(padding + numberBytes, nil)
  piece[padding] = type
  piece.writeUInt32BE(value, padding + 1)
  return piece
}

const readNumber = (bytes: Uint8Array, position: number) =>
  new DataView(bytes.buffer, bytes.byteOffset + position + 1, 4).getUint32(0)

export const bytesColumn: ColumnView<Uint8Array> = (bytes) => bytes
export const u16Column: ColumnView<Uint16Array> = viewAs(Uint16Array)
export const u32Column: ColumnView<Uint32Array> = viewAs(Uint32Array)
export const i32Column: ColumnView<Int32Array> = viewAs(Int32Array)
export const f64Column: ColumnView<Float64Array> = viewAs(Float64Array)

function viewAs<Numbers extends Column>(Numbers: {
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): Numbers
  readonly BYTES_PER_ELEMENT: number
}): ColumnView<Numbers> {
  const size = Numbers.BYTES_PER_ELEMENT
  return ({ buffer, byteOffset, byteLength }, name) => {
    if (byteLength % size !== 0) throw new IndexError(`the column ${name} ends within a number`)
    return new Numbers(buffer, byteOffset, byteLength / size)
  }
}
