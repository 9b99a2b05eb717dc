/**
 * What the compatibility API needs from a version besides its cards. It is read at the first request for the version.
 */
import type { Dataset } from '../api/dataset.ts'
import type { ResponseOf } from '../api/schemas.ts'
import type { Games } from '../games.ts'
import { setsLimitMax } from '../limits.ts'
import { foldCase, foldName, shortSetName } from '../names/fold.ts'
import type { Filter, Search } from '../search/search.ts'
import { gameNumber, slugOf } from './games.ts'
import type { GameSummary, SetSummary } from './shapes.ts'

/** Stands for the day of data that has no date, because the client packages expect one. */
const unknownDay = '1970-01-01'
const dollars = 'USD'

export const parsed = <Body>(bytes: Uint8Array): Body =>
  JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')) as Body

type ListedSet = ResponseOf<'setsPage'>['data'][number]

/** Returns a set's slug. The set's id is the game's slug, a hyphen, and this slug. */
export const setSlug = (code: string): string => code.toLowerCase()

export class VersionFacts {
  /** True if prices are in US dollars. */
  readonly isInDollars: boolean
  /** The newest day of the data. */
  readonly day: string
  /** The index is the set's number, so the newest set comes first. */
  readonly sets: readonly SetSummary[]
  readonly games: readonly GameSummary[]
  readonly #search: Search
  readonly #ourGames: Games

  private constructor({ health, catalog, search, games }: Dataset) {
    const { asOf, currency = dollars } = parsed<ResponseOf<'health'>>(health)
    this.isInDollars = currency === dollars
    this.day = asOf ?? unknownDay
    this.games = parsed<ResponseOf<'games'>>(catalog.gamesBody()).data.map(({ id, name, cardCount }) => {
      const slug = slugOf(id)
      return { id: slug, slug, name, count: cardCount }
    })
    const listed: ListedSet[] = []
    for (let offset = 0, total = 1; offset < total; offset += setsLimitMax) {
      const page = parsed<ResponseOf<'setsPage'>>(catalog.setsPage(-1, setsLimitMax, offset))
      listed.push(...page.data)
      total = page.total
    }
    this.sets = listed.map(({ code, name, game, cardCount, releaseDate }) => {
      const [slug, inGame] = [setSlug(code), slugOf(game)]
      return { id: `${inGame}-${slug}`, slug, name, game: inGame, count: cardCount, released_at: releaseDate }
    })
    this.#search = search
    this.#ourGames = games
  }

  /** Returns the facts of a version. They are cached as long as its data lives. */
  static of(data: Dataset): VersionFacts {
    let facts = known.get(data)
    if (facts === undefined) {
      facts = new VersionFacts(data)
      known.set(data, facts)
    }
    return facts
  }

  /**
   * Returns the filter for a set, however clients spell the set.
   * @param set the set's code, slug, name, id, or name with hyphens
   * @param game -1 for all games
   */
  filterOf(set: string | undefined, game: number): Pick<Filter, 'game' | 'set'> {
    const asked = { game, set }
    if (set === undefined || this.#search.setsWithCode(set, game).length > 0) return asked
    const folded = foldCase(set)
    for (const [number, { id }] of this.#ourGames.rows.entries()) {
      if (game !== -1 && game !== number) continue
      const prefix = [id, slugOf(id)].map((slug) => `${slug}-`).find((one) => folded.startsWith(one))
      const code = folded.slice(prefix?.length)
      const isId = prefix !== undefined && this.#search.setsWithCode(code, number).length > 0
      if (isId) return { game: number, set: code }
    }
    const names = [...this.#search.setWords.withName(foldName(set))]
      .map((number) => this.sets[number]!)
      .filter((one) => game === -1 || gameNumber(this.#ourGames, one.game) === game)
      .map(({ name }) => name)
    const isWhole = names.some((name) => [name, shortSetName(name)].some((one) => one && foldCase(one) === folded))
    return isWhole || names.length === 0 ? asked : { game, set: names[0] }
  }

  /** The sets of a game, by the game's number. */
  setsOf(game: number): readonly SetSummary[] {
    return this.sets.filter((set) => gameNumber(this.#ourGames, set.game) === game)
  }
}

const known = new WeakMap<Dataset, VersionFacts>()
