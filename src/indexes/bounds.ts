/**
 * Where loops over an index's bytes end. A version with correct checksums can still contain wrong numbers, because no
 * number is checked. So a reader never uses a number from a file alone as the end of a loop or as a length:
 *
 *   loop over                       ends at                                        in
 *   a list: `…At[i]` to `…At[i+1]`  the end of the list's column                   `endOf`
 *   a text of a response            the end of its column                          `Items.add`, `AnswerBuffer.addBytes`
 *   all texts of a response         `answerBytesMax`                               `AnswerBuffer`, `Catalog.details`
 *   slots of ids                    the first empty slot; `readIds` checks for one `Records`
 *   slots of texts                  the first empty slot; half of them are empty   `TextTable`
 *   runs of a series                the first day of the calendar, as days descend `History`
 *                                   the end of the column: no code follows         `SeriesReader`
 *   bytes of a varint               its fifth byte                                 `SeriesReader`
 *   words of a name, in pairs       `orderedWordsMax`                              `Ranker`
 *   a binary search                 32 steps                                       `firstWhere`, `Vocabulary`
 *   candidates, cards of a page     one visit of each name; the page's limit       `Candidates`, `Selection`
 *
 * A wrong number then gives a wrong response, or an exception and a 500. A read past a typed array returns undefined,
 * and a DataView throws.
 */

/**
 * Where list i of a column ends. The shift tells V8 that the result is an unsigned 32-bit number, like the list's
 * start. Otherwise loops would compare float64 numbers.
 * @param at the start of each list
 * @param length the column's length
 */
export function endOf(at: Uint32Array, i: number, length: number): number {
  const end = at[i + 1]!
  return (end < length ? end : length) >>> 0
}
