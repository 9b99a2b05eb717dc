/** The records of an import: counted by game for the terminal, listed one by one for `--report`. */
import { table } from '../../src/command/table.ts'
import type { GameSlug } from '../../src/games.ts'
import { compareTexts } from '../../src/text-order.ts'
import { onlyDefaultGames } from '../games/folder-games.ts'

/**
 * The kinds of changes that an import reports. A `gone` card is no longer in the source, and leaves the snapshot. A
 * `renamed` card had another name. An `inherited` card has a new id in the source, and keeps its id here. A `held` set
 * stays as it was. An `accepted` set was taken as it is, although it looks wrong.
 */
type Change = keyof typeof countsOfChanges

interface Located {
  readonly game: GameSlug | null
  readonly file: string
  /** A line, or a path such as `results[3]`; absent if the record is the whole file. */
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
  /** How many of the cards are sealed products. */
  sealed: 0,
  prices: 0,
  newIds: 0,
  /** `added` cards were not in the last import. `changed` cards have another field or price than in the last import. */
  added: 0,
  changed: 0,
  changedNames: 0,
  gone: 0,
  /** The number of held sets. */
  held: 0,
  doubtful: 0,
}
type Counts = typeof noCounts
type GameCounts = Counts & { readonly leftOut: Map<string, number> }

/** The counts that describe the snapshot. All others describe what an import did. */
const standing: ReadonlySet<string> = new Set(['sets', 'cards', 'sealed', 'prices', 'held'] satisfies (keyof Counts)[])
const countKeys = Object.keys(noCounts) as (keyof Counts)[]
/** The title of a column: `newIds` is `new ids`. */
const titleOf = (key: string): string => key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const countsOfChanges = {
  gone: 'gone',
  renamed: 'changedNames',
  inherited: undefined,
  held: 'held',
  accepted: undefined,
} as const

/** Takes records as lines of JSON, so that the report need not keep them in memory. */
export interface RecordSink {
  add(line: string): void
  /** All lines, with commas and line breaks between them. */
  parts(): Iterable<Uint8Array>
  close(): void
}

/** How many lines are joined before they are written. */
const joinedRecords = 1000

export class Report {
  /** All records, if they are kept in memory. */
  readonly records: ReportRecord[] = []
  readonly #sink: RecordSink | undefined
  readonly games = new Map<GameSlug | null, GameCounts>()
  /** Lines above the table. */
  readonly notes: string[] = []
  readonly #listed = new Set<string>()

  /** @param sink gets the records; by default, they are kept in memory */
  constructor(sink?: RecordSink) {
    this.#sink = sink
  }

  close(): void {
    this.#sink?.close()
  }

  game(game: GameSlug | null): GameCounts {
    let counts = this.games.get(game)
    if (counts === undefined) {
      counts = { ...noCounts, leftOut: new Map() }
      this.games.set(game, counts)
    }
    return counts
  }

  /** @param times the number of records that `located` represents */
  leftOut(located: Located, times = 1): void {
    this.#count(located, times)
    this.#list('left out', located)
  }

  /** Counts each record. Lists only the first one with its game, reason and name, since there are too many to list. */
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
    this.#add({ kind, game, file, place: place ?? null, reason, record })
  }

  /** @param record an id of a card, or a code of a set */
  change(kind: Change, game: GameSlug, record: string, reason: string): void {
    const count = countsOfChanges[kind]
    if (count !== undefined) this.game(game)[count]++
    this.#add({ kind, game, file: null, place: null, reason, record })
  }

  #add(record: ReportRecord): void {
    if (this.#sink === undefined) this.records.push(record)
    else this.#sink.add(JSON.stringify(record))
  }

  /**
   * Adds the counts of a later import, except those of records that it left out. Counts that describe the snapshot are
   * replaced, since each import counts all cards of the snapshot.
   */
  addCounts({ games }: Report): void {
    for (const [game, counts] of games)
      for (const key of countKeys) this.game(game)[key] = counts[key] + (standing.has(key) ? 0 : this.game(game)[key])
  }

  table(): string {
    const known = [...this.games.keys()].filter((game) => game !== null)
    const rows = [...new Set([...onlyDefaultGames.slugs, ...known]), null].flatMap((game) => {
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

  /** The content of the file that `--report` names, in parts. */
  *json(head: Readonly<Record<string, unknown>>): Generator<string | Uint8Array> {
    const games = Object.fromEntries(
      [...this.games].map(([game, counts]) => [game ?? '', { ...counts, leftOut: Object.fromEntries(counts.leftOut) }]),
    )
    const start = JSON.stringify({ ...head, notes: this.notes, games }).slice(0, -1)
    yield `${start},"records":[\n`
    if (this.#sink === undefined) yield* this.#lines()
    else yield* this.#sink.parts()
    yield '\n]}\n'
  }

  *#lines(): Generator<string> {
    for (let start = 0; start < this.records.length; start += joinedRecords) {
      const lines = this.records.slice(start, start + joinedRecords).map((record) => JSON.stringify(record))
      yield (start === 0 ? '' : ',\n') + lines.join(',\n')
    }
  }
}

const number = (value: number): string => value.toLocaleString('en')
