/**
 * Where loops over an index's bytes end. A version with right checksums can still hold wrong numbers, and nobody checks
 * each number. So a reader never trusts a number as the end of a loop or as a length:
 *
 *   loop over                       ends at                                         by
 *   a list: `…At[i]` to `…At[i+1]`  the end of the list's column                    `endOf`
 *   a text of a response            the end of its column                           `Items.add`, `AnswerBuffer.addBytes`
 *   all texts of a response         `answerBytesMax`                                `AnswerBuffer`, `Catalog.details`
 *   slots of ids                    the first empty slot: there is one              `readIds`, which looks for it
 *   slots of texts                  the first empty slot: half of them are          `TextTable`
 *   runs of a series                the first day of the calendar: days descend     `History`
 *                                   the end of the column, which is no run          `SeriesReader`
 *   bytes of a varint               its fifth byte                                  `SeriesReader`
 *   words of a name, in pairs       `orderedWordsMax`                               `Ranker`
 *   a binary search                 32 steps                                        `firstWhere`, `Vocabulary`
 *   candidates, cards of a page     one visit of each name; the page's limit        `Candidates`, `Selection`
 *
 * A wrong number then gives a wrong answer, or an exception and a 500. Reading past a typed array gives undefined, and
 * a DataView throws.
 */

/**
 * Where list i of a column ends. The shift tells V8 that the result is an unsigned 32-bit number, as the list's start
 * is. Otherwise loops compare doubles.
 * @param at the start of each list
 * @param length the column's length
 */
export function endOf(at: Uint32Array, i: number, length: number): number {
  const end = at[i + 1]!
  return (end < length ? end : length) >>> 0
}
