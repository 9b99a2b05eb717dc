/**
 * Which fields were met in a run. One that is in no record at all was renamed by the source: then all prices would be unknown,
 * or all products sealed, without a word.
 */
export class ExpectedFields {
  readonly #missing: Set<string>
  #records = 0
  #file: string | undefined

  constructor(names: readonly string[]) {
    this.#missing = new Set(names)
  }

  see(record: unknown, file: string): void {
    if (this.#missing.size === 0 || typeof record !== 'object' || record === null) return
    this.#file ??= file
    this.#records++
    for (const name of this.#missing) if (name in record) this.#missing.delete(name)
  }

  seeAll(): void {
    this.#missing.clear()
  }

  /** The first file read, and the fields that no record has; undefined if there is nothing to tell. */
  missing(): readonly [file: string, fields: string] | undefined {
    if (this.#missing.size === 0 || this.#records < recordsTelling) return undefined
    return [this.#file!, [...this.#missing].join(' and ')]
  }
}

/** So few records may lack a field by chance. */
const recordsTelling = 20
