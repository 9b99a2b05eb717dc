/**
 * `set-figures.msgpack`: what the cards of each set cost at market prices, by set number. Only pages need it.
 *
 *   cents    the sum of all printings │ the sum of, for each number, the cheapest printing
 *   counts   printings with a price │ numbers │ numbers with a price
 *   dearest  the indexes of the dearest cards, the dearest first; `noCard` if the set has fewer priced cards
 */
import { f64Column, indexFile, noMeta, u32Column } from './format.ts'

export const setFiguresFileName = 'set-figures.msgpack'

/** The number of dearest cards that the file has for each set. */
export const dearestMax = 5
export const noCard = 0xffffffff

export const { write: writeSetFiguresFile, read: readSetFiguresFile } = indexFile(
  'set figures',
  {
    cents: f64Column,
    counts: u32Column,
    dearest: u32Column,
  },
  noMeta,
)

export type SetFiguresFile = ReturnType<typeof readSetFiguresFile>
