/** TCGCSV: daily copies of TCGplayer's products and prices. An unknown price is null, never 0. */
import { join } from 'node:path'
import type { GameSlug } from '../../../../src/games.ts'
import { type DayPrices, type SourceCard, type SourceSet, unknownCents } from '../../source-catalog.ts'
import { dayOfText, plainText } from '../../source-values.ts'
import type { Import, Reading, Source } from '../source.ts'
import { readArchive } from './archive.ts'
import { categoryOf, gamesByCategory, mirrorRoot } from './mirror.ts'
import { type MirrorGroup, MirrorReader } from './mirror-reader.ts'
import type { PriceRow } from './results.ts'
import { cardsOfGroup, type GroupRecords } from './tcgcsv-cards.ts'

async function readMirror(task: Import): Promise<Reading> {
  const { options, errors, before, hold } = task
  const { groups, day, time, isDayKnown, ...mirror } = await new MirrorReader(task).read()
  const games = new Set(mirror.games)
  const isMissing = (game: GameSlug) =>
    !games.has(game) && options.games.has(game) && before.sets.some((set) => set.game === game)
  for (const game of errors.count > 0 || options.partial ? [] : gamesByCategory(task.folder).filter(isMissing)) {
    const path = join(mirrorRoot(options.paths[0]!), `${categoryOf(task.folder, game)}`, 'groups')
    errors.add(path, '', `is missing, but cards of ${game} were imported before; name the mirror's games with --games`)
  }
  errors.check()

  /** Groups without files. */
  const absent = new Set(groups.filter(({ records }) => records === null).map(keyOf))
  const rows = rowsByProduct(groups)
  const held = hold(
    ({ game, key }) => games.has(game) && !absent.has(key),
    ({ product, subType }) => rows.get(product!)?.find((row) => row.subType === subType),
    day,
  )
  const read = groups.filter((group) => group.records !== null && !held.has(keyOf(group)))
  const kept = before.cards.filter(({ game, set }) => !games.has(game) || absent.has(set) || held.has(set))
  const taken = new Set(kept.map(({ product }) => product!))
  const cards: SourceCard[] = []
  for (const found of read) {
    const context = { game: found.game, set: keyOf(found), time }
    for (const card of cardsOfGroup(found.records!, context, taken, task)) cards.push(card)
  }
  const keptSets = before.sets.filter(({ game, key }) => !games.has(game) || held.has(key))
  const knownTotals = new Map(before.sets.map(({ key, printedTotal }) => [key, printedTotal]))
  const readSets = groups
    .filter((group) => !held.has(keyOf(group)))
    .map((group) => setOf(group, group.records === null ? knownTotals.get(keyOf(group)) : totalOf(group.records)))
  return {
    catalog: { sets: [...keptSets, ...readSets], cards: [...kept, ...cards] },
    history: { kept: kept.length, days: () => [pricesOf(cards, day)] },
    date: day,
    isDateGuessed: !isDayKnown,
  }
}

function pricesOf(cards: readonly SourceCard[], day: string): DayPrices {
  const column = (price: 'market' | 'low' | 'high') => Int32Array.from(cards, (card) => card[price] ?? unknownCents)
  return { day, market: column('market'), low: column('low'), high: column('high') }
}

/** The price rows of each product that is a card. All groups are searched, since products move between groups. */
function rowsByProduct(groups: readonly MirrorGroup[]): ReadonlyMap<number, readonly PriceRow[]> {
  const rows = new Map<number, readonly PriceRow[]>()
  for (const { records } of groups) {
    for (const { productId, leftOutAs } of records?.products ?? [])
      if (leftOutAs === null) rows.set(productId, records!.prices.get(productId) ?? [])
  }
  return rows
}

const keyOf = ({ group }: MirrorGroup): string => `${group.groupId}`

const setOf = ({ game, group }: MirrorGroup, printedTotal: number | undefined): SourceSet => ({
  key: `${group.groupId}`,
  game,
  abbreviation: plainText(group.abbreviation ?? ''),
  name: plainText(group.name) || group.name,
  // A time with a zone is the time of a fetch, and not of a release.
  releaseDate: group.publishedOn === null || /[zZ]$/.test(group.publishedOn) ? null : dayOfText(group.publishedOn),
  group: group.groupId,
  ...(printedTotal === undefined ? {} : { printedTotal }),
})

/**
 * The most frequent total in the numbers of the group's cards. Undefined if less than half of the cards with a total
 * have it, or another total is equally frequent.
 */
function totalOf({ products }: GroupRecords): number | undefined {
  const totals = products.flatMap(({ total }) => (total === null ? [] : [total]))
  const counts = [...Map.groupBy(totals, (total) => total)].map(([total, { length }]) => ({ total, length }))
  const [first, second] = counts.sort((a, b) => b.length - a.length)
  return first !== undefined && 2 * first.length >= totals.length && first.length !== second?.length
    ? first.total
    : undefined
}

export const tcgcsv: Source = {
  catalog: 'tcgcsv',
  paths: 'DIR',
  adds: 'a mirror of TCGCSV: sets, cards, prices, a history day',
  read: readMirror,
}

export const tcgcsvArchive: Source = {
  catalog: 'tcgcsv',
  isHistoryOnly: true,
  takesMany: true,
  paths: 'DIR…',
  adds: 'unpacked archive days of TCGCSV: history of known cards',
  read: readArchive,
}
