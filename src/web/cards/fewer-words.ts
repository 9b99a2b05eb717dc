/**
 * Suggests other look-ups if one finds nothing: with a filter that some of its words name, and without some of its
 * words.
 *
 *   charizard psa 10  ►  139 cards without "psa 10"
 */
import type { Dataset } from '../../api/dataset.ts'
import { foldCase } from '../../names/fold.ts'
import type { Turns } from '../shared/turns.ts'
import { findCards, type Question } from './card-data.ts'
import type { LookUpQuery } from './look-up-query.ts'
import type { Options } from './version-data.ts'

/** The most words of a query for which other look-ups are tried, because each attempt costs a search. */
const wordsMax = 8

export interface Instead {
  readonly query: LookUpQuery
  /** The words that are left out. */
  readonly without: string
  /** The filter that the words name, in the words of the page. */
  readonly as: string | undefined
  readonly cards: number
}

interface Known {
  readonly data: Dataset
  readonly options: Options | undefined
  readonly games: readonly { readonly id: string; readonly name: string }[]
  readonly questionOf: (query: LookUpQuery) => Question | undefined
  readonly turns: Turns
}

/** Returns up to two suggestions: one with a filter, and one with the fewest words left out. */
export async function insteadOf(query: LookUpQuery, known: Known): Promise<readonly Instead[]> {
  const words = query.q.trim().split(/\s+/)
  if (words.length < 2 || words.length > wordsMax) return []
  const filtered = await firstFound(parts(words), (part) => filteredBy(query, part, known), known)
  const shorter = await firstFound(
    parts(words),
    ({ rest, taken }) => [{ query: { ...query, q: rest }, without: taken, as: undefined }],
    known,
  )
  return [filtered, shorter].filter((one) => one !== undefined)
}

interface Part {
  /** Adjacent words of the query. */
  readonly taken: string
  readonly rest: string
}

/**
 * A grade, such as `psa 10` or `BGS 9.5`. No card's name contains a grade, and each card's page shows its prices by
 * grade.
 */
const grade = /(?:^|\s)((?:psa|bgs|cgc|sgc|ace|tag)\s?\d{1,2}(?:\.5)?)(?=\s|$)/i

/**
 * Returns all ways to take adjacent words: a grade first, then single words, then more and more words. Each number of
 * words is taken from the end of the query first.
 */
function parts(words: readonly string[]): readonly Part[] {
  const all: Part[] = []
  const text = words.join(' ')
  const graded = grade.exec(text)
  if (graded !== null) all.push({ taken: graded[1]!, rest: text.replace(grade, '').trim() })
  for (let count = 1; count < words.length; count++) {
    for (let from = words.length - count; from >= 0; from--) {
      const rest = words.toSpliced(from, count).join(' ')
      all.push({ taken: words.slice(from, from + count).join(' '), rest })
    }
  }
  return all
}

type Attempt = Omit<Instead, 'cards'>

async function firstFound(
  all: readonly Part[],
  attempts: (part: Part) => readonly Attempt[],
  { data, questionOf, turns }: Known,
): Promise<Instead | undefined> {
  for (const part of all) {
    for (const attempt of attempts(part)) {
      const question = questionOf(attempt.query)
      const cards = question === undefined ? 0 : findCards(data, question, 0).total
      await turns.pause()
      if (cards > 0) return { ...attempt, cards }
    }
  }
  return undefined
}

/**
 * Returns the queries with a filter that the taken words name. A word such as `japanese` names the games whose cards
 * are Japanese.
 */
function filteredBy(query: LookUpQuery, { taken, rest }: Part, { data, options, games }: Known): readonly Attempt[] {
  const named = ({ name }: { readonly name: string }) => foldCase(name) === foldCase(taken)
  const to = (filter: Partial<LookUpQuery>, as: string) => ({
    query: { ...query, ...filter, q: rest },
    without: taken,
    as,
  })
  const printing = query.printing === '' ? options?.printings.find(named) : undefined
  const rarity = query.rarity === '' ? options?.rarities.find(named) : undefined
  const isMeant = (one: Known['games'][number]) =>
    named(one) ||
    foldCase(one.id) === foldCase(taken) ||
    (isJapanese.test(taken) && data.games.row(one.id)?.language === 'Japanese')
  const meant = query.game === '' ? games.filter(isMeant) : []
  return [
    ...(printing ? [to({ printing: printing.name }, `printing ${printing.name}`)] : []),
    ...(rarity ? [to({ rarity: rarity.name }, `rarity ${rarity.name}`)] : []),
    ...meant.map(({ id, name }) => to({ game: id }, name)),
  ]
}

const isJapanese = /^(?:japanese|japan|jpn?)$/i
