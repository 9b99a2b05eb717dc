/**
 * A version that is being written, beside the others: each file as soon as it is compiled, so that nothing of it is held until
 * all is.
 */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sum } from '../../src/checksum.ts'
import { formatVersion } from '../../src/indexes/format.ts'
import { type Manifest, manifestName } from '../../src/indexes/manifest.ts'
import { writeSynced } from '../../src/indexes/publish/durable.ts'
import { linkOrCopy, stagingOf, versionNameOf } from '../../src/indexes/publish/versions.ts'

/**
 * A file of a version to be: its pieces, each good until the next one is taken, or the file of an older version that holds
 * the very same bytes.
 */
export type FileSource = { readonly pieces: Iterable<Uint8Array> } | (Sum & { readonly from: string })

interface Publication {
  readonly asOf: string | null
  readonly counts: Manifest['counts']
  readonly catalogSource: string
  /** Of all files that were put. A version's name depends on their order. */
  readonly names: readonly string[]
}

/** A version that is written, but not published. */
export interface Staged {
  readonly folder: string
  readonly manifest: Manifest
}

export class Staging {
  readonly #folder: string
  readonly #files = new Map<string, Promise<Sum>>()

  private constructor(folder: string) {
    this.#folder = folder
  }

  /** Whatever fails, `remove` is to be called in the end. */
  static async start(indexDir: string): Promise<Staging> {
    const folder = stagingOf(indexDir)
    await mkdir(folder)
    return new Staging(folder)
  }

  /** Resolves when it is on the disk. Who does not wait for it hears of a failure by `finish`. */
  put(name: string, source: FileSource): Promise<unknown> {
    const sum = putFile(this.#folder, name, source)
    sum.catch(() => undefined)
    this.#files.set(name, sum)
    return sum
  }

  /** When all files are on the disk. */
  async finish({ asOf, counts, catalogSource, names }: Publication): Promise<Staged> {
    const files = await Promise.all(names.map(async (name) => ({ name, ...(await this.#files.get(name)!) })))
    const version = versionNameOf(asOf, files)
    const builtAt = new Date().toISOString()
    const manifest: Manifest = { format: formatVersion, version, asOf, builtAt, counts, catalogSource, files }
    await writeSynced(join(this.#folder, manifestName), [manifestText(manifest)])
    return { folder: this.#folder, manifest }
  }

  /** What was not published. */
  async remove(): Promise<void> {
    await Promise.allSettled(this.#files.values())
    await rm(this.#folder, { recursive: true, force: true })
  }
}

export const manifestText = (manifest: Manifest) => Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)

async function putFile(folder: string, name: string, source: FileSource): Promise<Sum> {
  const path = join(folder, name)
  if ('pieces' in source) return writeSynced(path, source.pieces)
  await linkOrCopy(source.from, path)
  return { bytes: source.bytes, sha256: source.sha256 }
}
