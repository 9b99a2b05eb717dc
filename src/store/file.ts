/**
 * Looks through a store's file before lmdb does. lmdb maps the file into memory and trusts it: a file that is cut short
 * or overwritten ends the process by a signal, with no word. So all that lmdb would follow is followed here first.
 *
 *   page 0, 1   head ─┬─ root of the free list: numbers of pages that nothing uses
 *                     └─ root of the main tree ─ leaf nodes: name → a table's record ─ its root …
 *
 *   a head's page    | page's header 24 | magic 4 | data version 4 | 16 | record of the free list | of the main tree
 *                    | last page 8 | transaction 8 |
 *   a tree's record  | page size, in the free list's, 4 | flags 2 | depth 2 | 32 | root 8 |
 *
 * Transaction N writes page N % 2, and the newer head holds (lmdb 0.9.90, data version 2, opened without the mode in
 * which lmdb-js keeps a third). Trees are drawn in file-pages.ts. Numbers are little-endian, as the machines served are.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { storeBytesMax } from '../limits.ts'
import { Damage, headerBytes, integerKeys, longAt, Pages, recordBytes, type Tree } from './file-pages.ts'

const magic = 0xbeefc0de
const dataVersion = 2
const headFlag = 8
const headBytes = headerBytes + 24 + 2 * recordBytes + 16
const pageBytesMin = 512
const pageBytesMax = 65_536
/** A file that is written to while it is read is read anew, so often. */
const attemptsMax = 10

interface Head {
  readonly pageBytes: number
  readonly free: Tree
  readonly main: Tree
  readonly lastPage: number
  readonly transaction: number
}

/**
 * What is wrong with the file; undefined if nothing is. A file that never stands still is in use, by one that can read
 * it. Throws what the system says of a file that can't be read.
 */
export function damageOf(path: string): string | undefined {
  const file = openSync(path, 'r')
  try {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const before = headsAsText(file)
      const damage = damageNow(file)
      if (damage === undefined || headsAsText(file) === before) return damage
    }
    return undefined
  } finally {
    closeSync(file)
  }
}

function damageNow(file: number): string | undefined {
  try {
    check(file)
    return undefined
  } catch (error) {
    if (error instanceof Damage) return error.message
    throw error
  }
}

/** Throws Damage. */
function check(file: number): void {
  const fileBytes = fstatSync(file).size
  if (fileBytes === 0) throw new Damage('it is empty')
  const first = headAt(file, 0, 0)
  const second = headAt(file, 1, first.pageBytes)
  if (second.pageBytes !== first.pageBytes) throw new Damage('its two heads name different page sizes')
  const { pageBytes, free, main, lastPage, transaction } = second.transaction > first.transaction ? second : first
  const pages = new Pages({ file, fileBytes, pageBytes, lastPage, transaction })
  const tables = pages.tablesIn(main)
  for (const [name, record] of tables) {
    if (record.length !== recordBytes) throw new Damage(`the record of the table ${name} has ${record.length} bytes`)
    const table = treeAt(record, 0)
    if (table.flags !== 0 && table.flags !== integerKeys) {
      throw new Damage(`the table ${name} has the flags ${table.flags}`)
    }
    pages.checkTable(table)
  }
  pages.checkFreeList(free)
}

/** The head in page 0 or 1. Throws Damage. */
function headAt(file: number, page: 0 | 1, pageBytesOfFirst: number): Head {
  const bytes = Buffer.alloc(headBytes)
  if (readSync(file, bytes, 0, headBytes, page * pageBytesOfFirst) < headBytes) throw new Damage('it is cut short')
  if (bytes.readUInt16LE(18) !== headFlag || bytes.readUInt32LE(headerBytes) !== magic) {
    throw new Damage(`page ${page} is not the head of a store`)
  }
  const version = bytes.readUInt32LE(headerBytes + 4)
  if (version !== dataVersion) throw new Damage(`its data version is ${version}, not ${dataVersion}`)
  const at = headerBytes + 24
  const pageBytes = bytes.readUInt32LE(at)
  if (pageBytes < pageBytesMin || pageBytes > pageBytesMax || (pageBytes & (pageBytes - 1)) !== 0) {
    throw new Damage(`its page size is ${pageBytes}`)
  }
  const free = treeAt(bytes, at)
  const main = treeAt(bytes, at + recordBytes)
  if (main.flags !== 0) throw new Damage(`its main table has the flags ${main.flags}`)
  const lastPage = longAt(bytes, at + 2 * recordBytes)
  if (lastPage < 1 || (lastPage + 1) * pageBytes > storeBytesMax) throw new Damage(`its last page is ${lastPage}`)
  const transaction = longAt(bytes, at + 2 * recordBytes + 8)
  // A new store has two heads of transaction 0.
  if (transaction !== 0 && transaction % 2 !== page) {
    throw new Damage(`page ${page} has the head of transaction ${transaction}`)
  }
  return { pageBytes, free, main, lastPage, transaction }
}

const treeAt = (bytes: Buffer, at: number): Tree => ({
  flags: bytes.readUInt16LE(at + 4),
  depth: bytes.readUInt16LE(at + 6),
  root: longAt(bytes, at + 40),
})

/** Both heads, to be compared: they differ after each transaction. */
function headsAsText(file: number): string {
  const bytes = Buffer.alloc(pageBytesMax + headBytes)
  readSync(file, bytes, 0, bytes.length, 0)
  const pageBytes = Math.min(bytes.readUInt32LE(headerBytes + 24), pageBytesMax)
  return bytes.toString('latin1', 0, headBytes) + bytes.toString('latin1', pageBytes, pageBytes + headBytes)
}
