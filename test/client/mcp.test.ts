/** card-prices-mcp by the SDK's own client, over the real server: the API's figures, its errors in words, what they cost, and histories shortened. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { pointsMax, pointsOf, summaryOf } from '../../clients/mcp/src/history-points.ts'
import { servedGamesOf } from '../../clients/mcp/src/served-games.ts'
import { makeServer } from '../../clients/mcp/src/server.ts'
import { tools } from '../../clients/mcp/src/tools.ts'
import { version } from '../../clients/mcp/src/version.ts'
import { CardPrices, type ExtendedCard } from '../../clients/typescript/src/index.ts'
import { type ValuedList, CardPrices as ValuingPrices } from '../../clients/typescript/src/value.ts'
import { firstGames } from '../../src/lists/known-games.ts'
import { serveSample } from '../description/exchanges.ts'
import { amount, itInAll } from '../support/amount.ts'
import { collect, projectDir } from '../support/command.ts'
import { drawBelow, drawFrom, randomFrom } from '../support/random.ts'
import { sampleIds } from '../support/sample.ts'
import { type ServersHere, serveHere } from '../support/servers-here.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'

const here = await serveSample()
after(() => here.close())

type KeyName = keyof ServersHere['keys']
const pricesOf = (key: KeyName, state?: 'empty') =>
  new CardPrices({ baseUrl: here.address('A', state), apiKey: here.keys[key], maxWaitMs: 0 })

async function assistantOf(prices: CardPrices, games?: readonly string[]): Promise<Client> {
  const [ofClient, ofServer] = InMemoryTransport.createLinkedPair()
  await makeServer(prices, games).connect(ofServer)
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(ofClient)
  return client
}

/** The tool's result, as structure; its text is the same. */
async function call(client: Client, name: string, given: object) {
  const { structuredContent, content, isError } = await client.callTool({ name, arguments: { ...given } })
  const [first] = content
  assert.ok(first?.type === 'text')
  if (isError === true) return { words: first.text }
  assert.deepEqual(JSON.parse(first.text), structuredContent)
  const { quota, ...result } = structuredContent as Record<string, unknown>
  return { result, quota: quota as { remaining: number } }
}

const id = 'pokemon-base1-004'

describe('The MCP server', () => {
  it('The MCP server has the version of its package', () => {
    assert.equal(version, JSON.parse(readFileSync(join(projectDir, 'clients/mcp/package.json'), 'utf8')).version)
  })

  it('The MCP server describes when to use each tool, what it costs and its schemas', async () => {
    const client = await assistantOf(pricesOf('free'))
    const { tools: reported } = await client.listTools()
    const names = reported.map(({ name }) => name).join(' ')
    assert.equal(names, 'search_cards get_card price_history price_changes movers list_sets value_list')
    for (const { description = '', inputSchema, outputSchema, annotations } of reported) {
      assert.match(description, /Use it/)
      assert.match(description, /[Cc]osts one request/)
      assert.equal(inputSchema.type, 'object')
      assert.match(JSON.stringify(outputSchema), /"quota"/)
      assert.equal(annotations?.readOnlyHint, true)
    }
    assert.match(client.getInstructions() ?? '', /Trader or Business/)
  })

  it('The MCP server offers the prompts value_my_list and what_moved', async () => {
    const client = await assistantOf(pricesOf('free'))
    const { prompts } = await client.listPrompts()
    assert.equal(prompts.map(({ name }) => name).join(' '), 'value_my_list what_moved')
    const given = { list: '4 Charizard', game: 'pokemon' }
    const { messages } = await client.getPrompt({ name: 'value_my_list', arguments: given })
    assert.match(JSON.stringify(messages), /value_list[\s\S]*pokemon[\s\S]*4 Charizard/)
    assert.match(JSON.stringify(await client.getPrompt({ name: 'what_moved', arguments: {} })), /7d/)
  })
})

describe('The MCP server over a version with another game', () => {
  const games = [{ id: 'chess', name: 'Chess', language: 'Japanese' }]
  const sets = [aSet, { ...aSet, game: 'chess' }]
  const card = { ...aCard, id: 'chess-base1-1', game: 'chess', name: 'Rook', prices: { market: 2 } }
  const snapshot = snapshotOf({ 'games.ndjson': games, 'sets/a.ndjson': sets, 'cards/a.ndjson': [aCard, card] })

  it('The MCP server names an added game to assistants, and its tools accept it', async (t) => {
    const here = await serveHere(snapshot)
    t.after(() => here.close())
    const baseUrl = here.address('A')
    const served = await servedGamesOf(`${baseUrl}/v1/`)()
    assert.deepEqual(served, [...firstGames, 'chess'])
    const client = await assistantOf(new CardPrices({ baseUrl, apiKey: here.keys.business, maxWaitMs: 0 }), served)
    assert.match(client.getInstructions() ?? '', /swu, fab, chess\./)
    const found = async (tool: string, given: object) => JSON.stringify(await call(client, tool, given))
    assert.match(await found('search_cards', { query: 'rook', game: 'chess' }), /"id":"chess-base1-1"/)
    assert.match(await found('list_sets', { game: 'chess' }), /"game":"chess"/)
    assert.match(await found('movers', { game: 'chess' }), /"total":0/)
    const text = 'Game,Name,Language\nChess,Rook,Japanese'
    assert.match(await found('value_list', { text }), /"total":2,/)
    assert.match(
      await found('value_list', { lines: [{ name: 'Rook', game: 'chess', language: 'English' }] }),
      /"ambiguous":1,/,
    )
    const { words } = await call(client, 'search_cards', { query: 'rook', game: 'go' })
    assert.match(words ?? '', /one of pokemon, .*chess, given was "go"/)
  })

  it('The MCP server names the first eight games if it cannot reach the API', async () => {
    assert.deepEqual(await servedGamesOf('http://127.0.0.1:9')(), firstGames)
  })
})

describe('The tools of the MCP server', () => {
  const prices = () => pricesOf('business')
  const cases: Readonly<Record<string, readonly [given: object, expected: () => Promise<unknown>]>> = {
    search_cards: [
      { query: 'charizard base set', limit: 2 },
      async () => {
        const { data, total } = await prices().search({ q: 'charizard base set', limit: 2, view: 'extended' })
        const cards = data.map(({ id, name, game, set, number, rarity, printing, currency, prices: { market } }) => ({
          id,
          name,
          game,
          set,
          number,
          rarity,
          printing,
          currency,
          market,
        }))
        return { total, offset: 0, cards }
      },
    ],
    get_card: [{ id }, async () => ({ card: await prices().card(id, { view: 'extended' }) })],
    price_changes: [{ id }, () => prices().changes(id)],
    movers: [
      { period: '30d', direction: 'down', limit: 3 },
      async () => {
        const { data, total } = await prices().movers({ period: '30d', direction: 'down', limit: 3 })
        return { total, offset: 0, cards: data }
      },
    ],
    list_sets: [
      { query: 'base', game: 'pokemon' },
      async () => {
        const { data, total } = await prices().sets({ q: 'base', game: 'pokemon', limit: 20 })
        return { total, offset: 0, sets: data }
      },
    ],
  }
  for (const [name, [given, expected]] of Object.entries(cases)) {
    it(`The tool ${name} returns what the API does, at the cost of one request`, async () => {
      const client = await assistantOf(prices())
      const wanted = await expected()
      const first = await call(client, name, given)
      assert.deepEqual(first.result, wanted)
      const again = await call(client, name, given)
      assert.equal(again.quota!.remaining, first.quota!.remaining - 1)
    })
  }

  it('The tool price_history returns a year as at most 60 points', async () => {
    const { result } = await call(await assistantOf(prices()), 'price_history', { id })
    const { history } = await prices().history(id, { period: '1y' })
    const { points, days, last } = result as { points: { date: string; market: number }[]; days: number; last: number }
    assert.equal(days, history.length)
    assert.ok(points.length <= 60)
    assert.deepEqual([points.at(-1)!.date, last], [history.at(-1)!.date, history.at(-1)!.market])
  })

  const errors: readonly (readonly [name: string, given: object, key: KeyName, words: RegExp, state?: 'empty'])[] = [
    ['get_card', { id: 'nobody' }, 'free', /^No card has this id\. search_cards finds ids\.$/],
    ['price_history', { id }, 'free', /Trader.*this account can’t use it/],
    ['movers', {}, 'free', /Trader/],
    ['search_cards', { query: 'a' }, 'spent', /used up.*That is at \d{4}-\d\d-\d\dT/],
    ['search_cards', { query: 'a' }, 'suspended', /rejects the key.*ACCOUNT_SUSPENDED/],
    ['search_cards', { query: '!', min_price: 5, max_price: 1 }, 'free', /min_price.*INVALID_PARAMETER/],
    ['list_sets', {}, 'free', /try again later/, 'empty'],
  ]
  for (const [name, given, key, words, state] of errors) {
    it(`The tool ${name} reports ${words}`, async () => {
      const reported = await call(await assistantOf(pricesOf(key, state)), name, given)
      assert.match(reported.words ?? '', words)
      assert.ok(!reported.words!.includes(here.keys[key]))
    })
  }

  const wrong: readonly (readonly [name: string, given: object, words: RegExp])[] = [
    ['get_card', {}, /\bid: .*, get_card takes id$/],
    ['movers', { period: '2d' }, /period: .*movers takes game \(optional\), set \(optional\), period \(optional\)/],
    ['price_history', { id, days: 30 }, /"days".*price_history takes id, period \(optional\)$/],
    [
      'value_list',
      {},
      /text or lines must have the list, value_list takes text \(optional\), lines \(optional; each: q/,
    ],
    ['value_list', { text: ' \n', lines: [], game: 'mtg' }, /text or lines must have the list/],
    ['value_list', { list: '4 Charizard' }, /"list".*value_list takes text \(optional\)/],
    [
      'value_list',
      { text: '{"cards":[{"name":"Charizard"}]}' },
      /^This is JSON, not a list of cards\. Export the list as/,
    ],
    ['value_list', { text: '<cards><card name="Charizard"/></cards>' }, /^This is XML, not a list of cards\. Export/],
    [
      'value_list',
      { text: '<!doctype html><p>4 Charizard' },
      /^This is HTML, not a list of cards\. Export the list as/,
    ],
    ['value_list', { lines: [{ card: 'Charizard' }] }, /"card".*each: quantity \(optional\), id \(optional\), name /],
  ]
  for (const [name, given, words] of wrong) {
    it(`The tool ${name} refuses ${JSON.stringify(given)}, says why, and sends no request`, async () => {
      const client = await assistantOf(pricesOf('business'))
      const before = (await call(client, 'list_sets', { limit: 1 })).quota!.remaining
      assert.match((await call(client, name, given)).words ?? '', words)
      assert.equal((await call(client, 'list_sets', { limit: 1 })).quota!.remaining, before - 1)
    })
  }

  for (const [name, { input }] of Object.entries(tools)) {
    it(`The tool ${name} refuses an unknown argument`, async () => {
      const client = await assistantOf(pricesOf('business'))
      const { tools: reported } = await client.listTools()
      const { inputSchema } = reported.find((tool) => tool.name === name)!
      assert.equal(inputSchema['additionalProperties'], false)
      const { words = '' } = await call(client, name, { nonsense: 1 })
      assert.match(words, /"nonsense"/)
      for (const allowed of Object.keys(input.shape)) assert.ok(words.split(`${name} takes `)[1]!.includes(allowed))
    })
  }
})

describe('value_list', () => {
  const random = randomFrom('value_list')
  let cards: ExtendedCard[]
  before(async () => {
    cards = [...(await pricesOf('business').cards(sampleIds(), { view: 'extended' })).values()].map((card) => card!)
  })

  const draw = () => {
    const { name, game, set, number } = drawFrom(random, cards)
    const line = {
      quantity: drawBelow(random, 5),
      name,
      game,
      ...(random() < 0.8 ? { set } : {}),
      ...(number !== null && random() < 0.8 ? { number } : {}),
    }
    return random() < 0.1 ? { ...line, number: '99999' } : line
  }
  const figuresOf = ({ lines, total, priced, unpriced, ambiguous, unmatched }: ValuedList) => ({
    total,
    priced,
    unpriced,
    ambiguous,
    unmatched,
    lines: lines.map(({ line, match, card, candidates, unitPrice, amount, quantity }) => [
      line,
      match,
      card?.id,
      unitPrice,
      amount,
      quantity,
      candidates.map(({ id, rarity }) => [id, rarity]),
    ]),
  })

  it('The tool value_list returns the client’s figures, at one request for each 20 lines', async () => {
    const lines = Array.from({ length: amount(100, 1000) }, draw)
    const text = `4 Charizard 4/102 Base Set\n2 ${id}\nNobody Nowhere\n`
    const client = await assistantOf(pricesOf('business'))
    const valuing = new ValuingPrices({ baseUrl: here.address('A'), apiKey: here.keys.business })
    for (const [given, wanted] of [
      [{ lines }, await valuing.value(lines)],
      [{ text }, await valuing.value(text)],
    ] as const) {
      const before = (await call(client, 'list_sets', { limit: 1 })).quota!.remaining
      const { result, quota } = await call(client, 'value_list', given)
      assert.equal(before - quota!.remaining, Math.ceil(wanted.lines.length / 20))
      assert.deepEqual(figuresOf(result as unknown as ValuedList), figuresOf(wanted))
      assert.ok(wanted.total! > 0 && wanted.unmatched > 0, 'some are priced, and some are not')
    }
  })

  it('The tool value_list says what it guessed before the total, and takes corrections when it is called again', async () => {
    const client = await assistantOf(pricesOf('business'))
    const [{ name, set, number }] = cards as [ExtendedCard]
    const text = `Name,Set,Number,Condition,Held,Proxy\n"${name}",${set},${number},ruined,3,no\n"${name}",${set},${number},,1,yes`
    const { result } = await call(client, 'value_list', { text })
    const fields = Object.keys(result!)
    assert.deepEqual(
      [result!['total'], fields[0], fields.indexOf('total') > fields.indexOf('atMarket')],
      [null, 'notes', true],
    )
    const [first, ...others] = result!['notes'] as string[]
    assert.match(
      first!,
      /“Held” \(such as 3, 1\) was read as quantity.*call value_list again.*columns: \{"Held":"quantity"\}/,
    )
    assert.match(
      others.join('\n'),
      /^1 line names a condition without a price of its own: it counts at the market price\.\n1 line is a proxy/,
    )
    const settled = await call(client, 'value_list', { text, columns: { Held: 'quantity' } })
    assert.equal(settled.result!['total'], Math.round(cards[0]!.prices.market! * 100 * 3) / 100)
    assert.equal((settled.result!['notes'] as string[]).length, 2)
    const wrong = await call(client, 'value_list', { text, columns: { Hold: 'quantity' } })
    assert.match(wrong.words ?? '', /"Hold" is not a column: there are Name, Set, Number, Condition, Held, Proxy\./)
    const field = await call(client, 'value_list', { text, columns: { Held: 'amount' } })
    assert.match(field.words ?? '', /columns\.Held|quantity/)
  })

  it('The tool value_list does not begin a list that needs more requests than the day has left', async () => {
    const client = await assistantOf(pricesOf('free'))
    const lines = Array.from({ length: 5000 }, () => ({ name: 'Nobody' }))
    const words = /needs 250 requests, and \d+ of the day’s 200 are left/
    assert.match((await call(client, 'value_list', { lines })).words ?? '', words)
    const before = (await call(client, 'list_sets', {})).quota!.remaining
    assert.match((await call(client, 'value_list', { lines })).words ?? '', /needs 250 requests/)
    assert.equal((await call(client, 'list_sets', {})).quota!.remaining, before - 1)
  })
})

describe('card-prices-mcp', () => {
  const program = join(projectDir, 'clients/mcp/src/main.ts')
  const args = ['--disable-warning=ExperimentalWarning', program]
  const { PATH = '' } = process.env
  const env = () => ({ PATH, CARD_PRICES_URL: here.address('A'), CARD_PRICES_KEY: here.keys.business })
  const start = (more: readonly string[], env: NodeJS.ProcessEnv) => {
    const child = spawn(process.execPath, [...args, ...more], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    return { child, output: collect(child) }
  }

  itInAll('The program card-prices-mcp serves on stdin and stdout, and ends with them', async () => {
    const transport = new StdioClientTransport({ command: process.execPath, args, env: env() })
    const client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(transport)
    assert.equal(client.getServerVersion()?.version, version)
    const { result } = await call(client, 'get_card', { id })
    assert.equal((result!['card'] as ExtendedCard).name, 'Charizard')
    await client.close()
  })

  itInAll('The program card-prices-mcp serves HTTP on a local port, and refuses requests of web pages', async () => {
    const { child, output } = start(['--http', '0'], env())
    await once(child.stdout!, 'data')
    const [, address] = /^listening on (http:\/\/127\.0\.0\.1:\d+\/mcp)\n$/.exec(output.stdout()) ?? []
    for (const mode of ['legacy', 'auto'] as const) {
      const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
      await client.connect(new StreamableHTTPClientTransport(new URL(address!)))
      const { tools: reported } = await client.listTools()
      assert.equal(reported.length, Object.keys(tools).length)
      await client.close()
    }
    for (const headers of [{ host: 'evil.example' }, { origin: 'https://evil.example' }]) {
      const asked = request(address!, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } })
      asked.end('{}')
      const [{ statusCode }] = await once(asked, 'response')
      assert.equal(statusCode, 403)
    }
    const closed = once(child, 'close')
    child.kill()
    await closed
  })

  const wrong: readonly (readonly [args: readonly string[], env: Readonly<Record<string, string>>, stderr: RegExp])[] =
    [
      [[], { CARD_PRICES_KEY: '' }, /^card-prices-mcp: CARD_PRICES_KEY is not set\n$/],
      [[], { CARD_PRICES_URL: 'nowhere' }, /^card-prices-mcp: CARD_PRICES_URL must be an http or https address\n$/],
      [['--http', 'x'], {}, /^card-prices-mcp: --http takes a port\n$/],
      [['--nonsense'], {}, /^card-prices-mcp: .*--nonsense/],
    ]
  for (const [given, change, stderr] of wrong) {
    itInAll(`The program card-prices-mcp exits with 2 and says what is wrong: ${stderr}`, async () => {
      const { child, output } = start(given, { ...env(), ...change })
      const [code] = await once(child, 'close')
      assert.equal(code, 2)
      assert.match(output.stderr(), stderr)
      assert.equal(output.stdout(), '')
    })
  }
})

describe('The points of a history', () => {
  it('A shortened history has at most 60 points, with its last day and its extremes', () => {
    const random = randomFrom('points')
    const price = () => (random() < 0.2 ? null : drawBelow(random, 10_000) / 100)
    for (let round = 0; round < amount(60, 1000); round++) {
      const days = Array.from({ length: drawBelow(random, 400) }, (_, i) => ({
        date: `day ${i}`,
        market: price(),
        low: price(),
        high: price(),
      }))
      const points = pointsOf(days)
      assert.equal(points.length, Math.min(pointsMax, days.length))
      assert.deepEqual([points.at(-1)?.date, points.at(-1)?.market], [days.at(-1)?.date, days.at(-1)?.market])
      const lowest = (of: readonly { low: number | null }[]) => Math.min(...of.flatMap(({ low }) => low ?? []))
      const highest = (of: readonly { high: number | null }[]) => Math.max(...of.flatMap(({ high }) => high ?? []))
      assert.deepEqual([lowest(points), highest(points)], [lowest(days), highest(days)])
      if (days.length <= pointsMax) assert.deepEqual(points, days)
      const markets = days.flatMap(({ market }) => market ?? [])
      const { first, last, lowest: low } = summaryOf(days)
      assert.deepEqual(
        [first, last, low],
        [markets[0] ?? null, markets.at(-1) ?? null, markets.length === 0 ? null : Math.min(...markets)],
      )
    }
  })
})
