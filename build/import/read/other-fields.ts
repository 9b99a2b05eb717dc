/**
 * Finds fields and columns that a source does not read, although their names suggest further prices, or a different
 * meaning of a price: `trend-holo`, `usd_glossy`, `Printing`, `Currency`. They are reported or rejected, and never
 * ignored.
 */
import type { FileRecords } from './file-records.ts'

/** The property of a row's price that a column states. */
export type Meaning = 'printing' | 'edition' | 'language' | 'grade' | 'currency' | 'condition'

const wordsOf: Readonly<Record<Meaning, string>> = {
  language: 'language languages lang locale',
  currency: 'currency currencies usd eur gbp jpy cad aud chf cny euro euros dollar dollars pound pounds yen',
  grade: 'grade grades graded grading grader psa bgs cgc sgc slab slabbed',
  edition: 'edition editions 1st unlimited shadowless',
  printing: `printing printings finish finishes foil foils holo holofoil reverse etched glossy variant variants variance
    variances variation variations treatment subtype`,
  condition: 'condition conditions',
}
const meanings: ReadonlyMap<string, Meaning> = new Map(
  Object.entries(wordsOf).flatMap(([meaning, words]) =>
    words.split(/\s+/).map((word) => [word, meaning as Meaning] as const),
  ),
)
const currencyWords = new Set(['currency', 'currencies'])
const priceWord = /^(?:prices?|low|mid|high|market|trend|avg\d*|average|median|buy|sell|buylist|cents|quantity)$/

/** The lower-case words of a name such as `isFoil`, `trend-foil` or `Card Language`. */
const words = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/\bsub[ _-]type/g, 'subtype')
    .match(/[a-z\d]+/g) ?? []

/** The property that a column of this name states; undefined if it states none. */
export function meaningOf(name: string): Meaning | undefined {
  const found = words(name).flatMap((word) => meanings.get(word) ?? [])
  // `Printing Language` means the language, which is first in this order.
  return (Object.keys(wordsOf) as Meaning[]).find((meaning) => found.includes(meaning))
}

/**
 * True for the name of a column with further prices, such as `Foil Price`. Such a column does not change the meaning of
 * the row's other prices.
 */
export const namesPrices = (name: string): boolean =>
  words(name).some((word) => priceWord.test(word)) && !words(name).some((word) => currencyWords.has(word))

const otherPrices = 'is of other prices, which are not imported'

/** Reports unread fields of records, each name once. */
export class OtherFields {
  readonly #seen: Set<string>

  /** @param known fields that are read, or that are never prices */
  constructor(known: readonly string[]) {
    this.#seen = new Set(known)
  }

  see(record: object, place: string, records: FileRecords): void {
    for (const name in record) {
      if (this.#seen.has(name)) continue
      const value = (record as Record<string, unknown>)[name]
      // A price that is unknown is not reported.
      if (value === null || value === undefined || value === 0 || value === '') continue
      this.#seen.add(name)
      if (meaningOf(name) !== undefined) records.doubtful(`${place}.${name}`, otherPrices, name)
    }
  }
}

/** Reports columns with further prices. Returns the columns whose values change the meaning of a row's price. */
export function otherColumns(
  columns: readonly string[],
  known: readonly string[],
  records: FileRecords,
): { readonly name: string; readonly meaning: Meaning }[] {
  const changing: { name: string; meaning: Meaning }[] = []
  for (const name of new Set(columns)) {
    const meaning = known.includes(name) ? undefined : meaningOf(name)
    if (meaning === undefined) continue
    if (namesPrices(name)) records.doubtful('line 1', otherPrices, name)
    else changing.push({ name, meaning })
  }
  return changing
}

/** Adds an error for each column that may change the meaning of a row's price. */
export function rejectOtherColumns(columns: readonly string[], known: readonly string[], records: FileRecords): void {
  for (const { name, meaning } of otherColumns(columns, known, records))
    records.errors.add(
      records.file,
      'line 1',
      `has the column ${name}, which may give a price another ${meaning}: import the rows of one ${meaning} without it`,
    )
}
