/**
 * Further columns of a seller's file that change what a row's price is for. They are read as if their values were part
 * of `Condition`:
 *
 *   column                        values                      meaning
 *   Printing, Finish, Variant …   Reverse Holofoil            the printing
 *   Foil                          yes, no, or a printing      whether the printing is a foil
 *   Edition                       1st Edition                 the words before the printing
 *   Language                      Japanese, ja                the language
 *   Grade                         blank or Ungraded           any other grade ends the import: it is no condition
 *   Currency                      blank or USD                any other currency ends the import
 */
import { foldCase } from '../../../src/names/fold.ts'
import { isPrintingOf } from '../../../src/names/printings.ts'
import { shown } from '../../read/snapshot-problems.ts'
import type { FileRecords } from '../read/file-records.ts'
import { type Meaning, otherColumns } from '../read/other-fields.ts'
import { normal } from '../source-values.ts'

/**
 * The printing and the language of a row's price. If the row names none, `printing` is empty, and `language` is
 * undefined.
 */
export interface Named {
  readonly printing: string
  readonly language: string | undefined
}

const isFoil = /\b(?:foil|holo|holofoil|etched)\b/i
/** The name of a column that says whether a card is a foil. */
const flag = /^\s*(?:is ?)?foil\s*\??\s*$/i
const yes = /^(?:yes|y|true|t|1|foil)$/i
const no = /^(?:no|n|false|f|0|non-?foil|normal|regular)$/i
const ungraded = /^(?:ungraded|raw|none|no|false|n\/a|0|-)$/i
const dollars = /^(?:USD|US ?\$|\$)$/i
const languages = new Map(Object.entries({ en: 'English', eng: 'English', ja: 'Japanese', jp: 'Japanese' }))

interface Column {
  readonly name: string
  readonly meaning: Meaning
  /** True if the column's value only says whether the card is a foil. */
  readonly isFlag: boolean
}

/** @param named the printing and the language in `Condition`. The result is undefined if the value contradicts them */
type Reader = (value: string, named: Named, isFlag: boolean) => Named | undefined

function withPrinting(value: string, { printing, language }: Named, isFlag: boolean): Named | undefined {
  const isYes = isFlag && yes.test(value)
  const isFlagged = isYes || (isFlag && no.test(value))
  if (printing === '') return { printing: isYes ? 'Foil' : isFlagged ? normal : value, language }
  const isSame = isFlagged ? isFoil.test(printing) === isYes : isPrintingOf(value, printing)
  return isSame ? { printing, language } : undefined
}

const readers: Readonly<Partial<Record<Meaning, Reader>>> = {
  printing: withPrinting,
  edition: (value, { printing, language }) => {
    const isSaid = printing !== '' && isPrintingOf(value, printing)
    return { printing: isSaid ? printing : `${value} ${printing}`.trim(), language }
  },
  language: (value, { printing, language }) => {
    const said = languages.get(value.toLowerCase()) ?? value
    const isSame = language === undefined || foldCase(said) === foldCase(language)
    return isSame ? { printing, language: language ?? said } : undefined
  },
  grade: (value, named) => (ungraded.test(value) ? named : undefined),
  currency: (value, named) => (dollars.test(value) ? named : undefined),
}
const order: readonly Meaning[] = ['printing', 'edition', 'language', 'grade', 'currency']
/**
 * If such a column has a value that can't be read, the error ends the import. In all other columns, only the row is
 * wrong.
 */
const endsImport: readonly Meaning[] = ['grade', 'currency']

export class FurtherColumns {
  readonly #columns: readonly Column[]
  readonly #records: FileRecords

  /** @param known columns that are read, or whose names are misleading */
  constructor(columns: readonly string[], known: readonly string[], records: FileRecords) {
    const further = otherColumns(columns, known, records)
    for (const { name, meaning } of further)
      if (!order.includes(meaning)) records.doubtful('line 1', 'is not read', name)
    this.#columns = order.flatMap((meaning) =>
      further
        .filter((column) => column.meaning === meaning)
        .map(({ name }) => ({ name, meaning, isFlag: flag.test(name) }))
        // Columns with a printing are read first, because a printing is more precise than `foil`.
        .sort((a, b) => Number(a.isFlag) - Number(b.isFlag)),
    )
    this.#records = records
  }

  /**
   * Returns the printing and the language that all columns name together. If a column contradicts the others, returns
   * that column's name. Returns undefined after an error.
   */
  read(field: (column: string) => string, line: number, condition: Named): Named | string | undefined {
    let named = condition
    for (const { name, meaning, isFlag } of this.#columns) {
      const value = field(name).trim()
      const said = value === '' ? named : readers[meaning]!(value, named, isFlag)
      if (said !== undefined) named = said
      else if (!endsImport.includes(meaning)) return name
      else {
        const { errors, file } = this.#records
        errors.add(
          file,
          `line ${line}.${name}`,
          `gives the price another ${meaning}, which is not imported`,
          shown(value),
        )
        return undefined
      }
    }
    return named
  }
}
