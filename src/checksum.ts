/** Checksums: SHA-256 over a stream of bytes. */
import { createHash } from 'node:crypto'

export interface Sum {
  /** Their number. */
  readonly bytes: number
  /** Hexadecimal. */
  readonly sha256: string
}

export class Checksum {
  readonly #hash = createHash('sha256')
  #bytes = 0

  add(chunk: Uint8Array): this {
    this.#hash.update(chunk)
    this.#bytes += chunk.length
    return this
  }

  /** Nothing can be added afterwards. */
  end(): Sum {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') }
  }
}

/** Rejects if reading rejects. */
export async function checksumOf(chunks: AsyncIterable<Uint8Array>): Promise<Sum> {
  const sum = new Checksum()
  for await (const chunk of chunks) sum.add(chunk)
  return sum.end()
}
