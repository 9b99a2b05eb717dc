/**
 * The base version, whose files a build reuses, and the build cache `indexes/build.msgpack`, which the build of that version
 * left. If either is missing or damaged, everything is compiled. Of the version only the files in need are read.
 */
import { join, resolve } from 'node:path'
import { pack, unpack } from 'msgpackr'
import type { Sum } from '../../src/checksum.ts'
import { codeFilesIn, identityOf } from '../../src/code-identity.ts'
import { detailsStart, idBytesAt, readCardsPart, record } from '../../src/indexes/cards-file.ts'
import { unlessDamaged } from '../../src/indexes/format.ts'
import { readFileOf } from '../../src/indexes/load.ts'
import { type Manifest, readManifest } from '../../src/indexes/manifest.ts'
import { readPlain } from '../../src/indexes/plain-file.ts'
import { replaceFile } from '../../src/indexes/publish/durable.ts'
import { partName } from '../../src/indexes/version.ts'
import { partCards, partCardsShift } from '../../src/limits.ts'
import { CardIds } from '../read/card-ids.ts'
import type { HistoryCache } from './history/plan.ts'

/** A file of the new version: its content, each chunk valid until the next one is read, or a file of an older version. */
export type FileSource = { readonly pieces: Iterable<Uint8Array> } | (Sum & { readonly from: string })

/** Puts a file into the new version; resolves when it is on the disk. */
export type PutFile = (name: string, source: FileSource) => Promise<unknown>

/** Their versions, too, decide what a snapshot compiles to. */
const packages = ['msgpackr', 'valibot']

let identity: string | undefined

/** The compiler's identity: another release may compile the same snapshot to other bytes. */
export function compiler(): string {
  identity ??= identityOf([...codeFilesIn('build'), ...codeFilesIn('src')], packages)
  return identity
}

interface BuildCache {
  /** The version that the build published. */
  readonly version: string
  /** Of its sets and cards (cards-and-sets.ts). */
  readonly fingerprint: string
  /** By card number, the card's position in the snapshot's files. */
  readonly order: Uint32Array
  /** By card number, the day of its `updatedAt`, `noDay` if unknown. */
  readonly updates: Int32Array
  readonly history: HistoryCache
}

const cacheName = 'build.msgpack'

const bytesOf = ({ buffer }: Uint32Array | Int32Array) => Buffer.from(buffer)

export const writeBuildCache = (indexDir: string, cache: BuildCache): Promise<void> =>
  replaceFile(
    join(indexDir, cacheName),
    pack({ compiler: compiler(), ...cache, order: bytesOf(cache.order), updates: bytesOf(cache.updates) }),
  )

export async function readBase(indexDir: string): Promise<Base | null> {
  let cache: BuildCache & { compiler: string }
  try {
    const packed = unpack(await readPlain(join(indexDir, cacheName)))
    const [order, updates] = [packed.order, packed.updates].map((bytes) => Uint8Array.from(bytes).buffer)
    cache = { ...packed, order: new Uint32Array(order!), updates: new Int32Array(updates!) }
  } catch {
    return null
  }
  if (cache.compiler !== compiler()) return null
  const manifest = await unlessDamaged(readManifest(indexDir, cache.version))
  return manifest === undefined ? null : new Base(indexDir, manifest, cache)
}

/** A version on the disk. Reading throws IndexError if a file differs from the manifest. */
export class Version {
  readonly manifest: Manifest
  readonly #indexDir: string
  #ids: Promise<CardIds> | undefined

  constructor(indexDir: string, manifest: Manifest) {
    this.#indexDir = indexDir
    this.manifest = manifest
  }

  read(name: string, buffer?: Uint8Array): Promise<Uint8Array> {
    return readFileOf(this.#indexDir, this.manifest, name, buffer)
  }

  /** The files `stem-000.msgpack`, … */
  async readParts(stem: string): Promise<Uint8Array[]> {
    const parts: Uint8Array[] = []
    while (this.manifest.files.some(({ name }) => name === partName(stem, parts.length))) {
      parts.push(await this.read(partName(stem, parts.length)))
    }
    return parts
  }

  /** Read once: the card files are the largest. */
  readIds(): Promise<CardIds> {
    this.#ids ??= this.#readIds()
    return this.#ids
  }

  async #readIds(): Promise<CardIds> {
    const files = this.manifest.files.filter(({ name }) => name.startsWith('cards-'))
    const buffer = new ArrayBuffer(Math.max(0, ...files.map(({ bytes }) => bytes)))
    const parts: IdsOfPart[] = []
    for (const { name, bytes } of files) parts.push(idsIn(await this.read(name, new Uint8Array(buffer, 0, bytes))))
    return idsOf(parts)
  }

  source(name: string): FileSource {
    const { bytes, sha256 } = this.manifest.files.find((file) => file.name === name)!
    return { bytes, sha256, from: resolve(this.#indexDir, this.manifest.version, name) }
  }
}

export class Base extends Version {
  readonly cache: BuildCache

  constructor(indexDir: string, manifest: Manifest, cache: BuildCache) {
    super(indexDir, manifest)
    this.cache = cache
  }

  /** The base's ids. They are the catalog's, unread, if only prices have changed since. */
  async idsBefore(catalog: { readonly fingerprint: string; readonly ids: CardIds }): Promise<CardIds> {
    return catalog.fingerprint === this.cache.fingerprint ? catalog.ids : this.readIds()
  }
}

/** The ids of a card file, one after the other; where each starts and the last one ends. */
interface IdsOfPart {
  readonly bytes: Uint8Array
  readonly at: Uint32Array
}

function idsIn(cardsPart: Uint8Array): IdsOfPart {
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

/** @param parts all of a version in order; each but the last has `partCards` ids */
function idsOf(parts: readonly IdsOfPart[]): CardIds {
  const count = parts.reduce((sum, { at }) => sum + at.length - 1, 0)
  return CardIds.of(count, (number) => {
    const { bytes, at } = parts[number >>> partCardsShift]!
    const i = number & (partCards - 1)
    return { bytes, start: at[i]!, end: at[i + 1]! }
  })
}
