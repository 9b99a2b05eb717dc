/**
 * Replaces the files of an import together.
 *
 *   import/.staging-XXXX/…    all files, written and synced; unchanged ones are removed
 *   import/.journal           lists them; from here on the import is durable
 *   sets/ cards/ history/ …   each file is renamed to its place; then the journal and the staging folder are removed
 *
 * An import that is killed before the journal exists has changed nothing. After that, the next import or build completes it
 * first: `finishImport`.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { diskErrorText } from '../../../src/indexes/publish/disk-errors.ts'
import { lockBuilds } from '../../../src/indexes/publish/lock.ts'
import { newStaging } from '../../../src/indexes/publish/versions.ts'
import { ImportError } from '../errors.ts'
import { importFolder } from './folder.ts'

const journalFile = `${importFolder}/.journal`

interface Journal {
  /** A path from the snapshot folder, like the names below. */
  readonly stage: string
  readonly files: readonly string[]
  readonly removed: readonly string[]
}

const writeChars = 1024 * 1024

/** Locks the folder, and finishes an import that was killed. Returns the unlock function. */
export async function lockFolder(out: string): Promise<() => void> {
  try {
    mkdirSync(join(out, importFolder), { recursive: true })
  } catch (error) {
    throw writeError(out, error)
  }
  const release = await lockBuilds(join(out, importFolder), 'import')
  try {
    finish(out)
  } catch (error) {
    release()
    throw error
  }
  return release
}

/** True if an import was killed while it renamed its files, or is renaming them now. */
export const isImportUnfinished = (snapshots: string): boolean => existsSync(join(snapshots, journalFile))

/**
 * Finishes an import that was killed while it renamed its files. The build calls it before it reads. Throws while an import is
 * running.
 */
export async function finishImport(snapshots: string): Promise<void> {
  if (!isImportUnfinished(snapshots)) return
  const release = await lockFolder(snapshots)
  release()
}

function finish(out: string): void {
  const path = join(out, journalFile)
  if (existsSync(path)) {
    const { stage, files, removed } = JSON.parse(readFileSync(path, 'utf8')) as Journal
    for (const name of files) {
      const staged = join(out, stage, name)
      // A missing file was renamed before the import was killed.
      if (existsSync(staged)) renameSync(staged, join(out, name))
    }
    for (const name of removed) rmSync(join(out, name), { force: true })
    for (const folder of foldersOf([...files, ...removed])) syncFolder(join(out, folder))
    rmSync(path)
    syncFolder(join(out, importFolder))
  }
  for (const name of readdirSync(join(out, importFolder))) {
    if (name.startsWith('.staging-')) rmSync(join(out, importFolder, name), { recursive: true, force: true })
  }
}

export class Staging {
  readonly #out: string
  readonly #stage = newStaging(importFolder)
  readonly #files: string[] = []
  readonly #unchanged = new Set<string>()

  constructor(out: string) {
    this.#out = out
  }

  get changed(): readonly string[] {
    return this.#files
  }

  get unchanged(): number {
    return this.#unchanged.size
  }

  /** True if the import writes the file, changed or not. */
  has(name: string): boolean {
    return this.#unchanged.has(name) || this.#files.includes(name)
  }

  writeLines(name: string, lines: Iterable<string>): void {
    this.#write(name, chunksOf(lines))
  }

  writeBytes(name: string, bytes: Buffer): void {
    this.#write(name, [bytes])
  }

  /** Throws ImportError if the disk is full, or permission is missing. */
  #write(name: string, content: Iterable<string | Buffer>): void {
    const path = join(this.#out, this.#stage, name)
    try {
      mkdirSync(dirname(path), { recursive: true })
      writeSynced(path, content)
      if (isSame(path, join(this.#out, name))) {
        rmSync(path)
        this.#unchanged.add(name)
      } else this.#files.push(name)
    } catch (error) {
      throw writeError(join(this.#out, name), error)
    }
  }

  /** Renames all files to their places. */
  place(removed: readonly string[]): void {
    if (this.#files.length > 0 || removed.length > 0) {
      const journal: Journal = { stage: this.#stage, files: this.#files, removed }
      try {
        const { dev } = statSync(join(this.#out, importFolder))
        for (const folder of foldersOf(this.#files)) {
          const path = join(this.#out, folder)
          mkdirSync(path, { recursive: true })
          if (statSync(path).dev !== dev)
            throw new Error(`must be on one file system with ${join(this.#out, importFolder)}`)
        }
        mkdirSync(join(this.#out, this.#stage), { recursive: true })
        const staged = join(this.#out, this.#stage, 'journal')
        writeSynced(staged, [JSON.stringify(journal)])
        for (const folder of foldersOf(this.#files)) syncFolder(join(this.#out, this.#stage, folder))
        syncFolder(join(this.#out, this.#stage))
        renameSync(staged, join(this.#out, journalFile))
        syncFolder(join(this.#out, importFolder))
      } catch (error) {
        throw writeError(this.#out, error)
      }
    }
    finish(this.#out)
  }

  /** Removes the staged files, unless the journal lists them. */
  discard(): void {
    if (!existsSync(join(this.#out, journalFile)))
      rmSync(join(this.#out, this.#stage), { recursive: true, force: true })
  }
}

/** The content is on the disk when this returns; the name is after `syncFolder`. */
function writeSynced(path: string, content: Iterable<string | Buffer>): void {
  const file = openSync(path, 'w')
  try {
    for (const chunk of content) writeFileSync(file, chunk)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

export const writeError = (path: string, error: unknown): ImportError =>
  new ImportError([`${path}: can't be written: ${diskErrorText(error)}; nothing was changed`])

function* chunksOf(lines: Iterable<string>): Generator<string> {
  let chunk = ''
  for (const line of lines) {
    chunk += `${line}\n`
    if (chunk.length < writeChars) continue
    yield chunk
    chunk = ''
  }
  yield chunk
}

function isSame(path: string, other: string): boolean {
  const found = statSync(other, { throwIfNoEntry: false })
  if (found === undefined) return false
  if (!found.isFile()) throw new Error('must be a plain file')
  return found.size === statSync(path).size && readFileSync(path).equals(readFileSync(other))
}

const foldersOf = (names: readonly string[]): string[] => [...new Set(names.map((name) => dirname(name)))]

function syncFolder(path: string): void {
  if (!existsSync(path)) return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
