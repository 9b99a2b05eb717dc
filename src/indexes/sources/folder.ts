/** Versions that a build, a rollback or a copy puts into INDEX_DIR. */
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Logger } from 'pino'
import { diskSilentMs } from '../../limits.ts'
import { type LoadingVersion, startLoading } from '../load.ts'
import { currentName, readCurrent } from '../manifest.ts'
import type { VersionSource } from './source.ts'

export class FolderSource implements VersionSource {
  readonly #indexDir: string
  readonly #log: Logger
  readonly published = undefined

  constructor(indexDir: string, log: Logger) {
    this.#indexDir = indexDir
    this.#log = log
  }

  stamp(): Promise<string> {
    return this.#watched(currentStamp(this.#indexDir))
  }

  load(): Promise<LoadingVersion | undefined> {
    return this.#watched(this.#load())
  }

  async #load(): Promise<LoadingVersion | undefined> {
    const version = await readCurrent(this.#indexDir)
    return version === undefined ? undefined : startLoading(this.#indexDir, version)
  }

  /** A mount that hangs says nothing by itself, and each further question would take one more of the process' few threads for files. */
  async #watched<Result>(reading: Promise<Result>): Promise<Result> {
    const late = setTimeout(() => {
      this.#log.error(
        `${resolve(this.#indexDir)} has not been read for ${diskSilentMs / 1000} s, and is waited for: does its disk answer?`,
      )
    }, diskSilentMs)
    try {
      return await reading
    } finally {
      clearTimeout(late)
    }
  }

  nothing(): string {
    const path = resolve(this.#indexDir)
    return `${nothingIn(path)}: build one there (card-prices build --out ${path}) or correct INDEX_DIR; until then all is answered 503`
  }

  begin(): void {}

  async end(): Promise<void> {}
}

/** @param path absolute, of a folder without a version */
export const nothingIn = (path: string): string =>
  existsSync(path) ? `no version is published in ${path} yet` : `there is no folder ${path}`

/** What tells one `indexes/current` from the next; empty if there is none. To be taken before the version is read. */
export async function currentStamp(indexDir: string): Promise<string> {
  const path = resolve(indexDir, currentName)
  try {
    const { ino, mtimeMs, size } = await stat(path)
    return `${ino} ${mtimeMs} ${size}`
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return ''
    if (code === 'ENOTDIR') throw new Error(`INDEX_DIR: must be a folder (${indexDir})`)
    throw new Error(`${path} can't be looked at (${code ?? message})`)
  }
}
