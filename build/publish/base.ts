/**
 * The version that a build starts from, and what the last build noted for the next one in `indexes/build.msgpack`.
 * Both may be missing or damaged: then all is compiled anew. Of the version no more is read than is needed.
 */
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pack, unpack } from 'msgpackr'
import { detailsStart, idBytesAt, readCardsPart, record } from '../../src/indexes/cards-file.ts'
import { IndexError } from '../../src/indexes/format.ts'
import { readFileOf } from '../../src/indexes/load.ts'
import { type Manifest, readManifest } from '../../src/indexes/manifest.ts'
import { replaceFile } from '../../src/indexes/publish/durable.ts'
import { partName } from '../../src/indexes/version.ts'
import type { HistoryMemory } from '../compile/history/history.ts'
import { CardIds } from '../read/card-ids.ts'
import { compiler } from './compiler.ts'
import type { FileSource } from './staging.ts'

interface Note {
  /** The version that the build published. */
  readonly version: string
  /** SHA-256 over all of sets and cards that search was compiled from (compile/steady.ts). */
  readonly steady: string
  /** By card number, where each card stood in the files. */
  readonly order: Uint32Array
  readonly history: HistoryMemory
}

const noteName = 'build.msgpack'

export const rememberBuild = (indexDir: string, note: Note): Promise<void> =>
  replaceFile(join(indexDir, noteName), pack({ compiler: compiler(), ...note, order: Buffer.from(note.order.buffer) }))

export async function readBase(indexDir: string): Promise<Base | null> {
  let note: Note & { compiler: string }
  try {
    const packed = unpack(await readFile(join(indexDir, noteName)))
    note = { ...packed, order: new Uint32Array(Uint8Array.from(packed.order).buffer) }
  } catch {
    return null
  }
  if (note.compiler !== compiler()) return null
  const manifest = await unlessDamaged(readManifest(indexDir, note.version))
  return manifest === undefined ? null : new Base(indexDir, manifest, note)
}

export class Base {
  readonly manifest: Manifest
  readonly note: Note
  readonly #indexDir: string

  constructor(indexDir: string, manifest: Manifest, note: Note) {
    this.#indexDir = indexDir
    this.manifest = manifest
    this.note = note
  }

  /** The file's bytes; undefined if they are not what the manifest says. */
  read(name: string): Promise<Uint8Array | undefined> {
    return unlessDamaged(readFileOf(this.#indexDir, this.manifest, name))
  }

  /** The files `stem-000.msgpack`, …; undefined if one is not what the manifest says. */
  async readParts(stem: string): Promise<Uint8Array[] | undefined> {
    const parts: Uint8Array[] = []
    while (this.manifest.files.some(({ name }) => name === partName(stem, parts.length))) {
      const part = await this.read(partName(stem, parts.length))
      if (part === undefined) return undefined
      parts.push(part)
    }
    return parts
  }

  /** A file of it as one of the version to be. */
  source(name: string): FileSource {
    const { bytes, sha256 } = this.manifest.files.find((file) => file.name === name)!
    return { bytes, sha256, from: resolve(this.#indexDir, this.manifest.version, name) }
  }
}

async function unlessDamaged<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof IndexError) return undefined
    throw error
  }
}

/** The ids as the card files hold them. */
export function idsOf(cardParts: readonly Uint8Array[]): CardIds {
  const places = cardParts.flatMap((part) => {
    const { bytes, at } = readCardsPart(part).details
    return Array.from(at.subarray(0, -1), (start) => {
      const id = start + record.text + detailsStart.length
      return { bytes, start: id, end: id + idBytesAt(bytes, id) }
    })
  })
  return CardIds.of(places)
}
