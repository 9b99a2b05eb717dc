/**
 * The histories of several cards as one body. It is measured first, and rendered while it is sent, so a reader that
 * takes little of it costs no memory:
 *
 *   {"data":[ │ {"cardId":"…", … ,"history":[…]} │ ,{"cardId":"…", … } │ ]}
 *             └ piece 0                          └ piece 1             └ the last piece is the end
 *
 * Longer than a response of one card may be: 20 cards of a year have 420 KB.
 */

/** Renders a piece. The bytes are valid until the next call. */
export type RenderPiece = (piece: number) => Uint8Array

/** The bytes that were asked for last. Whoever sends a body asks for two slices at most. */
let slice = new Uint8Array(0)

export class Histories {
  /** How many bytes the body has. */
  readonly length: number
  /** By piece: where it ends. */
  readonly #ends: readonly number[]
  readonly #render: RenderPiece

  /** @param sizes by piece: how many bytes `render` returns */
  constructor(sizes: readonly number[], render: RenderPiece) {
    let end = 0
    this.#ends = sizes.map((size) => {
      end += size
      return end
    })
    this.length = end
    this.#render = render
  }

  /** The whole body, in memory of its own. */
  get body(): Uint8Array {
    return this.#copy(0, this.length, new Uint8Array(this.length))
  }

  /** The bytes from `from` up to `to`, valid until the next call in this thread. */
  subarray(from: number, to: number): Uint8Array {
    if (slice.length < to - from) slice = new Uint8Array(to - from)
    return this.#copy(from, to, slice)
  }

  #copy(from: number, to: number, target: Uint8Array): Uint8Array {
    let piece = this.#ends.findIndex((end) => end > from)
    for (let at = from; at < to; piece++) {
      const end = this.#ends[piece]!
      const bytes = this.#render(piece)
      const start = end - bytes.length
      target.set(bytes.subarray(at - start, to - start), at - from)
      at = end
    }
    return target.subarray(0, to - from)
  }
}
