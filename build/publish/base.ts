/**
 * The version that a build starts from, and what the last build noted for the next one in `indexes/build.msgpack`.
 * Both may be missing or damaged: then all is compiled anew. Of the version no more is read than is needed.
 */
import { join, resolve } from 'node:path'
import { pack, unpack } from 'msgpackr'
import { detailsStart, idBytesAt, readCardsPart, record } from '../../src/indexes/cards-file.ts'
import { IndexError } from '../../src/indexes/format.ts'
import { readFileOf } from '../../src/indexes/load.ts'
import { type Manifest, readManifest } from '../../src/indexes/manifest.ts'
import { readPlain } from '../../src/indexes/plain-file.ts'
import { replaceFile } from '../../src/indexes/publish/durable.ts'
import { partName } from '../../src/indexes/version.ts'
import { partCards, partCardsShift } from '../../src/limits.ts'
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
    const packed = unpack(await readPlain(join(indexDir, noteName)))
    note = { ...packed, order: new Uint32Array(Uint8Array.from(packed.order).buffer) }
  } catch {
    return null
  }
  if (note.compiler !== compiler()) return null
  const manifest = await unlessDamaged(readManifest(indexDir, note.version))
  return manifest === undefined ? null : new Base(indexDir, manifest, note)
}

/** A version on the disk. Reading throws IndexError where a file is not what the manifest says. */
export class Version {
  readonly manifest: Manifest
  readonly #indexDir: string
  #ids: Promise<CardIds> | undefined

  constructor(indexDir: string, manifest: Manifest) {
    this.#indexDir = indexDir
    this.manifest = manifest
  }

  read(name: string, room?: Uint8Array): Promise<Uint8Array> {
    return readFileOf(this.#indexDir, this.manifest, name, room)
  }

  /** The files `stem-000.msgpack`, … */
  async readParts(stem: string): Promise<Uint8Array[]> {
    const parts: Uint8Array[] = []
    while (this.manifest.files.some(({ name }) => name === partName(stem, parts.length))) {
      parts.push(await this.read(partName(stem, parts.length)))
    }
    return parts
  }

  /** The ids of its cards. Read once: the card files are the largest. */
  readIds(): Promise<CardIds> {
    this.#ids ??= this.#readIds()
    return this.#ids
  }

  async #readIds(): Promise<CardIds> {
    const files = this.manifest.files.filter(({ name }) => name.startsWith('cards-'))
    const room = new ArrayBuffer(Math.max(0, ...files.map(({ bytes }) => bytes)))
    const parts: IdsOfPart[] = []
    for (const { name, bytes } of files) parts.push(idsIn(await this.read(name, new Uint8Array(room, 0, bytes))))
    return idsOf(parts)
  }

  /** A file of it as one of the version to be. */
  source(name: string): FileSource {
    const { bytes, sha256 } = this.manifest.files.find((file) => file.name === name)!
    return { bytes, sha256, from: resolve(this.#indexDir, this.manifest.version, name) }
  }
}

/** The version that the last build published, with what that build noted. */
export class Base extends Version {
  readonly note: Note

  constructor(indexDir: string, manifest: Manifest, note: Note) {
    super(indexDir, manifest)
    this.note = note
  }

  /** The ids of its cards: those of the catalog, if nothing but prices moved since. */
  async idsBefore(catalog: { readonly steady: string; readonly ids: CardIds }): Promise<CardIds> {
    return catalog.steady === this.note.steady ? catalog.ids : this.readIds()
  }
}

/** Undefined where reading throws IndexError. */
export async function unlessDamaged<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof IndexError) return undefined
    throw error
  }
}

/** Of a card file, one after the other, and where each starts and the last one ends. */
interface IdsOfPart {
  readonly bytes: Uint8Array
  readonly at: Uint32Array
}

/** The ids as a card file holds them. */
export function idsIn(cardsPart: Uint8Array): IdsOfPart {
  const { bytes: details, at: recordsAt } = readCardsPart(cardsPart).details
  const starts = recordsAt.subarray(0, -1).map((start) => start + record.text + detailsStart.length)
  const at = new Uint32Array(starts.length + 1)
  starts.forEach((start, i) => {
    at[i + 1] = at[i]! + idBytesAt(details, start)
  })
  const bytes = new Uint8Array(at.at(-1)!)
  starts.forEach((start, i) => {
    for (let to = at[i]!, from = start; to < at[i + 1]!; ) bytes[to++] = details[from++]!
  })
  return { bytes, at }
}

/** @param parts all of a version, in order: each but the last has `partCards` */
export function idsOf(parts: readonly IdsOfPart[]): CardIds {
  const count = parts.reduce((sum, { at }) => sum + at.length - 1, 0)
  return CardIds.of(count, (number) => {
    const { bytes, at } = parts[number >>> partCardsShift]!
    const i = number & (partCards - 1)
    return { bytes, start: at[i]!, end: at[i + 1]! }
  })
}
