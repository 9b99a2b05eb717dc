/**
 * Whole numbers from 0 below 2 ** 32 in as few bytes as they need: seven bits a byte, the lowest first, and bit 7 says
 * that another byte follows. Numbers of both signs are zigzagged: 0, -1, 1, -2, 2 … are 0, 1, 2, 3, 4 …
 *
 * Where the bytes lie is their owner's affair: in a row, or in a chain of blocks. V8 inlines an owner's method where one
 * class alone reads in a thread, as is so wherever requests are answered.
 */

const continued = 0x80
const bits = 0x7f

/** Hands out bytes one after the other. */
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

/** Goes past a number. */
export function skipVarint(source: ByteSource): void {
  while (source.nextByte() >= continued);
}

export function writeVarint(sink: ByteSink, value: number): void {
  let rest = value
  for (; rest >= continued; rest >>>= 7) sink.addByte((rest & bits) | continued)
  sink.addByte(rest)
}

/** How many bytes a number takes. */
export const varintBytes = (value: number): number =>
  value < 2 ** 7 ? 1 : value < 2 ** 14 ? 2 : value < 2 ** 21 ? 3 : value < 2 ** 28 ? 4 : 5

/** Of a number of 32 bits. */
export const zigzag = (value: number): number => ((value << 1) ^ (value >> 31)) >>> 0
export const unzigzag = (value: number): number => (value >>> 1) ^ -(value & 1)
