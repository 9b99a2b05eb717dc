/** Makes versions, and makes them current as a copy or a build does. */
import { cpSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { unpack } from 'msgpackr'
import { formatVersion } from '../../src/indexes/format.ts'
import type { VersionFiles } from '../../src/indexes/load.ts'
import { type Manifest, reportName } from '../../src/indexes/manifest.ts'
import { Checksum } from '../../src/indexes/plain-file.ts'
import { versionNameOf } from '../../src/indexes/publish/versions.ts'
import { temporaryFolder } from './command.ts'

/**
 * Builds the snapshot in another folder, and copies the version to `indexDir`, without making it current. Returns its
 * name.
 */
export async function addVersion(indexDir: string, snapshots: string): Promise<string> {
  const { build } = await import('../../build/build.ts')
  const folder = temporaryFolder()
  const { version } = (await build(snapshots, folder)).manifest
  cpSync(join(folder, version), join(indexDir, version), { recursive: true })
  return version
}

/** Replaces `current` by one rename, as a build does. */
export function makeCurrent(indexDir: string, version: string): void {
  writeFileSync(join(indexDir, 'current.new'), `${version}\n`)
  renameSync(join(indexDir, 'current.new'), join(indexDir, 'current'))
}

/** Where the bytes of a column are in a file of a version. */
export interface ColumnPlace {
  readonly file: string
  readonly name: string
  /** The offset in the file. */
  readonly start: number
  readonly bytes: number
}

/** Finds all columns of a version. A file has a msgpack head, and then, for each column, nils and a bin32. */
export function columnsOf({ files }: VersionFiles): ColumnPlace[] {
  return [...files].flatMap(([file, shared]) => {
    const bytes = Buffer.from(shared)
    let at = valueHeadBytes + bytes.readUInt32BE(1)
    const { columns } = unpack(bytes.subarray(valueHeadBytes, at)) as { columns: [name: string, bytes: number][] }
    return columns.map(([name, size]) => {
      while (bytes[at] === nil) at++
      const start = at + valueHeadBytes
      at = start + size
      return { file, name, start, bytes: size }
    })
  })
}

const nil = 0xc0
/** The length of the head of a uint32 or a bin32. */
const valueHeadBytes = 5

/** A valid name of a version. */
export const versionNamed = (number: number): string => `2026-11-20-${number.toString(16).padStart(12, '0')}`

/**
 * Copies a version under another name, and changes one file, whose checksum is then wrong.
 * @param change changes the file's bytes in place
 */
export function damagedCopy(
  indexDir: string,
  { manifest, files }: VersionFiles,
  version: string,
  file: string,
  change: (bytes: Buffer) => void,
): void {
  const folder = join(indexDir, version)
  mkdirSync(folder, { recursive: true })
  for (const { name } of manifest.files) {
    const bytes = Buffer.from(files.get(name)!)
    if (name === file) change(bytes)
    writeFileSync(join(folder, name), bytes)
  }
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...manifest, version }))
}

/** Pseudorandom bytes; equal seeds give equal bytes. */
export function bytesOf(seed: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let i = 0, state = seed + 1; i < length; i++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    bytes[i] = state >>> 24
  }
  return bytes
}

/**
 * Writes a version with any contents, and makes it current. It passes all checks that come before a version is loaded.
 * Returns its name.
 */
export function publishMade(
  folder: string,
  contents: Readonly<Record<string, Buffer>>,
  {
    asOf = '2026-11-20',
    change = (manifest: Manifest): object => manifest,
    report,
  }: {
    readonly asOf?: string
    readonly change?: (manifest: Manifest) => object
    /** Any bytes. */
    readonly report?: Buffer
  } = {},
): string {
  const files = Object.entries(contents).map(([name, content]) => ({ name, ...new Checksum().add(content).end() }))
  const version = versionNameOf(asOf, files)
  const counts = { cards: 1, sets: 1, historyRows: 0 }
  const builtAt = new Date().toISOString()
  mkdirSync(join(folder, version), { recursive: true })
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(folder, version, name), content)
  const manifest: Manifest = { format: formatVersion, version, asOf, builtAt, sequence: 0, counts, files }
  if (report !== undefined) {
    writeFileSync(join(folder, version, reportName), report)
    manifest.report = { name: reportName, ...new Checksum().add(report).end() }
  }
  writeFileSync(join(folder, version, 'manifest.json'), JSON.stringify(change(manifest)))
  makeCurrent(folder, version)
  return version
}
