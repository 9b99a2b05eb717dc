/** The cards of a block of lines as columns, in the order of the lines. */
import type { IdBytes } from '../read/card-ids.ts'
import type { FoundProblems } from '../read/problems.ts'

export interface CardBlock {
  /** Its path from the snapshot folder. */
  readonly file: string
  readonly lines: Uint32Array<ArrayBuffer>
  readonly games: Uint8Array<ArrayBuffer>
  /** Indexes in the list of sets, -1 if the card's set is not there. */
  readonly sets: Int32Array<ArrayBuffer>
  /** Cents, `noPrice` if unknown. */
  readonly markets: Uint32Array<ArrayBuffer>
  /** Days of `updatedAt`, `noDay` if unknown. */
  readonly updates: Int32Array<ArrayBuffer>
  /** The ids one after the other; where each starts and the last one ends. */
  readonly ids: Uint8Array<ArrayBuffer>
  readonly idsAt: Uint32Array<ArrayBuffer>
  /** Where the texts start in the file of texts, and where each text lies in them, as `RenderedCard` has it. */
  readonly from: number
  readonly textsAt: Uint32Array<ArrayBuffer>
  /** A JSON array of the fields that do not change with prices (search-document.ts). */
  readonly documents: Uint8Array<ArrayBuffer>
  readonly problems: FoundProblems
}

/** A checked and rendered card: its block, and its row within the block. */
export interface Card {
  readonly block: CardBlock
  readonly row: number
}

export const idOf = ({ block, row }: Card): IdBytes => ({
  bytes: block.ids,
  start: block.idsAt[row]!,
  end: block.idsAt[row + 1]!,
})
