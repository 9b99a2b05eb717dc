/** A version's report: what changed from the version before, beside a comparison of the snapshots line by line. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { build } from '../../build/build.ts'
import { readManifest } from '../../src/indexes/manifest.ts'
import {
  type Comparison,
  readReport,
  reportListMax,
  reportMovesMax,
  reportTextCharsMax,
} from '../../src/indexes/report-file.ts'
import { compareTexts } from '../../src/text-order.ts'
import { amount } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'
import { drawBelow, randomFrom } from '../support/random.ts'
import { aCard, aSet, aSnapshot, snapshotOf } from '../support/snapshot.ts'

interface SetLine {
  readonly game: string
  readonly code: string
  readonly name: string
  readonly releaseDate: string
}

interface CardLine {
  readonly id: string
  readonly game: string
  readonly name: string
  readonly setCode: string
  readonly number: string
  readonly prices: { readonly market: number | null }
}

interface Lines {
  readonly sets: readonly SetLine[]
  readonly cards: readonly CardLine[]
}

const games = ['pokemon', 'mtg'] as const
const cardsOfSet = 40

/** Sets have different dates and cards different numbers, so the order of equal results is easy to tell. */
function drawn(seed: number, setCount: number): Lines {
  const random = randomFrom(seed)
  const sets = games.flatMap((game, i) =>
    Array.from({ length: setCount }, (_, set) => ({
      game,
      code: `s${set}`,
      name: `Set ${set} of ${game}`,
      releaseDate: `20${String(10 + set).padStart(2, '0')}-0${1 + i}-01`,
    })),
  )
  const cards = sets.flatMap(({ game, code: setCode }) =>
    Array.from({ length: cardsOfSet }, (_, i) => {
      const market = drawBelow(random, 8) === 0 ? null : drawBelow(random, 500) / 100
      return {
        id: `${game}-${setCode}-${i}`,
        game,
        setCode,
        name: `Card ${i}`,
        number: `${i}`,
        prices: { market },
      }
    }),
  )
  return { sets, cards }
}

/** Some cards go, some come, some have other prices or none. The last set of each game is new. */
function changed(seed: number, { sets, cards }: Lines): Lines {
  const random = randomFrom(seed)
  const after = cards.flatMap((card): CardLine[] => {
    const chance = drawBelow(random, 10)
    if (chance === 0) return []
    const { market } = card.prices
    if (chance === 1) return [{ ...card, id: `${card.id}-new`, number: `${card.number}0` }]
    if (chance === 2) return [{ ...card, prices: { market: null } }]
    return [chance > 6 ? card : { ...card, prices: { market: market === null ? 2 : drawBelow(random, 500) / 100 } }]
  })
  return { sets, cards: after }
}

const withoutLastSets = ({ sets, cards }: Lines, code: string): Lines => ({
  sets: sets.filter((set) => set.code !== code),
  cards: cards.filter((card) => card.setCode !== code),
})

function compared(before: Lines, after: Lines): Omit<Comparison, 'base'> {
  const sets = new Map([...before.sets, ...after.sets].map((set) => [`${set.game}/${set.code}`, set]))
  const setOf = ({ game, setCode }: CardLine) => sets.get(`${game}/${setCode}`)!
  const inOrder = (cards: readonly CardLine[]) =>
    cards.toSorted(
      (a, b) =>
        compareTexts(setOf(b).releaseDate, setOf(a).releaseDate) ||
        Number(a.number) - Number(b.number) ||
        compareTexts(a.id, b.id),
    )
  const has = ({ cards }: Lines, id: string) => cards.find((card) => card.id === id)
  const described = (card: CardLine) => ({
    id: card.id,
    name: card.name,
    set: setOf(card).name,
    number: card.number,
  })
  const priced = (card: CardLine) => ({ ...described(card), price: card.prices.market })
  const listed = <Item>(items: readonly Item[]) => ({ count: items.length, first: items.slice(0, reportListMax) })
  const added = inOrder(after.cards).filter(({ id }) => has(before, id) === undefined)
  const gone = inOrder(before.cards).filter(({ id }) => has(after, id) === undefined)
  const both = inOrder(after.cards).flatMap((card) => {
    const old = has(before, card.id)
    return old === undefined ? [] : [{ card, before: old.prices.market, price: card.prices.market }]
  })
  const differ = both.filter(({ before, price }) => before !== price)
  const moves = both.flatMap(({ card, before, price }) =>
    before === null || price === null || before < 1 || price < 1 || before === price
      ? []
      : [{ ...described(card), before, price, percent: percentOf(before, price) }],
  )
  const newSets = after.sets.filter(
    (set) => !before.sets.some(({ game, code }) => game === set.game && code === set.code),
  )
  return {
    games: games.map((game) => ({
      game,
      new: added.filter((card) => card.game === game).length,
      gone: gone.filter((card) => card.game === game).length,
      changed: differ.filter(({ card }) => card.game === game).length,
    })),
    newCards: listed(added.map(priced)),
    goneCards: listed(gone.map(priced)),
    newSets: listed(
      newSets
        .toSorted((a, b) => compareTexts(b.releaseDate, a.releaseDate))
        .map((set) => ({
          game: set.game as (typeof games)[number],
          code: set.code,
          name: set.name,
          releaseDate: set.releaseDate,
          cards: after.cards.filter(({ game, setCode }) => game === set.game && setCode === set.code).length,
        })),
    ),
    unpricedCards: listed(
      differ.flatMap(({ card, before, price }) => (price === null ? [{ ...described(card), before: before! }] : [])),
    ),
    up: moves
      .filter(({ percent, before, price }) => percent >= 0 && price > before)
      .toSorted((a, b) => b.percent - a.percent)
      .slice(0, reportMovesMax),
    down: moves
      .filter(({ before, price }) => price < before)
      .toSorted((a, b) => a.percent - b.percent)
      .slice(0, reportMovesMax),
  }
}

const snapshotFrom = ({ sets, cards }: Lines, folder = temporaryFolder()) =>
  snapshotOf({ 'sets/a.ndjson': sets, 'cards/a.ndjson': cards }, folder)

async function built(snapshot: string, indexDir: string) {
  const { manifest } = await build(snapshot, indexDir, { force: true })
  const there = await readManifest(indexDir, manifest.version)
  return { version: manifest.version, manifest: there, report: await readReport(indexDir, there) }
}

describe('A version’s report', () => {
  it('A version’s report has the same changes as a comparison of the snapshots’ lines', async () => {
    for (let seed = 1; seed <= amount(4, 40); seed++) {
      const setCount = 2 + (seed % 4)
      const all = drawn(seed, setCount)
      const before = withoutLastSets(all, `s${setCount - 1}`)
      const after = changed(seed + 1000, all)
      const indexDir = temporaryFolder()
      const first = await built(snapshotFrom(before), indexDir)
      assert.deepEqual(first.report, { base: null, reason: 'first' })
      const next = await built(snapshotFrom(after), indexDir)
      const base = { version: first.version, asOf: null }
      assert.deepEqual(next.report, { base, ...compared(before, after) }, `seed ${seed}`)
      // And the way back, over a version that is there already: its report stays.
      const back = await built(snapshotFrom(before), indexDir)
      assert.deepEqual([back.version, back.report], [first.version, first.report])
    }
  })

  it('A version’s name does not depend on its report, which stays when the version is built again', async () => {
    const [before, after] = [drawn(1, 2), drawn(2, 2)].map((lines) => snapshotFrom(lines))
    const [over, anew] = [temporaryFolder(), temporaryFolder()]
    await built(before!, over)
    const [one, other] = [await built(after!, over), await built(after!, anew)]
    assert.equal(one.version, other.version)
    assert.deepEqual(one.manifest.files, other.manifest.files)
    assert.notDeepEqual(one.report, other.report)
    const again = await built(after!, over)
    assert.deepEqual(
      [again.version, again.manifest.report, again.report],
      [one.version, one.manifest.report, one.report],
    )
    // The same comparison has the same bytes.
    const third = temporaryFolder()
    await built(before!, third)
    assert.deepEqual((await built(after!, third)).manifest.report, one.manifest.report)
  })

  it('A version’s report says why it has no comparison: the previous version is unreadable or the same', async () => {
    const [indexDir, snapshot] = [temporaryFolder(), snapshotOf(aSnapshot)]
    const { version } = await built(snapshot, indexDir)
    const path = join(indexDir, version, 'report.json')
    writeFileSync(path, readFileSync(path, 'utf8').replace('first', 'other'))
    assert.deepEqual((await built(snapshot, indexDir)).report, { base: null, reason: 'same' })
    const manifest = join(indexDir, version, 'manifest.json')
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(/"format": \d+/, '"format": 3'))
    const next = snapshotOf({ ...aSnapshot, 'cards/b.ndjson': [{ ...aCard, id: `${aCard.id}-b` }] })
    assert.deepEqual((await built(next, indexDir)).report, { base: null, reason: 'unreadable' })
  })

  it('A version’s report cuts long names off, so that its size is bounded', async () => {
    const name = '🂡'.repeat(1000)
    const long = (cards: number) => ({
      'sets/a.ndjson': [{ ...aSet, name }],
      'cards/a.ndjson': Array.from({ length: cards }, (_, i) => ({
        ...aCard,
        id: `${aCard.id}-${i}`,
        name,
        number: name,
      })),
    })
    const indexDir = temporaryFolder()
    await built(snapshotOf(long(1)), indexDir)
    const { report, manifest } = await built(snapshotOf(long(60)), indexDir)
    const { newCards } = report as Comparison
    assert.deepEqual([newCards.count, newCards.first.length], [59, reportListMax])
    for (const text of [newCards.first[0]!.name, newCards.first[0]!.set, newCards.first[0]!.number!]) {
      assert.ok(text.length <= reportTextCharsMax && text.isWellFormed() && text.endsWith('🂡…'), text)
    }
    assert.ok(manifest.report!.bytes < 200_000, `${manifest.report!.bytes} bytes`)
  })
})

/** With one decimal, half away from zero, reckoned in cents: two whole numbers have no rounding of their own. */
function percentOf(before: number, price: number): number {
  const [from, to] = [before, price].map((amount) => BigInt(Math.round(amount * 100))) as [bigint, bigint]
  const [size, sign] = to > from ? [to - from, 1] : [from - to, -1]
  return (sign * Number((2000n * size + from) / (2n * from))) / 10
}
