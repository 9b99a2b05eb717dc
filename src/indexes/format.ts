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
import { indexFileBytesMax, lineBytes } from '../limits.ts'

assert.equal(endianness(), 'LE', 'index files are little-endian')

/** Raised by one with every change that makes older index files unreadable. */
export const formatVersion = 2

/** A column as the build makes it. */
export type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array

export interface IndexFile {
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

interface Head {
  kind: string
  format: number
  meta: Record<string, unknown>
  columns: [name: string, bytes: number][]
}

/** The pieces of an index file, to be written one after the other. Throws RangeError past `indexFileBytesMax`. */
export function encodeIndexFile(
  kind: string,
  meta: Readonly<Record<string, unknown>>,
  columns: Readonly<Record<string, Column>>,
): Uint8Array[] {
  const sizes = Object.entries(columns).map(([name, column]): [string, number] => [name, column.byteLength])
  const head = packr.pack({ kind, format: formatVersion, meta, columns: sizes } satisfies Head)
  const pieces: Uint8Array[] = [numberPiece(uint32, head.length, 0), head]
  let size = numberBytes + head.length
  for (const column of Object.values(columns)) {
    const padding = paddingBefore(size)
    pieces.push(numberPiece(bin32, column.byteLength, padding))
    pieces.push(new Uint8Array(column.buffer, column.byteOffset, column.byteLength))
    size += padding + numberBytes + column.byteLength
  }
  if (size > indexFileBytesMax) throw new RangeError(`the ${kind} file would take ${size} bytes`)
  return pieces
}

/** Reads a file made by `encodeIndexFile`. Throws IndexError if it is of another kind, another format, or cut short. */
export function decodeIndexFile(kind: string, bytes: Uint8Array): IndexFile {
  const head = decodeHead(kind, bytes)
  if (head.kind !== kind) throw new IndexError(`a ${kind} file was expected, this is a ${head.kind} file`)
  if (head.format !== formatVersion) {
    throw new IndexError(`the ${kind} file has format ${head.format}, this server reads format ${formatVersion}`)
  }
  const columns: Record<string, Uint8Array> = {}
  let position = numberBytes + readNumber(bytes, 0)
  for (const [name, size] of head.columns) {
    position += paddingBefore(position)
    if (
      bytes[position] !== bin32 ||
      readNumber(bytes, position) !== size ||
      position + numberBytes + size > bytes.length
    ) {
      throw new IndexError(`the ${kind} file is cut short or damaged at its column ${name}`)
    }
    columns[name] = bytes.subarray(position + numberBytes, position + numberBytes + size)
    position += numberBytes + size
  }
  return { meta: head.meta, columns }
}

function decodeHead(kind: string, bytes: Uint8Array): Head {
  if (bytes.length < numberBytes || bytes[0] !== uint32) throw new IndexError(`the ${kind} file has no head`)
  try {
    return new Unpackr({ useRecords: false }).unpack(
      bytes.slice(numberBytes, numberBytes + readNumber(bytes, 0)),
    ) as Head
  } catch (error) {
    throw new IndexError(`the head of the ${kind} file can't be read (${(error as Error).message})`)
  }
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

/** The column as bytes. Throws IndexError if the file lacks it. */
export function bytesColumn(file: IndexFile, name: string): Uint8Array {
  const bytes = file.columns[name]
  if (bytes === undefined) throw new IndexError(`an index file lacks its column ${name}`)
  return bytes
}

/** The column as unsigned 32-bit numbers, a view of the file's memory. */
export function u32Column(file: IndexFile, name: string): Uint32Array {
  const bytes = bytesColumn(file, name)
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
}

/** The column as unsigned 16-bit numbers, a view of the file's memory. */
export function u16Column(file: IndexFile, name: string): Uint16Array {
  const bytes = bytesColumn(file, name)
  return new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2)
}
