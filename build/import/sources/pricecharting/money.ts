/** PriceCharting's prices: whole cents as its API gives them, or dollars with a `$`; never both in one file. */
import { centsOf } from '../../../read/cents.ts'
import type { ImportErrors } from '../../errors.ts'

const dollars = /^\$(\d{1,3}(?:,\d{3})+|\d+)(\.\d{1,2})?$/
const wholeCents = /^\d+$/

export class Money {
  readonly #file: string
  readonly #errors: ImportErrors
  /** What the first price was, and where. */
  #form: 'dollars' | 'cents' | undefined
  #first = ''
  #told = false

  constructor(file: string, errors: ImportErrors) {
    this.#file = file
    this.#errors = errors
  }

  /** Cents, null for a blank, or what is wrong. A file that mixes both forms is a fault. */
  cents(text: string, place: string): number | string | null {
    if (text === '') return null
    const match = dollars.exec(text)
    if (match === null && !wholeCents.test(text)) return 'must be dollars as $1,234.56, or whole cents'
    const form = match === null ? 'cents' : 'dollars'
    if (this.#form === undefined) {
      this.#form = form
      this.#first = place
    } else if (form !== this.#form && !this.#told) {
      this.#told = true
      this.#errors.add(
        this.#file,
        place,
        `has ${form}, and ${this.#first} has ${this.#form}: a file must not mix them`,
        text,
      )
    }
    return match === null ? Number(text) : centsOf(`${match[1]!.replaceAll(',', '')}${match[2] ?? ''}`)
  }
}
