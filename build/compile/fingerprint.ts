/**
 * Whether anything but prices moved since the last version: names, words, sets, numbers and the order of cards mostly stay, and
 * what was compiled from them alone is taken as it is.
 */
import { createHash } from 'node:crypto'
import type { SetRecord } from '../read/records.ts'
import type { CompiledBlock } from './cards.ts'

/** A checksum over all cards, whatever blocks they come in. */
export class ContentFingerprint {
  readonly #fields = createHash('sha256')

  /** @param sets in list order */
  constructor(sets: readonly SetRecord[]) {
    this.#fields.update(JSON.stringify(sets))
  }

  /** The next block in the order of files and lines. */
  add({ steady }: CompiledBlock): void {
    this.#fields.update(steady)
  }

  /** Hexadecimal. */
  end(): string {
    return this.#fields.digest('hex')
  }
}
