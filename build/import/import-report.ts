/** The records of an import: counted by game for the terminal, listed one by one for `--report`. */
import { table } from '../../src/command/table.ts'
import { type GameSlug, gameSlugs } from '../../src/games.ts'
import { compareTexts } from '../../src/text-order.ts'

/**
 * `gone`: the source no longer has the card, so it leaves the snapshot. `renamed`: it had another name. `inherited`: the source has
 * it under another id. `held`: a set stays as it was.
 */
type Change = keyof typeof countsOfChanges

interface Located {
  readonly game: GameSlug | null
  readonly file: string
  /** A line, or a path such as `results[3]`; without one, the whole file. */
  readonly place?: string
  readonly reason: string
  /** A name, a key or an id. */
  readonly record: string
}

interface ReportRecord extends Omit<Located, 'file' | 'place'> {
  readonly kind: 'left out' | 'doubtful' | Change
  readonly file: string | null
  readonly place: string | null
}

const noCounts = {
  sets: 0,
  cards: 0,
  /** Those of the cards that are sealed products. */
  sealed: 0,
  prices: 0,
  newIds: 0,
  /** Cards that the last import did not have, and cards with another field or price than in it. */
  added: 0,
  changed: 0,
  changedNames: 0,
  gone: 0,
  /** Sets that stay as they were. */
  held: 0,
  doubtful: 0,
}
type Counts = typeof noCounts
type GameCounts = Counts & { readonly leftOut: Map<string, number> }

/** Counts of what the snapshot has, and not of what an import did. */
const standing: ReadonlySet<string> = new Set(['sets', 'cards', 'sealed', 'prices', 'held'] satisfies (keyof Counts)[])
const countKeys = Object.keys(noCounts) as (keyof Counts)[]
/** The title of a column: `newIds` is `new ids`. */
const titleOf = (key: string): string => key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const countsOfChanges = { gone: 'gone', renamed: 'changedNames', inherited: undefined, held: 'held' } as const

export class Report {
  readonly records: ReportRecord[] = []
  readonly games = new Map<GameSlug | null, GameCounts>()
  /** Lines above the table. */
  readonly notes: string[] = []
  readonly #listed = new Set<string>()

  game(game: GameSlug | null): GameCounts {
    let counts = this.games.get(game)
    if (counts === undefined) {
      counts = { ...noCounts, leftOut: new Map() }
      this.games.set(game, counts)
    }
    return counts
  }

  /** @param times the number of records that it stands for */
  leftOut(located: Located, times = 1): void {
    this.#count(located, times)
    this.#list('left out', located)
  }

  /** Counts each, but lists only the first of a game, reason and record: there are too many to list. */
  leftOutOften(located: Located): void {
    const { game, reason, record } = located
    const key = [game, reason, record].join('\n')
    this.#count(located, 1)
    if (!this.#listed.has(key)) this.#list('left out', located)
    this.#listed.add(key)
  }

  doubtful(located: Located): void {
    this.game(located.game).doubtful++
    this.#list('doubtful', located)
  }

  #count({ game, reason }: Located, times: number): void {
    const { leftOut } = this.game(game)
    leftOut.set(reason, (leftOut.get(reason) ?? 0) + times)
  }

  #list(kind: 'left out' | 'doubtful', { game, file, place, reason, record }: Located): void {
    this.records.push({ kind, game, file, place: place ?? null, reason, record })
  }

  /** @param record an id of a card, or a code of a set */
  change(kind: Change, game: GameSlug, record: string, reason: string): void {
    const count = countsOfChanges[kind]
    if (count !== undefined) this.game(game)[count]++
    this.records.push({ kind, game, file: null, place: null, reason, record })
  }

  /** Adds a later import's counts, but for what it left out. Each import counts all cards of the snapshot: the last count stands. */
  addCounts({ games }: Report): void {
    for (const [game, counts] of games)
      for (const key of countKeys) this.game(game)[key] = counts[key] + (standing.has(key) ? 0 : this.game(game)[key])
  }

  table(): string {
    const rows = [...gameSlugs, null].flatMap((game) => {
      const counts = this.games.get(game)
      return counts === undefined ? [] : [[game ?? '(no game)', counts] as const]
    })
    const hasSealed = rows.some(([, { sealed }]) => sealed > 0)
    const shown = countKeys.filter((key) => key !== 'added' && (key !== 'sealed' || hasSealed))
    const cells = rows.map(([game, counts]) => {
      const leftOut = [...counts.leftOut.values()].reduce((sum, count) => sum + count, 0)
      return [game, ...[...shown.map((key) => counts[key]), leftOut].map(number)]
    })
    const header = ['game', ...shown.map(titleOf), 'left out']
    const tables = [table([header, ...cells], [...header.keys()].slice(1))]
    const left = rows.flatMap(([game, { leftOut }]) =>
      [...leftOut].map(([reason, count]) => [reason, game, number(count)]),
    )
    left.sort(([a], [b]) => compareTexts(a!, b!))
    if (left.length > 0) tables.push(table([['left out because', 'game', 'records'], ...left], [2]))
    return [...this.notes, ...tables].join('\n\n')
  }

  /** The content of the file that `--report` names. */
  json(head: Readonly<Record<string, unknown>>): string {
    const games = Object.fromEntries(
      [...this.games].map(([game, counts]) => [game ?? '', { ...counts, leftOut: Object.fromEntries(counts.leftOut) }]),
    )
    const lines = this.records.map((record) => JSON.stringify(record)).join(',\n')
    const start = JSON.stringify({ ...head, notes: this.notes, games }).slice(0, -1)
    return `${start},"records":[\n${lines}\n]}\n`
  }
}

const number = (value: number): string => value.toLocaleString('en')
