/**
 * The completeness check. A snapshot can be right line by line, and yet be cut short, lack a folder, or have prices in another
 * unit. Published, it would be served at once, and old good versions would be pruned.
 */
import { gameSlugs } from '../../src/games.ts'
import { buildOnce, IndexError } from '../../src/indexes/format.ts'
import { noPrice, readListsFile } from '../../src/indexes/lists-file.ts'
import { readCurrent, readManifest } from '../../src/indexes/manifest.ts'
import { cardsComparedMin, cardsKeptPercentMin, marketFactorMax } from '../../src/limits.ts'
import { type Base, Version } from '../compile/base.ts'
import type { CardIds } from '../read/card-ids.ts'

/** The cards of a snapshot or of a version, by card number. */
interface Cards {
  readonly setCount: number
  readonly ids: CardIds
  readonly games: Uint8Array
  /** Cents, `noPrice` if unknown. */
  readonly markets: Uint32Array
}

type CurrentCards = (Cards & { readonly asOf: string | null }) | { readonly unknown: string } | undefined

/**
 * The cards of the version that `current` names, undefined if there is none yet, or why they can't be read.
 * @param now the snapshot's
 */
export async function currentCards(
  indexDir: string,
  base: Base | null,
  now: Cards & { readonly fingerprint: string },
): Promise<CurrentCards> {
  try {
    const name = await readCurrent(indexDir)
    if (name === undefined) return undefined
    const isBase = base?.manifest.version === name
    const version = isBase ? base : new Version(indexDir, await readManifest(indexDir, name))
    const { cardGame, cardMarket } = readListsFile(await version.read('lists.msgpack'))
    const ids = await (isBase ? base.idsBefore(now) : version.readIds())
    const { asOf, counts } = version.manifest
    return { setCount: counts.sets, ids, games: cardGame, markets: cardMarket, asOf }
  } catch (error) {
    const isKnown = error instanceof IndexError || (error as NodeJS.ErrnoException).syscall !== undefined
    if (!isKnown) throw error
    return { unknown: (error as Error).message.replace(buildOnce, '') }
  }
}

/**
 * Cards of one game, or of all games: how many the version has, and the snapshot. Of the cards in both: how many had a market
 * price, how many of these lost it, and how many fell or rose by more than the factor.
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

interface Rule {
  readonly message: string
  readonly part: (counts: Counts) => number
  readonly whole: (counts: Counts) => number
  readonly isBroken: (part: number, whole: number) => boolean
}

const isTooFew = (part: number, whole: number) => 100 * part < cardsKeptPercentMin * whole
/** Then the median is in the part. */
const isMostOf = (part: number, whole: number) => 2 * part > whole
const withPrices = ({ priced, unpriced }: Counts) => priced - unpriced

const rules: readonly Rule[] = [
  {
    message: 'more than a tenth fewer cards than in the current version',
    part: ({ now }) => now,
    whole: ({ before }) => before,
    isBroken: isTooFew,
  },
  {
    message: 'more than a tenth of the cards with a market price in the current version have none now',
    part: ({ unpriced }) => unpriced,
    whole: ({ priced }) => priced,
    isBroken: (unpriced, priced) => isTooFew(priced - unpriced, priced),
  },
  {
    message: 'more than half of the market prices are below half of those in the current version',
    part: ({ fallen }) => fallen,
    whole: withPrices,
    isBroken: isMostOf,
  },
  {
    message: 'more than half of the market prices are above twice those in the current version',
    part: ({ risen }) => risen,
    whole: withPrices,
    isBroken: isMostOf,
  },
]

/** For the operator of a published snapshot. */
export function warningsOf(current: CurrentCards, asOf: string | null): string[] {
  if (current === undefined) return []
  if ('unknown' in current) return [`not compared with: ${current.unknown}`]
  const isEarlier = current.asOf !== null && (asOf === null || asOf < current.asOf)
  return isEarlier ? [`as of moves backwards, from ${current.asOf} to ${asOf ?? 'an unknown day'}`] : []
}

/**
 * Why the snapshot must not be published, in one line; undefined if it may be.
 * @param force publishes any snapshot with sets and cards
 */
export function incompleteness(now: Cards, current: CurrentCards, force: boolean): string | undefined {
  const before = current === undefined || 'unknown' in current ? undefined : current
  if (now.ids.count === 0) return `${missing('cards', before?.ids.count)}; nothing was published`
  if (now.setCount === 0) return `${missing('sets', before?.setCount)}; nothing was published`
  if (before === undefined || force) return undefined
  const compared = compare(now, before)
  const broken = rules.flatMap(({ message, part, whole, isBroken }) => {
    const texts = compared
      .filter(({ counts }) => isBroken(part(counts), whole(counts)))
      .map(({ name, counts }) => `${name} ${number(part(counts))} of ${number(whole(counts))}`)
    return texts.length === 0 ? [] : [`${message}: ${texts.join(', ')}`]
  })
  if (broken.length === 0) return undefined
  return `${broken.join('; ')}; nothing was published (--force publishes it all the same)`
}

const missing = (what: string, before: number | undefined): string =>
  `the snapshot has 0 ${what}${before === undefined ? '' : `, the current version ${number(before)}`}`

/** Each game with enough cards, and all games together. */
function compare(now: Cards, before: Cards): readonly { readonly name: string; readonly counts: Counts }[] {
  const byGame = gameSlugs.map(() => sumOf([]))
  const { bytes, at } = now.ids.memory
  const areSame = now.ids.equals(before.ids)
  for (const game of before.games) byGame[game]!.before++
  now.games.forEach((game, card) => {
    const counts = byGame[game]!
    counts.now++
    const cardBefore = areSame ? card : before.ids.find(bytes, at[card]!, at[card + 1]!)
    if (cardBefore !== -1) addPrices(counts, before.markets[cardBefore]!, now.markets[card]!)
  })
  const games = gameSlugs.map((name, game) => ({ name: name as string, counts: byGame[game]! }))
  const large = games.filter(({ counts }) => counts.before >= cardsComparedMin)
  return [...large, { name: 'all games', counts: sumOf(byGame) }]
}

const number = (value: number) => value.toLocaleString('en')
