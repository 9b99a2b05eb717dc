/** A walk over all pages while versions are published: its items are of one version, or it throws. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { CardPrices, DataChangedError } from '../../clients/typescript/src/index.ts'
import { type Dataset, openDataset } from '../../src/api/dataset.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { amount } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'
import { drawBelow, randomFrom } from '../support/random.ts'
import { type ServersHere, serveHere } from '../support/servers-here.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'
import { addVersion } from '../support/versions.ts'
import { answer, startScripted } from './scripted-server.ts'

const [pages, limit] = [300, 2]
const snapshotAt = (market: number) =>
  snapshotOf({
    'sets/s.ndjson': [aSet],
    'cards/c.ndjson': Array.from({ length: pages * limit }, (_, i) => ({
      ...{ ...aCard, id: `pokemon-${i}`, number: String(i), prices: { market } },
    })),
  })

let here: ServersHere
/** All cards of a version cost the same. */
let versions: Dataset[]
before(async () => {
  here = await serveHere(snapshotAt(1))
  const indexDir = temporaryFolder()
  const open = async (market: number) =>
    openDataset(await loadVersion(indexDir, await addVersion(indexDir, snapshotAt(market))))
  versions = [await open(1), await open(2), await open(3)]
})
after(() => here.close())

const clientOf = (address: string) => new CardPrices({ baseUrl: address, apiKey: here.keys.business, maxWaitMs: 0 })

it('is of one version, after at most one restart, or ends in a DataChangedError', async () => {
  const random = randomFrom(1)
  const server = here.server('A')
  const prices = clientOf(here.address('A'))
  const seen = { unchanged: 0, restarted: 0, failed: 0 }
  for (let walk = 0; walk < amount(12, 60); walk++) {
    // The pages after which a version is published.
    const published = Array.from({ length: walk % 3 }, () => 1 + drawBelow(random, 2 * pages * limit))
    const restarts: number[] = []
    let markets: (number | null)[] = []
    let items = 0
    const hasOnRestart = walk % 4 !== 3
    const onRestart = hasOnRestart ? () => restarts.push(markets.splice(0).length) : undefined
    try {
      for await (const card of prices.list.all({ game: 'pokemon', limit, onRestart })) {
        markets.push(card.prices.market)
        assert.equal(card.prices.market, markets[0], 'no mixed pages')
        if (published.includes(++items)) server.data = versions[(walk + items) % versions.length]!
      }
      assert.equal(markets.length, pages * limit)
      seen[restarts.length > 0 ? 'restarted' : 'unchanged']++
    } catch (error) {
      assert.ok(error instanceof DataChangedError && error.code === 'PRECONDITION_FAILED')
      seen.failed++
      markets = []
    }
    assert.ok(restarts.length <= (hasOnRestart ? 1 : 0))
  }
  assert.ok(
    Object.values(seen).every((count) => count > 0),
    JSON.stringify(seen),
  )
})

it('is not mixed where a proxy loses If-Match, and goes on where one makes a tag weak', async () => {
  const server = await startScripted()
  const page = (tag: string, offset: number) =>
    answer(200, { data: [{ id: tag }], total: 2, limit: 1, offset }, { etag: tag })
  const walk = () => Readable.from(clientOf(server.address).sets.all({ limit: 1 })).toArray()
  server.play(page('"a"', 0), page('"b"', 1))
  await assert.rejects(walk(), DataChangedError)
  assert.equal(server.asked[1]!.headers['if-match'], '"a"')
  server.play(page('W/"a"', 0), page('"a"', 1))
  assert.deepEqual(await walk(), [{ id: 'W/"a"' }, { id: '"a"' }])
  await server.close()
})

it('leaves no connection idle for as long as the server keeps it', async () => {
  const server = await startScripted()
  let closedAfter = 0
  server.play((asked, response) => {
    const answeredAt = performance.now()
    response.socket!.on('close', () => {
      closedAfter = performance.now() - answeredAt
    })
    return answer(200, { data: [] })(asked, response)
  })
  await clientOf(server.address).games()
  for (let waited = 0; closedAfter === 0 && waited < 9000; waited += 100) await pause(100)
  assert.ok(closedAfter > 0 && closedAfter < 8000, `${closedAfter} ms`)
  await server.close()
})
