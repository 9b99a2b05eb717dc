/** Versions made ahead, to be made current as a copy or a build would. */
import { cpSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { unpack } from 'msgpackr'
import { build } from '../../build/build.ts'
import { Progress } from '../../build/progress.ts'
import type { VersionFiles } from '../../src/indexes/version.ts'
import { temporaryFolder } from './command.ts'

/** Builds the snapshot beside and puts the version into the folder, where it is not current. Returns its name. */
export async function addVersion(indexDir: string, snapshots: string): Promise<string> {
  const folder = temporaryFolder()
  const { version } = (await build(snapshots, folder, new Progress())).manifest
  cpSync(join(folder, version), join(indexDir, version), { recursive: true })
  return version
}

/** In one step, as a build does. */
export function makeCurrent(indexDir: string, version: string): void {
  writeFileSync(join(indexDir, 'current.new'), `${version}\n`)
  renameSync(join(indexDir, 'current.new'), join(indexDir, 'current'))
}

/** A column of a version's file: where its bytes lie. */
export interface ColumnPlace {
  readonly file: string
  readonly name: string
  /** Of the file. */
  readonly start: number
  readonly bytes: number
}

/** Where all columns lie, by the files' own words: a msgpack head, then for each column nils and a bin32. */
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
/** Of a uint32 or a bin32. */
const valueHeadBytes = 5

/** A name that a version can have. */
export const versionNamed = (number: number): string => `2026-11-20-${number.toString(16).padStart(12, '0')}`

/**
 * Copies a version under another name with one file changed, whose checksum is then wrong.
 * @param change the file's bytes, in place
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
