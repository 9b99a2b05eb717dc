/**
 * The completeness check. Each line of a snapshot can be right, and yet the snapshot can be cut short, lack a folder,
 * or have prices in another unit. If such a snapshot were published, servers would serve it at once, and builds would
 * prune the good versions.
 */
import assert from 'node:assert/strict'
import { gameSlugs } from '../../src/games.ts'
import { noPrice } from '../../src/indexes/lists-file.ts'
import type { CurrentVersion, readCurrentVersion } from '../compile/base.ts'
import type { Catalog } from '../compile/catalog-files.ts'

/** A game with at least this many cards in the current version is compared on its own. */
export const cardsComparedMin = 100
/** The percentage of cards, and of market prices, that a new version must keep. */
export const cardsKeptPercentMin = 90
/** The market price of at most half of the cards may rise, or fall, by more than this factor. */
export const marketFactorMax = 2

assert(cardsComparedMin * (100 - cardsKeptPercentMin) >= 100, 'a game that is compared may lose a card')

type Current = Awaited<ReturnType<typeof readCurrentVersion>>

/**
 * Numbers of cards of one game, or of all games. `before` is the number in the current version, `now` the number in the
 * snapshot. The others are numbers of cards in both: `priced` cards had a market price, and `unpriced` cards lost it.
 * The price of `fallen` and `risen` cards changed by more than `marketFactorMax`.
 */
const counted = ['before', 'now', 'priced', 'unpriced', 'fallen', 'risen'] as const
type Counts = Record<(typeof counted)[number], number>

const sumOf = (all: readonly Counts[]) =>
  Object.fromEntries(counted.map((name) => [name, all.reduce((sum, counts) => sum + counts[name], 0)])) as Counts

function addPrices(counts: Counts, before: number, now: number): void {
  if (before === noPrice) return
  counts.priced++
  if (now === noPrice) counts.unpriced++
  else if (now * marketFactorMax < before) counts.fallen++
  else if (now > before * marketFactorMax) counts.risen++
}

const isTooFew = (part: number, whole: number) => 100 * part < cardsKeptPercentMin * whole
/** More than half of the cards are in the part. Then the median card is one of them. */
const isMostOf = (part: number, whole: number) => 2 * part > whole

type Rule = readonly [
  message: string,
  of: (counts: Counts) => readonly [part: number, whole: number, isBroken: boolean],
]

const rules: readonly Rule[] = [
  [
    'more than a tenth fewer cards than in the current version',
    ({ now, before }) => [now, before, isTooFew(now, before)],
  ],
  [
    'more than a tenth of the cards with a market price in the current version have none now',
    ({ unpriced, priced }) => [unpriced, priced, isTooFew(priced - unpriced, priced)],
  ],
  [
    'more than half of the market prices are below half of those in the current version',
    ({ fallen, priced, unpriced }) => [fallen, priced - unpriced, isMostOf(fallen, priced - unpriced)],
  ],
  [
    'more than half of the market prices are above twice those in the current version',
    ({ risen, priced, unpriced }) => [risen, priced - unpriced, isMostOf(risen, priced - unpriced)],
  ],
]

/** The warnings about a published snapshot. */
export function warningsOf(current: Current, asOf: string | null): string[] {
  if (current === undefined) return []
  if ('unknown' in current) return [`not compared with: ${current.unknown}`]
  const before = current.manifest.asOf
  const isEarlier = before !== null && (asOf === null || asOf < before)
  return isEarlier ? [`as of moves backwards, from ${before} to ${asOf ?? 'an unknown day'}`] : []
}

/**
 * Why the snapshot must not be published, in one line; undefined if it may be.
 * @param force publishes any snapshot with sets and cards
 */
export function incompleteness(now: Catalog, current: Current, force: boolean): string | undefined {
  const before = current === undefined || 'unknown' in current ? undefined : current
  if (now.cards.length === 0) return `${missing('cards', before?.ids.size)}; nothing was published`
  if (now.sets.length === 0) return `${missing('sets', before?.manifest.counts.sets)}; nothing was published`
  if (before === undefined || force) return undefined
  const compared = compare(now, before)
  const broken = rules.flatMap(([message, of]) => {
    const texts = compared.flatMap(({ name, counts }) => {
      const [part, whole, isBroken] = of(counts)
      return isBroken ? [`${name} ${number(part)} of ${number(whole)}`] : []
    })
    return texts.length === 0 ? [] : [`${message}: ${texts.join(', ')}`]
  })
  if (broken.length === 0) return undefined
  return `${broken.join('; ')}; nothing was published (--force publishes it all the same)`
}

const missing = (what: string, before: number | undefined): string =>
  `the snapshot has 0 ${what}${before === undefined ? '' : `, the current version ${number(before)}`}`

/** Compares each game that has enough cards, and all games together. */
function compare(now: Catalog, before: CurrentVersion): readonly { readonly name: string; readonly counts: Counts }[] {
  const byGame = gameSlugs.map(() => sumOf([]))
  for (const game of before.games) byGame[game]!.before++
  for (const { id, game, market } of now.cards) {
    const counts = byGame[game]!
    counts.now++
    const cardBefore = before.ids.get(id)
    if (cardBefore !== undefined) addPrices(counts, before.markets[cardBefore]!, market ?? noPrice)
  }
  const games = gameSlugs.map((name, game) => ({ name: name as string, counts: byGame[game]! }))
  const large = games.filter(({ counts }) => counts.before >= cardsComparedMin)
  return [...large, { name: 'all games', counts: sumOf(byGame) }]
}

const number = (value: number) => value.toLocaleString('en')
