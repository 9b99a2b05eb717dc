/**
 * Reads the current version. A build compares the cards of the current version with those of the snapshot, and reuses
 * the history of the current version.
 *
 * Each build writes the build cache, `indexes/build.msgpack`, for the version that it publishes. The cache lists the
 * files of the snapshot with their checksums, and the files that the history was made of. If the cache is missing,
 * damaged, of another version, of another release or of a compiler with another fingerprint, the build compiles the
 * whole history.
 */
import { join } from 'node:path'
import { pack, unpack } from 'msgpackr'
import * as v from 'valibot'
import type { ResponseOf } from '../../src/api/schemas.ts'
import {
  idBytesAt,
  itemStart,
  readCardsPart,
  record as recordOffsets,
  type Texts,
} from '../../src/indexes/cards-file.ts'
import { buildOnce, IndexError, unlessDamaged } from '../../src/indexes/format.ts'
import { readListsFile } from '../../src/indexes/lists-file.ts'
import { readFileOf } from '../../src/indexes/load.ts'
import { type Manifest, readCurrent, readManifest } from '../../src/indexes/manifest.ts'
import { readPlain } from '../../src/indexes/plain-file.ts'
import { replaceFile } from '../../src/indexes/publish/durable.ts'
import { reportListMax } from '../../src/indexes/report-file.ts'
import { readSetsFile, type SetsFile } from '../../src/indexes/sets-file.ts'
import { softwareVersion } from '../../src/version.ts'
import { CardIds } from '../read/card-ids.ts'
import type { ContentFile } from '../snapshot-content.ts'
import { compilerFingerprint } from './fingerprint.ts'
import type { HistoryBase, HistoryCache } from './history/read.ts'

export type NamedFile = readonly [name: string, pieces: readonly Uint8Array[]]

/** Puts a file into the new version. A version's name depends on the order of its files. */
export type PutFile = (...file: NamedFile) => void

export interface CurrentVersion {
  readonly manifest: Manifest
  readonly ids: CardIds
  /** The number of cards of each game, by slug. A game's number differs between versions, so slugs are compared. */
  readonly cardsByGame: ReadonlyMap<string, number>
  /** The market price of each card in cents, by card index; `noPrice` if unknown. */
  readonly markets: Uint32Array
  /** The version's sets, as `GAME/CODE`. */
  readonly sets: ReadonlySet<string>
  /** Cards of this version that the snapshot lacks. At most `reportListMax` of them are read. */
  readonly goneCards: readonly CardDetails[]
}

type CardDetails = ResponseOf<'card'>['data']

/**
 * Returns undefined if no version is published yet. If the current version can't be read, `unknown` is the reason.
 * @param now the card indexes of the snapshot, by id
 */
export async function readCurrentVersion(
  indexDir: string,
  now: ReadonlyMap<string, number>,
): Promise<CurrentVersion | { readonly unknown: string } | undefined> {
  try {
    const name = await readCurrent(indexDir)
    if (name === undefined) return undefined
    const manifest = await readManifest(indexDir, name)
    const lists = readListsFile(await readFileOf(indexDir, manifest, 'lists.msgpack'))
    const listed = readSetsFile(await readFileOf(indexDir, manifest, 'catalog.msgpack'))
    const sets = setsIn(listed)
    const goneCards: CardDetails[] = []
    const ids = (await readParts(indexDir, manifest, 'cards')).map(readCardsPart).flatMap(({ items, details }) => {
      const ofPart = idsIn(items)
      for (const [i, id] of ofPart.entries()) {
        if (goneCards.length < reportListMax && !now.has(id)) goneCards.push(detailsAt(details, i))
      }
      return ofPart
    })
    const cardsByGame = new Map(listed.games.map(({ id }) => [id, 0]))
    for (const game of lists.cardGame) {
      const slug = listed.games[game]!.id
      cardsByGame.set(slug, cardsByGame.get(slug)! + 1)
    }
    return { manifest, ids: new CardIds(ids), cardsByGame, markets: lists.cardMarket, sets, goneCards }
  } catch (error) {
    if (!(error instanceof IndexError)) throw error
    return { unknown: error.message.replace(buildOnce, '') }
  }
}

/** Reads the files `stem-000.msgpack`, `stem-001.msgpack`, … */
function readParts(indexDir: string, manifest: Manifest, stem: string): Promise<Uint8Array[]> {
  const names = manifest.files.map(({ name }) => name).filter((name) => name.startsWith(`${stem}-`))
  return Promise.all(names.map((name) => readFileOf(indexDir, manifest, name)))
}

function idsIn({ bytes, at }: Texts): string[] {
  return Array.from(at.subarray(0, -1), (recordAt) => {
    const start = recordAt + recordOffsets.text + itemStart.length
    return Buffer.from(bytes.subarray(start, start + idBytesAt(bytes, start))).toString()
  })
}

function detailsAt({ bytes, at }: Texts, card: number): CardDetails {
  const record = Buffer.from(bytes.subarray(at[card], at[card + 1]))
  const length = record.readUInt32LE(recordOffsets.bytes * Uint32Array.BYTES_PER_ELEMENT)
  const text = record.toString('utf8', recordOffsets.text, recordOffsets.text + length)
  return (JSON.parse(text) as ResponseOf<'card'>).data
}

/** All sets. They are read from the first list, which has the sets of all games. */
function setsIn({ sets, setsAt, setCounts }: SetsFile): ReadonlySet<string> {
  const list = Buffer.from(sets.subarray(0, setsAt[setCounts[0]!])).toString('utf8')
  const parsed = JSON.parse(`[${list.replace(/,$/, '')}]`) as readonly ResponseOf<'cardSet'>[]
  return new Set(parsed.map(({ game, code }) => setName(game, code)))
}

/** A set's key, which is the same in all versions. */
export const setName = (game: string, code: string): string => `${game}/${code}`

interface BuildCache {
  /** The version that the build published. */
  readonly version: string
  readonly content: readonly ContentFile[]
  readonly history: HistoryCache
}

const cacheName = 'build.msgpack'
/** Identifies the compiler that wrote a cache. */
const writer = { release: softwareVersion, fingerprint: compilerFingerprint }

export const writeBuildCache = (indexDir: string, cache: BuildCache): Promise<void> =>
  replaceFile(join(indexDir, cacheName), pack({ ...writer, ...cache }))

/** The files whose checksums the last build computed; empty if its cache can't be read. */
export async function readKnownContent(indexDir: string): Promise<readonly ContentFile[]> {
  try {
    return v.parse(cachedContent, unpack(await readPlain(join(indexDir, cacheName)))).content
  } catch {
    return []
  }
}

const cachedContent = v.object({
  content: v.array(v.object({ name: v.string(), bytes: v.number(), ctimeMs: v.number(), sha256: v.string() })),
})

/** Null if this compiler did not write the build cache for the current version, or if a history file is damaged. */
export async function readHistoryBase(indexDir: string, current: CurrentVersion): Promise<HistoryBase | null> {
  let cache: BuildCache & typeof writer
  try {
    cache = unpack(await readPlain(join(indexDir, cacheName)))
  } catch {
    return null
  }
  const { manifest, ids } = current
  const isOurs = cache.release === writer.release && cache.fingerprint === writer.fingerprint
  if (!isOurs || cache.version !== manifest.version) return null
  const parts = await unlessDamaged(readParts(indexDir, manifest, 'history'))
  return parts === undefined ? null : { parts, ids, cache: cache.history }
}
