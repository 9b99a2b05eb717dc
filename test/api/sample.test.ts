/** The sample snapshot is what its script writes, and holds what a first look and the search rules ask of it. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { gameSlugs } from '../../src/games.ts'
import { itInAll } from '../support/amount.ts'

interface Card {
  readonly id: string
  readonly game: string
  readonly name: string
  readonly setCode: string
  readonly number: string | null
  readonly rarity: string | null
  readonly image?: string | null
  readonly prices?: {
    readonly market: number | null
    readonly conditions: Readonly<Record<string, number>> | null
    readonly graded?: Readonly<Record<string, number>> | null
  } | null
  readonly sources?: readonly string[] | null
  readonly updatedAt: string | null
}

const snapshots = fileURLToPath(new URL('../../snapshots', import.meta.url))
const folders = ['sets', 'cards', 'history']

/** Each data file's text, unpacked, by its name as seen from the snapshot folder. */
function textsOf(root: string): Map<string, string> {
  const names = folders.flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
  return new Map(
    names.sort().map((name) => {
      const bytes = readFileSync(join(root, name))
      return [name, (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()]
    }),
  )
}

const texts = textsOf(snapshots)
const linesOf = (folder: string) =>
  [...texts].filter(([name]) => name.startsWith(`${folder}/`)).flatMap(([, text]) => text.trimEnd().split('\n'))
const cards = linesOf('cards').map((line) => JSON.parse(line) as Card)
const sets = linesOf('sets').map(
  (line) => JSON.parse(line) as { game: string; code: string; name: string; releaseDate: string | null },
)
const cardOf = new Map(cards.map((card) => [card.id, card]))

/** One file's rows as objects by its header. */
function rowsOf(name: string): Record<string, string>[] {
  const [header, ...rows] = texts.get(name)!.trimEnd().split('\n')
  const columns = header!.split(',')
  return rows.map((row) => {
    const fields = row.split(',')
    const record: Record<string, string> = {}
    for (const [place, name] of columns.entries()) record[name] = fields[place]!
    return record
  })
}

const monthFiles = [...texts.keys()].filter((name) => /^history\/\d{4}-\d{2}\.csv\.gz$/.test(name))
const monthRows = monthFiles.flatMap(rowsOf)

describe('the sample snapshot', () => {
  itInAll('is what its script writes, twice the same', () => {
    const out = mkdtempSync(join(tmpdir(), 'sample-'))
    try {
      const make = join(snapshots, 'sample/make.ts')
      execFileSync(process.execPath, [make, out], { stdio: ['ignore', 'ignore', 'inherit'] })
      const written = textsOf(out)
      assert.deepEqual([...written.keys()], [...texts.keys()])
      for (const [name, text] of written) assert(text === texts.get(name), `${name} differs: run ${make}`)
    } finally {
      rmSync(out, { recursive: true })
    }
  })

  it('is small: below 2 MB', () => {
    const bytes = [...texts.keys()].reduce((sum, name) => sum + statSync(join(snapshots, name)).size, 0)
    assert(bytes < 2_000_000, `${bytes} bytes`)
  })

  it('holds 300 cards or more in 40 sets or more of all eight games', () => {
    assert(cards.length >= 300, `${cards.length} cards`)
    assert(sets.length >= 40, `${sets.length} sets`)
    assert.deepEqual(
      gameSlugs.filter((slug) => cards.filter((card) => card.game === slug).length < 20),
      [],
    )
  })

  it('has unique, well-formed ids, and the set of every card', () => {
    assert.equal(cardOf.size, cards.length)
    const known = new Set(sets.map((set) => `${set.game} ${set.code}`))
    assert.equal(known.size, sets.length)
    const used = new Set(cards.map((card) => `${card.game} ${card.setCode}`))
    assert.deepEqual([...used].sort(), [...known].sort())
    for (const { id, game } of cards) {
      assert.match(id, /^[a-z0-9._~-]{1,128}$/)
      assert(id.startsWith(`${game}-`), id)
    }
  })

  it('shows its images as made up', () => {
    for (const { image } of cards) assert(!image || image.startsWith('https://images.example/'), `${image}`)
  })
})

describe('the names that the search rules speak of', () => {
  const names: [id: string, name: string][] = [
    ['pokemon-bw3-092', 'N'],
    ['pokemon-base1-011', 'Nidoking'],
    ['pokemon-base1-055', 'Nidoran♂'],
    ['pokemon-base2-057', 'Nidoran♀'],
    ['pokemon-sv03-125', 'Charizard ex'],
    ['pokemon-base2-052', 'Exeggcute'],
    ['pokemon-base2-064', 'Poké Ball'],
    ['pokemon-xy2-062', 'Flabébé'],
    ['pokemon-base1-027', "Farfetch'd"],
    ['pokemon-base2-006', 'Mr. Mime'],
    ['pokemonjp-sm11-028', 'カプ・コケコ'],
    ['pokemonjp-sv2a-006', 'リザードンex'],
    ['mtg-unh-023', '_____'],
    ['mtg-mh2-259', "Urza's Saga"],
    ['mtg-dst-091', 'Æther Vial'],
    ['mtg-arn-029', 'Juzám Djinn'],
    ['yugioh-lob-lob-001', 'Blue-Eyes White Dragon'],
    ['yugioh-mams-mams-en001', 'Blue-Eyes White Dragon, the White Phantom Beast'],
    ['onepiece-op-01-op01-003', 'Monkey.D.Luffy'],
    ['onepiece-op-05-op05-074', 'Eustass"Captain"Kid'],
    ['fab-hvy-hvy035', 'Pound Town (Red)'],
    ['fab-mon-mon278', 'Pound for Pound (Red)'],
  ]
  for (const [id, name] of names) it(name, () => assert.equal(cardOf.get(id)?.name, name))

  it('stand several times, in several sets and in one', () => {
    const places = (name: string) => cards.filter((card) => card.name === name).map((card) => card.setCode)
    assert(new Set(places('Charizard')).size >= 3)
    assert(new Set(places('Blue-Eyes White Dragon')).size >= 4)
    assert(new Set(places('Monkey.D.Luffy')).size >= 5)
    assert.deepEqual(places('Stardust Dragon'), ['TDGS', 'TDGS'])
    assert(cards.filter((card) => card.game === 'pokemon' && card.setCode === 'base1').length >= 30)
  })
})

describe('what is unknown in the sample', () => {
  const cases: [what: string, (card: Card) => boolean][] = [
    ['prices are null', (card) => card.prices === null],
    ['prices are absent', (card) => !('prices' in card)],
    ['a market price is null among others', (card) => card.prices?.market === null && card.prices.conditions !== null],
    ['a number', (card) => card.number === null],
    ['a rarity', (card) => card.rarity === null],
    ['an image', (card) => !card.image],
    ['sources', (card) => !card.sources],
    ['a date of update', (card) => card.updatedAt === null],
  ]
  for (const [what, isSo] of cases) {
    it(what, () => {
      const some = cards.filter(isSo).length
      assert(some > 0 && some < 10, `${some} cards`)
    })
  }

  it('release dates of a few sets', () => {
    const undated = sets.filter((set) => set.releaseDate === null)
    assert.deepEqual(
      undated.map((set) => set.code),
      ['MAMS', 'P'],
    )
  })

  it('and what is known: every condition, grades of three graders', () => {
    const conditions = new Set(cards.flatMap((card) => Object.keys(card.prices?.conditions ?? {})))
    assert.deepEqual([...conditions], ['near_mint', 'lightly_played', 'moderately_played', 'heavily_played', 'damaged'])
    const grades = new Set(cards.flatMap((card) => Object.keys(card.prices?.graded ?? {})))
    assert.deepEqual([...grades].sort(), ['bgs_9_5', 'cgc_10', 'cgc_9', 'psa_10', 'psa_9'])
  })
})

describe('the history of the sample', () => {
  const byCard = new Map<string, Record<string, string>[]>()
  for (const row of monthRows) {
    const rows = byCard.get(row['id']!)
    if (rows === undefined) byCard.set(row['id']!, [row])
    else rows.push(row)
  }

  it('goes over 400 days to 2026-11-20, for each card with prices and for no other of the catalog', () => {
    const dates = [...new Set(monthRows.map((row) => row['date']!))].sort()
    assert.deepEqual([dates.length, dates[0], dates.at(-1)], [400, '2025-10-17', '2026-11-20'])
    for (const { id, prices } of cards) {
      const rows = byCard.get(id) ?? []
      const isPriced = prices != null && Object.values(prices).some((price) => price !== null)
      const ends = isPriced ? [dates[0], dates.at(-1)] : [undefined, undefined]
      assert.deepEqual([rows[0]?.['date'], rows.at(-1)?.['date']], ends, id)
    }
  })

  it('ends with the market price of the card', () => {
    for (const { id, prices } of cards) {
      const last = byCard.get(id)?.at(-1)?.['market'] ?? ''
      assert.equal(last === '' ? null : Number(last), prices?.market ?? null, id)
    }
  })

  it('mostly repeats the day before, with gaps in dates and unknown prices', () => {
    const known = [...byCard.values()]
    const repeats = known.flatMap((rows) => rows.slice(1).map((row, day) => row['market'] === rows[day]!['market']))
    const share = repeats.filter(Boolean).length / repeats.length
    assert(share > 0.6 && share < 0.9, `${share}`)
    assert(known.some((rows) => rows.length < 390) && known.some((rows) => rows.length === 400))
    for (const column of ['market', 'low', 'high'])
      assert(
        monthRows.some((row) => row[column] === ''),
        column,
      )
  })

  it('is corrected by a later file, row for row', () => {
    const name = 'history/corrections-2026-11.csv'
    assert.equal([...texts.keys()].filter((other) => other.startsWith('history/')).at(-1), name)
    const rows = rowsOf(name)
    assert(rows.length > 0)
    for (const row of rows) {
      const wrong = byCard.get(row['id']!)!.find((other) => other['date'] === row['date'])!
      assert.equal(Math.round(Number(wrong['market']) * 100), Math.round(Number(row['market']) * 1000), row['id'])
    }
  })

  it('has rows of a few cards that the catalog does not know', () => {
    const strangers = [...byCard.keys()].filter((id) => !cardOf.has(id))
    assert.deepEqual(strangers, ['pokemon-basep-001', 'mtg-leb-233', 'yugioh-lob-lob-037'])
  })
})
