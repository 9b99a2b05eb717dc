/**
 * A publisher's mistake affects one set more often than all sets: the set is gone, its prices are gone, or they are
 * many times what they were. Such a set is held. Its cards, ids and prices stay as they were in the last import, while
 * all other sets are imported. `import/held.ndjson` stores for how long:
 *
 *   {"source":"tcgcsv","set":"3170","game":"pokemon","code":"swsh12","name":"SWSH12: Silver Tempest","runs":2,
 *    "day":"2026-11-21","figures":"40 of 40 cards …"}
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { table } from '../../../src/command/table.ts'
import { type GameSlug, slugForm } from '../../../src/games.ts'
import { acceptedName, type LastUpdate } from '../../../src/last-updates.ts'
import { foldCase } from '../../../src/names/fold.ts'
import { compareTexts } from '../../../src/text-order.ts'
import { onlyDefaultGames } from '../../games/folder-games.ts'
import type { Ids } from '../ids.ts'
import {
  type CatalogSource,
  catalogSources,
  type SourceCard,
  type SourceCatalog,
  type SourceSet,
} from '../source-catalog.ts'
import { importFolder } from './folder.ts'
import { type BeforeAndNow, compare, implausible, isPriced, type Prices } from './plausibility.ts'

/** A set is held for this many days of prices. The import of the next day takes the set as it is. */
const setRunsHeldMax = 7

export const heldFile = `${importFolder}/held.ndjson`

const heldSchema = v.object({
  source: v.picklist(catalogSources),
  /** The source's key of the set. */
  set: v.string(),
  game: v.pipe(v.string(), v.regex(slugForm)),
  code: v.string(),
  /** Unknown if an earlier release held the set. */
  name: v.optional(v.string()),
  /** How many days of prices were imported while the set was held. A day that is imported again is not added again. */
  runs: v.number(),
  /** The newest of these days, YYYY-MM-DD. */
  day: v.string(),
  /** Why the set is held: how its new prices differ from the prices that it keeps. */
  figures: v.string(),
})
export type HeldSet = Readonly<v.InferOutput<typeof heldSchema>>

/** The held sets. Empty if the file is missing or can't be read; the `runs` of each set then start again. */
export function readHeld(out: string): HeldSet[] {
  try {
    const lines = readFileSync(join(out, heldFile), 'utf8').trimEnd().split('\n')
    return lines.map((line) => v.parse(heldSchema, JSON.parse(line)))
  } catch {
    return []
  }
}

/** Texts for the end of an import; empty if no set is held. */
export const heldTable = (held: Readonly<LastUpdate['held']>): string[] =>
  held.length === 0
    ? []
    : [
        table([
          ['held back', 'game', 'run', 'because'],
          ...held.map(({ code, game, runs, figures }) => [code, game, `${runs} of ${setRunsHeldMax}`, figures]),
        ]),
        'Held sets stay as they were. --accept SET,… takes them as they are, as does the run after the last.',
      ]

/**
 * Splits a list of names. `accepted` has the held sets that the list names, by `acceptedName`, and the games that it
 * names, by slug. `unknown` has the words that name neither.
 * @param list codes and names in any case, separated by commas, with or without their game: `swsh12, pokemon/Silver
 * Tempest`. A name may itself have commas
 */
export function acceptedSets(
  list: string,
  held: readonly HeldSet[],
  games: readonly GameSlug[] = onlyDefaultGames.slugs,
): { readonly accepted: ReadonlySet<string>; readonly unknown: readonly string[] } {
  const accepted = new Set<string>()
  const unknown: string[] = []
  const words = list.split(',')
  for (let from = 0; from < words.length; ) {
    const ends = words.map((_, at) => words.length - at).filter((end) => end > from)
    const namedBy = (end: number) => setsNamed(words.slice(from, end).join(','), held)
    const end = ends.find((each) => namedBy(each).length > 0)
    const word = words[from]!.trim()
    const game = games.find((slug) => slug === word.toLowerCase())
    if (end !== undefined) for (const set of namedBy(end)) accepted.add(acceptedName(set))
    else if (game !== undefined) accepted.add(game)
    else if (word !== '') unknown.push(word)
    from = end ?? from + 1
  }
  return { accepted, unknown }
}

function setsNamed(text: string, held: readonly HeldSet[]): readonly HeldSet[] {
  const wanted = foldCase(text.trim())
  return held.filter(({ game, code, name = code }) =>
    [code, name].some((own) => wanted === foldCase(own) || wanted === foldCase(`${game}/${own}`)),
  )
}

/** The held sets as the text of a message. */
export const heldList = (held: readonly HeldSet[]): string =>
  held.length === 0
    ? 'no set is held'
    : `held are ${held.map((set) => `${acceptedName(set)}${set.name === undefined ? '' : ` (${set.name})`}`).join(', ')}`

interface Options {
  readonly source: CatalogSource
  readonly before: SourceCatalog
  /** The held sets of all sources before this import. */
  readonly earlier: readonly HeldSet[]
  readonly ids: Ids
  /** The accepted sets, by `acceptedName`, and the accepted games. */
  readonly accept: ReadonlySet<string>
  /** Accepts all sets and games. */
  readonly force: boolean
}

/** Decides which sets of a source are held. An import calls `hold` once. */
export class Holding {
  readonly #options: Options
  /** The held sets of all sources. */
  held: readonly HeldSet[]
  /** The sets that the import takes although they look wrong: they were accepted, or were held for long enough. */
  readonly accepted: HeldSet[] = []
  /** Games with wrong prices, each with a message. They end the import. */
  readonly wrong: (readonly [GameSlug, string])[] = []

  constructor(options: Options) {
    this.#options = options
    this.held = options.earlier
  }

  /**
   * Returns the keys of the sets to hold.
   * @param isRead false for a set of the last import that this import does not read
   * @param priceOf the prices that a card has now; undefined if the card is gone
   */
  readonly hold = (
    isRead: (set: SourceSet) => boolean,
    priceOf: (card: SourceCard) => Prices | undefined,
    day: string,
  ): ReadonlySet<string> => {
    const { source, before, earlier } = this.#options
    const read = before.sets.filter(isRead)
    const keys = new Set(read.map(({ key }) => key))
    const others = earlier.filter((set) => set.source !== source || !keys.has(set.set))
    const bySet = Map.groupBy(before.cards.filter(isPriced), ({ set }) => set)
    const held = [...Map.groupBy(read, ({ game }) => game)].flatMap(([game, sets]) => {
      const cardsOf = (key: string) => (bySet.get(key) ?? []).map((card): BeforeAndNow => [card, priceOf(card)])
      const compared = sets.map(({ key }) => ({ key, cards: cardsOf(key) }))
      return this.#holdOf(game, compared, day)
    })
    const order = ({ source, game, code }: HeldSet): string => `${source} ${game} ${code}`
    this.held = [...others, ...held].sort((a, b) => compareTexts(order(a), order(b)))
    return new Set(held.map(({ set }) => set))
  }

  /**
   * Finds the sets of a game to hold, and compares the game as a whole. Held and accepted sets are left out of that
   * comparison, since they are dealt with. But if most priced cards are in held sets, the mistake concerns the whole
   * game, and held sets are compared as well. To accept such a game is to accept these sets.
   */
  #holdOf(
    game: GameSlug,
    sets: readonly { readonly key: string; readonly cards: readonly BeforeAndNow[] }[],
    day: string,
  ): readonly HeldSet[] {
    const [all, rest]: [BeforeAndNow[], BeforeAndNow[]] = [[], []]
    const held: HeldSet[] = []
    const { accept, force } = this.#options
    for (const { key, cards } of sets) {
      const { isSetWrong, setFigures } = compare(cards)
      if (isSetWrong) {
        const set = this.#heldSet(game, key, setFigures, day)
        if (set.runs > setRunsHeldMax || force || accept.has(acceptedName(set))) this.accepted.push(set)
        else held.push(set)
      } else rest.push(...cards)
      all.push(...cards)
    }
    const isMostlyHeld = 2 * rest.length < all.length
    const judged = compare(isMostlyHeld ? all : rest)
    if (!judged.isGameWrong) return held
    const isAccepted = force || accept.has(game)
    if (!isAccepted) this.wrong.push([game, implausible(game, judged)])
    if (!isAccepted || !isMostlyHeld) return held
    this.accepted.push(...held)
    return []
  }

  #heldSet(game: GameSlug, set: string, figures: string, day: string): HeldSet {
    const { source, before, earlier, ids } = this.#options
    const last = earlier.find((other) => other.source === source && other.set === set)
    const isNewDay = last === undefined || day > last.day
    const runs = (last?.runs ?? 0) + Number(isNewDay)
    const code = ids.codeOf(source, set)!
    const name = before.sets.find(({ key }) => key === set)?.name
    return { source, set, game, code, name, runs, day: isNewDay ? day : last.day, figures }
  }
}

/** The source's catalog, with held sets as they were. The cards of held sets come first. */
export function withHeldSets(before: SourceCatalog, now: SourceCatalog, held: ReadonlySet<string>): SourceCatalog {
  if (held.size === 0) return now
  const kept = before.cards.filter(({ set }) => held.has(set))
  const keys = new Set(kept.map(({ key }) => key))
  return {
    sets: [...before.sets.filter(({ key }) => held.has(key)), ...now.sets.filter(({ key }) => !held.has(key))],
    // A card of a held set may be in another set now. It stays in the held set.
    cards: [...kept, ...now.cards.filter(({ key, set }) => !held.has(set) && !keys.has(key))],
  }
}
