/**
 * Puts the served version into the guide's examples. A card of the version replaces the card in docs/api.md, and the
 * version's responses replace the documented ones.
 */
import { Answers } from '../../api/answers.ts'
import type { Dataset } from '../../api/dataset.ts'
import { Problems } from '../../api/problems.ts'
import { routes } from '../../api/routes.ts'
import { bestHits, type Card, dearestOf } from '../cards/card-data.ts'

/** This name is known to people who have never collected cards. */
export const exampleQuery = 'charizard'

/** Texts that need no escapes in quotation marks and in addresses. */
const plainWord = /^[A-Za-z0-9][\w.-]{0,60}$/
const plainText = /^[A-Za-z0-9][\w .-]{0,60}$/
const beginningChars = 4

/** The documented texts in code. If one is part of another, the longer text comes first. */
const documented =
  /pokemon-base1-004|mtg-unh-023|monkey[+ ]d[+ ]luffy|Base[+ ]Set|[Cc]harizard|4\/102|base1|\b(?:luffy|char|pokemon|swu)\b/g

export interface GuideExamples {
  /** Returns the code with the texts of the served card in place of the documented texts. */
  in(code: string): string
  /**
   * Returns the body of the server's response with status 200; undefined for any other response.
   * @param line a line of curl, with the served card's texts
   */
  answerTo(line: string): string | undefined
}

/** Returns the examples; undefined if every card has a text that needs escapes. */
export function guideExamplesOf(data: Dataset): GuideExamples | undefined {
  const dearest = data.games.rows.flatMap((_, game) => dearestOf(data, game))
  const cards = [...bestHits(data, exampleQuery), ...dearest].filter(isPlain)
  const answerTo = answersOf(data)
  const examples = cards.map((card) => ({
    in: withTextsOf(card, cards.find(({ id }) => id !== card.id) ?? card),
    answerTo,
  }))
  // Prefers a card that a line of a stock list finds exactly.
  return examples.find((one) => answerTo(one.in(matchLine))?.startsWith('{"data":[{"match":"exact"')) ?? examples[0]
}

const matchLine = `curl -d '{"cards":[{"name":"Charizard","number":"4/102","set":"Base Set"}]}' 'http://server/v1/match'`

function withTextsOf({ id, name, game, set, setCode, number }: Card, other: Card): GuideExamples['in'] {
  const lower = name.toLowerCase()
  const texts: Readonly<Record<string, string>> = {
    'pokemon-base1-004': id,
    'mtg-unh-023': other.id,
    'monkey d luffy': lower,
    luffy: lower,
    Charizard: name,
    charizard: lower,
    char: lower.slice(0, beginningChars).trim(),
    '4/102': number ?? '',
    'Base Set': set,
    base1: setCode,
    pokemon: game,
    swu: game,
  }
  return (code) =>
    code.replace(documented, (found) => {
      const own = texts[found.replaceAll('+', ' ')] ?? found
      return found.includes('+') ? own.replaceAll(' ', '+') : own
    })
}

function answersOf(data: Dataset): GuideExamples['answerTo'] {
  const [answers, problems] = [new Answers(), new Problems('A')]
  return (line) => {
    const [, path = '', query = ''] = /https?:\/\/[^/]+(\/[^'?\s]*)\??([^'\s]*)/.exec(line) ?? []
    const body = /-d '([^']*)'/.exec(line)?.[1]
    for (const route of routes) {
      const parts = new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`).exec(path)
      if (parts === null || route.method !== (body === undefined ? 'GET' : 'POST')) continue
      const [, pathParameter = '', secondPathParameter = ''] = parts
      const sent = { pathParameter, secondPathParameter, query, body: Buffer.from(body ?? '') }
      const answer = answers.of[route.operation](data, { ...sent, acceptsGzip: true, statusIfFound: 200 }, problems)
      if (answer instanceof Uint8Array) return Buffer.from(answer).toString('utf8')
    }
    return undefined
  }
}

const isPlain = ({ id, name, set, setCode, number }: Card): boolean =>
  plainWord.test(id) &&
  plainWord.test(setCode) &&
  plainText.test(name) &&
  plainText.test(set) &&
  (number === null || /^[\w/ .-]+$/.test(number))
