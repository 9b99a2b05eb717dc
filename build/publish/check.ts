/**
 * Looks through a version as it lies on the disk: what a server does when it loads one, but a few files at a time, by all hands
 * of the crew, so that there never is more of it in memory than each of them looks at.
 */
import { resolve } from 'node:path'
import { SeriesCheck, type SeriesTotals } from '../../src/history/series-check.ts'
import { checkTotals, piecesOf } from '../../src/indexes/check.ts'
import { isChecked, noteChecked } from '../../src/indexes/checked.ts'
import { IndexError } from '../../src/indexes/format.ts'
import { readFileOf } from '../../src/indexes/load.ts'
import { type Manifest, readManifest } from '../../src/indexes/manifest.ts'
import { lineBytes } from '../../src/limits.ts'
import type { Crew } from '../crew/crew.ts'

interface VersionToCheck {
  readonly indexDir: string
  readonly manifest: Manifest
  /** It was checked before: only that its files are those of then is looked at. */
  readonly noted: boolean
}

export interface CheckedPiece extends SeriesTotals {
  /** What is not as it must be; nothing else of the piece then holds. */
  readonly wrong: string | undefined
}

/** Throws IndexError, as `loadVersion` does, if the version is not whole. */
export async function checkVersion(indexDir: string, version: string, crew: Crew): Promise<void> {
  const manifest = await readManifest(indexDir, version)
  const folder = resolve(indexDir, version)
  const noted = await isChecked(folder, manifest)
  crew.prepare('check', { indexDir, manifest, noted })
  const checked = await Promise.all(piecesOf(manifest).map((_, piece) => crew.do('check', piece)))
  for (const { wrong } of checked) if (wrong !== undefined) throw new IndexError(wrong)
  if (noted) return
  checkTotals(manifest, folder, {
    rows: checked.reduce((sum, { rows }) => sum + rows, 0),
    newestDay: Math.max(...checked.map(({ newestDay }) => newestDay)),
  })
  await noteChecked(folder, manifest)
}

export class VersionCheck {
  readonly #version: VersionToCheck
  /** For the files of one piece after the other. */
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
    const { indexDir, manifest } = this.#version
    const sizes = names.map((name) => manifest.files.find((file) => file.name === name)?.bytes ?? 0)
    const starts = sizes.map(() => 0)
    const size = sizes.reduce((at, bytes, i) => {
      starts[i] = at
      return at + Math.ceil(bytes / lineBytes) * lineBytes
    }, 0)
    if (this.#room.byteLength < size) this.#room = new ArrayBuffer(size)
    const files = new Map<string, Uint8Array>()
    for (const [i, name] of names.entries()) {
      const room = new Uint8Array(this.#room, starts[i], sizes[i])
      files.set(name, await readFileOf(indexDir, manifest, name, room))
    }
    return files
  }
}
