/**
 * The histories of several cards as one body. Its length is computed first, and its pieces are rendered while they are
 * sent. So a slow reader does not keep the whole body in memory.
 *
 *   {"data":[ │ {"cardId":"…", … ,"history":[…]} │ ,{"cardId":"…", … } │ ]}
 *             └ piece 0                          └ piece 1             └ the last piece is the end
 *
 * The body may be longer than that of one card can be: 20 cards with a year of prices take 420 KB.
 */

/** Renders a piece. The bytes are valid until the next call. */
export type RenderPiece = (piece: number) => Uint8Array

/** The bytes that `subarray` returned last. They are reused, so memory does not grow. */
let slice = new Uint8Array(0)

export class Histories {
  /** The body's length in bytes. */
  readonly length: number
  /** The end of each piece in the body. */
  readonly #ends: readonly number[]
  readonly #render: RenderPiece

  /** @param sizes the number of bytes that `render` returns for each piece */
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
