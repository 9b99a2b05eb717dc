/** A served version in the guide's examples: a card of it in place of the one in docs/api.md, and its answers to the requests. */
import { Answers } from '../api/answers.ts'
import type { Dataset } from '../api/dataset.ts'
import { Problems } from '../api/problems.ts'
import { routes } from '../api/routes.ts'
import { gameSlugs } from '../games.ts'
import { type Card, dearestOf, findCards } from './card-data.ts'

/** Known to people who have never collected cards. */
export const exampleQuery = 'charizard'

/** Texts that stand in quotation marks and addresses as they are. */
const plainWord = /^[A-Za-z0-9][\w.-]{0,60}$/
const plainText = /^[A-Za-z0-9][\w .-]{0,60}$/
const beginningChars = 4

/** The documented texts in code, the longest first where one is part of another. */
const documented =
  /pokemon-base1-004|mtg-unh-023|monkey[+ ]d[+ ]luffy|Base[+ ]Set|[Cc]harizard|4\/102|base1|\b(?:luffy|char|pokemon|swu)\b/g

export class GuideExamples {
  readonly #data: Dataset
  readonly #answers: Answers
  readonly #problems = new Problems('A')
  readonly #texts: ReadonlyMap<string, string>

  private constructor(data: Dataset, answers: Answers, card: Card, other: Card) {
    this.#data = data
    this.#answers = answers
    const { id, game, set, setCode, number } = card
    const name = card.name.toLowerCase()
    this.#texts = new Map([
      ['pokemon-base1-004', id],
      ['mtg-unh-023', other.id],
      ['monkey d luffy', name],
      ['luffy', name],
      ['Charizard', card.name],
      ['charizard', name],
      ['char', name.slice(0, beginningChars).trim()],
      ['4/102', number ?? ''],
      ['Base Set', set],
      ['base1', setCode],
      ['pokemon', game],
      ['swu', game],
    ])
  }

  /** Undefined if no card has texts that need no escapes. */
  static of(data: Dataset): GuideExamples | undefined {
    const cards = [
      ...findCards(data, exampleQuery, 0).cards,
      ...gameSlugs.flatMap((_, game) => dearestOf(data, game)),
    ].filter(isPlain)
    const answers = new Answers()
    const other = (card: Card) => cards.find(({ id }) => id !== card.id) ?? card
    const examples = cards.map((card) => new GuideExamples(data, answers, card, other(card)))
    return examples.find((one) => one.#isMatched()) ?? examples[0]
  }

  /** The code with the texts of the served card. */
  in(code: string): string {
    return code.replace(documented, (found) => {
      const own = this.#texts.get(found.replaceAll('+', ' ')) ?? found
      return found.includes('+') ? own.replaceAll(' ', '+') : own
    })
  }

  /** The body of the 200 that the server gives; undefined if it gives none. @param line of curl, with the served card's texts */
  answerTo(line: string): string | undefined {
    const [, path = '', query = ''] = /https?:\/\/[^/]+(\/[^'?\s]*)\??([^'\s]*)/.exec(line) ?? []
    return this.#answer(path, query, /-d '([^']*)'/.exec(line)?.[1])
  }

  #answer(path: string, query: string, body: string | undefined): string | undefined {
    for (const route of routes) {
      const parts = new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`).exec(path)
      if (parts === null || route.method !== (body === undefined ? 'GET' : 'POST')) continue
      const [, pathParameter = '', secondPathParameter = ''] = parts
      const sent = { pathParameter, secondPathParameter, query, body: Buffer.from(body ?? '') }
      const request = { ...sent, acceptsGzip: true, statusIfFound: 200 as const }
      const answer = this.#answers.of[route.operation](this.#data, request, this.#problems)
      if (answer instanceof Uint8Array) return Buffer.from(answer).toString('utf8')
    }
    return undefined
  }

  /** True if a line of a stock list finds the card. */
  #isMatched(): boolean {
    const body = this.in('{"cards":[{"name":"Charizard","number":"4/102","set":"Base Set"}]}')
    return this.#answer('/v1/match', '', body)?.startsWith('{"data":[{"match":"exact"') === true
  }
}

const isPlain = ({ id, name, set, setCode, number }: Card): boolean =>
  plainWord.test(id) &&
  plainWord.test(setCode) &&
  plainText.test(name) &&
  plainText.test(set) &&
  (number === null || /^[\w/ .-]+$/.test(number))
