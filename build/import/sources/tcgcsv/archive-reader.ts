/** Reads archive days, one after the other, into columns by card. `end` returns the errors and the report of all days. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { GameSlug } from '../../../../src/games.ts'
import type { FoundProblems } from '../../../read/problems.ts'
import { type DayPrices, unknownCents } from '../../catalog.ts'
import { ImportErrors } from '../../errors.ts'
import { Report, type ReportSummary } from '../../report.ts'
import { type CardColumns, KnownCards } from './known-cards.ts'
import { categoryOf, findFile, gamesByCategory, mirrorRoot, numberedFolders } from './mirror.ts'
import { PricesReader } from './prices.ts'

/** Plain values, which can be sent to a thread. */
export interface ArchiveTask {
  readonly games: readonly GameSlug[]
  readonly partial: boolean
  readonly cards: CardColumns
}

export interface ArchiveDay {
  readonly day: string
  readonly folder: string
}

/** A product and sub-type without a card: its first file, and how often it appears. */
interface UnknownCard {
  readonly game: GameSlug
  readonly file: string
  count: number
}

export class ArchiveReader {
  readonly #task: ArchiveTask
  readonly #errors = new ImportErrors()
  readonly #report = new Report()
  readonly #reader = new PricesReader(this.#errors, this.#report)
  readonly #cards: KnownCards
  readonly #unknownCards = new Map<string, UnknownCard>()

  constructor(task: ArchiveTask) {
    this.#task = task
    this.#cards = new KnownCards(task.cards)
  }

  /** Undefined after an error: the other days need not be read. */
  async readDay({ day, folder }: ArchiveDay): Promise<DayPrices | undefined> {
    const { games, cards } = this.#task
    const empty = () => new Int32Array(cards.count).fill(unknownCents)
    const columns = { day, market: empty(), low: empty(), high: empty() }
    const seen = new Uint8Array(cards.count)
    const root = mirrorRoot(folder)
    let files = 0
    for (const game of gamesByCategory) {
      const category = join(root, `${categoryOf[game]}`)
      if (!games.includes(game) || !existsSync(category)) continue
      for (const group of numberedFolders(category)) {
        if (await this.#readGroup(join(category, `${group}`), game, columns, seen)) files++
      }
    }
    if (files === 0) this.#errors.add(folder, '', 'has no prices of the games')
    return this.#errors.count === 0 ? columns : undefined
  }

  /** False if the group has no prices. */
  async #readGroup(
    folder: string,
    game: GameSlug,
    columns: { market: Int32Array; low: Int32Array; high: Int32Array },
    seen: Uint8Array,
  ): Promise<boolean> {
    const file = findFile(folder, 'prices', this.#errors)
    if (file === undefined) {
      const path = join(folder, 'prices')
      if (this.#task.partial)
        this.#report.doubtful(game, path, null, 'is missing: its prices of the day are unknown', folder)
      else this.#errors.add(path, '', 'is missing; --partial continues without it')
      return false
    }
    const counts = this.#report.game(game)
    await this.#reader.read(file, game, (product, subType, market, low, _mid, high, wrong) => {
      const card = this.#cards.indexOf(product, subType)
      if (card === -1) this.#addUnknown(product, subType, game, file.path)
      else if (seen[card] === 1) wrong('subTypeName', 'is there twice for its product', subType)
      else {
        seen[card] = 1
        columns.market[card] = market
        columns.low[card] = low
        columns.high[card] = high
        if (market !== unknownCents || low !== unknownCents || high !== unknownCents) counts.prices++
      }
    })
    return true
  }

  #addUnknown(product: number, subType: string, game: GameSlug, file: string): void {
    const key = `${product} ${subType}`
    const known = this.#unknownCards.get(key)
    if (known === undefined) this.#unknownCards.set(key, { game, file, count: 1 })
    else known.count++
  }

  end(): { errors: FoundProblems; report: ReportSummary } {
    const missing = this.#reader.fields.missing()
    if (missing !== undefined) this.#errors.add(missing[0], 'results', `no price of the archive has ${missing[1]}`)
    for (const [key, { game, file, count }] of this.#unknownCards)
      this.#report.leftOut(game, file, null, 'price of no known card', key, count)
    return { errors: this.#errors.found, report: this.#report.summary() }
  }
}
