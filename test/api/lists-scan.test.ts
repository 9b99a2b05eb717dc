/** Any search or list over HTTP, in any view: what a plain scan of the same cards finds. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { gameNumber } from '../../src/games.ts'
import { plainWords } from '../reference/plain-words.ts'
import { Scan, type ScanSort } from '../reference/scan.ts'
import { amount } from '../support/amount.ts'
import { drawBelow, drawFrom, randomFrom } from '../support/random.ts'
import { type ServersHere, serveHere } from '../support/servers-here.ts'
import { send } from '../support/service.ts'
import { cards, listedSnapshot, sets } from './listed-cards.ts'

let here: ServersHere
before(async () => {
  here = await serveHere(listedSnapshot())
})
after(() => here.close())

const itemsOf = async (query: string): Promise<{ id: string }[]> =>
  (await send(here.address('A'), `/v1/${query}`, { headers: { 'x-api-key': here.keys.business } })).json.data

it('a search or list is answered as a plain scan answers it, in any view', async () => {
  const scanned = cards.map((card) => ({
    ...card,
    game: gameNumber(card.game),
    setNumber: sets.findIndex(({ game, code }) => game === card.game && code === card.setCode),
    market: card.prices.market === null ? null : Math.round(100 * card.prices.market),
  }))
  const scannedSets = sets.map(({ game, ...set }) => ({ ...set, game: gameNumber(game) }))
  const scan = new Scan(scanned, scannedSets)
  const random = randomFrom(14)
  const words = [...new Set(cards.flatMap(({ name }) => plainWords(name)))]
  const maybe = <Value>(values: readonly Value[]) => (drawBelow(random, 3) === 0 ? drawFrom(random, values) : undefined)
  for (let round = 0; round < amount(250, 600); round++) {
    const isSearch = drawBelow(random, 2) === 0
    const word = drawFrom(random, words)
    const game = maybe(['pokemon', 'mtg', 'fab'])
    const product = isSearch ? undefined : maybe([7, 42_382, 8])
    const asked = {
      ...(isSearch ? { q: word.slice(0, 1 + drawBelow(random, word.length)) } : {}),
      ...{ game, tcgplayer_id: product, set: maybe(['base1', 'NEO', 'Base Set']), rarity: maybe(['RARE', 'x']) },
      ...{ number: maybe(['4', '004', '40', 'sv001']), min_price: maybe(['0', '5', '20.00']) },
      ...{
        max_price: maybe(['20', '350.13', '10000000']),
        limit: 1 + drawBelow(random, 12),
        offset: drawBelow(random, 4),
      },
      ...{ sort: maybe(['price', '-price', 'name', 'newest']), view: maybe(['full', 'summary', 'extended']) },
    }
    if (!isSearch && game === undefined && product === undefined && asked.set === undefined) continue
    const given = Object.entries(asked).filter(([, value]) => value !== undefined)
    const query = given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')
    const filter = {
      ...{
        game: gameNumber(game ?? ''),
        set: asked.set,
        rarity: asked.rarity,
        number: asked.number,
      },
      minCents: asked.min_price === undefined ? undefined : 100 * Number(asked.min_price),
      maxCents: asked.max_price === undefined ? undefined : Math.round(100 * Number(asked.max_price)),
    }
    const sort = asked.sort as ScanSort | undefined
    const found = isSearch
      ? scan.find(asked.q!, filter, sort ?? 'relevance')
      : scan.list(filter, { tcgplayer: product }, sort ?? 'newest')
    const ids = found.slice(asked.offset, asked.offset + asked.limit).map((card) => cards[card]!.id)
    const items = await itemsOf(`${isSearch ? 'search' : 'cards'}?${query}`)
    assert.deepEqual(
      items.map(({ id }) => id),
      ids,
      query,
    )
    assert.ok(
      items.every((item) => 'setCode' in item === (asked.view !== undefined && asked.view !== 'summary')),
      query,
    )
  }
})
