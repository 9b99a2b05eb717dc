/**
 * What is known of a mirror that `card-prices fetch` fills: `fetch.json` in it.
 *
 *   unfinished ─ each file that came whole is noted with what it is of ─▶ whole
 *
 * It is replaced by a rename after each answer, so a run that is killed at any moment goes on from it. A file is trusted only
 * if it has the length that is noted, since its bytes are on the disk for certain only when the run has ended.
 */
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as v from 'valibot'
import { type GameSlug, gameSlugs } from '../src/games.ts'
import { replaceFile } from '../src/indexes/publish/durable.ts'

export const fetchStateName = 'fetch.json'

const fileSchema = v.object({
  /** What it is of: a publisher's stamp, or the group's `modifiedOn`. */
  of: v.string(),
  bytes: v.number(),
  etag: v.optional(v.string()),
  lastModified: v.optional(v.string()),
  sha256: v.optional(v.string()),
})

const stateSchema = v.object({
  source: v.string(),
  state: v.picklist(['unfinished', 'whole']),
  /** The publisher's, of what is being fetched, or was last. */
  stamp: v.nullable(v.string()),
  etag: v.optional(v.string()),
  lastModified: v.optional(v.string()),
  games: v.array(v.picklist(gameSlugs)),
  /** When the last run that ended well began. */
  askedAt: v.nullable(v.string()),
  /** When the last answer ended, in ms since 1970. */
  answeredAtMs: v.number(),
  /** By hour, `2026-11-23T16`. */
  requests: v.record(v.string(), v.number()),
  files: v.record(v.string(), fileSchema),
})

export type FetchedFile = v.InferOutput<typeof fileSchema>
export type FetchState = v.InferOutput<typeof stateSchema>

const emptyState = (source: string): FetchState => ({
  source,
  state: 'unfinished',
  stamp: null,
  games: [],
  askedAt: null,
  answeredAtMs: 0,
  requests: {},
  files: {},
})

/** Undefined where there is none that this release reads. */
export function readFetchState(mirror: string): FetchState | undefined {
  try {
    const read = v.safeParse(stateSchema, JSON.parse(readFileSync(join(mirror, fetchStateName), 'utf8')))
    return read.success ? read.output : undefined
  } catch {
    return undefined
  }
}

/**
 * What tells whether a mirror is still what it was; undefined where it was brought by other means.
 *
 * @param path a mirror, or a file in it
 */
export function mirrorStatus(path: string): { readonly isWhole: boolean; readonly revision: string } | undefined {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  const file = join(isFolder ? path : dirname(path), fetchStateName)
  if (!existsSync(file)) return undefined
  let read: { readonly state?: unknown; readonly stamp?: unknown } | null
  try {
    read = JSON.parse(readFileSync(file, 'utf8')) as typeof read
  } catch {
    // A power failure can leave it empty.
    read = { state: 'unfinished' }
  }
  const state = read?.state
  return state === 'unfinished' || state === 'whole'
    ? { isWhole: state === 'whole', revision: `${state} ${read?.stamp}` }
    : undefined
}

const hourMs = 3_600_000
const hourOf = (ms: number): string => new Date(ms).toISOString().slice(0, 'YYYY-MM-DDTHH'.length)

/** The state of a mirror that is being fetched, and its files. */
export class Mirror {
  readonly folder: string
  readonly state: FetchState
  /** Files that were put in place and may not be on the disk yet. */
  readonly #unsynced = new Set<string>()

  constructor(folder: string, source: string) {
    this.folder = folder
    this.state = readFetchState(folder) ?? emptyState(source)
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  /** The file as it came, if it is still there with its length. */
  file(name: string): FetchedFile | undefined {
    const known = Object.hasOwn(this.state.files, name) ? this.state.files[name] : undefined
    if (known === undefined) return undefined
    return statSync(this.path(name), { throwIfNoEntry: false })?.size === known.bytes ? known : undefined
  }

  has(name: string, of: string): boolean {
    return this.file(name)?.of === of
  }

  /** From now on it is not what it was: to be called before any file changes. */
  begin(stamp: string, games: readonly GameSlug[]): void {
    Object.assign(this.state, { state: 'unfinished', stamp, games: [...games] })
    this.save()
  }

  /** A file has been put in place, or is still what it is of. */
  record(name: string, file: FetchedFile): void {
    this.state.files[name] = file
    this.#unsynced.add(name)
    this.save()
  }

  /** A small file of the fetch's own making. */
  put(name: string, text: string, of: string): void {
    const beside = this.path(`.staging-${name}`)
    writeFileSync(beside, text)
    renameSync(beside, this.path(name))
    this.record(name, { of, bytes: Buffer.byteLength(text) })
  }

  /** All files are those of the stamp; they are on the disk before the state says so. */
  async finish(startedMs: number): Promise<void> {
    for (const name of this.#unsynced) {
      const file = await open(this.path(name))
      await file.sync().finally(() => file.close())
    }
    Object.assign(this.state, { state: 'whole', askedAt: new Date(startedMs).toISOString() })
    await replaceFile(this.path(fetchStateName), Buffer.from(this.#text()))
  }

  /** In the last 24 hours, or a little longer. */
  requestsOfDay(nowMs: number): number {
    const first = hourOf(nowMs - 24 * hourMs)
    return Object.entries(this.state.requests).reduce((sum, [hour, count]) => sum + (hour >= first ? count : 0), 0)
  }

  countRequest(nowMs: number): void {
    const { requests } = this.state
    const first = hourOf(nowMs - 24 * hourMs)
    for (const hour of Object.keys(requests)) if (hour < first) delete requests[hour]
    requests[hourOf(nowMs)] = (requests[hourOf(nowMs)] ?? 0) + 1
  }

  save(): void {
    const beside = this.path(`.staging-${fetchStateName}`)
    writeFileSync(beside, this.#text())
    renameSync(beside, this.path(fetchStateName))
  }

  #text(): string {
    return `${JSON.stringify(this.state)}\n`
  }
}
