/** The checksum of a file: SHA-256 over its bytes as they pass, whether they are read, written or lie in memory. */
import { createHash } from 'node:crypto'

export interface Sum {
  /** How many passed. */
  readonly bytes: number
  /** Hexadecimal. */
  readonly sha256: string
}

export class Checksum {
  readonly #hash = createHash('sha256')
  #bytes = 0

  add(piece: Uint8Array): this {
    this.#hash.update(piece)
    this.#bytes += piece.length
    return this
  }

  /** Of all pieces; nothing can be added any more. */
  end(): Sum {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') }
  }
}

/** Of a file as it is read. Rejects with what reading it throws. */
export async function checksumOf(pieces: AsyncIterable<Uint8Array>): Promise<Sum> {
  const sum = new Checksum()
  for await (const piece of pieces) sum.add(piece)
  return sum.end()
}
