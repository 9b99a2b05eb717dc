/**
 * A file while it is downloaded, and beside it, in `….from`, the server's validator of it (If-Range). The next run resumes it.
 */
import { type FileHandle, open, readFile, rm, writeFile } from 'node:fs/promises'
import { Checksum, type Sum } from '../../src/checksum.ts'
import { piecesOf } from '../../src/indexes/plain-file.ts'

/** So that one sync does not occupy the disk for long. */
const syncedBytes = 8 * 1024 * 1024

export class PartialFile {
  readonly #handle: FileHandle
  readonly #validatorPath: string
  #sum = new Checksum()
  bytes = 0
  /** Of an earlier try. */
  resumed = 0
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
    this.#unsynced += piece.length
    if (this.#unsynced >= syncedBytes) await this.sync()
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
