/**
 * Loads a version from `indexes/<version>/` into memory that all threads share. It verifies the format, and each file's
 * size and checksum. A trial then checks whether the content makes sense (src/process/trial/). The numbers in the files
 * are not checked, so readers bound their loops (bounds.ts). Tests verify what a build writes (test/indexes/checks/).
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { IndexError, unlessDamaged } from './format.ts'
import { type Manifest, readManifest, reportName } from './manifest.ts'
import { Checksum, checksumOfFile, openPlain, piecesOf, type Sum } from './plain-file.ts'

/** A version in shared memory. It can be sent to other threads. */
export interface VersionFiles {
  readonly manifest: Manifest
  /** The bytes of each file, in a SharedArrayBuffer, by name. */
  readonly files: ReadonlyMap<string, Uint8Array>
}

/** The parts `stem-000.msgpack`, `stem-001.msgpack`, … of a version, in order. */
export function partsOf({ files }: VersionFiles, stem: string): Uint8Array[] {
  const parts: Uint8Array[] = []
  for (let part = files.get(partName(stem, 0)); part !== undefined; part = files.get(partName(stem, parts.length))) {
    parts.push(part)
  }
  return parts
}

export const partName = (stem: string, part: number): string => `${stem}-${String(part).padStart(3, '0')}.msgpack`

/** The file's bytes. Throws IndexError if the version lacks it. */
export function fileOf({ files, manifest }: VersionFiles, name: string): Uint8Array {
  const content = files.get(name)
  if (content === undefined) throw new IndexError(`version ${manifest.version} lacks ${name}`)
  return content
}

/**
 * A list with the version's report. The list is empty if the version has no report, or if the report's file is missing.
 */
export const reportOf = (
  indexDir: string,
  { version, report }: Manifest,
): readonly NonNullable<Manifest['report']>[] =>
  report !== undefined && existsSync(resolve(indexDir, version, reportName)) ? [report] : []

/**
 * Loads a version. Requests need no report, so the report is only verified. Throws IndexError with the absolute path of
 * the file if the version is incomplete, damaged, of an unknown format, or unreadable.
 */
export async function loadVersion(indexDir: string, version: string): Promise<VersionFiles> {
  const manifest = await readManifest(indexDir, version)
  const [report] = reportOf(indexDir, manifest)
  const [read] = await Promise.all([
    Promise.all(
      manifest.files.map(
        async (file) => [file.name, await readShared(resolve(indexDir, version, file.name), file)] as const,
      ),
    ),
    report && verifyFile(resolve(indexDir, version, report.name), report),
  ])
  return { manifest, files: new Map(read) }
}

/** Verifies a version without keeping its files in memory. Throws as `loadVersion` does. */
export async function verifyVersion(indexDir: string, version: string): Promise<void> {
  const manifest = await readManifest(indexDir, version)
  for (const file of [...manifest.files, ...reportOf(indexDir, manifest)]) {
    await verifyFile(resolve(indexDir, version, file.name), file)
  }
}

const verifyFile = (path: string, file: Sum): Promise<void> =>
  reading(path, async () => mustFit(path, await checksumOfFile(path), file))

/** True if the version exists and is undamaged. */
export const isWhole = async (indexDir: string, version: string): Promise<boolean> =>
  (await unlessDamaged(verifyVersion(indexDir, version).then(() => true))) === true

/** Loads one file. Throws IndexError if the version has no file of that name, and in the cases of `loadVersion`. */
export async function readFileOf(indexDir: string, manifest: Manifest, name: string): Promise<Uint8Array> {
  const { version, files } = manifest
  const file = [...files, ...reportOf(indexDir, manifest)].find((file) => file.name === name)
  if (file === undefined) throw new IndexError(`version ${version} lacks ${name}`)
  return readShared(resolve(indexDir, version, name), file)
}

function readShared(path: string, file: Sum): Promise<Uint8Array> {
  return reading(path, async () => {
    const handle = await openPlain(path)
    try {
      const { size } = await handle.stat()
      mustHaveSize(path, size, file)
      const content = new Uint8Array(new SharedArrayBuffer(size))
      const sum = new Checksum()
      let at = 0
      for await (const piece of piecesOf(handle)) {
        content.set(piece, at)
        sum.add(piece)
        at += piece.length
      }
      mustFit(path, sum.end(), file)
      return content
    } finally {
      await handle.close()
    }
  })
}

/** Turns errors of the system into IndexErrors. */
async function reading<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof IndexError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new IndexError(`${path} is not there: is it still being copied?`)
    // An error such as EMFILE or EIO, or too little memory.
    throw new IndexError(`${path} can't be read (${code ?? message})`)
  }
}

function mustHaveSize(path: string, size: number, { bytes }: Sum): void {
  if (size !== bytes) {
    throw new IndexError(`${path} has ${size} bytes, its manifest says ${bytes}: is it still being copied?`)
  }
}

function mustFit(path: string, found: Sum, file: Sum): void {
  mustHaveSize(path, found.bytes, file)
  if (found.sha256 !== file.sha256) throw new IndexError(`${path} has a wrong checksum`)
}
