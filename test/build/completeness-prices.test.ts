/** Snapshots that are right line by line and wrong as a whole, by their market prices. */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { build } from '../../build/build.ts'
import { someOf } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'
import { copyOf } from '../support/import.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'
import { cards, cardsAt, currentOf, refused } from './compiled.ts'

const offer = ' (--force publishes it all the same)'

describe('a snapshot', () => {
  const unpriced = 'more than a tenth of the cards with a market price in the current version have none now:'
  const fallen = 'more than half of the market prices are below half of those in the current version:'
  const risen = 'more than half of the market prices are above twice those in the current version:'
  // Of pokemon: so many cards at each price, in the current version and in the snapshot; what 200 of mtg cost, which were at 1.
  const cases: readonly (readonly [before: string, now: string, mtg: number, said: string])[] = [
    ['100 at 1', '90 at 1, 10 at null', 1, 'published'],
    ['100 at 1', '89 at 1, 11 at null', 1, `${unpriced} pokemon 11 of 100`],
    ['100 at 1', '50 at 1, 50 at null', 1, `${unpriced} pokemon 50 of 100, all games 50 of 300`],
    // A card without a price before, or without a card now, counts on neither side.
    ['50 at 1, 50 at null', '45 at 1, 5 at null, 50 at 1', 1, 'published'],
    ['50 at 1, 50 at null', '44 at 1, 6 at null, 50 at 1', 1, `${unpriced} pokemon 6 of 50`],
    ['99 at 1', '89 at 1', 1, 'published'],
    ['99 at 1', '99 at null', 1, `${unpriced} all games 99 of 299`],
    ['99 at 1', '79 at 1, 20 at null', 1, 'published'],
    // A price of 0 is one.
    ['100 at 0', '100 at 0', 1, 'published'],
    ['100 at 0', '100 at 0.01', 1, `${risen} pokemon 100 of 100`],
    ['100 at 1', '100 at 0', 1, `${fallen} pokemon 100 of 100`],
    // Exactly a half, exactly twice, exactly as many as the others.
    ['100 at 1', '100 at 0.5', 1, 'published'],
    ['100 at 1', '51 at 0.49, 49 at 1', 1, `${fallen} pokemon 51 of 100`],
    ['100 at 1', '50 at 0.49, 50 at 1', 1, 'published'],
    ['100 at 1', '46 at 0.49, 44 at 1, 10 at null', 1, `${fallen} pokemon 46 of 90`],
    ['100 at 1', '100 at 2', 1, 'published'],
    ['100 at 1', '51 at 2.01, 49 at 1', 1, `${risen} pokemon 51 of 100`],
    ['100 at 1', '50 at 2.01, 50 at 1', 1, 'published'],
    ['100 at 1', '46 at 2.01, 44 at 1, 10 at null', 1, `${risen} pokemon 46 of 90`],
    ['99 at 1', '99 at 1000', 1, 'published'],
    ['99 at 1', '99 at 1000', 1000, `${risen} mtg 200 of 200, all games 299 of 299`],
    ['100 at 1', '11 at null, 89 at 1000', 1, `${unpriced} pokemon 11 of 100; ${risen} pokemon 89 of 89`],
  ]
  const priced = (text: string) =>
    text.split(', ').flatMap((part) => {
      const [count, price] = part.split(' at ')
      return new Array<number | null>(Number(count)).fill(JSON.parse(price!))
    })
  const forced = someOf(
    cases.map(([, , , said]) => said).filter((said) => said !== 'published'),
    4,
  )
  const versions = new Map<string, string>()
  for (const [before, now, mtgNow, said] of cases) {
    it(`with ${now} after ${before}: ${said}`, async () => {
      const snapshot = (pokemon: string, mtg: number) =>
        snapshotOf({
          'sets/a.ndjson': [aSet, { ...aSet, game: 'mtg' }],
          'cards/pokemon.ndjson': cardsAt('pokemon', priced(pokemon)),
          'cards/mtg.ndjson': cards('mtg', 200, mtg),
        })
      if (!versions.has(before)) {
        versions.set(before, temporaryFolder())
        await build(snapshot(before, 1), versions.get(before)!)
      }
      const indexDir = copyOf(versions.get(before)!)
      const first = currentOf(indexDir)
      const last = snapshot(now, mtgNow)
      const expected = said === 'published' ? said : `${said}; nothing was published${offer}`
      assert.equal(await refused(last, indexDir), expected)
      if (said === 'published') return
      assert.equal(currentOf(indexDir), first)
      if (!forced.includes(said)) return
      // Nor is it by a build that knows nothing of the version's.
      rmSync(join(indexDir, 'build.msgpack'))
      assert.equal(await refused(last, indexDir), expected)
      const { manifest } = await build(last, indexDir, { force: true })
      assert.equal(currentOf(indexDir), manifest.version)
    })
  }

  it('of which cards came and went is compared card by card', async () => {
    const indexDir = temporaryFolder()
    const snapshot = (first: number, price: (i: number) => number) =>
      snapshotOf({
        'sets/a.ndjson': [aSet],
        'cards/a.ndjson': Array.from({ length: 100 }, (_, i) => {
          const name = `Card ${(first + i) % 7}`
          return { ...aCard, id: `pokemon-${first + i}`, name, prices: { market: price(first + i) } }
        }),
      })
    const said = (first: number, price: (i: number) => number) => refused(snapshot(first, price), indexDir)
    const wrong = `${fallen} pokemon 90 of 90, all games 90 of 90; nothing was published${offer}`
    assert.equal(await said(0, (i) => 1 + i), 'published')
    assert.equal(await said(5, (i) => 2 + 2 * i), 'published', 'twice as much each')
    assert.equal(await said(15, (i) => 0.5 + 0.5 * i), wrong)
  })
})
