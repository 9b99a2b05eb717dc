/** Versions whose files are any bytes: right in all that is looked at before a version is loaded. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Checksum } from '../../src/checksum.ts'
import { formatVersion } from '../../src/indexes/format.ts'
import type { Manifest } from '../../src/indexes/manifest.ts'
import { versionNameOf } from '../../src/indexes/publish/versions.ts'
import { makeCurrent } from './versions.ts'

/** The same for the same seed. */
export function bytesOf(seed: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let i = 0, state = seed + 1; i < length; i++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    bytes[i] = state >>> 24
  }
  return bytes
}

/** Puts a version into the folder and makes it current. Returns its name. */
export function publishMade(
  folder: string,
  contents: Readonly<Record<string, Buffer>>,
  { asOf = '2026-11-20', change = (manifest: Manifest): object => manifest } = {},
): string {
  const files = Object.entries(contents).map(([name, content]) => ({ name, ...new Checksum().add(content).end() }))
  const version = versionNameOf(asOf, files)
  const counts = { cards: 1, sets: 1, historyRows: 0 }
  const builtAt = new Date().toISOString()
  mkdirSync(join(folder, version), { recursive: true })
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(folder, version, name), content)
  const manifest = change({ format: formatVersion, version, asOf, builtAt, counts, catalogSource: 'x', files })
  writeFileSync(join(folder, version, 'manifest.json'), JSON.stringify(manifest))
  makeCurrent(folder, version)
  return version
}
