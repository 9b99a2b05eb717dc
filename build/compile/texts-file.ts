/**
 * The rendered texts of all cards, in an unlinked file, so that memory holds only the part that is being written or read. The
 * system removes it however the process ends.
 *
 *   │ a block's texts │ padding │ another block's … │      in whole pages, in the order in which workers finish them
 */
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { type TextsOfCards, textNumber, textOrder } from '../../src/indexes/cards-file.ts'
import type { Card } from './card-block.ts'

/** Shared by all threads. */
export interface TextsFileMemory {
  readonly descriptor: number
  /** The number of pages in use. */
  readonly pages: Int32Array
}

const pageBytes = 4096
const chunkBytes = 4 * 1024 * 1024
/** A gap of this size between two texts is read with them: a second call would take as long. */
const gapBytesMax = 4096

export class TextsFile {
  readonly memory: TextsFileMemory
  /** Buffers for chunks, reused: allocating one a reading would fragment memory. */
  readonly #freeBuffers: Uint8Array[] = []

  constructor(memory: TextsFileMemory) {
    this.memory = memory
  }

  /** @param path of a file that does not exist, before and after */
  static create(path: string): TextsFile {
    const descriptor = openSync(path, 'wx+')
    rmSync(path)
    return new TextsFile({ descriptor, pages: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) })
  }

  /** Written so far, in whole pages. */
  get bytes(): number {
    return pageBytes * Atomics.load(this.memory.pages, 0)
  }

  /** Call it when no thread uses it any more. */
  close(): void {
    closeSync(this.memory.descriptor)
  }

  /** Returns their offset. */
  write(texts: Uint8Array): number {
    const { descriptor, pages } = this.memory
    const from = pageBytes * Atomics.add(pages, 0, Math.ceil(texts.length / pageBytes))
    for (let at = 0; at < texts.length; ) at += writeSync(descriptor, texts, at, texts.length - at, from + at)
    return from
  }

  /**
   * The texts of these cards in this order, some thousand at a time. Each chunk is valid until the next one is read.
   * @param cards in the order of files and lines
   * @param positions in `cards`
   */
  *read(cards: readonly Card[], positions: Uint32Array): Generator<TextsOfCards<Card>> {
    let buffer = this.#freeBuffers.pop() ?? new Uint8Array(0)
    /** By position. */
    const startOf = new Uint32Array(cards.length)
    for (let first = 0; first < positions.length; ) {
      const end = chunkEnd(cards, positions, first)
      const ofChunk = positions.subarray(first, end)
      const extents = extentsOf(cards, ofChunk.slice().sort(), startOf)
      const { at, from, to } = extents.at(-1)!
      const bytes = at + to - from
      if (buffer.length < bytes) buffer = new Uint8Array(Math.max(bytes, Math.min(this.bytes, 2 * chunkBytes)))
      for (const extent of extents) this.#read(buffer, extent)
      yield {
        cards: Array.from(ofChunk, (position) => cards[position]!),
        bytes: buffer,
        starts: ofChunk.map((position) => startOf[position]!),
      }
      first = end
    }
    this.#freeBuffers.push(buffer)
  }

  #read(buffer: Uint8Array, { from, to, at }: Extent): void {
    for (let done = 0; done < to - from; ) {
      const read = readSync(this.memory.descriptor, buffer, at + done, to - from - done, from + done)
      if (read === 0) throw new Error('the texts of cards ended early')
      done += read
    }
  }
}

/** A span of the file, and its offset in the chunk. */
interface Extent {
  readonly from: number
  to: number
  readonly at: number
}

function chunkEnd(cards: readonly Card[], positions: Uint32Array, first: number): number {
  let end = first
  for (let bytes = 0; end < positions.length && bytes < chunkBytes; end++) {
    const card = cards[positions[end]!]!
    bytes += endOfTexts(card) - startOfTexts(card)
  }
  return end
}

/**
 * @param positions ascending
 * @param startOf gets the offset of each card's texts in the chunk
 */
function extentsOf(cards: readonly Card[], positions: Uint32Array, startOf: Uint32Array): Extent[] {
  const extents: Extent[] = []
  let last: Extent = { from: 0, to: Number.NEGATIVE_INFINITY, at: 0 }
  for (const position of positions) {
    const card = cards[position]!
    const from = startOfTexts(card)
    if (from < last.from || from - last.to > gapBytesMax) {
      const at = extents.length === 0 ? 0 : last.at + last.to - last.from
      last = { from, to: from, at }
      extents.push(last)
    }
    last.to = endOfTexts(card)
    startOf[position] = last.at + from - last.from
  }
  return extents
}

const startOfTexts = (card: Card): number => card.block.from + card.block.textsAt[textNumber(card, 'details')]!

const endOfTexts = (card: Card): number =>
  card.block.from + card.block.textsAt[textNumber(card, 'details') + textOrder.length]!
