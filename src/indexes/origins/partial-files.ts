/**
 * Partial files of downloads, in `indexes/.fetching/`:
 *
 *   <sha256>.part    the file's first bytes, or all of them
 *   <sha256>.from    the server's validator of the file, for If-Range
 *
 * They are named by checksum, so any version with the same file can use them. The next try resumes a partial file, also after
 * a restart. In the end the checksum over the whole file decides.
 */
import { type FileHandle, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Checksum, type Sum } from '../../checksum.ts'
import { fetchSyncBytes } from '../../limits.ts'
import { piecesOf } from '../plain-file.ts'

export const fetchingName = '.fetching'

export class PartialFiles {
  readonly #folder: string

  constructor(indexDir: string) {
    this.#folder = join(indexDir, fetchingName)
  }

  /** Removes all partial files of other files. */
  async keepOnly(files: readonly Sum[]): Promise<void> {
    await mkdir(this.#folder, { recursive: true })
    const wanted = new Set(files.flatMap(({ sha256 }) => [`${sha256}.part`, `${sha256}.from`]))
    for (const entry of await readdir(this.#folder, { withFileTypes: true })) {
      if (entry.isFile() && wanted.has(entry.name)) continue
      await rm(join(this.#folder, entry.name), { recursive: true, force: true })
    }
  }

  open(file: Sum): Promise<PartialFile> {
    return PartialFile.open(this.pathOf(file), join(this.#folder, `${file.sha256}.from`))
  }

  pathOf({ sha256 }: Sum): string {
    return join(this.#folder, `${sha256}.part`)
  }

  remove(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true })
  }
}

export class PartialFile {
  readonly #handle: FileHandle
  readonly #validatorPath: string
  #sum = new Checksum()
  bytes = 0
  /** Of an earlier try. */
  resumed = 0
  /** Received since it was opened. */
  received = 0
  #unsynced = 0
  validator: string | undefined

  private constructor(handle: FileHandle, validatorPath: string, validator: string | undefined) {
    this.#handle = handle
    this.#validatorPath = validatorPath
    this.validator = validator
  }

  /** Hashes the bytes of an earlier try. The caller must close it. */
  static async open(path: string, validatorPath: string): Promise<PartialFile> {
    const validator = await readFile(validatorPath, 'latin1').catch(unlessMissing)
    const handle = await open(path, 'a+')
    const part = new PartialFile(handle, validatorPath, validator)
    try {
      for await (const piece of piecesOf(handle)) part.#count(piece)
      part.resumed = part.bytes
      return part
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  /** Sets the validator of the bytes to come. */
  async setValidator(validator: string | undefined): Promise<void> {
    if (validator === this.validator) return
    this.validator = validator
    if (validator === undefined) await rm(this.#validatorPath, { force: true })
    else await writeFile(this.#validatorPath, validator, 'latin1')
  }

  async add(piece: Uint8Array): Promise<void> {
    for (let at = 0; at < piece.length; ) at += (await this.#handle.write(piece, at)).bytesWritten
    this.#count(piece)
    this.received += piece.length
    this.#unsynced += piece.length
    if (this.#unsynced >= fetchSyncBytes) await this.sync()
  }

  async sync(): Promise<void> {
    this.#unsynced = 0
    await this.#handle.datasync()
  }

  /** Removes all bytes. */
  async restart(): Promise<void> {
    await this.#handle.truncate(0)
    this.#sum = new Checksum()
    this.bytes = 0
    this.resumed = 0
    await this.setValidator(undefined)
  }

  /** The checksum of all bytes; ends the writing. */
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
