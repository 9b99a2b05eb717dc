/**
 * The completeness check. Each line of a snapshot can be right, and yet the snapshot can be cut short, lack a folder,
 * or have prices in another unit. If such a snapshot were published, servers would serve it at once, and builds would
 * prune the good versions.
 */
import assert from 'node:assert/strict'
import type { GameSlug } from '../../src/games.ts'
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
 * snapshot; `gone` cards are only in the version. The others are numbers of cards in both: `priced` cards had a market
 * price, and `unpriced` cards lost it. The price of `fallen` and `risen` cards changed by more than `marketFactorMax`.
 */
const counted = ['before', 'now', 'gone', 'priced', 'unpriced', 'fallen', 'risen'] as const
type Counts = Record<(typeof counted)[number], number>

/** The changes that imports record and a build accepts. */
export const acceptedCounts = ['gone', 'unpriced', 'fallen', 'risen'] as const

/** The changes of an import in a game, in numbers of cards. */
export type AcceptedCounts = Record<(typeof acceptedCounts)[number], number>

interface ImportOfGame extends AcceptedCounts {
  readonly number: number
  readonly game: GameSlug
  /** The codes of sets that the import accepted although they look wrong. */
  readonly sets: readonly string[]
}

const sumOf = (all: readonly Counts[]) =>
  Object.fromEntries(counted.map((name) => [name, all.reduce((sum, counts) => sum + counts[name], 0)])) as Counts

/**
 * Returns the kind of change of a card's market price; undefined if it changed little, or was unknown before. Prices in
 * cents, or `noPrice`.
 */
export function marketChange(before: number, now: number): 'unpriced' | 'fallen' | 'risen' | undefined {
  if (before === noPrice) return undefined
  if (now === noPrice) return 'unpriced'
  if (now * marketFactorMax < before) return 'fallen'
  return now > before * marketFactorMax ? 'risen' : undefined
}

function addPrices(counts: Counts, before: number, now: number): void {
  if (before !== noPrice) counts.priced++
  const change = marketChange(before, now)
  if (change !== undefined) counts[change]++
}

const isTooFew = (part: number, whole: number) => 100 * part < cardsKeptPercentMin * whole
/** True if the part has more than half of the cards. The median card is then in the part. */
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
 * Returns in one line why the snapshot must not be published, or undefined if it may be. Changes by imports since the
 * current version's snapshot do not count: the imports judged them by their own rules, or the operator accepted them.
 * @param force publishes any snapshot with sets and cards
 */
export function incompleteness(
  now: Catalog,
  current: Current,
  force: boolean,
  imports: readonly ImportOfGame[] = [],
): string | undefined {
  const before = current === undefined || 'unknown' in current ? undefined : current
  if (now.cards.length === 0) return `${missing('cards', before?.ids.size)}; nothing was published`
  if (now.sets.length === 0) return `${missing('sets', before?.manifest.counts.sets)}; nothing was published`
  if (before === undefined || force) return undefined
  const broken = brokenRules(compare(now, before, since(before, imports)))
  if (broken.length === 0) return undefined
  return `${broken.join('; ')}; nothing was published (--force publishes it all the same)`
}

/**
 * A warning that lists which rules of the completeness check the snapshot would break without the changes that imports
 * accepted. Empty if it would break none.
 */
export function acceptedByImports(now: Catalog, current: Current, imports: readonly ImportOfGame[]): string[] {
  if (current === undefined || 'unknown' in current) return []
  const accepted = since(current, imports)
  const broken = accepted.length === 0 ? [] : brokenRules(compare(now, current, []))
  if (broken.length === 0) return []
  const sets = new Set(accepted.flatMap(({ game, sets: codes }) => codes.map((code) => `${game}/${code}`)))
  const names = sets.size === 0 ? '' : ` (${[...sets].join(', ')})`
  return [`published as imports took it${names}: ${broken.join('; ')}`]
}

/** The imports that are newer than the current version's snapshot. */
const since = ({ manifest }: CurrentVersion, imports: readonly ImportOfGame[]): readonly ImportOfGame[] =>
  imports.filter(({ number }) => number > (manifest.snapshot?.imports ?? 0))

function brokenRules(compared: ReturnType<typeof compare>): readonly string[] {
  return rules.flatMap(([message, of]) => {
    const texts = compared.flatMap(({ name, counts }) => {
      const [part, whole, isBroken] = of(counts)
      return isBroken ? [`${name} ${number(part)} of ${number(whole)}`] : []
    })
    return texts.length === 0 ? [] : [`${message}: ${texts.join(', ')}`]
  })
}

const missing = (what: string, before: number | undefined): string =>
  `the snapshot has 0 ${what}${before === undefined ? '' : `, the current version ${number(before)}`}`

/** Compares each game that has enough cards, and all games together, without the changes that imports accepted. */
function compare(
  now: Catalog,
  before: CurrentVersion,
  accepted: readonly ImportOfGame[],
): readonly { readonly name: string; readonly counts: Counts }[] {
  const { slugs } = now.games
  const byGame = new Map([...slugs, ...before.cardsByGame.keys()].map((slug) => [slug, sumOf([])]))
  for (const [slug, cards] of before.cardsByGame) Object.assign(byGame.get(slug)!, { before: cards, gone: cards })
  const ofNumbers = slugs.map((slug) => byGame.get(slug)!)
  for (const { id, game, market } of now.cards) {
    const counts = ofNumbers[game]!
    counts.now++
    const cardBefore = before.ids.get(id)
    if (cardBefore === undefined) continue
    counts.gone--
    addPrices(counts, before.markets[cardBefore]!, market ?? noPrice)
  }
  const games = [...byGame].map(([name, counts]) => {
    const own = accepted.filter((one) => one.game === name)
    return { name, counts: withoutAccepted(counts, own) }
  })
  const large = games.filter(({ name }) => byGame.get(name)!.before >= cardsComparedMin)
  return [...large, { name: 'all games', counts: sumOf(games.map(({ counts }) => counts)) }]
}

function withoutAccepted(counts: Counts, accepted: readonly AcceptedCounts[]): Counts {
  const [gone, unpriced, fallen, risen] = acceptedCounts.map((name) =>
    Math.min(
      counts[name],
      accepted.reduce((sum, one) => sum + one[name], 0),
    ),
  ) as [number, number, number, number]
  return {
    before: counts.before - gone,
    now: counts.now,
    gone: counts.gone - gone,
    priced: counts.priced - unpriced - fallen - risen,
    unpriced: counts.unpriced - unpriced,
    fallen: counts.fallen - fallen,
    risen: counts.risen - risen,
  }
}

const number = (value: number) => value.toLocaleString('en')
