/** The origin without INDEX_URL: a build, a rollback or a copy puts versions into INDEX_DIR. */
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Logger } from 'pino'
import { diskSilentMs } from '../../limits.ts'
import { loadVersion } from '../load.ts'
import { currentName, readCurrent } from '../manifest.ts'
import type { VersionFiles } from '../version.ts'
import type { VersionOrigin } from './origin.ts'

export class FolderOrigin implements VersionOrigin {
  readonly #indexDir: string
  readonly #log: Logger
  readonly remote = undefined

  constructor(indexDir: string, log: Logger) {
    this.#indexDir = indexDir
    this.#log = log
  }

  stamp(): Promise<string> {
    return this.#watched(currentStamp(this.#indexDir))
  }

  load(): Promise<VersionFiles | undefined> {
    return this.#watched(this.#load())
  }

  async #load(): Promise<VersionFiles | undefined> {
    const version = await readCurrent(this.#indexDir)
    return version === undefined ? undefined : loadVersion(this.#indexDir, version)
  }

  /** Logs a mount that hangs. It does not retry, because each try would block another of the process's few I/O threads. */
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

  emptyMessage(): string {
    const path = resolve(this.#indexDir)
    return `${emptyMessageOf(path)}: build one there (card-prices build --out ${path}) or correct INDEX_DIR; until then all is answered 503`
  }

  begin(): void {}

  async end(): Promise<void> {}
}

/** A message. @param path absolute, of a folder without a version */
export const emptyMessageOf = (path: string): string =>
  existsSync(path) ? `no version is published in ${path} yet` : `there is no folder ${path}`

/** Identifies the state of `indexes/current`; empty without one. Call it before reading the version. */
export async function currentStamp(indexDir: string): Promise<string> {
  const path = resolve(indexDir, currentName)
  try {
    const { ino, mtimeMs, size } = await stat(path)
    return `${ino} ${mtimeMs} ${size}`
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return ''
    if (code === 'ENOTDIR') throw new Error(`INDEX_DIR: must be a folder (${indexDir})`)
    throw new Error(`${path} can't be read (${code ?? message})`)
  }
}
