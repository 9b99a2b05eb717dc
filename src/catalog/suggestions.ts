/** Renders lists of suggested names. */
import type { ListsFile } from '../indexes/lists-file.ts'
import { suggestLimitMax } from '../limits.ts'
import type { NameList } from '../search/search.ts'
import { AnswerBuffer, Items, SharedText } from './answer-buffer.ts'

export class Suggestions {
  readonly #source: SharedText
  readonly #at: Uint32Array
  readonly #items = new Items(suggestLimitMax)
  readonly #answer = new AnswerBuffer()

  constructor({ suggestions, suggestionsAt }: ListsFile) {
    this.#source = new SharedText(suggestions)
    this.#at = suggestionsAt
  }

  /** The body, valid until the next call. */
  list({ names, count }: NameList): Uint8Array {
    const items = this.#items
    items.count = 0
    for (let i = 0; i < count; i++) {
      const name = names[i]!
      items.add(this.#source, this.#at[name]!, this.#at[name + 1]!)
    }
    this.#answer.start('{"data":[')
    this.#answer.addItems(items)
    return this.#answer.finish(']}')
  }
}
