/**
 * The programs of docs/api.md, run as they stand: a block of js is the file that its first line names, or a part of a program that
 * has `prices`, whose lines print what stands behind them. The blocks of py are one program, from the quick start on, but for the
 * file `session.py`.
 */
import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, beforeEach, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { format, promisify } from 'node:util'
import { parse } from 'csv-parse/sync'
import { CardPrices, CardPricesError } from '../../clients/typescript/src/index.ts'
import { dayMs } from '../../src/calendar.ts'
import { startScripted } from '../client/scripted-server.ts'
import { itInAll } from '../support/amount.ts'
import { collect, collectHere, documentText, projectDir, temporaryFolder } from '../support/command.ts'
import { sampleIds } from '../support/sample.ts'
import { type ServersHere, serveHere } from '../support/servers-here.ts'
import { send } from '../support/service.ts'
import { until } from '../support/until.ts'

// biome-ignore lint/suspicious/noExplicitAny: a card in JSON
type Any = any

const blocks = [...documentText('docs/api.md').matchAll(/^```js\n(.*?)^```$/gms)].map(([, text]) => text!)
const nameOf = (block: string) => /^\/\/ ([\w-]+\.mjs): /.exec(block)?.[1]
const programs = new Map(blocks.flatMap((block) => (nameOf(block) === undefined ? [] : [[nameOf(block)!, block]])))
const parts = blocks.filter((block) => nameOf(block) === undefined)

const beforeMidnight = Math.ceil(Date.now() / dayMs) * dayMs - 1500
/** The server's present moment. */
let clock = beforeMidnight
let here: ServersHere
let folder: string
before(async () => {
  here = await serveHere(join(projectDir, 'snapshots'), () => clock)
})
after(() => here.close())
beforeEach(() => {
  folder = temporaryFolder()
  for (const [name, text] of programs) writeFileSync(join(folder, name), text)
  const installed = join(folder, 'node_modules/card-prices-client')
  mkdirSync(installed, { recursive: true })
  writeFileSync(
    join(installed, 'package.json'),
    '{"type":"module","exports":{".":"./index.js","./value":"./value.js"}}',
  )
  for (const name of ['index', 'value']) {
    const source = pathToFileURL(join(projectDir, `clients/typescript/src/${name}.ts`)).href
    writeFileSync(join(installed, `${name}.js`), `export * from '${source}'`)
  }
})

function start(name: string, key: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [name, ...args], {
    cwd: folder,
    env: { ...process.env, ADDRESS: here.address('A'), KEY: key, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { stdout, stderr } = collect(child)
  const ended = once(child, 'close').then(([code]) => {
    assert.equal(code, 0, stderr())
    return stdout()
  })
  return { stdout, stderr, ended }
}

let runs = 0

/** Runs a program in this process, in its folder; returns what it prints. */
async function printed(name: string, key: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const given = { ADDRESS: here.address('A'), KEY: key, ...env }
  process.chdir(folder)
  const { argv, exitCode } = process
  const { log, error } = console
  const envBefore = { ...process.env }
  const { output, outcome } = collectHere()
  process.argv = [process.execPath, name, ...args]
  Object.assign(process.env, given)
  console.log = (...texts) => output.log(format(...texts))
  console.error = (...texts) => output.error(format(...texts))
  try {
    process.exitCode = 0
    // Another address, so that the module runs anew.
    await import(`${pathToFileURL(join(folder, name))}?run=${++runs}`)
    const { code, stdout, stderr } = outcome(Number(process.exitCode))
    assert.equal(code, 0, stderr)
    return stdout
  } finally {
    process.chdir(projectDir)
    process.argv = argv
    process.exitCode = exitCode
    Object.assign(console, { log, error })
    for (const name of Object.keys(given)) {
      if (envBefore[name] === undefined) delete process.env[name]
      else process.env[name] = envBefore[name]
    }
  }
}

it('The page docs/api.md has eight whole programs and several parts of programs', () => {
  const recipes = [
    'value-list.mjs',
    'list-over-time.mjs',
    'keep-prices.mjs',
    'sync-prices.mjs',
    'price-bot.mjs',
    'price-list.mjs',
  ]
  assert.deepEqual([...programs.keys()], ['quick-start.mjs', ...recipes, 'card-price.mjs'])
  assert.ok(parts.length >= 7)
})

describe('A part of a program in the documents', () => {
  for (const part of parts) {
    it(part.split('\n')[0]!, async () => {
      const lines: string[] = []
      const log = (...values: unknown[]) => lines.push(format(...values))
      const prices = new CardPrices({ baseUrl: here.address('A'), apiKey: here.keys.business })
      const AsyncFunction = (async () => {}).constructor as FunctionConstructor
      await AsyncFunction('prices', 'CardPricesError', 'console', part)(prices, CardPricesError, { log })
      const reported = [...part.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].flatMap(([, text]) => text!.split(', '))
      assert.deepEqual(lines, reported)
    })
  }
})

it('The program quick-start.mjs prints a price', async () => {
  assert.equal(await start('quick-start.mjs', here.keys.free).ended, 'Monkey.D.Luffy 9.22\n')
})

it('Every documented block of JavaScript and TypeScript compiles in strict mode, with and without browser types', () => {
  const types = join(folder, 'node_modules/discord.js')
  mkdirSync(types)
  writeFileSync(join(types, 'package.json'), '{"type":"module","types":"./index.d.ts"}')
  writeFileSync(
    join(types, 'index.d.ts'),
    `export declare const GatewayIntentBits: Record<'Guilds' | 'GuildMessages' | 'MessageContent', number>
interface Message { content: string; author: { bot: boolean }; reply(text: string): Promise<Message> }
export declare class Client {
  constructor(options: { intents: readonly number[] })
  on(event: 'messageCreate', listener: (message: Message) => void | Promise<void>): this
  login(token?: string): Promise<string>
}`,
  )
  const imported = "import { CardPrices, CardPricesError } from 'card-prices-client'\n"
  const asModule = (text: string) => {
    const declared = /^const prices = new /m.test(text) ? '' : 'declare const prices: CardPrices\n'
    return `${/^import /m.test(text) ? '' : imported}${declared}${text}`
  }
  const readme = [...documentText('clients/typescript/README.md').matchAll(/^```ts\n(.*?)^```$/gms)]
  for (const [name, text] of programs) writeFileSync(join(folder, name.replace('.mjs', '.mts')), text)
  for (const [number, text] of [...parts, ...readme.map(([, text]) => text!)].entries())
    writeFileSync(join(folder, `part-${number}.mts`), asModule(text))
  const client = join(projectDir, 'clients/typescript/src')
  for (const lib of [['es2024'], ['es2024', 'dom', 'dom.iterable']]) {
    const compilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      target: 'es2022',
      module: 'nodenext',
      lib,
      types: ['node'],
      typeRoots: [join(projectDir, 'node_modules/@types')],
      paths: {
        'card-prices-client': [join(client, 'index.ts')],
        'card-prices-client/value': [join(client, 'value.ts')],
      },
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts'] }))
    const compiler = join(projectDir, 'node_modules/typescript/bin/tsc')
    const { status, stdout } = spawnSync(process.execPath, [compiler], { cwd: folder, encoding: 'utf8' })
    assert.equal(status, 0, stdout)
  }
})

const pythonBlocks = [...documentText('docs/api.md').matchAll(/^```py\n(.*?)^```$/gms)].map(([, text]) => text!)
const [sessionFile, ...others] = [...pythonBlocks].sort((a) => (a.startsWith('# session.py') ? -1 : 0))

/** Runs the blocks of Python as one program: they print what stands behind their lines. */
async function runsInPython(program: string) {
  const reported = [...program.matchAll(/print\(.*\) {2}# (.*)$/gm)].map(([, text]) => text!)
  assert.ok(reported.length >= 12)
  writeFileSync(join(folder, 'blocks.py'), program)
  writeFileSync(join(folder, 'shop.json'), JSON.stringify({ ids: ['pokemon-base1-004', 'mtg-unh-023', 'nope'] }))
  const env = { ...process.env, ADDRESS: here.address('A'), KEY: here.keys.business }
  const { stdout } = await promisify(execFile)('python3', ['blocks.py'], { cwd: folder, env })
  assert.deepEqual(stdout.trim().split('\n'), reported)
  assert.equal(JSON.parse(readFileSync(join(folder, 'shop.json'), 'utf8')).prices['pokemon-base1-004'], 241.6)
}

function skipWithoutPython(modules = ''): string | false {
  return spawnSync('python3', ['-c', `import json${modules}`]).status !== 0 && `needs python3${modules}`
}

it(
  'The documented Python prints the results in its comments when it uses the package requests',
  {
    skip: skipWithoutPython(', requests'),
  },
  () => runsInPython(others.join('\n')),
)

it('The documented Python prints the results in its comments when it uses the standard library', {
  skip: skipWithoutPython(),
}, async () => {
  writeFileSync(join(folder, 'session.py'), sessionFile!)
  const program = others
    .join('\n')
    .replace('import requests\n', 'import session as requests\n')
    .replace(
      /^from requests\.adapters .*\nfrom urllib3\.util .*\n\nretry = .*\nprices\.mount\(.*\n/m,
      'prices.retries = 4\n',
    )
  assert.doesNotMatch(program, /(import|from) (requests|urllib3)/)
  await runsInPython(program)
})

it('The documented session.py retries a 503 with a Retry-After as often as its setting `retries` allows', {
  skip: skipWithoutPython(),
}, async () => {
  const server = await startScripted()
  let asked = 0
  server.play((_, response) => {
    const isBusy = ++asked % 3 !== 0
    response
      .writeHead(isBusy ? 503 : 200, isBusy ? { 'retry-after': '0' } : {})
      .end(isBusy ? '{"error":{}}' : '{"data":[]}')
  })
  writeFileSync(join(folder, 'session.py'), sessionFile!)
  const get = 'prices.get(f"{ADDRESS}/v1/games").status_code'
  const lines = ['import os', 'import session', 'ADDRESS = os.environ["ADDRESS"]', 'prices = session.Session()']
  writeFileSync(join(folder, 'retry.py'), [...lines, `print(${get})`, 'prices.retries = 1', `print(${get})`].join('\n'))
  const env = { ...process.env, ADDRESS: server.address }
  const { stdout } = await promisify(execFile)('python3', ['retry.py'], { cwd: folder, env })
  await server.close()
  assert.deepEqual([stdout, asked], ['503\n200\n', 3])
})

it('The program card-price.mjs prints a price, or that there is none', async () => {
  const { free } = here.keys
  assert.equal(await printed('card-price.mjs', free, ['pokemon-base1-004']), 'Charizard 241.6\n')
  assert.equal(await printed('card-price.mjs', free, ['nobody']), 'no such card\n')
})

it('The program list-over-time.mjs prints a total, and how it changed over 30 days', async () => {
  writeFileSync(join(folder, 'list.txt'), '2 pokemon-base1-004\n1 mtg-unh-023\nNobody Nowhere\n')
  assert.match(
    await printed('list-over-time.mjs', here.keys.trader, ['list.txt']),
    /^483\.50, -?\d+\.\d\d more than 2026-10-22: 2 lines, without 0\n$/,
  )
})

it('The program value-list.mjs prints a total, and the lines without a price', async () => {
  writeFileSync(join(folder, 'list.txt'), 'Deck\n2 pokemon-base1-004\n1 Charizard\n')
  assert.match(
    await printed('value-list.mjs', here.keys.free, ['list.txt']),
    /^461\.32 USD: 1 of 2 lines\nline 3, ambiguous: 1 Charizard \[\n {2}'Charizard · Evolutions · 011',/,
  )
})

describe('keep-prices.mjs', () => {
  const shopFile = () => join(folder, 'shop.json')
  const readShop = () => JSON.parse(readFileSync(shopFile(), 'utf8'))
  const remaining = async () => {
    const { headers } = await send(here.address('A'), '/v1/games', { headers: { 'x-api-key': here.keys.business } })
    return Number(headers['x-ratelimit-remaining'])
  }

  it('The program keep-prices.mjs writes each card’s price, and writes nothing if the data has not changed', async () => {
    const ids = sampleIds()
    writeFileSync(shopFile(), JSON.stringify({ ids: [...ids, 'mtg-no-such-card'] }))
    const earlier = await remaining()
    // The sample has so many cards of two games.
    const said = await printed('keep-prices.mjs', here.keys.business, [], { BULK_FROM: '60' })
    assert.equal(said, `${ids.length} of ${ids.length + 1} cards have prices\n`)
    const { prices, tag } = readShop()
    assert.equal(tag, `"${here.server('A').data!.version}"`)
    for (const id of ids) {
      const { json } = await send(here.address('A'), `/v1/cards/${id}`, { headers: { 'x-api-key': here.keys.trader } })
      assert.equal(prices[id], json.data.prices.market, id)
    }
    const few = Object.values(Object.groupBy(ids, (id) => id.split('-')[0]!)).filter((some) => some!.length < 60)
    const batches = few.reduce((sum, some) => sum + Math.ceil(some!.length / 20), 0)
    assert.equal(earlier - (await remaining()), 1 + 2 + batches + 1, 'a look, two downloads, the batches')

    const written = readFileSync(shopFile(), 'utf8')
    assert.equal(await printed('keep-prices.mjs', here.keys.business), 'nothing is new\n')
    assert.equal(readFileSync(shopFile(), 'utf8'), written)
  })

  it('The program keep-prices.mjs reads all prices again if the data changed', async () => {
    const old = { ids: ['pokemon-base1-004'], tag: '"2020-01-01-000000000000"', prices: { 'pokemon-base1-004': 1 } }
    writeFileSync(shopFile(), JSON.stringify(old))
    assert.equal(await printed('keep-prices.mjs', here.keys.free), '1 of 1 cards have prices\n')
    assert.deepEqual(readShop().prices, { 'pokemon-base1-004': 241.6 })
  })
})

it('The program sync-prices.mjs saves all cards of a game, and on the next run only the changed ones', async () => {
  const priced = async (path: string): Promise<Map<string, number | null>> => {
    const { json } = await send(here.address('A'), `${path}&limit=100`, {
      headers: { 'x-api-key': here.keys.business },
    })
    return new Map(json.data.map(({ id, prices }: Any) => [id, prices.market]))
  }
  const saved = () => {
    const db = new DatabaseSync(join(folder, 'prices.db'))
    const rows = db.prepare('SELECT id, market FROM cards').all() as { id: string; market: number | null }[]
    db.close()
    return rows
  }
  const all = await priced('/v1/cards?game=pokemon')
  const changed = await priced('/v1/cards?game=pokemon&changed_since=2026-11-19')
  assert.ok(changed.size > 0 && changed.size < all.size)
  assert.equal(await printed('sync-prices.mjs', here.keys.free), `${all.size} cards saved\n`)
  assert.deepEqual(new Map(saved().map(({ id, market }) => [id, market])), all)
  // Prices of an earlier day.
  const db = new DatabaseSync(join(folder, 'prices.db'))
  db.exec('UPDATE cards SET market = -1')
  db.close()
  assert.equal(await printed('sync-prices.mjs', here.keys.free), `${changed.size} cards saved\n`)
  for (const { id, market } of saved()) assert.equal(market, changed.has(id) ? changed.get(id) : -1, id)
})

it('The program price-bot.mjs answers with a price, draws a chart if the plan has a history, and reports a missing card', async () => {
  const installed = join(folder, 'node_modules/discord.js')
  mkdirSync(installed)
  writeFileSync(join(installed, 'package.json'), '{"type":"module","exports":"./index.js"}')
  // Says lines to the bot, and prints its replies.
  writeFileSync(
    join(installed, 'index.js'),
    `import { EventEmitter } from 'node:events'
export const GatewayIntentBits = { Guilds: 1, GuildMessages: 512, MessageContent: 32768 }
export class Client extends EventEmitter {
  async login(token) {
    for (const content of ['!price charizard base set', 'hello', '!price zzzzzz', '!price   ', '!price ' + 'x'.repeat(300)]) {
      await this.listeners('messageCreate')[0]({ content, author: { bot: false }, reply: (text) => console.log(token, text) })
    }
    await this.listeners('messageCreate')[0]({ content: '!price N', author: { bot: true }, reply: console.log })
  }
}`,
  )
  const replies = await printed('price-bot.mjs', here.keys.free, [], { DISCORD_TOKEN: 'token:' })
  assert.equal(replies, 'token: Charizard (Base Set): 241.6\ntoken: No card found.\n')
  const drawn = await printed('price-bot.mjs', here.keys.trader, [], { DISCORD_TOKEN: 'token:' })
  assert.match(
    drawn,
    /^token: Charizard \(Base Set\): 241\.6\n[▁▂▃▄▅▆▇█]{30} [\d.]+ to [\d.]+ in 30 days\ntoken: No card found\.\n$/,
  )
  const refused = start('price-bot.mjs', `${here.keys.free.slice(0, -1)}~`, [], { DISCORD_TOKEN: 'token:' })
  assert.equal(await refused.ended, "token: Prices can't be looked up now.\n".repeat(2))
  assert.match(refused.stderr(), /^(.*key.*\n){2}$/i)
})

describe('A spreadsheet', () => {
  const [importData, powerQuery] = [...documentText('docs/api.md').matchAll(/^```text\n(.*?)^```$/gms)].map(
    ([, text]) => text!,
  )
  const rowsOf = async (path: string, headers: Record<string, string>) => {
    const { status, body } = await send(here.address('A'), path, { headers })
    assert.equal(status, 200, body)
    return parse(body, { columns: true }) as Record<string, string>[]
  }

  it('The documented IMPORTDATA formula fills a spreadsheet', async () => {
    const [, address] = /^=IMPORTDATA\("http:\/\/127\.0\.0\.1:8080(\S+)", ",", "en_US"\)\n$/.exec(importData!)!
    const rows = await rowsOf(address!.replace('KEY', here.keys.free), {})
    assert.deepEqual([rows.length, rows[3]!['name'], rows[3]!['market']], [34, 'Charizard', '241.6'])
  })

  it('The documented Power Query names columns that the API has', async () => {
    const fields = (name: string) =>
      [...new RegExp(`${name} = \\[(.*)\\]`).exec(powerQuery!)![1]!.matchAll(/([\w#"-]+) = "([^"]*)"/g)].map(
        ([, key, value]) => [key!.replace(/^#"(.*)"$/, '$1'), value!],
      )
    const [, path] = /RelativePath = "(.*)"/.exec(powerQuery!)!
    const headers = Object.fromEntries(
      fields('Headers').map(([name, value]) => [name, value!.replace('KEY', here.keys.free)]),
    )
    const rows = await rowsOf(`/${path}?${new URLSearchParams(fields('Query') as [string, string][])}`, headers)
    assert.equal(rows.length, 34)
    const [, named] = /List\.Transform\(\{(.*?)\}/.exec(powerQuery!)!
    for (const column of JSON.parse(`[${named}]`))
      assert.ok(rows.every((row) => row[column] === '' || Number(row[column]) >= 0))
  })
})

itInAll('The program price-list.mjs waits if the quota is used up, and goes on when the next day begins', async () => {
  const statuses: number[] = []
  const server = await startScripted()
  // The server, with a look at what it answers.
  server.play(async ({ method, path, headers, body }, response) => {
    const own = { 'x-api-key': headers['x-api-key'] as string, 'content-type': 'application/json' }
    const reply = await send(here.address('A'), path, { method, headers: own, body })
    statuses.push(reply.status)
    response.writeHead(reply.status, reply.headers).end(reply.bytes)
  })
  const ids = ['pokemon-base1-004', 'nobody']
  const { stdout, ended } = start('price-list.mjs', here.keys.spent, ids, { ADDRESS: server.address })
  await until('it has to wait', () => statuses.length > 0)
  assert.deepEqual([stdout(), statuses], ['', [429]])
  clock = beforeMidnight + 2000
  assert.equal(await ended, 'pokemon-base1-004 241.6\nnobody no such card\n')
  assert.deepEqual(statuses, [429, 200])
  await server.close()
})
