/**
 * Replaces the files of an import together.
 *
 *   import/.staging-XXXX/…    all files, written and synced; unchanged ones are removed
 *   import/.journal           lists them; from here on the import is durable
 *   sets/ cards/ history/ …   each file is renamed to its place; then the journal and the staging folder are removed
 *
 * An import that is killed before the journal exists has changed nothing. After that, the next import or build
 * completes it first: `finishImport`.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { checksumOfFile } from '../../../src/indexes/plain-file.ts'
import { diskErrorText, replaceFile, sync, writeSynced } from '../../../src/indexes/publish/durable.ts'
import { lockBuilds } from '../../../src/indexes/publish/lock.ts'
import { newStaging } from '../../../src/indexes/publish/versions.ts'
import { makeFolder } from '../../../src/platform/make-folder.ts'
import { ImportError } from '../import-errors.ts'
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
    makeFolder(join(out, importFolder))
  } catch (error) {
    const isNamed = (error as NodeJS.ErrnoException).code === undefined
    throw isNamed ? new ImportError([`${(error as Error).message}; nothing was changed`]) : writeError(out, error)
  }
  const release = await lockBuilds(join(out, importFolder), 'import')
  try {
    await finish(out)
  } catch (error) {
    release()
    throw error
  }
  return release
}

/** True if an import was killed while it renamed its files, or is renaming them now. */
export const isImportUnfinished = (snapshots: string): boolean => existsSync(join(snapshots, journalFile))

/**
 * Finishes an import that was killed while it renamed its files. A build calls this before it reads the snapshot.
 * Throws while another import is running.
 */
export async function finishImport(snapshots: string): Promise<void> {
  if (!isImportUnfinished(snapshots)) return
  const release = await lockFolder(snapshots)
  release()
}

async function finish(out: string): Promise<void> {
  const path = join(out, journalFile)
  if (existsSync(path)) {
    const { stage, files, removed } = JSON.parse(readFileSync(path, 'utf8')) as Journal
    for (const name of files) {
      const staged = join(out, stage, name)
      // A missing file was renamed before the import was killed.
      if (existsSync(staged)) renameSync(staged, join(out, name))
    }
    for (const name of removed) rmSync(join(out, name), { force: true })
    for (const folder of foldersOf([...files, ...removed])) await sync(join(out, folder))
    rmSync(path)
    await sync(join(out, importFolder))
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

  writeLines(name: string, lines: Iterable<string>): Promise<void> {
    return this.write(name, chunksOf(lines))
  }

  /** Stages a file. Throws ImportError if the disk is full, or permission is missing. */
  async write(name: string, content: Iterable<Uint8Array>): Promise<void> {
    const [path, target] = [join(this.#out, this.#stage, name), join(this.#out, name)]
    try {
      mkdirSync(dirname(path), { recursive: true })
      const { sha256 } = await writeSynced(path, content)
      if (existsSync(target) && (await checksumOfFile(target)).sha256 === sha256) {
        rmSync(path)
        this.#unchanged.add(name)
      } else this.#files.push(name)
    } catch (error) {
      throw writeError(target, error)
    }
  }

  /** The path of a file that only the import itself needs. The file is removed with the staging folder. */
  scratchFile(name: string): string {
    const folder = join(this.#out, this.#stage)
    try {
      mkdirSync(folder, { recursive: true })
    } catch (error) {
      throw writeError(folder, error)
    }
    return join(folder, `.${name}`)
  }

  /** Renames all staged files to their places, and deletes the files in `removed`. */
  async place(removed: readonly string[]): Promise<void> {
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
        for (const folder of [...foldersOf(this.#files), '.']) await sync(join(this.#out, this.#stage, folder))
        const beside = join(this.#out, this.#stage, 'journal')
        await replaceFile(join(this.#out, journalFile), Buffer.from(JSON.stringify(journal)), beside)
      } catch (error) {
        throw writeError(this.#out, error)
      }
    }
    await finish(this.#out)
  }

  /** Removes the staged files, unless the journal lists them. */
  discard(): void {
    if (!existsSync(join(this.#out, journalFile)))
      rmSync(join(this.#out, this.#stage), { recursive: true, force: true })
  }
}

export const writeError = (path: string, error: unknown): ImportError =>
  new ImportError([`${path}: can't be written: ${diskErrorText(error)}; nothing was changed`])

function* chunksOf(lines: Iterable<string>): Generator<Uint8Array> {
  let chunk = ''
  for (const line of lines) {
    chunk += `${line}\n`
    if (chunk.length < writeChars) continue
    yield Buffer.from(chunk)
    chunk = ''
  }
  yield Buffer.from(chunk)
}

const foldersOf = (names: readonly string[]): string[] => [...new Set(names.map((name) => dirname(name)))]
