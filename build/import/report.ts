/** The records of an import: counted by game for the terminal, listed one by one for `--report`. */
import { table } from '../../src/command/table.ts'
import { type GameSlug, gameSlugs } from '../../src/games.ts'

interface ReportRecord {
  /**
   * `gone`: the source no longer has the card, so it leaves the snapshot. `renamed`: it had another name. `inherited`: the source has
   * it under another id. `held`: a set stays as it was.
   */
  readonly kind: 'left out' | 'doubtful' | 'gone' | 'renamed' | 'inherited' | 'held'
  readonly game: GameSlug | null
  readonly file: string | null
  /** A line, or a path such as `results[3]`. */
  readonly place: string | null
  readonly reason: string
  /** A name, a key or an id. */
  readonly record: string | null
}

/** A report as plain values, which threads exchange. */
export interface ReportSummary {
  readonly records: readonly ReportRecord[]
  readonly games: ReadonlyMap<GameSlug | null, GameCounts>
}

export interface GameCounts {
  sets: number
  cards: number
  prices: number
  newIds: number
  /** Cards that the last import did not have, and cards with another field or price than in it. */
  added: number
  changed: number
  changedNames: number
  gone: number
  /** Sets that stay as they were. */
  held: number
  doubtful: number
  readonly leftOut: Map<string, number>
}

const noCounts = {
  sets: 0,
  cards: 0,
  prices: 0,
  newIds: 0,
  added: 0,
  changed: 0,
  changedNames: 0,
  gone: 0,
  held: 0,
  doubtful: 0,
}
const countKeys = Object.keys(noCounts) as (keyof typeof noCounts)[]
/** The columns of the table. */
const shownCounts = [
  ['sets', 'sets'],
  ['cards', 'cards'],
  ['prices', 'prices'],
  ['newIds', 'new ids'],
  ['changed', 'changed'],
  ['changedNames', 'changed names'],
  ['gone', 'gone'],
  ['held', 'held'],
  ['doubtful', 'doubtful'],
] as const

export class Report {
  readonly records: ReportRecord[] = []
  readonly #games = new Map<GameSlug | null, GameCounts>()
  /** Lines above the table. */
  readonly notes: string[] = []

  has(game: GameSlug): boolean {
    return this.#games.has(game)
  }

  game(game: GameSlug | null): GameCounts {
    let counts = this.#games.get(game)
    if (counts === undefined) {
      counts = { ...noCounts, leftOut: new Map() }
      this.#games.set(game, counts)
    }
    return counts
  }

  /** @param times the number of records that it stands for */
  leftOut(game: GameSlug | null, file: string, place: string | null, reason: string, record: string, times = 1): void {
    const { leftOut } = this.game(game)
    leftOut.set(reason, (leftOut.get(reason) ?? 0) + times)
    this.records.push({ kind: 'left out', game, file, place, reason, record })
  }

  doubtful(game: GameSlug | null, file: string, place: string | null, reason: string, record: string): void {
    this.game(game).doubtful++
    this.records.push({ kind: 'doubtful', game, file, place, reason, record })
  }

  gone(game: GameSlug, id: string, name: string): void {
    this.game(game).gone++
    this.records.push({
      kind: 'gone',
      game,
      file: null,
      place: null,
      reason: `the source no longer has ${name}`,
      record: id,
    })
  }

  renamed(game: GameSlug, id: string, earlier: string, name: string): void {
    this.game(game).changedNames++
    const reason = `was ${earlier}, is ${name}`
    this.records.push({ kind: 'renamed', game, file: null, place: null, reason, record: id })
  }

  inherited(game: GameSlug, id: string, earlier: string, later: string): void {
    const reason = `the source's id was ${earlier}, is ${later}`
    this.records.push({ kind: 'inherited', game, file: null, place: null, reason, record: id })
  }

  held(game: GameSlug, code: string, figures: string): void {
    this.game(game).held++
    this.records.push({ kind: 'held', game, file: null, place: null, reason: figures, record: code })
  }

  summary(): ReportSummary {
    return { records: this.records, games: this.#games }
  }

  /** Adds the report of another thread. */
  merge({ records, games }: ReportSummary): void {
    for (const record of records) this.records.push(record)
    for (const [game, others] of games) {
      const counts = this.game(game)
      for (const key of countKeys) counts[key] += others[key]
      for (const [reason, count] of others.leftOut)
        counts.leftOut.set(reason, (counts.leftOut.get(reason) ?? 0) + count)
    }
  }

  #rows(): [GameSlug | null, GameCounts][] {
    return [...gameSlugs, null].flatMap((game) => {
      const counts = this.#games.get(game)
      return counts === undefined ? [] : [[game, counts] as [GameSlug | null, GameCounts]]
    })
  }

  table(): string {
    const rows = this.#rows()
    const reasons = [...new Set(rows.flatMap(([, { leftOut }]) => [...leftOut.keys()]))].sort()
    const header = ['game', ...shownCounts.map(([, title]) => title), 'left out']
    const cells = rows.map(([game, counts]) => [
      game ?? '(no game)',
      ...shownCounts.map(([key]) => counts[key]),
      [...counts.leftOut.values()].reduce((sum, count) => sum + count, 0),
    ])
    const left = reasons.flatMap((reason) =>
      rows.flatMap(([game, { leftOut }]) => {
        const count = leftOut.get(reason)
        return count === undefined ? [] : [[reason, game ?? '(no game)', count]]
      }),
    )
    const tables = [lined([header, ...cells], 1)]
    if (left.length > 0) tables.push(lined([['left out because', 'game', 'records'], ...left], 2))
    return [...this.notes, ...tables].join('\n\n')
  }

  /** The content of the file that `--report` names. */
  json(head: Readonly<Record<string, unknown>>): string {
    const games = Object.fromEntries(
      this.#rows().map(([game, counts]) => [game ?? '', { ...counts, leftOut: Object.fromEntries(counts.leftOut) }]),
    )
    const lines = this.records.map((record) => JSON.stringify(record)).join(',\n')
    const start = JSON.stringify({ ...head, notes: this.notes, games }).slice(0, -1)
    return `${start},"records":[\n${lines}\n]}\n`
  }
}

/** @param textColumns the first so many columns are text, the others numbers */
function lined(rows: readonly (readonly (string | number)[])[], textColumns: number): string {
  const texts = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en') : cell)))
  const right = texts[0]!.map((_, column) => column).slice(textColumns)
  return table(texts, { right })
}
