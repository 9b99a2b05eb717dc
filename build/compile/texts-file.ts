/**
 * The texts of a build's cards, in a file without a name, so that no more of them is in memory than is being written or read.
 * It goes by itself when it is closed, however the process ends.
 *
 *   │ a block's texts │ padding │ another block's … │      in whole pages, in the order in which hands are done with them
 */
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { type TextsOfCards, textNumber, textOrder } from '../../src/indexes/cards-file.ts'
import type { Card } from '../read/cards-and-sets.ts'

/** As it passes between threads. */
export interface TextsFileMemory {
  readonly descriptor: number
  /** How many pages are taken. */
  readonly pages: Int32Array
}

const pageBytes = 4096
/** So much is read at a time. */
const chunkBytes = 4 * 1024 * 1024
/** What lies between two texts is read with them if it is no more than this: another call would take as long. */
const gapBytesMax = 4096

export class TextsFile {
  readonly memory: TextsFileMemory
  /** Memory for chunks that is free: found anew for each reading, it would be left in pieces. */
  readonly #rooms: Uint8Array[] = []

  constructor(memory: TextsFileMemory) {
    this.memory = memory
  }

  /** @param path where nothing lies, and nothing is left lying */
  static create(path: string): TextsFile {
    const descriptor = openSync(path, 'wx+')
    rmSync(path)
    return new TextsFile({ descriptor, pages: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) })
  }

  /** So much was written, in whole pages. */
  get bytes(): number {
    return pageBytes * Atomics.load(this.memory.pages, 0)
  }

  /** When no thread knows of it any more. */
  close(): void {
    closeSync(this.memory.descriptor)
  }

  /** Returns where they lie. */
  write(texts: Uint8Array): number {
    const { descriptor, pages } = this.memory
    const from = pageBytes * Atomics.add(pages, 0, Math.ceil(texts.length / pageBytes))
    for (let at = 0; at < texts.length; ) at += writeSync(descriptor, texts, at, texts.length - at, from + at)
    return from
  }

  /**
   * The texts of these cards, some thousand at a time, in this order; each chunk is good until the next one is taken.
   * @param cards in the order of files and lines
   * @param places in it
   */
  *read(cards: readonly Card[], places: Uint32Array): Generator<TextsOfCards<Card>> {
    let room = this.#rooms.pop() ?? new Uint8Array(0)
    /** By place. */
    const startOf = new Uint32Array(cards.length)
    for (let first = 0; first < places.length; ) {
      const end = chunkEnd(cards, places, first)
      const ofChunk = places.subarray(first, end)
      const extents = extentsOf(cards, ofChunk.slice().sort(), startOf)
      const { at, from, to } = extents.at(-1)!
      const bytes = at + to - from
      if (room.length < bytes) room = new Uint8Array(Math.max(bytes, Math.min(this.bytes, 2 * chunkBytes)))
      for (const extent of extents) this.#read(room, extent)
      yield {
        cards: Array.from(ofChunk, (place) => cards[place]!),
        bytes: room,
        starts: ofChunk.map((place) => startOf[place]!),
      }
      first = end
    }
    this.#rooms.push(room)
  }

  #read(room: Uint8Array, { from, to, at }: Extent): void {
    for (let done = 0; done < to - from; ) {
      const read = readSync(this.memory.descriptor, room, at + done, to - from - done, from + done)
      if (read === 0) throw new Error('the texts of cards ended early')
      done += read
    }
  }
}

/** A stretch of the file, and where it is read to. */
interface Extent {
  readonly from: number
  to: number
  readonly at: number
}

/** Where the chunk that begins there ends. */
function chunkEnd(cards: readonly Card[], places: Uint32Array, first: number): number {
  let end = first
  for (let bytes = 0; end < places.length && bytes < chunkBytes; end++) {
    const card = cards[places[end]!]!
    bytes += endOfTexts(card) - startOfTexts(card)
  }
  return end
}

/**
 * @param places ascending
 * @param startOf is told where each card's texts come to lie
 */
function extentsOf(cards: readonly Card[], places: Uint32Array, startOf: Uint32Array): Extent[] {
  const extents: Extent[] = []
  let last: Extent = { from: 0, to: Number.NEGATIVE_INFINITY, at: 0 }
  for (const place of places) {
    const card = cards[place]!
    const from = startOfTexts(card)
    if (from < last.from || from - last.to > gapBytesMax) {
      const at = extents.length === 0 ? 0 : last.at + last.to - last.from
      last = { from, to: from, at }
      extents.push(last)
    }
    last.to = endOfTexts(card)
    startOf[place] = last.at + from - last.from
  }
  return extents
}

const startOfTexts = (card: Card): number => card.block.from + card.block.textsAt[textNumber(card, 'details')]!

const endOfTexts = (card: Card): number =>
  card.block.from + card.block.textsAt[textNumber(card, 'details') + textOrder.length]!
