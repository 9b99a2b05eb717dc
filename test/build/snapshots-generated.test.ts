/** Random snapshots with random mistakes: the build finds the very lines that a plain reading of the rules finds. */
import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { rmSync } from 'node:fs'
import { it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { build } from '../../build/build.ts'
import { Progress } from '../../build/progress.ts'
import { SnapshotError } from '../../build/read/problems.ts'
import { gameSlugs } from '../../src/games.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { checkVersion } from '../indexes/checks/version.ts'
import { amount } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'
import { drawBelow, drawFrom, type Random, randomFrom } from '../support/random.ts'
import { snapshotOf } from '../support/snapshot.ts'

/** A file's lines without their breaks. */
type Snapshot = Map<string, Buffer[]>

const rounds = amount(12, 100)
const header = 'date,id,market,low,high'

// Generated snapshots: right at first, then spoilt here and there.

function randomSnapshot(random: Random): Snapshot {
  const below = (max: number) => drawBelow(random, max)
  const sets = Array.from({ length: 1 + below(4) }, (_, i) => ({
    game: drawFrom(random, ['pokemon', 'mtg']),
    code: `set${i}`,
    name: `Set ${i}`,
    releaseDate: drawFrom(random, [null, '1999-01-09', '2024-02-29']),
  }))
  const cards = Array.from({ length: 1 + below(15) }, (_, i) => {
    const set = drawFrom(random, sets)
    return {
      id: `${set.game}-${set.code}-${i}`,
      game: set.game,
      name: drawFrom(random, ['Charizard', 'リザードン', 'Juzám Djinn']),
      setCode: set.code,
      ...drawFrom(random, [
        {},
        { number: '4', rarity: null },
        { image: 'https://images.example/a.webp', sources: ['ebay'] },
      ]),
      ...drawFrom(random, [{}, { prices: null }, { prices: randomPrices(random) }, { prices: randomPrices(random) }]),
      ...drawFrom(random, [{}, { updatedAt: '2026-11-20T06:00:00Z' }, { tcgplayerId: 1 + below(9) }]),
    }
  })
  const ids = [...cards.map(({ id }) => id), 'pokemon-unknown-1', 'pokemon-unknown-2']
  const files: Snapshot = new Map()
  const json = (records: readonly object[]) => records.map((record) => Buffer.from(JSON.stringify(record)))
  const halves = <T>(items: readonly T[], at = below(items.length + 1)) =>
    [items.slice(0, at), items.slice(at)] as const
  halves(sets).forEach((part, i) => void files.set(`sets/${i}.ndjson${drawFrom(random, ['', '.gz'])}`, json(part)))
  halves(cards).forEach((part, i) => void files.set(`cards/${i}.ndjson${drawFrom(random, ['', '.gz'])}`, json(part)))
  for (let i = below(3); i > 0; i--) {
    const rows = new Set<string>()
    for (let n = below(12); n > 0; n--) rows.add(`2026-11-${10 + below(4)},${drawFrom(random, ids)}`)
    const lines = [
      header,
      ...Array.from(rows, (row) => `${row},${below(500) / 100},${drawFrom(random, ['', '0', '1.5'])},`),
    ]
    files.set(
      `history/${i}.csv${drawFrom(random, ['', '.gz'])}`,
      lines.map((line) => Buffer.from(line)),
    )
  }
  for (const lines of files.values()) if (random() < 0.2) lines.splice(lines.length === 0 ? 0 : 1, 0, Buffer.from(' '))
  return files
}

const randomPrices = (random: Random) => ({
  market: drawBelow(random, 100_000) / 100,
  low: drawFrom(random, [null, 0, 200, 10_000_000]),
  conditions: drawFrom(random, [null, {}, { near_mint: 3.5, mint: 'no price of ours' }]),
  graded: drawFrom(random, [null, { psa_10: 12000, bgs_9_5: null }]),
})

const values = [
  null,
  '',
  ' ',
  0,
  -1,
  7,
  0.5,
  1e9,
  true,
  [],
  {},
  [''],
  ['a', 7],
  'pokemon',
  'mtg',
  'chess',
  'set0',
  '2026-02-30',
]
const moreValues = [
  '1999-01-09',
  'https://',
  'ftp://a.b',
  'POKEMON-1',
  { market: -1 },
  { graded: { 'PSA 10': 1 } },
  { low: '1' },
]
const dates = ['1989-12-31', '1990-01-01', '2099-12-31', '2100-01-01', '2026-02-30', '2026-11-13', '\0'.repeat(10)]
const chars = ['', '0', '-', 'x', ',', '.', 'e9', '\0', '{', ' ', '99999999']

/** Spoils a line, or happens not to. */
function spoil(random: Random, files: Snapshot): void {
  const [name, lines] = drawFrom(random, [...files])
  const first = name.startsWith('history/') ? 1 : 0
  if (lines.length <= first) return
  const at = first + drawBelow(random, lines.length - first)
  const line = lines[at]!
  const way = random()
  if (way < 0.15) lines.splice(at, 0, drawFrom(random, lines.slice(first)))
  else if (way < 0.2) lines[at] = Buffer.concat([line, Buffer.of(0xff)])
  else if (way < 0.6 && isObject(parsed(line.toString()))) {
    const record = JSON.parse(line.toString()) as Record<string, unknown>
    record[drawFrom(random, [...Object.keys(record), 'prices', 'tcgplayerId'])] = drawFrom(random, [
      ...values,
      ...moreValues,
    ])
    lines[at] = Buffer.from(JSON.stringify(record))
  } else if (way < 0.7 && first === 1) {
    lines[at] = Buffer.from(line.toString().replace(/^[^,]*/, drawFrom(random, dates)))
  } else {
    const text = line.toString()
    const from = drawBelow(random, text.length + 1)
    lines[at] = Buffer.from(text.slice(0, from) + drawFrom(random, chars) + text.slice(from + drawBelow(random, 3)))
  }
}

// The plain reading of the rules.

interface Reading {
  /** `file:line` */
  readonly wrong: Set<string>
  readonly sets: Set<string>
  readonly cards: Set<string>
  /** Card and date. */
  readonly rows: Set<string>
  dropped: number
}

// biome-ignore lint/suspicious/noExplicitAny: the outside world
type Any = any

function parsed(text: string): Any {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isText = (value: Any) => typeof value === 'string' && value.trim() !== ''
const isUnknown = (value: Any) => value === null || value === undefined
const isObject = (value: Any) => typeof value === 'object' && value !== null && !Array.isArray(value)
const isDate = (value: Any) =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\d$/.test(value) &&
  !Number.isNaN(Date.parse(`${value}T00:00Z`)) &&
  new Date(`${value}T00:00Z`).toISOString().startsWith(value)
const isTime = (value: Any) =>
  typeof value === 'string' && isDate(value.slice(0, 10)) && /^.{10}T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?Z$/.test(value)
const isPrice = (value: Any) => isUnknown(value) || (typeof value === 'number' && value >= 0 && value <= 1e7)
const conditions = ['near_mint', 'lightly_played', 'moderately_played', 'heavily_played', 'damaged']
const arePrices = (value: Any) =>
  isUnknown(value) ||
  (isObject(value) &&
    ['market', 'low', 'mid', 'high'].every((key) => isPrice(value[key])) &&
    (isUnknown(value.conditions) ||
      (isObject(value.conditions) && conditions.every((key) => isPrice(value.conditions[key])))) &&
    (isUnknown(value.graded) ||
      (isObject(value.graded) &&
        Object.entries(value.graded).every(([key, price]) => /^[a-z]+(_\d\d?){1,2}$/.test(key) && isPrice(price)))))

const isSet = (set: Any) =>
  isObject(set) &&
  gameSlugs.includes(set.game) &&
  isText(set.code) &&
  isText(set.name) &&
  (isUnknown(set.releaseDate) || isDate(set.releaseDate))

const isCard = (card: Any) =>
  isObject(card) &&
  typeof card.id === 'string' &&
  /^[a-z0-9.~_-]{1,128}$/.test(card.id) &&
  gameSlugs.includes(card.game) &&
  card.id.startsWith(`${card.game}-`) &&
  isText(card.name) &&
  isText(card.setCode) &&
  [card.number, card.rarity].every((value) => isUnknown(value) || typeof value === 'string') &&
  (isUnknown(card.image) || (/^https?:\/\//.test(card.image) && URL.canParse(card.image))) &&
  arePrices(card.prices) &&
  (isUnknown(card.sources) || (Array.isArray(card.sources) && card.sources.every(isText))) &&
  (isUnknown(card.updatedAt) || isTime(card.updatedAt)) &&
  (isUnknown(card.tcgplayerId) || (Number.isSafeInteger(card.tcgplayerId) && card.tcgplayerId >= 1))

const isRowPrice = (text: string) => /^(\d+(\.\d+)?(e\d+)?)?$/i.test(text) && Number(text) <= 1e7

function readPlainly(files: Snapshot): Reading {
  const reading: Reading = { wrong: new Set(), sets: new Set(), cards: new Set(), rows: new Set(), dropped: 0 }
  const { wrong, sets, cards, rows } = reading
  const ofFolder = (folder: string, read: (text: string, place: string, name: string) => void) => {
    for (const name of [...files.keys()].filter((file) => file.startsWith(folder)).sort()) {
      files.get(name)!.forEach((line, i) => {
        if (!isUtf8(line)) wrong.add(`${name}:${i + 1}`)
        else if (line.toString().trim() !== '') read(line.toString(), `${name}:${i + 1}`, name)
      })
    }
  }
  ofFolder('sets/', (text, place) => {
    const set = parsed(text)
    const key = `${set?.game} ${set?.code}`
    if (!isSet(set) || sets.has(key)) wrong.add(place)
    else sets.add(key)
  })
  ofFolder('cards/', (text, place) => {
    const card = parsed(text)
    if (!isCard(card)) wrong.add(place)
    else {
      if ((sets.size > 0 && !sets.has(`${card.game} ${card.setCode}`)) || cards.has(card.id)) wrong.add(place)
      cards.add(card.id)
    }
  })
  const inFile = new Set<string>()
  ofFolder('history/', (text, place, name) => {
    if (text === header) return
    const [date, id, ...prices] = text.split(',') as [string, string, ...string[]]
    const isRow = isDate(date) && date >= '1990' && date < '2100' && id !== '' && prices.length === 3
    if (!isRow || !prices.every(isRowPrice)) wrong.add(place)
    else if (!cards.has(id)) reading.dropped++
    else {
      if (inFile.has(`${name} ${date} ${id}`)) wrong.add(place)
      inFile.add(`${name} ${date} ${id}`)
      rows.add(`${date} ${id}`)
    }
  })
  return reading
}

/** Writes the files with the breaks and the beginnings that a text file may have. */
function write(random: Random, files: Snapshot): string {
  const contents = Array.from(files, ([name, lines]) => {
    const lineBreak = drawFrom(random, ['\n', '\n', '\r\n'])
    const start = drawFrom(random, ['', '', '\ufeff'])
    const end = lines.length > 0 && random() < 0.7 ? lineBreak : ''
    const pieces = lines.flatMap((line, i) => (i === 0 ? [line] : [Buffer.from(lineBreak), line]))
    const bytes = Buffer.concat([Buffer.from(start), ...pieces, Buffer.from(end)])
    return [name, name.endsWith('.gz') ? gzipSync(bytes) : bytes] as const
  })
  return snapshotOf(Object.fromEntries(contents))
}

it('finds the lines that are wrong, and takes a snapshot without any', { timeout: 120_000 }, async () => {
  const seen = { right: 0, wrong: 0 }
  for (let seed = 1; seed <= rounds; seed++) {
    const random = randomFrom(seed)
    const files = randomSnapshot(random)
    for (let mistakes = drawBelow(random, 5); mistakes > 0; mistakes--) spoil(random, files)
    const { wrong, sets, cards, rows, dropped } = readPlainly(files)
    const [snapshot, indexDir] = [write(random, files), temporaryFolder()]
    try {
      const { manifest, history } = await build(snapshot, indexDir, new Progress())
      assert.deepEqual([...wrong], [], `seed ${seed}`)
      assert.deepEqual(manifest.counts, { cards: cards.size, sets: sets.size, historyRows: rows.size }, `seed ${seed}`)
      assert.equal(history.dropped, dropped, `seed ${seed}`)
      checkVersion(await loadVersion(indexDir, manifest.version))
      seen.right++
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error
      // Errors of the whole are reported only if each line is right.
      const lines = error.lines.filter((line) => !/nothing was published/.test(line))
      const places = lines.map((line) => /^[^:]+:\d+/.exec(line)![0])
      assert.deepEqual([...new Set(places)].sort(), [...wrong].sort(), `seed ${seed}:\n${error.message}`)
      if (wrong.size === 0) assert.ok(sets.size === 0 || cards.size === 0, `seed ${seed}`)
      seen.wrong++
    }
    for (const folder of [snapshot, indexDir]) rmSync(folder, { recursive: true })
  }
  assert.ok(seen.right > rounds / 5 && seen.wrong > rounds / 5, JSON.stringify(seen))
})
