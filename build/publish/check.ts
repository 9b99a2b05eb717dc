/**
 * Looks through a version as it lies on the disk: what a server does when it loads one, but a few files at a time, by all hands
 * of the crew, so that there never is more of it in memory than each of them looks at.
 */
import { resolve } from 'node:path'
import { checkTotals, piecesOf } from '../../src/indexes/checks/check.ts'
import { isVerified, recordVerified } from '../../src/indexes/checks/verification-record.ts'
import { IndexError } from '../../src/indexes/format.ts'
import { readFileOf } from '../../src/indexes/load.ts'
import { type Manifest, readManifest } from '../../src/indexes/manifest.ts'
import { SeriesCheck, type SeriesTotals } from '../../src/indexes/series/series-check.ts'
import { lineBytes } from '../../src/limits.ts'
import type { WorkerPool } from '../workers/pool.ts'

interface VersionToCheck {
  readonly indexDir: string
  readonly manifest: Manifest
  /** It was checked before: only that its files are those of then is looked at. */
  readonly noted: boolean
  /** For the files of a large piece. */
  readonly room: SharedArrayBuffer
}

/** Of pieces that take more there is one at a time. */
const pieceBytesMany = 64 * 1024 * 1024

export interface CheckedPiece extends SeriesTotals {
  /** What is not as it must be; nothing else of the piece then holds. */
  readonly wrong: string | undefined
}

/** Throws IndexError, as `loadVersion` does, if the version is not whole. */
export async function checkVersion(indexDir: string, version: string, crew: WorkerPool): Promise<void> {
  const manifest = await readManifest(indexDir, version)
  const folder = resolve(indexDir, version)
  const noted = await isVerified(folder, manifest)
  const sizes = piecesOf(manifest).map(({ files }) => placesOf(files, manifest).size)
  crew.prepare('check', { indexDir, manifest, noted, room: new SharedArrayBuffer(Math.max(...sizes)) })
  let before: Promise<unknown> = Promise.resolve()
  const checked = await Promise.all(
    sizes.map((size, piece) => {
      if (size <= pieceBytesMany) return crew.do('check', piece)
      const large = before.then(() => crew.do('check', piece))
      before = large
      return large
    }),
  )
  for (const { wrong } of checked) if (wrong !== undefined) throw new IndexError(wrong)
  if (noted) return
  checkTotals(manifest, folder, {
    rows: checked.reduce((sum, { rows }) => sum + rows, 0),
    newestDay: Math.max(...checked.map(({ newestDay }) => newestDay)),
  })
  await recordVerified(folder, manifest)
}

export class VersionCheck {
  readonly #version: VersionToCheck
  /** For the files of one small piece after the other. */
  #room = new ArrayBuffer(0)

  constructor(version: VersionToCheck) {
    this.#version = version
  }

  /** @param piece its place in `piecesOf` */
  async check(piece: number): Promise<CheckedPiece> {
    const { indexDir, manifest, noted } = this.#version
    const { files, check } = piecesOf(manifest)[piece]!
    const series = new SeriesCheck()
    try {
      const version = { manifest, files: await this.#read(files) }
      if (!noted) await check(version, resolve(indexDir, manifest.version), series)
    } catch (error) {
      if (!(error instanceof IndexError)) throw error
      return { wrong: error.message, rows: 0, newestDay: Number.NEGATIVE_INFINITY }
    }
    return { wrong: undefined, rows: series.rows, newestDay: series.newestDay }
  }

  async #read(names: readonly string[]): Promise<Map<string, Uint8Array>> {
    const { indexDir, manifest, room: large } = this.#version
    const { places, size } = placesOf(names, manifest)
    if (size <= pieceBytesMany && this.#room.byteLength < size) this.#room = new ArrayBuffer(size)
    const room = size <= pieceBytesMany ? this.#room : large
    const files = new Map<string, Uint8Array>()
    for (const { name, start, bytes } of places) {
      files.set(name, await readFileOf(indexDir, manifest, name, new Uint8Array(room, start, bytes)))
    }
    return files
  }
}

/** Where files lie that are in memory together: on whole lines, as their columns want it. */
function placesOf(names: readonly string[], { files }: Manifest) {
  let size = 0
  const places = names.map((name) => {
    const bytes = files.find((file) => file.name === name)?.bytes ?? 0
    const start = size
    size += Math.ceil(bytes / lineBytes) * lineBytes
    return { name, start, bytes }
  })
  return { places, size }
}
