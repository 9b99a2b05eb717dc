/**
 * The changes that imports made to the cards of a snapshot folder, counted as the build's completeness check counts
 * changes. The check leaves them out, because the imports accepted them. `import/changes.ndjson` has a line for each
 * import and game, the last import last:
 *
 *   {"number":12,"source":"tcgcsv","game":"pokemon","gone":40,"unpriced":2,"fallen":0,"risen":1,"sets":["swsh12"]}
 *
 * A version's manifest says which of the imports its snapshot had.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { type GameSlug, slugForm } from '../../../src/games.ts'
import { noPrice } from '../../../src/indexes/lists-file.ts'
import { type AcceptedCounts, marketChange } from '../../publish/completeness.ts'
import type { ComposedCard } from '../source-catalog.ts'
import { cardsFilesIn, importFolder } from './folder.ts'

export const changesFile = `${importFolder}/changes.ndjson`

/**
 * The file has the changes of this many imports. If builds fail for longer, the next build counts the changes of older
 * imports as unaccepted.
 */
const importsKept = 100
const setsNamedMax = 100

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

const schema = v.object({
  /** Each import has a higher number than those before. */
  number: count,
  source: v.string(),
  game: v.pipe(v.string(), v.regex(slugForm)),
  gone: count,
  unpriced: count,
  fallen: count,
  risen: count,
  /** The codes of sets that are gone, or were accepted although they look wrong. */
  sets: v.array(v.string()),
})
export type ImportChanges = Readonly<v.InferOutput<typeof schema>>

/** Returns an empty list if the file is missing or can't be read. Builds then count all changes. */
export function readImportChanges(snapshots: string): ImportChanges[] {
  try {
    const lines = readFileSync(join(snapshots, changesFile), 'utf8').trimEnd().split('\n')
    return lines.map((line) => v.parse(schema, JSON.parse(line)))
  } catch {
    return []
  }
}

/** The number of the last import that changed something; 0 if there is none. */
export const lastImportOf = (changes: readonly ImportChanges[]): number => changes.at(-1)?.number ?? 0

/** The records of the folder's last imports, followed by those of this import. */
export function withImport(
  before: readonly ImportChanges[],
  source: string,
  changes: readonly Omit<ImportChanges, 'number' | 'source'>[],
): ImportChanges[] {
  const number = lastImportOf(before) + 1
  const kept = before.filter((line) => line.number > number - importsKept)
  return [...kept, ...changes.map((line) => ({ number, source, ...line }))]
}

interface CardBefore {
  readonly game: GameSlug
  readonly setCode: string
  /** In cents, or `noPrice` if unknown. */
  readonly market: number
}

interface ImportedCard extends Pick<CardBefore, 'game' | 'setCode'> {
  readonly id: string
  readonly prices: { readonly market: number | null }
}

/** Compares the cards that an import writes with those that the folder's imports wrote before. */
export class CardChanges {
  readonly #before: ReadonlyMap<string, CardBefore>
  readonly #remaining: Map<string, CardBefore>
  readonly #counts = new Map<GameSlug, AcceptedCounts>()

  constructor(out: string) {
    const files = cardsFilesIn(out).map((name) => join(out, name))
    this.#before = new Map(files.flatMap(cardsIn))
    this.#remaining = new Map(this.#before)
  }

  /** Adds a card that the import writes. */
  readonly add = ({ id, prices: { market } }: Pick<ComposedCard, 'id' | 'prices'>): void => {
    const before = this.#remaining.get(id)
    if (before === undefined) return
    this.#remaining.delete(id)
    const change = marketChange(before.market, market ?? noPrice)
    if (change !== undefined) this.#of(before.game)[change]++
  }

  /** The changes of each game that has any. @param accepted sets that the import took as they are */
  end(
    accepted: readonly { readonly game: GameSlug; readonly code: string }[],
  ): Omit<ImportChanges, 'number' | 'source'>[] {
    for (const { game } of this.#remaining.values()) this.#of(game).gone++
    const setOf = ({ game, setCode }: CardBefore): string => `${game}/${setCode}`
    const [before, gone] = [this.#before, this.#remaining].map((cards) => Map.groupBy(cards.values(), setOf))
    return [...this.#counts].map(([game, counts]) => {
      const own = accepted.filter((set) => set.game === game).map(({ code }) => code)
      const left = [...gone!].filter(
        ([set, cards]) => cards[0]!.game === game && cards.length === before!.get(set)!.length,
      )
      const sets = [...new Set([...own, ...left.map(([, cards]) => cards[0]!.setCode)])]
      return { game, ...counts, sets: sets.slice(0, setsNamedMax) }
    })
  }

  #of(game: GameSlug): AcceptedCounts {
    const counts = this.#counts.get(game) ?? { gone: 0, unpriced: 0, fallen: 0, risen: 0 }
    this.#counts.set(game, counts)
    return counts
  }
}

function cardsIn(path: string): [string, CardBefore][] {
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.filter(Boolean).map((line) => {
    const { id, game, setCode, prices } = JSON.parse(line) as ImportedCard
    return [id, { game, setCode, market: prices.market === null ? noPrice : Math.round(prices.market * 100) }]
  })
}
