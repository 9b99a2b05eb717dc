/**
 * MTGJSON: Magic sets and cards, their prices at several shops, and 90 days of history. MTGJSON omits unknown prices.
 * The content of a file shows which kind of file it is: all sets, one set, or prices.
 *
 *   {"data":{"BRO":{"cards":[…]}}}     {"data":{"code":"BRO","cards":[…]}}     {"data":{"<uuid>":{"paper":…}}}
 */
import { setFlagsFromString } from 'node:v8'
import * as v from 'valibot'
import { printedTotalMax } from '../../../../src/limits.ts'
import { shown } from '../../../read/snapshot-problems.ts'
import { text } from '../../../read/snapshot-schema.ts'
import { cardsByFinish, magicSet } from '../../finishes.ts'
import { FileRecords } from '../../read/file-records.ts'
import { readValues } from '../../read/json.ts'
import { existingFile, type InputFile } from '../../read/open.ts'
import type { SourceCard, SourceHistory, SourceSet } from '../../source-catalog.ts'
import { dayOfText } from '../../source-values.ts'
import { withHeldSets } from '../../write/held.ts'
import { cardNow } from '../../write/successors.ts'
import { isMissingAtTcgplayer } from '../../write/tcgplayer-products.ts'
import type { Import, Reading, Source } from '../source.ts'
import { cardSchema, metaSchema, setSchema } from './mtgjson-schemas.ts'
import { PriceTable } from './price-table.ts'

const game = 'mtg'
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-/i

type Kind = 'printings' | 'set' | 'prices'

async function readMtgjson(task: Import): Promise<Reading> {
  // Parsed values are soon garbage. By default, V8 lets the heap grow by half before it collects the garbage.
  setFlagsFromString('--heap-growing-percent=25')
  const { options, errors, before } = task
  const byKind: Record<Kind, InputFile[]> = { printings: [], set: [], prices: [] }
  for (const path of options.paths) {
    const file = existingFile(path, errors)
    byKind[await kindOf(file, task)].push(file)
  }
  const [pricesFile, otherPrices] = byKind.prices
  const [, otherPrintings] = byKind.printings
  if (otherPrices !== undefined) errors.add(otherPrices.path, '', 'is a second file of prices: one a run')
  if (otherPrintings !== undefined) errors.add(otherPrintings.path, '', 'is a second file of all sets: one a run')
  errors.check()

  const read: Printings = { sets: new Map(), cards: new Map(), date: null }
  for (const file of byKind.printings) await readPrintings(file, false, read, task)
  for (const file of byKind.set) await readPrintings(file, true, read, task)
  errors.check()
  const isReplaced = (set: string): boolean => byKind.printings.length > 0 || read.sets.has(set)
  const sets = [...before.sets.filter(({ key }) => !isReplaced(key)), ...read.sets.values()]
  const cards = [
    ...before.cards.filter((card) => !isReplaced(card.set) && !read.cards.has(card.key)),
    ...read.cards.values(),
  ]
  if (pricesFile !== undefined && cards.length === 0) {
    errors.add(pricesFile.path, '', 'has prices, and no cards are known yet: import AllPrintings.json with it')
    errors.check()
  }
  if (pricesFile === undefined) {
    const priced = withPricesOf(before.cards, cards)
    const date = options.date ?? read.date
    return { catalog: withHeldSets(before, { sets, cards: priced }, holdOf(task, priced, date)), date }
  }
  const records = new FileRecords(pricesFile.path, game, task)
  const table = new PriceTable(cards, options.currency === 'EUR' ? 'cardmarket' : 'tcgplayer', records)
  const day = await readPrices(pricesFile, table, records)
  const date = options.date ?? day ?? table.newest
  const priced = table.pricedCards()
  const catalog = withHeldSets(before, { sets, cards: priced }, holdOf(task, priced, date))
  return { catalog, history: { ...historyOf(table, priced, catalog.cards), currency: options.currency ?? 'USD' }, date }
}

const holdOf = ({ hold, before }: Import, cards: readonly SourceCard[], day: string | null): ReadonlySet<string> =>
  hold(() => true, cardNow(before.cards, cards), day ?? '')

/** The cards with the prices that they had in the last import. */
function withPricesOf(before: readonly SourceCard[], cards: readonly SourceCard[]): readonly SourceCard[] {
  const now = cardNow(before, cards)
  const earlier = new Map(before.map((card) => [now(card), card]))
  return cards.map((card) => {
    const { market = null, day = null, markets } = earlier.get(card) ?? {}
    return { ...card, market, day, ...(markets === undefined ? {} : { markets }) }
  })
}

/**
 * The history of the cards that are not held.
 * @param priced the cards of the table's columns
 * @param cards the cards of the catalog: first those of held sets, then all others of `priced`
 */
function historyOf(table: PriceTable, priced: readonly SourceCard[], cards: readonly SourceCard[]): SourceHistory {
  const shown = new Set(cards)
  const indexes = Uint32Array.from([...priced.keys()].filter((i) => shown.has(priced[i]!)))
  return { kept: cards.length - indexes.length, days: () => table.days(indexes) }
}

/** The first member of `data` shows the kind of the file. Throws ImportError if the file can't be read. */
async function kindOf(file: InputFile, { errors }: Import): Promise<Kind> {
  let kind: Kind | undefined
  const onValue = (key: string | number, value: unknown): void => {
    const isSet = typeof value === 'object' && value !== null && 'cards' in value
    kind ??= uuid.test(`${key}`) ? 'prices' : isSet ? 'printings' : 'set'
  }
  await readValues(file, 'data', errors, { onValue, isEnough: () => kind !== undefined })
  if (kind === undefined && errors.count === 0) errors.add(file.path, 'data', 'is missing or empty')
  errors.check()
  return kind!
}

interface Printings {
  readonly sets: Map<string, SourceSet>
  readonly cards: Map<string, SourceCard>
  date: string | null
}

/** @param isOneSet true for a set's own file, whose `data` has the fields of the set */
async function readPrintings(file: InputFile, isOneSet: boolean, read: Printings, task: Import): Promise<void> {
  const records = new FileRecords(file.path, game, task)
  const set: Record<string, unknown> = Object.create(null)
  const onValue = (key: string | number, value: unknown): void => {
    if (isOneSet) set[key] = value
    else takeSet(value, key, `data.${key}`)
  }
  const onRootMember = (key: string | number, value: unknown): void => {
    if (key === 'meta') read.date = metaDate(value)
  }
  const takeSet = (value: unknown, named: unknown, place: string): void => {
    records.count()
    const code = records.check(text, named, `${place}.code`)
    const set = code === undefined ? undefined : records.check(setSchema, value, place)
    if (code === undefined || set === undefined) return
    if (set.isOnlineOnly) {
      records.leftOut(place, 'digital', set.name, set.cards.length)
      return
    }
    read.sets.set(code, {
      ...magicSet(code, set.name, dayOfText(set.releaseDate), set.tcgplayerGroupId),
      ...(isTotal(set.baseSetSize) ? { printedTotal: set.baseSetSize } : {}),
    })
    set.cards.forEach((record, i) => {
      records.count()
      const at = `${place}.cards[${i}]`
      const card = records.check(cardSchema, record, at)
      if (card !== undefined) takeCard(card, code, at)
    })
  }
  const takeCard = (card: v.InferOutput<typeof cardSchema>, set: string, place: string): void => {
    const reason = card.isOnlineOnly
      ? 'digital'
      : card.side !== null && card.side !== 'a'
        ? 'another face of a card'
        : card.finishes.length === 0
          ? 'no finish'
          : undefined
    if (reason !== undefined) {
      records.leftOut(place, reason, `${card.uuid} ${card.name}`)
      return
    }
    const { tcgplayerProductId, tcgplayerEtchedProductId, mcmId, scryfallId = null } = card.identifiers
    const printings = cardsByFinish({
      ...card,
      id: card.uuid,
      set,
      image: null,
      cardmarketId: mcmId ?? null,
      product: tcgplayerProductId ?? null,
      etchedProduct: tcgplayerEtchedProductId ?? null,
      alternativeProduct: card.identifiers.tcgplayerAlternativeFoilProductId,
    })
    if (read.cards.has(printings[0]!.key)) {
      records.wrong(`${place}.uuid`, 'is there twice', shown(card.uuid))
      return
    }
    for (const printing of printings) {
      if (isMissingAtTcgplayer(printing, task.ids))
        records.leftOut(place, 'a finish that TCGplayer does not have', printing.key)
      else read.cards.set(printing.key, { ...printing, ...(scryfallId === null ? {} : { scryfallId }) })
    }
  }
  const isComplete = await readValues(file, 'data', task.errors, { onValue, onRootMember })
  if (isComplete && isOneSet) takeSet(set, set['code'], 'data')
  records.end()
}

const isTotal = (size: number | null): size is number =>
  size !== null && Number.isInteger(size) && size >= 1 && size <= printedTotalMax

const metaDate = (value: unknown): string | null => {
  const meta = v.safeParse(metaSchema, value)
  return meta.success ? dayOfText(meta.output.date) : null
}

/** Adds a file's prices to the table. Returns the date that the file itself names. */
async function readPrices(file: InputFile, table: PriceTable, records: FileRecords): Promise<string | null> {
  const { errors } = records
  let day: string | null = null
  await readValues(file, 'data', errors, {
    onValue: (key, value) => table.take(`${key}`, value),
    onRootMember: (key, value) => {
      if (key === 'meta') day = metaDate(value)
    },
  })
  records.end()
  if (errors.count === 0 && table.newest === null)
    errors.add(file.path, 'data', 'has no price of TCGplayer in US dollars for a known card')
  return day
}

export const mtgjson: Source = {
  catalog: 'mtgjson',
  takesMany: true,
  paths: 'AllPrintings.json AllPrices.json',
  adds: 'sets and cards of mtg, 90 days of history; also AllPricesToday.json, or a set’s own file',
  games: ['mtg'],
  read: readMtgjson,
}
