/**
 * What has come of files that are being fetched, in `indexes/.fetching/`:
 *
 *   <sha256>.part    the file's first bytes, or all of them
 *   <sha256>.from    what the server gave to tell by whether the file is still the same (for If-Range)
 *
 * By their checksums: of whatever version they were fetched for, they are good for any that has the same file. A part is
 * taken up by the next try, also after a restart, and the checksum over all of it has the last word.
 */
import { type FileHandle, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Checksum, type Sum } from '../../checksum.ts'
import { fetchSyncBytes } from '../../limits.ts'
import { piecesOf } from '../file-checksum.ts'

export const fetchingName = '.fetching'

export class Parts {
  readonly #folder: string

  constructor(indexDir: string) {
    this.#folder = join(indexDir, fetchingName)
  }

  /** Of all that lies there, keeps what belongs to these files. */
  async keepOnly(files: readonly Sum[]): Promise<void> {
    await mkdir(this.#folder, { recursive: true })
    const wanted = new Set(files.flatMap(({ sha256 }) => [`${sha256}.part`, `${sha256}.from`]))
    for (const entry of await readdir(this.#folder, { withFileTypes: true })) {
      if (entry.isFile() && wanted.has(entry.name)) continue
      await rm(join(this.#folder, entry.name), { recursive: true, force: true })
    }
  }

  open(file: Sum): Promise<Part> {
    return Part.open(this.pathOf(file), join(this.#folder, `${file.sha256}.from`))
  }

  pathOf({ sha256 }: Sum): string {
    return join(this.#folder, `${sha256}.part`)
  }

  remove(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true })
  }
}

export class Part {
  readonly #handle: FileHandle
  readonly #validatorPath: string
  #sum = new Checksum()
  /** How many there are, */
  bytes = 0
  /** how many of them an earlier try had left, */
  kept = 0
  /** and how many were added since it was opened. */
  came = 0
  #unsynced = 0
  validator: string | undefined

  private constructor(handle: FileHandle, validatorPath: string, validator: string | undefined) {
    this.#handle = handle
    this.#validatorPath = validatorPath
    this.validator = validator
  }

  /** With what came before, read through. To be closed. */
  static async open(path: string, validatorPath: string): Promise<Part> {
    const validator = await readFile(validatorPath, 'latin1').catch(unlessMissing)
    const handle = await open(path, 'a+')
    const part = new Part(handle, validatorPath, validator)
    try {
      for await (const piece of piecesOf(handle)) part.#count(piece)
      part.kept = part.bytes
      return part
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  /** What comes from now on is told by it. */
  async beginsWith(validator: string | undefined): Promise<void> {
    if (validator === this.validator) return
    this.validator = validator
    if (validator === undefined) await rm(this.#validatorPath, { force: true })
    else await writeFile(this.#validatorPath, validator, 'latin1')
  }

  async add(piece: Uint8Array): Promise<void> {
    for (let at = 0; at < piece.length; ) at += (await this.#handle.write(piece, at)).bytesWritten
    this.#count(piece)
    this.came += piece.length
    this.#unsynced += piece.length
    if (this.#unsynced >= fetchSyncBytes) await this.sync()
  }

  async sync(): Promise<void> {
    this.#unsynced = 0
    await this.#handle.datasync()
  }

  /** Forgets what has come. */
  async beginAnew(): Promise<void> {
    await this.#handle.truncate(0)
    this.#sum = new Checksum()
    this.bytes = 0
    this.kept = 0
    await this.beginsWith(undefined)
  }

  /** Of all that has come; nothing can be added any more. */
  end(): Sum {
    return this.#sum.end()
  }

  close(): Promise<void> {
    return this.#handle.close()
  }

  #count(piece: Uint8Array): void {
    this.#sum.add(piece)
    this.bytes += piece.length
  }
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
