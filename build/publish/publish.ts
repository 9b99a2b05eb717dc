/**
 * Makes a version current. A build stages each file as it is compiled, renames the staging folder, verifies its files,
 * and replaces `current`. `src/indexes/publish/versions.ts` has a drawing of these steps.
 */
import { mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { formatVersion } from '../../src/indexes/format.ts'
import { isWhole, verifyVersion } from '../../src/indexes/load.ts'
import { type Manifest, manifestName, manifestText, readManifest, reportName } from '../../src/indexes/manifest.ts'
import type { Sum } from '../../src/indexes/plain-file.ts'
import { replaceFile, writeSynced } from '../../src/indexes/publish/durable.ts'
import { makeCurrent, newStaging, place, versionNameOf } from '../../src/indexes/publish/versions.ts'
import { softwareVersion } from '../../src/version.ts'
import type { PutFile } from '../compile/base.ts'

/**
 * The version that is being written, in a folder beside the other versions. Call `remove` at the end, even after an
 * error.
 */
export class Staging {
  readonly folder: string
  readonly #files = new Map<string, Promise<Sum>>()

  constructor(indexDir: string) {
    this.folder = newStaging(indexDir)
    mkdirSync(this.folder)
  }

  /** Starts to write a file. If the file can't be written, `finish` throws. */
  readonly put: PutFile = (name, pieces) => {
    const sum = writeSynced(join(this.folder, name), pieces)
    sum.catch(() => undefined)
    this.#files.set(name, sum)
  }

  /**
   * Ends the version. Resolves when all files are on the disk.
   * @param reportOf returns the pieces of the version's report; gets the version's name
   */
  async finish(
    { asOf, counts, sequence, snapshot }: Pick<Manifest, 'asOf' | 'counts' | 'sequence' | 'snapshot'>,
    reportOf: (version: string) => readonly Uint8Array[],
  ): Promise<Manifest> {
    const files = await Promise.all(Array.from(this.#files, async ([name, sum]) => ({ name, ...(await sum) })))
    const version = versionNameOf(asOf, files)
    const reportSum = await writeSynced(join(this.folder, reportName), reportOf(version))
    const builtAt = new Date().toISOString()
    const report = { name: reportName, ...reportSum } as const
    const written = { builtAt, sequence, release: softwareVersion, snapshot, counts, files, report }
    const manifest: Manifest = { format: formatVersion, version, asOf, ...written }
    await writeSynced(join(this.folder, manifestName), [manifestText(manifest)])
    return manifest
  }

  /** Removes what was not published. If the removal fails, the next build removes it. */
  async remove(): Promise<void> {
    await Promise.allSettled(this.#files.values())
    await rm(this.folder, { recursive: true }).catch(() => undefined)
  }
}

/**
 * Moves a staged version to its place, verifies it, and makes it current. If a whole version of that name is there
 * already, only its manifest is written again: the number and time of publication change, and the report stays.
 */
export async function publish(indexDir: string, { folder }: Staging, manifest: Manifest): Promise<void> {
  const { version } = manifest
  if (await isWhole(indexDir, version)) {
    const { report } = await readManifest(indexDir, version)
    await replaceFile(join(indexDir, version, manifestName), manifestText({ ...manifest, report }))
  } else {
    await place(indexDir, folder, version)
    await verifyVersion(indexDir, version)
  }
  await makeCurrent(indexDir, version)
}
