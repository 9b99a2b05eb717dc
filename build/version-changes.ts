/** The changes of a version, as `card-prices inspect --changes` prints it. */
import { table } from '../src/command/table.ts'
import { type Comparison, noReport, type Report, reasons } from '../src/indexes/report-file.ts'

/** @param report undefined if the version has none */
export function changesText(version: string, report: Report | undefined): string {
  if (report === undefined) return `version ${version} has no report: ${noReport}`
  if (report.base === null) return `version ${version} is compared with none: ${reasons[report.reason]}`
  const { base, newCards, goneCards, newSets, unpricedCards, up, down } = report
  const from = `from ${base.version} (as of ${base.asOf ?? 'unknown'}) to ${version}`
  return [
    from,
    gamesTable(report),
    ...listOf('new cards', newCards, ['price'], ({ price }) => [priceText(price)]),
    ...listOf('gone cards', goneCards, ['price before'], ({ price }) => [priceText(price)]),
    ...setsOf(newSets),
    ...movesOf('largest rises', up),
    ...movesOf('largest falls', down),
    ...listOf('cards without a price now', unpricedCards, ['price before'], ({ before }) => [priceText(before)]),
  ].join('\n\n')
}

/** A table with a row for each game: how many cards are new, are gone, and have another price. */
export function gamesTable({ games }: Pick<Comparison, 'games'>): string {
  const rows = games.map(({ game, new: added, gone, changed }) => [game, ...[added, gone, changed].map(number)])
  return table([['game', 'new', 'gone', 'changed'], ...rows], [1, 2, 3])
}

interface ListedCard {
  readonly id: string
  readonly name: string
  readonly set: string
  readonly number: string | null
}

interface Listed<Item> {
  readonly count: number
  readonly first: readonly Item[]
}

const columns = ['id', 'name', 'set', 'number']

/** A table of cards under its title; an empty list if there are no cards. */
function listOf<Card extends ListedCard>(
  title: string,
  { count, first }: Listed<Card>,
  further: readonly string[],
  cellsOf: (card: Card) => readonly string[],
): string[] {
  if (count === 0) return []
  const rows = first.map((card) => [card.id, card.name, card.set, card.number ?? '', ...cellsOf(card)])
  const right = further.map((_, i) => columns.length + i)
  return [`${titleOf(title, count, first.length)}\n${table([[...columns, ...further], ...rows], right)}`]
}

function setsOf({ count, first }: Comparison['newSets']): string[] {
  if (count === 0) return []
  const rows = first.map(({ game, code, name, releaseDate, cards }) => [
    game,
    code,
    name,
    releaseDate ?? 'unknown',
    number(cards),
  ])
  const head = ['game', 'code', 'name', 'released', 'cards']
  return [`${titleOf('new sets', count, first.length)}\n${table([head, ...rows], [4])}`]
}

const movesOf = (title: string, moves: Comparison['up']): string[] =>
  listOf(title, { count: moves.length, first: moves }, ['before', 'price', 'percent'], ({ before, price, percent }) => [
    priceText(before),
    priceText(price),
    `${percent > 0 ? '+' : ''}${percent.toFixed(1)}`,
  ])

const titleOf = (title: string, count: number, shown: number): string =>
  `${title}: ${number(count)}${count > shown ? `, the first ${shown}` : ''}`

const priceText = (price: number | null): string => (price === null ? 'unknown' : price.toFixed(2))
const number = (value: number): string => value.toLocaleString('en')
