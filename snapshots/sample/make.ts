/**
 * Writes the sample snapshot: real cards, made-up prices. `npm run sample -- [OUT_DIR]` writes `sets/`, `cards/` and
 * `history/` into OUT_DIR, by default the folder above this file. Everything is seeded by the card's id and the last day
 * is fixed, so that two runs write the same.
 */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { randomFrom } from '../../test/support/random.ts'
import { conditionsOf, gradedOf } from './offers.ts'
import { type SampleCard, type SampleSet, sampleCatalog } from './tables.ts'
import { misplaced, strangers, unknownFields, unpriced } from './unknowns.ts'
import { type Day, levelOf, present, walk } from './walk.ts'

const lastDay = '2026-11-20'
const daysKept = 400
const dayMs = 24 * 60 * 60 * 1000

/** The sample's dates, oldest first. */
const dates = Array.from({ length: daysKept }, (_, day) =>
  new Date(Date.parse(lastDay) - (daysKept - 1 - day) * dayMs).toISOString().slice(0, 10),
)

/** Cents as a number of the currency, as JSON and CSV write it. */
const decimal = (cents: number | null): number | null => (cents === null ? null : cents / 100)
const decimals = (prices: Record<string, number>) =>
  Object.fromEntries(Object.entries(prices).map(([key, cents]) => [key, cents / 100]))

/** One line of `cards/<game>.ndjson`, priced as on the last day. */
function cardLine(card: SampleCard, set: SampleSet, today: Day): object {
  const { id, game, name, setCode, number, rarity } = card
  const minute = Math.floor(randomFrom(`${id} minute`)() * 60)
  const record: Record<string, unknown> = {
    id,
    game,
    name,
    setCode,
    number,
    rarity,
    image: `https://images.example/${id.replace('-', '/')}.webp`,
    ...pricesOf(card, set, today),
    sources: levelOf(card) < 100 ? ['sample-market'] : ['sample-market', 'sample-auctions'],
    updatedAt: `${lastDay}T06:${String(minute).padStart(2, '0')}:00Z`,
  }
  for (const field of unknownFields[id] ?? []) {
    if (field === 'sources' || field === 'image') delete record[field]
    else record[field] = null
  }
  return record
}

function pricesOf(card: SampleCard, set: SampleSet, { market, low, high }: Day): { prices?: object | null } {
  const missing = unpriced[card.id]
  if (missing === 'absent') return {}
  if (missing === 'null') return { prices: null }
  if (missing === 'all null') {
    return { prices: { market: null, low: null, mid: null, high: null, conditions: null, graded: null } }
  }
  const mid = low === null || high === null ? null : Math.round((low + high) / 2)
  const raw = market ?? levelOf(card)
  const isOld = (set.releaseDate ?? lastDay) < '2012-01-01'
  const graded = gradedOf(card, raw)
  return {
    prices: {
      market: decimal(market),
      low: decimal(low),
      mid: decimal(mid),
      high: decimal(high),
      conditions: decimals(conditionsOf(card, raw, isOld)),
      ...(graded === null ? {} : { graded: decimals(graded) }),
    },
  }
}

const csvRow = (...fields: (string | number | null)[]) => `${fields.map((field) => field ?? '').join(',')}\n`

/** A history file a month, by its month: `date,id,market,low,high`, card by card, as one source delivers it. */
function historyFiles(cards: readonly SampleCard[], walks: ReadonlyMap<string, Day[]>): Map<string, string> {
  const files = new Map<string, string>()
  for (const card of cards) {
    const known = present(card, daysKept)
    for (const [day, { market, low, high }] of walks.get(card.id)!.entries()) {
      const date = dates[day]!
      if (!known[day]) continue
      const written = misplaced[card.id]?.includes(date) ? market! * 10 : market
      const month = date.slice(0, 7)
      const file = files.get(month) ?? 'date,id,market,low,high\n'
      files.set(month, file + csvRow(date, card.id, decimal(written), decimal(low), decimal(high)))
    }
  }
  const newest = lastDay.slice(0, 7)
  const unknownCards = strangers.flatMap((id, place) =>
    dates.slice(-20).map((date, day) => csvRow(date, id, 10 * (place + 1) + day / 4, 8, 40)),
  )
  files.set(newest, files.get(newest)! + unknownCards.join(''))
  return files
}

/** The rows that put the misplaced prices right, with the columns in another order. */
function corrections(walks: ReadonlyMap<string, Day[]>): string {
  const rows = Object.entries(misplaced).flatMap(([id, days]) =>
    days.map((date) => {
      const { market, low, high } = walks.get(id)![dates.indexOf(date)]!
      assert(market !== null, `${id} has no market price on ${date} to misplace`)
      return csvRow(id, date, decimal(low), decimal(market), decimal(high))
    }),
  )
  return `id,date,low,market,high\n${rows.join('')}`
}

const ndjson = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')

function writeFolder(out: string, folder: string, files: ReadonlyMap<string, string | Buffer>): void {
  const path = join(out, folder)
  mkdirSync(path, { recursive: true })
  for (const [name, content] of files) writeFileSync(join(path, name), content)
}

const out = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url))
const { sets, cards } = sampleCatalog()
const walks = new Map(cards.map((card) => [card.id, walk(card, daysKept)]))
const setOf = new Map(sets.map((set) => [`${set.game} ${set.code}`, set]))

const cardFiles = new Map(
  [...new Set(cards.map((card) => card.game))].map((game) => [
    `${game}.ndjson`,
    ndjson(
      cards
        .filter((card) => card.game === game)
        .map((card) => cardLine(card, setOf.get(`${game} ${card.setCode}`)!, walks.get(card.id)!.at(-1)!)),
    ),
  ]),
)
const priced = cards.filter((card) => !(card.id in unpriced))
const months = [...historyFiles(priced, walks)].map(
  ([month, csv]) => [`${month}.csv.gz`, gzipSync(csv, { level: 9 })] as const,
)

writeFolder(out, 'sets', new Map([['sets.ndjson', ndjson(sets)]]))
writeFolder(out, 'cards', cardFiles)
// Files are read in name order, so that "corrections" comes after every month.
writeFolder(
  out,
  'history',
  new Map<string, string | Buffer>([...months, ['corrections-2026-11.csv', corrections(walks)]]),
)
process.stdout.write(
  `${cards.length} cards in ${sets.length} sets, ${daysKept} days to ${lastDay}, written to ${out}\n`,
)
