/**
 * The state of a mirror that `card-prices fetch` fills. The mirror's file `fetch.json` stores the state.
 *
 *   unfinished ─ each complete file is recorded with its source version (`of`) ─▶ whole
 *
 * After each response, a rename replaces fetch.json, so the next run resumes where a killed run ended. A run syncs the
 * mirror's files only at its end. So a recorded file is trusted only if it has the recorded length.
 */
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as v from 'valibot'
import { type GameSlug, slugForm } from '../src/games.ts'
import { replaceFile } from '../src/indexes/publish/durable.ts'

const fetchStateName = 'fetch.json'

const fileSchema = v.object({
  /** Its source version: the publisher's stamp, or the group's `modifiedOn`. */
  of: v.string(),
  bytes: v.number(),
  etag: v.optional(v.string()),
  lastModified: v.optional(v.string()),
  sha256: v.optional(v.string()),
})

const stateSchema = v.object({
  source: v.string(),
  state: v.picklist(['unfinished', 'whole']),
  /** The publisher's version that the current fetch downloads, or that the last fetch downloaded. */
  stamp: v.nullable(v.string()),
  etag: v.optional(v.string()),
  lastModified: v.optional(v.string()),
  games: v.array(v.pipe(v.string(), v.regex(slugForm))),
  /** When the last successful run began. */
  askedAt: v.nullable(v.string()),
  /** When the last response ended, in ms since 1970. */
  answeredAtMs: v.number(),
  /** The end of a pause, in ms since 1970. */
  pausedUntilMs: v.optional(v.number()),
  /** True if the publisher asked for the pause; false if this program makes it by itself. */
  isPauseAsked: v.optional(v.boolean()),
  /** How many requests were sent in each hour. A key is an hour in UTC: `2026-11-23T16`. */
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

/** Undefined if the mirror has no state, or this release can't read the state. */
export function readFetchState(mirror: string): FetchState | undefined {
  try {
    const read = v.safeParse(stateSchema, JSON.parse(readFileSync(join(mirror, fetchStateName), 'utf8')))
    return read.success ? read.output : undefined
  } catch {
    return undefined
  }
}

/**
 * Undefined if no fetch made the mirror. `revision` differs between two versions of the publisher, and between an
 * unfinished and a whole mirror.
 * @param path a mirror, or a file in it
 */
export function mirrorStatus(path: string): { readonly isWhole: boolean; readonly revision: string } | undefined {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  const folder = isFolder ? path : dirname(path)
  if (!existsSync(join(folder, fetchStateName))) return undefined
  // A power failure can leave fetch.json empty.
  const { state, stamp } = readFetchState(folder) ?? emptyState('')
  return { isWhole: state === 'whole', revision: `${state} ${stamp}` }
}

const hourMs = 3_600_000
const hourOf = (ms: number): string => new Date(ms).toISOString().slice(0, 'YYYY-MM-DDTHH'.length)

/**
 * False for an hour more than a day in the past or in the future. Requests of such a future hour were counted while the
 * clock was wrong.
 */
const isNear = (hour: string, nowMs: number): boolean =>
  hour >= hourOf(nowMs - 24 * hourMs) && hour <= hourOf(nowMs + 24 * hourMs)

/** The state of a mirror that is being fetched, and its files. */
export class Mirror {
  readonly folder: string
  readonly state: FetchState
  /** Files that were renamed, but may not be on the disk yet. */
  readonly #unsynced = new Set<string>()

  constructor(folder: string, source: string) {
    this.folder = folder
    this.state = readFetchState(folder) ?? emptyState(source)
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  /** The record of a file; undefined if the file does not have the recorded length. */
  file(name: string): FetchedFile | undefined {
    const known = this.state.files[name]
    return statSync(this.path(name), { throwIfNoEntry: false })?.size === known?.bytes ? known : undefined
  }

  has(name: string, of: string): boolean {
    return this.file(name)?.of === of
  }

  /** Marks the mirror as unfinished. Call this before any file changes. */
  begin(stamp: string, games: readonly GameSlug[]): void {
    Object.assign(this.state, { state: 'unfinished', stamp, games: [...games] })
    this.save()
  }

  /** Records a file that is new, or still valid. */
  record(name: string, file: FetchedFile): void {
    this.state.files[name] = file
    this.#unsynced.add(name)
    this.save()
  }

  /** Writes a small file that a fetch makes itself, and records it. */
  put(name: string, text: string, of: string): void {
    writeFileSync(this.path(name), text)
    this.record(name, { of, bytes: Buffer.byteLength(text) })
  }

  /** Syncs all files, then declares the mirror whole. */
  async finish(startedMs: number): Promise<void> {
    for (const name of this.#unsynced) {
      const file = await open(this.path(name))
      await file.sync().finally(() => file.close())
    }
    Object.assign(this.state, { state: 'whole', askedAt: new Date(startedMs).toISOString() })
    delete this.state.pausedUntilMs
    delete this.state.isPauseAsked
    await replaceFile(this.path(fetchStateName), Buffer.from(this.#text()))
  }

  /**
   * How many requests were sent in the last 24 hours. Since requests are counted by hour, up to an hour more is
   * included.
   */
  requestsOfDay(nowMs: number): number {
    return Object.entries(this.state.requests).reduce(
      (sum, [hour, count]) => sum + (isNear(hour, nowMs) ? count : 0),
      0,
    )
  }

  countRequest(nowMs: number): void {
    const { requests } = this.state
    for (const hour of Object.keys(requests)) if (!isNear(hour, nowMs)) delete requests[hour]
    requests[hourOf(nowMs)] = (requests[hourOf(nowMs)] ?? 0) + 1
  }

  save(): void {
    const staged = this.path(`.staging-${fetchStateName}`)
    writeFileSync(staged, this.#text())
    renameSync(staged, this.path(fetchStateName))
  }

  #text(): string {
    return `${JSON.stringify(this.state)}\n`
  }
}
