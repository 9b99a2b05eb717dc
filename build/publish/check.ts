/**
 * Verifies a version on the disk as a server does when it loads one, but a few files at a time, in the worker pool. So memory
 * holds only the files that are being checked.
 */
import { resolve } from 'node:path'
import { checkTotals, piecesOf } from '../../src/indexes/checks/check.ts'
import { isVerified, recordVerified } from '../../src/indexes/checks/verification-record.ts'
import { IndexError } from '../../src/indexes/format.ts'
import { readFileOf } from '../../src/indexes/load.ts'
import { type Manifest, readManifest } from '../../src/indexes/manifest.ts'
import { SeriesCheck, type SeriesTotals } from '../../src/indexes/series/series-check.ts'
import { lineBytes } from '../../src/limits.ts'
import type { Job, WorkerPool } from '../workers/pool.ts'

interface VersionToCheck {
  readonly indexDir: string
  readonly manifest: Manifest
  /** A verification record exists: only the files' checksums are verified. */
  readonly isRecorded: boolean
  /** For the files of a large group. */
  readonly largeBuffer: SharedArrayBuffer
}

/** Groups of files that take more are checked one at a time. */
const groupBytesMany = 64 * 1024 * 1024

interface CheckedGroup extends SeriesTotals {
  /** The problem; if set, the totals mean nothing. */
  readonly wrong: string | undefined
}

/** Throws IndexError, as `loadVersion` does, if a file is damaged or missing. */
export async function checkVersion(indexDir: string, version: string, pool: WorkerPool): Promise<void> {
  const manifest = await readManifest(indexDir, version)
  const folder = resolve(indexDir, version)
  const isRecorded = await isVerified(folder, manifest)
  const sizes = piecesOf(manifest).map(({ files }) => layoutOf(files, manifest).size)
  pool.prepare(checkJob, { indexDir, manifest, isRecorded, largeBuffer: new SharedArrayBuffer(Math.max(...sizes)) })
  let previous: Promise<unknown> = Promise.resolve()
  const checked = await Promise.all(
    sizes.map((size, group) => {
      if (size <= groupBytesMany) return pool.run(checkJob, group)
      const large = previous.then(() => pool.run(checkJob, group))
      previous = large
      return large
    }),
  )
  for (const { wrong } of checked) if (wrong !== undefined) throw new IndexError(wrong)
  if (isRecorded) return
  checkTotals(manifest, folder, {
    rows: checked.reduce((sum, { rows }) => sum + rows, 0),
    newestDay: Math.max(...checked.map(({ newestDay }) => newestDay)),
  })
  await recordVerified(folder, manifest)
}

class VersionCheck {
  readonly #version: VersionToCheck
  /** For the files of small groups, one after the other. */
  #buffer = new ArrayBuffer(0)

  constructor(version: VersionToCheck) {
    this.#version = version
  }

  /** @param group an index in `piecesOf` */
  async check(group: number): Promise<CheckedGroup> {
    const { indexDir, manifest, isRecorded } = this.#version
    const { files, check } = piecesOf(manifest)[group]!
    const series = new SeriesCheck()
    try {
      const version = { manifest, files: await this.#read(files) }
      if (!isRecorded) await check(version, resolve(indexDir, manifest.version), series)
    } catch (error) {
      if (!(error instanceof IndexError)) throw error
      return { wrong: error.message, rows: 0, newestDay: Number.NEGATIVE_INFINITY }
    }
    return { wrong: undefined, rows: series.rows, newestDay: series.newestDay }
  }

  async #read(names: readonly string[]): Promise<Map<string, Uint8Array>> {
    const { indexDir, manifest, largeBuffer } = this.#version
    const { spans, size } = layoutOf(names, manifest)
    if (size <= groupBytesMany && this.#buffer.byteLength < size) this.#buffer = new ArrayBuffer(size)
    const buffer = size <= groupBytesMany ? this.#buffer : largeBuffer
    const files = new Map<string, Uint8Array>()
    for (const { name, start, bytes } of spans) {
      files.set(name, await readFileOf(indexDir, manifest, name, new Uint8Array(buffer, start, bytes)))
    }
    return files
  }
}

/** Files that are in memory together start on cache lines, since their columns must be aligned. */
function layoutOf(names: readonly string[], { files }: Manifest) {
  let size = 0
  const spans = names.map((name) => {
    const bytes = files.find((file) => file.name === name)?.bytes ?? 0
    const start = size
    size += Math.ceil(bytes / lineBytes) * lineBytes
    return { name, start, bytes }
  })
  return { spans, size }
}

/** A task is a group's index in `piecesOf`. */
export const checkJob: Job<VersionToCheck, VersionCheck, number, CheckedGroup> = {
  module: import.meta.url,
  name: 'checkJob',
  tasksPerThread: 1,
  prepare: (version) => new VersionCheck(version),
  run: (version, group) => version.check(group),
  transfers: () => [],
}
