/**
 * A version becomes current: staged file by file as it is compiled, verified, renamed, as
 * `src/indexes/publish/versions.ts` draws it.
 */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { formatVersion } from '../../src/indexes/format.ts'
import { isWhole, verifyVersion } from '../../src/indexes/load.ts'
import { type Manifest, manifestName, manifestText } from '../../src/indexes/manifest.ts'
import type { Sum } from '../../src/indexes/plain-file.ts'
import { replaceFile, writeSynced } from '../../src/indexes/publish/durable.ts'
import { makeCurrent, newStaging, place, versionNameOf } from '../../src/indexes/publish/versions.ts'
import { softwareVersion } from '../../src/version.ts'
import type { PutFile } from '../compile/base.ts'

interface Publication {
  readonly asOf: string | null
  readonly counts: Manifest['counts']
  /** Of all files that were put. The version's name depends on their order. */
  readonly names: readonly string[]
}

/** A version that is written, but not published. */
interface Staged {
  readonly folder: string
  readonly manifest: Manifest
}

/** The version that is being written, in a folder beside the others. */
export class Staging {
  readonly folder: string
  readonly #files = new Map<string, Promise<Sum>>()

  private constructor(folder: string) {
    this.folder = folder
  }

  /** Call `remove` in the end, also after an error. */
  static async start(indexDir: string): Promise<Staging> {
    const folder = newStaging(indexDir)
    await mkdir(folder)
    return new Staging(folder)
  }

  /** Resolves when the file is on the disk. If you don't wait, `finish` throws what fails. */
  readonly put: PutFile = (name, pieces) => {
    const sum = writeSynced(join(this.folder, name), pieces)
    sum.catch(() => undefined)
    this.#files.set(name, sum)
    return sum
  }

  /** Resolves when all files are on the disk. */
  async finish({ asOf, counts, names }: Publication): Promise<Staged> {
    const files = await Promise.all(names.map(async (name) => ({ name, ...(await this.#files.get(name)!) })))
    const version = versionNameOf(asOf, files)
    const builtAt = new Date().toISOString()
    const manifest: Manifest = {
      format: formatVersion,
      version,
      asOf,
      builtAt,
      release: softwareVersion,
      counts,
      files,
    }
    await writeSynced(join(this.folder, manifestName), [manifestText(manifest)])
    return { folder: this.folder, manifest }
  }

  /** Removes what was not published. If it fails, the next build does. */
  async remove(): Promise<void> {
    await Promise.allSettled(this.#files.values())
    await rm(this.folder, { recursive: true, force: true }).catch(() => undefined)
  }
}

/** Moves a staged version to its place, verifies it, and makes it current. If it is there already, only its time changes. */
export async function publish(indexDir: string, { folder, manifest }: Staged): Promise<void> {
  const { version } = manifest
  if (await isWhole(indexDir, version)) await replaceFile(join(indexDir, version, manifestName), manifestText(manifest))
  else {
    await place(indexDir, folder, version)
    await verifyVersion(indexDir, version)
  }
  await makeCurrent(indexDir, version)
}
