/**
 * The content of a snapshot folder: the files that a build reads, by name, size and checksum. A build is due if the
 * content differs from that of the version that was published last. Times of files or versions decide nothing, because
 * a clock may have been wrong for a day.
 */
import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { checksumOfFile, kindOf } from '../src/indexes/plain-file.ts'
import { aboutName, isLogoName } from './read/about.ts'

/** `bytes` and `ctimeMs` show whether the file was replaced or changed since its checksum was computed. */
export interface ContentFile {
  readonly name: string
  readonly bytes: number
  readonly ctimeMs: number
  /** Hexadecimal. If the path can't be read as a file, this text says what it is, or which error occurred. */
  readonly sha256: string
}

export interface SnapshotContent {
  readonly files: readonly ContentFile[]
  /** Hexadecimal. Equal contents have equal fingerprints, regardless of the folder's name. */
  readonly fingerprint: string
}

const isLines = (name: string): boolean => /\.ndjson(\.gz)?$/.test(name)

/** Which files of the snapshot folder, and of its folders, a build reads. */
const read: readonly (readonly [folder: string, isRead: (name: string) => boolean])[] = [
  ['', (name) => name === aboutName || name === 'games.ndjson' || isLogoName(name)],
  ['sets', isLines],
  ['cards', isLines],
  ['history', (name) => /\.csv(\.gz)?$/.test(name)],
]

/** @param known files whose checksums were computed before */
export async function contentOf(snapshots: string, known: readonly ContentFile[] = []): Promise<SnapshotContent> {
  const before = new Map(known.map((file) => [file.name, file]))
  const files: ContentFile[] = []
  const sum = createHash('sha256')
  for (const [folder, isRead] of read) {
    const names = await readdir(join(snapshots, folder)).catch(() => [])
    for (const fileName of names.filter(isRead).sort()) {
      const file = await contentFile(snapshots, join(folder, fileName), before)
      files.push(file)
      sum.update(`${file.name}\0${file.bytes} ${file.sha256}\n`)
    }
  }
  return { files, fingerprint: sum.digest('hex') }
}

/** True if no file was replaced, changed, added or removed between the two readings. */
export const isUntouched = (before: SnapshotContent, now: SnapshotContent): boolean =>
  before.fingerprint === now.fingerprint && before.files.every(({ ctimeMs }, i) => ctimeMs === now.files[i]!.ctimeMs)

async function contentFile(
  snapshots: string,
  name: string,
  before: ReadonlyMap<string, ContentFile>,
): Promise<ContentFile> {
  const path = join(snapshots, name)
  try {
    const stats = await stat(path)
    const { size: bytes, ctimeMs } = stats
    const known = before.get(name)
    if (known?.bytes === bytes && known.ctimeMs === ctimeMs) return known
    const sha256 = stats.isFile() ? (await checksumOfFile(path)).sha256 : kindOf(stats)
    return { name, bytes, ctimeMs, sha256 }
  } catch (error) {
    return { name, bytes: 0, ctimeMs: 0, sha256: (error as NodeJS.ErrnoException).code ?? 'unreadable' }
  }
}
