/**
 * Varints of unsigned 32-bit numbers: seven bits a byte, the lowest first; bit 7 means that another byte follows. Signed
 * numbers are zigzag-encoded: 0, -1, 1, -2, 2 … are 0, 1, 2, 3, 4 …
 *
 * The bytes may be contiguous or in a chain of blocks: `ByteSource` and `ByteSink` hide that. V8 inlines their methods if a
 * thread uses a single class, as all server threads do.
 */

const continued = 0x80
const bits = 0x7f

/** Returns bytes one after the other. */
export interface ByteSource {
  nextByte(): number
}

/** Takes bytes one after the other. */
export interface ByteSink {
  addByte(byte: number): void
}

export function readVarint(source: ByteSource): number {
  let byte = source.nextByte()
  let value = byte & bits
  for (let shift = 7; byte >= continued; shift += 7) {
    byte = source.nextByte()
    value |= (byte & bits) << shift
  }
  return value >>> 0
}

export function writeVarint(sink: ByteSink, value: number): void {
  let rest = value
  for (; rest >= continued; rest >>>= 7) sink.addByte((rest & bits) | continued)
  sink.addByte(rest)
}

/** The length of a number in bytes. */
export const varintBytes = (value: number): number =>
  value < 2 ** 7 ? 1 : value < 2 ** 14 ? 2 : value < 2 ** 21 ? 3 : value < 2 ** 28 ? 4 : 5

/** Of a signed 32-bit number. */
export const zigzag = (value: number): number => ((value << 1) ^ (value >> 31)) >>> 0
export const unzigzag = (value: number): number => (value >>> 1) ^ -(value & 1)
