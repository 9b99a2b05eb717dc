/**
 * The form that every index file shares: a sequence of msgpack values.
 *
 *   uint32                                       how many bytes the head takes
 *   { kind, format, meta, columns: [[name, bytes], …] }   the head, a map
 *   nil … nil  bin32                             the first column: in memory, its bytes start a cache line
 *   nil … nil  bin32                             the next one
 *
 * A reader decodes the head alone and takes the columns as views of the file's own memory: nothing is copied, and
 * memory shared between threads stays shared. (The decoder itself must not be given shared memory: its native part
 * crashes on it.) Numbers in columns are little-endian, as on every machine that the server's binaries cover.
 */
import assert from 'node:assert/strict'
import { endianness } from 'node:os'
import { Packr, Unpackr } from 'msgpackr'
import * as v from 'valibot'
import { indexFileBytesMax, lineBytes } from '../limits.ts'

assert.equal(endianness(), 'LE', 'index files are little-endian')

/** Raised by one with every change that makes older index files unreadable. */
export const formatVersion = 4

/** A column as the build makes it. */
export type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array

/** A column that does not lie in one piece of memory. */
export interface ColumnInPieces {
  readonly byteLength: number
  readonly pieces: Iterable<Uint8Array>
}

interface IndexFile {
  readonly meta: Readonly<Record<string, unknown>>
  readonly columns: Readonly<Record<string, Uint8Array>>
}

/** An index that can't be used; the message is one line for the operator. */
export class IndexError extends Error {}

/** Where a large block of memory starts in its line: before it, glibc keeps its size. */
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

/** The pieces of an index file, to be written one after the other. Throws RangeError past `indexFileBytesMax`. */
export const encodeIndexFile = (
  kind: string,
  meta: Readonly<Record<string, unknown>>,
  columns: Readonly<Record<string, Column | ColumnInPieces>>,
): Uint8Array[] => [...indexFilePieces(kind, meta, columns)]

/** The same for columns that are made as they are written: a piece of theirs is good until the next one is taken. */
export function* indexFilePieces(
  kind: string,
  meta: Readonly<Record<string, unknown>>,
  columns: Readonly<Record<string, Column | ColumnInPieces>>,
): Generator<Uint8Array> {
  const sizes = Object.entries(columns).map(([name, { byteLength }]): [string, number] => [name, byteLength])
  const head = packr.pack({ kind, format: formatVersion, meta, columns: sizes } satisfies Head)
  const start = numberBytes + head.length
  const size = sizes.reduce((at, [, bytes]) => at + paddingBefore(at) + numberBytes + bytes, start)
  if (size > indexFileBytesMax) throw new RangeError(`the ${kind} file would take ${size} bytes`)
  yield numberPiece(uint32, head.length, 0)
  yield head
  let at = start
  for (const column of Object.values(columns)) {
    const padding = paddingBefore(at)
    yield numberPiece(bin32, column.byteLength, padding)
    if ('pieces' in column) yield* column.pieces
    else yield new Uint8Array(column.buffer, column.byteOffset, column.byteLength)
    at += padding + numberBytes + column.byteLength
  }
}

/**
 * Reads a file made by `encodeIndexFile`. Throws IndexError if it is of another kind, another format, cut short, or has
 * other columns.
 * @param names the columns that the kind has, in any order
 */
export function decodeIndexFile(kind: string, bytes: Uint8Array, names: readonly string[]): IndexFile {
  const head = decodeHead(kind, bytes)
  const found = head.columns.map(([name]) => name).sort()
  const expected = [...names].sort()
  if (found.join() !== expected.join()) {
    throw new IndexError(`the ${kind} file has the columns ${found.join()}, expected are ${expected.join()}`)
  }
  const columns: Record<string, Uint8Array> = {}
  let position = numberBytes + readNumber(bytes, 0)
  for (const [name, size] of head.columns) {
    position += paddingBefore(position)
    const start = position + numberBytes
    if (start + size > bytes.length || bytes[position] !== bin32 || readNumber(bytes, position) !== size) {
      throw new IndexError(`the ${kind} file is cut short or damaged at its column ${name}`)
    }
    columns[name] = bytes.subarray(start, start + size)
    position = start + size
  }
  if (position !== bytes.length) throw new IndexError(`the ${kind} file goes on behind its last column`)
  return { meta: head.meta, columns }
}

function decodeHead(kind: string, bytes: Uint8Array): Head {
  if (bytes.length < numberBytes || bytes[0] !== uint32) throw new IndexError(`the ${kind} file has no head`)
  let value: unknown
  try {
    value = new Unpackr({ useRecords: false }).unpack(bytes.slice(numberBytes, numberBytes + readNumber(bytes, 0)))
  } catch (error) {
    throw new IndexError(`the head of the ${kind} file can't be read (${(error as Error).message})`)
  }
  const result = v.safeParse(headSchema, value)
  if (!result.success) {
    const issue = result.issues[0]
    throw new IndexError(`the head of the ${kind} file is damaged (${v.getDotPath(issue) ?? 'head'}: ${issue.message})`)
  }
  const head = result.output
  if (head.kind !== kind) throw new IndexError(`a ${kind} file was expected, this is a ${head.kind} file`)
  if (head.format !== formatVersion) {
    throw new IndexError(`the ${kind} file has format ${head.format}, this server reads format ${formatVersion}`)
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

/** The column as bytes. */
export const bytesColumn = (file: IndexFile, name: string): Uint8Array => file.columns[name]!

/** The column as unsigned 32-bit numbers, a view of the file's memory. Throws IndexError if it holds no whole numbers. */
export function u32Column(file: IndexFile, name: string): Uint32Array {
  const bytes = numbersColumn(file, name, Uint32Array.BYTES_PER_ELEMENT)
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / Uint32Array.BYTES_PER_ELEMENT)
}

/** The column as unsigned 16-bit numbers, a view of the file's memory. Throws IndexError if it holds no whole numbers. */
export function u16Column(file: IndexFile, name: string): Uint16Array {
  const bytes = numbersColumn(file, name, Uint16Array.BYTES_PER_ELEMENT)
  return new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / Uint16Array.BYTES_PER_ELEMENT)
}

/** The column as 64-bit floating-point numbers, a view of the file's memory. Throws IndexError if it holds no whole ones. */
export function f64Column(file: IndexFile, name: string): Float64Array {
  const bytes = numbersColumn(file, name, Float64Array.BYTES_PER_ELEMENT)
  return new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / Float64Array.BYTES_PER_ELEMENT)
}

function numbersColumn(file: IndexFile, name: string, size: number): Uint8Array {
  const bytes = bytesColumn(file, name)
  if (bytes.byteLength % size !== 0) throw new IndexError(`the column ${name} ends in the midst of a number`)
  return bytes
}
