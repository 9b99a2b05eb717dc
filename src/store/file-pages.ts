/**
 * The pages of a store's file, followed as lmdb follows them, so that nothing it touches leads outside of the file, of a
 * page or of a node.
 *
 *   any page     | number 8 | transaction 8 | pad 2 | flags 2 | lower 2, upper 2 (large data: pages 4) |      24 bytes
 *   a tree's     header | offsets of nodes … ▶ lower    free    upper ◀ … nodes |      all counted from behind the header
 *   a node       | size 4 (or child 6) | flags 2 | key's size 2 | key | data |              begins and ends at even bytes
 *   large data   | first page 8 | transaction 8 | pages 8 | in the data's place; of its pages the first alone has a header
 *   free list    transaction → | count 8 | entries of 8: a page, or less a number of pages and then their first, or 0 |
 *
 * Nodes fill the space above `upper` without gaps; no page is come to twice.
 */
import { readSync } from 'node:fs'

export const headerBytes = 24
export const recordBytes = 48
/** A tree whose keys are whole numbers of four bytes. */
export const integerKeys = 8
/** All bits set; as a number, the next above. */
const noRoot = 2 ** 64
const branchFlag = 1
const leafFlag = 2
const largeFlag = 4
const nodeHeaderBytes = 8
const largeNode = 1
const tableNode = 2
const largeNodeBytes = 24
const freeKeyBytes = 8
const keyBytesMax = 1978
const depthMax = 32

/** What is wrong with the file. */
export class Damage extends Error {}

export interface Tree {
  readonly flags: number
  readonly depth: number
  readonly root: number
}

interface PagesOptions {
  readonly file: number
  readonly fileBytes: number
  readonly pageBytes: number
  readonly lastPage: number
  readonly transaction: number
}

/** @param words the leaf's page @param at where the node begins, in words of two bytes */
type OnNode = (words: Uint16Array, at: number) => void

export class Pages {
  readonly #options: PagesOptions
  /** By page: 1 when it has been come to. */
  readonly #seen: Uint8Array
  /** By place in a page, in words: the page that last had a node begin there. */
  readonly #begins: Uint32Array
  /** The page come to at each level of a tree. */
  readonly #levels: Buffer[] = []

  constructor(options: PagesOptions) {
    this.#options = options
    this.#seen = new Uint8Array(options.lastPage + 1).fill(1, 0, 2)
    this.#begins = new Uint32Array(options.pageBytes / 2)
  }

  /** The names of the main tree's tables, each with its record. Throws Damage. */
  tablesIn(main: Tree): [name: string, record: Buffer][] {
    const found: [string, Buffer][] = []
    this.#walk(main, 0, 2, (words, at) => {
      if (words[at + 2] !== tableNode) throw new Damage('its main table holds something that is no table')
      const page = Buffer.from(words.buffer)
      const key = at * 2 + nodeHeaderBytes
      const data = key + words[at + 3]!
      found.push([page.toString('latin1', key, data), Buffer.from(page.subarray(data, data + sizeOf(words, at)))])
    })
    return found
  }

  /** Throws Damage. */
  checkTable(tree: Tree): void {
    this.#walk(tree, tree.flags === integerKeys ? 4 : 0, 2, (words, at) => {
      const flags = words[at + 2]
      if (flags === largeNode) this.#takeLarge(words, at)
      else if (flags !== 0) throw new Damage(`a record has the flags ${flags}`)
    })
  }

  /** After all trees: what is free, no tree may use. Throws Damage. */
  checkFreeList(tree: Tree): void {
    const lists: Buffer[] = []
    this.#walk(tree, freeKeyBytes, 1, (words, at) => {
      const size = sizeOf(words, at)
      const data = at * 2 + nodeHeaderBytes + freeKeyBytes
      if (words[at + 2] === largeNode) {
        const list = Buffer.alloc(size)
        readSync(this.#options.file, list, 0, size, this.#takeLarge(words, at) * this.#options.pageBytes + headerBytes)
        lists.push(list)
      } else if (words[at + 2] === 0) {
        lists.push(Buffer.from(Buffer.from(words.buffer).subarray(data, data + size)))
      } else throw new Damage('its free list holds something that is no list')
    })
    for (const list of lists) this.#checkFree(list)
  }

  #checkFree(list: Buffer): void {
    const entries = Math.floor(list.length / 8)
    const count = entries > 0 ? longAt(list, 0) : entries
    if (count >= entries) throw new Damage('a list of free pages is cut short')
    for (let i = 1; i <= count; i++) {
      const entry = Number(list.readBigInt64LE(i * 8))
      if (entry === 0) continue
      if (entry < 0 && ++i > count) throw new Damage('a list of free pages is cut short')
      const first = entry < 0 ? Number(list.readBigInt64LE(i * 8)) : entry
      const last = entry < 0 ? first - entry - 1 : entry
      if (first < 2 || last > this.#options.lastPage) throw new Damage(`page ${first} is free, and there is none`)
      if (this.#seen.subarray(first, last + 1).includes(1)) throw new Damage(`page ${first} is free, and in use`)
    }
  }

  /**
   * @param keyBytes of each key; 0: any
   * @param branchMin how many children a page must have: lmdb stops the process at fewer
   */
  #walk(tree: Tree, keyBytes: number, branchMin: number, onNode: OnNode): void {
    if (tree.root === noRoot) return
    if (tree.depth < 1 || tree.depth > depthMax) throw new Damage(`the tree at page ${tree.root} has no right depth`)
    this.#visit(tree.root, 0, { depth: tree.depth, keyBytes, branchMin, onNode })
  }

  #visit(
    number: number,
    level: number,
    tree: { depth: number; keyBytes: number; branchMin: number; onNode: OnNode },
  ): void {
    const isLeaf = level + 1 === tree.depth
    const page = this.#take(number, level)
    const words = new Uint16Array(page.buffer, 0, page.length / 2)
    const count = this.#checkNodes(words, number, isLeaf, tree.keyBytes)
    if (count < (isLeaf ? 1 : tree.branchMin)) throw new Damage(`page ${number} has ${count} nodes`)
    for (let i = 0; i < count; i++) {
      const at = (headerBytes + words[headerBytes / 2 + i]!) / 2
      if (isLeaf) tree.onNode(words, at)
      else this.#visit(sizeOf(words, at) + words[at + 2]! * 2 ** 32, level + 1, tree)
    }
  }

  /** The page, which is there and was not come to before. Its bytes hold until the next one of its level. */
  #take(number: number, level: number): Buffer {
    const { file, fileBytes, pageBytes, lastPage } = this.#options
    if (number < 2 || number > lastPage || (number + 1) * pageBytes > fileBytes) {
      throw new Damage(`page ${number} is named, and there is none`)
    }
    if (this.#seen[number] === 1) throw new Damage(`page ${number} is used twice`)
    this.#seen[number] = 1
    this.#levels[level] ??= Buffer.from(new ArrayBuffer(pageBytes))
    const page = this.#levels[level]
    readSync(file, page, 0, pageBytes, number * pageBytes)
    this.#checkHeader(page, number)
    return page
  }

  #checkHeader(page: Buffer, number: number): void {
    // A page of a later transaction would be taken for one that is being written.
    if (longAt(page, 0) !== number || longAt(page, 8) > this.#options.transaction) {
      throw new Damage(`page ${number} is another`)
    }
  }

  /** How many nodes the page has, all of which lie in it. */
  #checkNodes(words: Uint16Array, number: number, isLeaf: boolean, keyBytes: number): number {
    const wrong = () => new Damage(`page ${number} is not what it should be`)
    const lower = words[10]!
    const upper = words[11]!
    const room = this.#options.pageBytes - headerBytes
    if (words[9] !== (isLeaf ? leafFlag : branchFlag)) throw wrong()
    if ((lower & 1) !== 0 || (upper & 1) !== 0 || lower > upper || upper > room) throw wrong()
    const count = lower >> 1
    for (let i = 0; i < count; i++) {
      const at = words[headerBytes / 2 + i]!
      if ((at & 1) !== 0 || at < upper || at + nodeHeaderBytes > room) throw wrong()
      this.#begins[at >> 1] = number
    }
    // From `upper` each node ends where another begins, and together they have the room there is: so none overlap.
    if (count > 0 && this.#begins[upper >> 1] !== number) throw wrong()
    let total = 0
    for (let i = 0; i < count; i++) {
      const from = words[headerBytes / 2 + i]!
      const at = (headerBytes + from) / 2
      const key = words[at + 3]!
      const isFirstOfBranch = !isLeaf && i === 0
      if (key > keyBytesMax || (!isFirstOfBranch && (keyBytes === 0 ? key === 0 : key !== keyBytes))) throw wrong()
      const data = isLeaf ? (words[at + 2] === largeNode ? largeNodeBytes : sizeOf(words, at)) : 0
      const size = nodeHeaderBytes + key + data
      const end = from + size + (size & 1)
      if (end > room || (end < room && this.#begins[end >> 1] !== number)) throw wrong()
      total += end - from
    }
    if (total !== room - upper) throw wrong()
    return count
  }

  /** The first of the pages that hold a node's data. */
  #takeLarge(words: Uint16Array, at: number): number {
    const { file, fileBytes, pageBytes, lastPage } = this.#options
    const node = Buffer.from(words.buffer)
    const data = at * 2 + nodeHeaderBytes + words[at + 3]!
    const first = longAt(node, data)
    const count = longAt(node, data + 16)
    const end = first + count
    const wrong = new Damage(`large data at page ${first} is not what it should be`)
    if (first < 2 || count < 1 || end > lastPage + 1 || end * pageBytes > fileBytes) throw wrong
    if (headerBytes + sizeOf(words, at) > count * pageBytes) throw wrong
    if (this.#seen.subarray(first, end).includes(1)) throw wrong
    this.#seen.fill(1, first, end)
    const header = Buffer.alloc(headerBytes)
    readSync(file, header, 0, headerBytes, first * pageBytes)
    this.#checkHeader(header, first)
    if (header.readUInt16LE(18) !== largeFlag || header.readUInt32LE(20) !== count) throw wrong
    return first
  }
}

/** A leaf node's size of data; the lower part of a branch node's child. */
const sizeOf = (words: Uint16Array, at: number): number => words[at]! + words[at + 1]! * 65_536

/** A whole number of eight bytes. Above 2^53 it is not exact, and no longer any that could be right. */
export const longAt = (bytes: Buffer, at: number): number =>
  bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32
