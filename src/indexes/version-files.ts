/** A version in memory: its manifest and its files' bytes. */
import { IndexError } from './format.ts'
import type { Manifest } from './manifest.ts'

/** A version in shared memory, which can be sent to other threads. */
export interface VersionFiles {
  readonly manifest: Manifest
  /** Each file's bytes, over a SharedArrayBuffer, by name. */
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
