/**
 * What a look-up that finds nothing may have meant: the filter that one of its words names, and what is found without
 * some of its words.
 *
 *   charizard psa 10  ►  139 cards without "psa 10"
 */
import type { Dataset } from '../../api/dataset.ts'
import { foldCase } from '../../names/fold.ts'
import type { Turns } from '../shared/turns.ts'
import { findCards, type Question } from './card-data.ts'
import type { LookUpQuery } from './look-up-query.ts'
import type { Options } from './version-data.ts'

/** Each attempt costs a search, so long queries are not tried in all ways. */
const wordsMax = 8

export interface Instead {
  readonly query: LookUpQuery
  /** The words that are left out. */
  readonly without: string
  /** The filter that the words name, as the page calls it. */
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

/** Up to two ways: by a filter, and with the fewest words left out. */
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
  /** Words beside each other. */
  readonly taken: string
  readonly rest: string
}

/** `psa 10`, `BGS 9.5`: no card is called like this, and each card's page has its prices by grade. */
const grade = /(?:^|\s)((?:psa|bgs|cgc|sgc|ace|tag)\s?\d{1,2}(?:\.5)?)(?=\s|$)/i

/** All ways to take words that stand beside each other: a grade first, then single words, and the last ones first. */
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

/** The filters that the taken words name. Japanese cards are a game of their own. */
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
