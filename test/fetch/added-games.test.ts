/** Three games that an operator adds, from the mirror's categories to answers and pages, beside one of the first eight. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { CardPrices } from '../../clients/typescript/src/value.ts'
import { pricingFile, pricingRow } from '../import/pricing-files.ts'
import { accounts, cardPrices, type Outcome, run, runHere, temporaryFolder } from '../support/command.ts'
import { type Reply, type Service, send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { listBody, listType } from '../web/open-form.ts'
import type { MirrorGroup } from './mirror-groups.ts'
import { firstStamp, nextStamp, PublicSource, tcgcsvFiles } from './public-source.ts'

interface Added {
  readonly id: string
  /** What TCGCSV calls the category. */
  readonly category: number
  readonly names: readonly [name: string, displayName: string]
  readonly language: string
  readonly card: string
  readonly number: string | undefined
}
const beasts: Added = {
  id: 'cornes',
  category: 101,
  names: ['Betes a Cornes', 'Bêtes-à-cornes TCG'],
  language: 'English',
  card: 'Licorne Dorée',
  number: 'BC1-007',
}
const dragons: Added = {
  id: 'dragonsofjapan',
  category: 102,
  names: ['Dragons of Japan', 'Dragons of Japan'],
  language: 'Japanese',
  card: 'ドラゴン',
  number: '012/080',
}
const tokens: Added = {
  id: 'tokens',
  category: 103,
  names: ['Tokens', 'Tokens'],
  language: 'English',
  card: 'Token of Luck',
  number: undefined,
}
const added = [beasts, dragons, tokens]
/** It stands for the first eight: whatever they can do, it does. */
const pokemon: Added = {
  id: 'pokemon',
  category: 3,
  names: ['Pokemon', 'Pokemon'],
  language: 'English',
  card: 'Alakazam',
  number: '001/102',
}
const all = [pokemon, ...added]

const priceOf = ({ category }: Added): number => category / 2
const groupOf = (game: Added, factor: number): MirrorGroup => ({
  category: game.category,
  id: game.category * 10,
  name: `First of ${game.names[0]}`,
  abbreviation: `S${game.category}`,
  published: '2020-11-27T00:00:00',
  products: [
    {
      id: game.category * 100,
      name: game.card,
      rarity: 'C',
      ...(game.number === undefined ? {} : { number: game.number }),
      prices: [{ subType: 'Normal', market: priceOf(game) * factor, low: 0.5, mid: 1, high: 2 }],
    },
  ],
})

/** What TCGCSV publishes on a day. */
function filesOf(stamp: string, factor: number): Map<string, string | Buffer> {
  const files = tcgcsvFiles(
    all.map((game) => groupOf(game, factor)),
    stamp,
  )
  const results = all.map(({ category, names: [name, displayName] }) => ({ categoryId: category, name, displayName }))
  return files.set('/tcgplayer/categories', JSON.stringify({ success: true, errors: [], results }))
}

const [out, indexDir, storeDir] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
const current = () => readFileSync(join(indexDir, 'current'), 'utf8').trim()
let source: PublicSource
let service: Service
let key: string
let versionBefore: string

const gamesCommand = (...words: string[]) => runHere(['games', ...words, '--out', out])
/** In a process, whose progress is on its standard error. */
const update = (...words: string[]): Promise<Outcome> =>
  run(cardPrices, ['update', 'tcgcsv', '--from', source.url, '--out', out, ...words], { INDEX_DIR: indexDir })
const get = (path: string): Promise<Reply> => send(service.address, path, { headers: { 'x-api-key': key } })
const post = async (path: string, body: object) =>
  (
    await send(service.address, path, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  ).json
const servesCurrent = () =>
  until('the running server has the current version', async () => (await get('/healthz')).json.version === current())
const page = async (path: string): Promise<string> => (await send(service.pages, path)).body
const cardOf = async ({ id }: Added) => (await get(`/v1/cards?game=${id}&view=extended`)).json.data[0]
const valued = (text: string) => new CardPrices({ baseUrl: service.address, apiKey: key, maxWaitMs: 0 }).value(text)

before(async () => {
  source = await PublicSource.start(filesOf(firstStamp, 1))
  const first = await update('--games', 'pokemon')
  assert.equal(first.code, 0, first.stderr)
  versionBefore = current()
  key = (await accounts(storeDir, 'create', 'shop', '--plan', 'business')).key
  service = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir, WEB_PORT: '0' })
})
after(() => service.stop())

describe('Three added games', () => {
  it('The command games add finds a category by its names, proposes an id, and refuses a game that is there', async () => {
    assert.match((await gamesCommand('add', 'Chess')).stderr, /no category of TCGCSV is called Chess/)
    assert.equal((await gamesCommand('add', 'betes a cornes', '--id', 'cornes')).code, 0)
    assert.equal((await gamesCommand('add', 'japan dragons', '--language', 'Japanese')).code, 0)
    assert.equal((await gamesCommand('add', 'TOKENS')).code, 0)
    const { stderr, code } = await gamesCommand('add', 'Tokens')
    assert.deepEqual([code, stderr], [1, `tokens (Tokens) is a game of ${out} already\n`])
    const rows = readFileSync(join(out, 'games.ndjson'), 'utf8').trimEnd().split('\n')
    assert.deepEqual(
      rows.map((row) => JSON.parse(row)).map(({ id, name, language }) => [id, name, language]),
      added.map(({ id, names, language }) => [id, names[1], language]),
    )
  })

  it('The update after games add fetches the added games, says how long that takes, and the server then lists them', async () => {
    source.forget()
    const { code, stdout, stderr } = await update()
    assert.equal(code, 0, stdout + stderr)
    assert.match(
      stderr,
      /first fetch of Bêtes-à-cornes TCG, Dragons of Japan, Tokens: 6 requests, with pauses 1 s or more/,
    )
    assert.deepEqual(source.breaches, [])
    const again = source.answered.filter((path) => path.startsWith('/tcgplayer/3/'))
    assert.deepEqual(again, [], 'what came whole today is not asked for again')
    await servesCurrent()
    const listed = (await get('/v1/games')).json.data
    assert.deepEqual(
      listed.slice(8),
      added.map(({ id, names }) => ({ id, name: names[1], cardCount: 1, setCount: 1 })),
    )
  })

  for (const game of all) {
    const { id, names, card, number, category } = game
    const price = priceOf(game)
    it(`The API returns the card of the game ${id} in searches, look-ups, histories and sets`, async () => {
      const [found] = (await get(`/v1/search?q=${encodeURIComponent(card)}&game=${id}`)).json.data
      assert.deepEqual([found.name, found.game, found.prices.market], [card, id, price])
      const [suggested] = (await get(`/v1/suggest?q=${encodeURIComponent(card)}&game=${id}`)).json.data
      assert.deepEqual(suggested, { name: card, game: id, cards: 1 })
      const whole = (await get(`/v1/cards/${found.id}?view=extended`)).json.data
      assert.deepEqual([whole.game, whole.tcgplayerId, whole.printing], [id, category * 100, 'Normal'])
      assert.deepEqual((await post('/v1/cards/batch', { ids: [found.id] })).data[0].id, found.id)
      const { history } = (await get(`/v1/cards/${found.id}/history`)).json.data
      assert.deepEqual(history.at(-1), { date: '2026-11-20', market: price, low: 0.5, high: 2 })
      const { data: sets } = (await get(`/v1/sets?game=${id}`)).json
      assert.deepEqual([sets.length, sets[0].name, sets[0].cardCount], [1, `First of ${names[0]}`, 1])
      const set = (await get(`/v1/sets/${id}/s${category}`)).json.data
      assert.deepEqual([set.name, set.printings], [`First of ${names[0]}`, [{ name: 'Normal', cards: 1 }]])
    })

    it(`A line to match may name the game ${id} by its id or by either of its names, in any case`, async () => {
      const asked = [id, ...names, names[0].toUpperCase()]
      const lines = asked.map((game) => ({ name: card, game, ...(number === undefined ? {} : { number }) }))
      const { data } = await post('/v1/match', { cards: lines })
      assert.deepEqual(
        data.map((one: { match: string; card: { game: string } }) => [one.match, one.card.game]),
        asked.map(() => ['exact', id]),
      )
    })

    it(`The bulk file of the game "${id}" has its one card as the API returns it`, async () => {
      const { bytes, status } = await get(`/v1/bulk/${id}`)
      assert.equal(status, 200)
      assert.deepEqual(JSON.parse(gunzipSync(bytes).toString()), await cardOf(game))
    })

    it(`The pages offer the game ${id} as a filter, and show its card and its set`, async () => {
      const whole = await cardOf(game)
      assert.match(await page('/look-up'), new RegExp(`<option value="${id}"`))
      assert.match(await page(`/look-up?q=${encodeURIComponent(card)}&game=${id}`), new RegExp(whole.id))
      assert.match(await page('/'), new RegExp(`game=${id}`))
      assert.match(await page(`/cards/${whole.id}`), new RegExp(`${card}`))
      assert.match(await page('/sets'), new RegExp(`First of ${names[0]}`))
      assert.match(await page(`/sets/${id}/s${category}`), new RegExp(card))
    })

    it(`The client library and the page for lists give a card of the game ${id} the same value`, async () => {
      const language = game.language === 'Japanese' ? 'Japanese' : 'English'
      const rows = [names[1], id].map((name) => `2,${card},${number ?? ''},${name},${language}`)
      const text = ['Quantity,Name,Card Number,Product Line,Language', ...rows].join('\n')
      const { total, priced } = await valued(text)
      assert.deepEqual([priced, total], [2, 4 * price])
      const ids = await valued(`3 ${(await cardOf(game)).id}`)
      assert.equal(ids.total, 3 * price)
      const reply = await send(service.pages, '/value', {
        method: 'POST',
        headers: { 'content-type': listType, origin: service.pages },
        body: listBody(text),
      })
      assert.match(reply.body, new RegExp((4 * price).toFixed(2).replace('.', '\\.')))
      const other = await valued(text.replaceAll(`,${language}`, ',German'))
      assert.deepEqual([other.ambiguous, other.total], [2, 0])
    })
  }

  it('The API description has the added games, and the error for an unknown game lists them', async () => {
    const { paths } = (await get('/openapi.json')).json
    const parameter = paths['/v1/search'].get.parameters.find(({ name }: { name: string }) => name === 'game')
    assert.deepEqual(parameter.schema.enum.slice(8), ['cornes', 'dragonsofjapan', 'tokens'])
    const { status, json } = await get('/v1/search?q=a&game=chess')
    assert.deepEqual(
      [status, /fab, cornes, dragonsofjapan, tokens, given was "chess"/.test(json.error.message)],
      [400, true],
    )
    assert.equal((await get('/v1/bulk/chess')).status, 404)
  })

  it('The command games lists the folder’s games with their cards, sets and sources', async () => {
    const { games } = JSON.parse((await gamesCommand('--json')).stdout)
    assert.deepEqual(games.at(-1), {
      id: 'tokens',
      name: 'Tokens',
      language: 'English',
      cards: 1,
      sets: 1,
      tcgplayer: { category: 103, names: ['Tokens'] },
      cardmarket: null,
      pricecharting: null,
    })
    assert.match((await gamesCommand()).stdout, /cornes +Bêtes-à-cornes TCG +1 +1 +tcgplayer\n/)
  })

  it('A rollback to a version without the added games removes them from the server, and undoing it restores them', async () => {
    const version = current()
    const rollback = async (to: string) => {
      const { code, stderr } = await runHere(['rollback', to], { INDEX_DIR: indexDir })
      assert.equal(code, 0, stderr)
      await servesCurrent()
    }
    await rollback(versionBefore)
    assert.equal((await get('/v1/games')).json.data.length, 8)
    assert.equal((await get('/v1/search?q=a&game=cornes')).status, 400)
    assert.equal((await get('/v1/search?q=Alakazam&game=pokemon')).json.total, 1)
    await rollback(version)
    for (const game of all) assert.equal((await cardOf(game)).name, game.card)
  })

  it('Rows of a seller’s pricing file give cards of added games their prices by condition', async () => {
    const rows = all.map((game) =>
      pricingRow(game.names[0], `First of ${game.names[0]}`, game.card, game.number ?? '', conditionOf(game), '7.77'),
    )
    const { code, stderr, stdout } = await runHere(['import', 'tcgplayer-pricing', pricingFile(rows), '--out', out])
    assert.equal(code, 0, stdout + stderr)
    assert.equal((await runHere(['build', '--snapshots', out], { INDEX_DIR: indexDir })).code, 0)
    await servesCurrent()
    for (const game of all) assert.deepEqual((await cardOf(game)).prices.conditions, { near_mint: 7.77 }, game.id)
  })

  it('The next day’s update adds a second day of prices to the histories of added games’ cards', async () => {
    for (const [path, content] of filesOf(nextStamp, 1.5)) source.set(path, content)
    const { code, stdout, stderr } = await update('--again')
    assert.equal(code, 0, stdout + stderr)
    assert.doesNotMatch(stderr, /first fetch/)
    await servesCurrent()
    for (const game of all) {
      const { id, prices } = await cardOf(game)
      assert.equal(prices.market, priceOf(game) * 1.5)
      const { history } = (await get(`/v1/cards/${id}/history`)).json.data
      assert.deepEqual(
        history.map(({ market }: { market: number }) => market),
        [priceOf(game), priceOf(game) * 1.5],
      )
      const moved = await get(`/v1/movers?game=${game.id}&period=1d`)
      assert.equal(moved.json.data?.[0]?.id, id, moved.body)
    }
  })

  it('The command games remove refuses while the folder has cards of the game, and changes nothing', async () => {
    const before = readFileSync(join(out, 'games.ndjson'))
    const { code, stderr } = await gamesCommand('remove', 'cornes')
    assert.deepEqual([code, stderr], [1, `${out} has 1 cards and 1 sets of cornes, so it stays\n`])
    assert.deepEqual(readFileSync(join(out, 'games.ndjson')), before)
  })
})

/** Sellers' files name the language if it is not English. */
const conditionOf = ({ language }: Added): string => (language === 'English' ? 'Near Mint' : `Near Mint - ${language}`)
