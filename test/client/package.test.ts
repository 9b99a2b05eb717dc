/**
 * The clients' packages in an empty project: types, size, bundles, and a program under several runtimes. Other runtimes
 * than the project's own are named by CLIENT_RUNTIMES, the checks of packages by CLIENT_TOOLS (.ci/clients).
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe } from 'node:test'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { serveSample } from '../description/exchanges.ts'
import { itInAll } from '../support/amount.ts'
import { type Outcome, outcomeOf, projectDir, temporaryFolder } from '../support/command.ts'
import type { ServersHere } from '../support/servers-here.ts'
import { send } from '../support/service.ts'
import {
  type Act,
  answer,
  breakOff,
  fail,
  hangUp,
  type ScriptedServer,
  stall,
  startScripted,
} from './scripted-server.ts'

const isAll = process.env['TEST_ALL'] === '1'
const bytesMax = 8000
/** Command lines, separated by commas; the program's name comes last. */
const runtimes = [process.execPath, 'node', ...(process.env['CLIENT_RUNTIMES']?.split(',') ?? [])]
const tools = process.env['CLIENT_TOOLS']

const folder = temporaryFolder()
const tarballs = new Map<string, string>()
let here: ServersHere
let failing: ScriptedServer

before(async () => {
  if (!isAll) return
  here = await serveSample()
  failing = await startScripted()
  failing.play((asked, response) => failures[asked.path.split('/')[1]!]!(asked, response))
  for (const name of ['typescript', 'mcp']) {
    const packed = await run(['npm', 'pack', '--json', '--pack-destination', folder], join(projectDir, 'clients', name))
    assert.equal(packed.code, 0, packed.stderr)
    const [{ filename }] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf('[')))
    tarballs.set(name, join(folder, filename))
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module","private":true}')
  const install = ['npm', 'install', '--offline', '--no-audit', '--no-fund', tarballs.get('typescript')!]
  const installed = await run(install, folder)
  assert.equal(installed.code, 0, installed.stderr)
})
after(async () => {
  await failing?.close()
  await here?.close()
})

const run = ([program, ...args]: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<Outcome> =>
  outcomeOf(spawn(program!, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] }))

let busyUntil = 2
const lines = Array.from({ length: 200 }, (_, i) => `{"id":"card-${i}"}\n`).join('')
const packedLines = gzipSync(lines)
/** By the first part of the path. */
const failures: Readonly<Record<string, Act>> = {
  busy: (...all) =>
    (--busyUntil > 0 ? fail(503, 'BUSY', { 'retry-after': '0' }) : answer(200, { data: [1, 2, 3] }))(...all),
  quota: fail(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '3600' }),
  redirect: answer(302, '', { location: '/quota' }),
  stall: stall('', 0),
  close: hangUp,
  half: breakOff(lines, lines.indexOf('\n', 900) + 1),
  'half-packed': breakOff(packedLines, packedLines.length >> 1, { 'content-encoding': 'gzip' }),
}

/** Uses every method, and is wrong where a comment says so. */
const program = `
import { CardPrices, QuotaError, type Card, type ExtendedCard, type KnownGame, type Match } from 'card-prices-client'
import { CardPrices as Valuing, type ValuedList } from 'card-prices-client/value'
const prices = new CardPrices({ baseUrl: 'http://127.0.0.1:8080', apiKey: 'a' })
const valued: ValuedList = await new Valuing({ baseUrl: 'http://127.0.0.1:8080', apiKey: 'a' }).value('1 a', { condition: 'LP', game: 'mtg' })
const card: Card = await prices.card('a')
const market: number | null = card.prices.market
const extended: ExtendedCard = await prices.card('a', { view: 'extended' })
const printing: string | null = extended.printing
const known: KnownGame = 'mtg'
const page = await prices.search({ q: 'a', game: known, limit: 5, signal: AbortSignal.timeout(1), timeoutMs: 5 })
const [rarity, nearMint]: [string | null | undefined, number | undefined] = [page.data[0]?.rarity, page.data[0]?.prices.conditions.near_mint]
for await (const { setCode } of prices.list.all({ game: 'fab', view: 'full' })) setCode.trim()
const csv: string[] = [await prices.list({ game: 'mtg', changedSince: '2026-11-20', csv: true }), await prices.history('a', { csv: true })]
for await (const { prices: { market } } of prices.list.all({ game: 'mtg', onRestart: () => {} })) market?.toFixed()
const batch: Map<string, { name: string } | undefined> = await prices.cards(new Set(['a']))
const matches: Match[] = await prices.match([{ name: 'a', set: 'b' }])
const days: number = (await prices.prices('a', { days: 3 })).days
const periods = [(await prices.history('a', { period: '1y' })).period, (await prices.changes('a')).changes['1y']?.percent]
for await (const { change } of prices.movers.all({ period: '7d', by: 'amount' })) change.percent.toFixed(1)
for await (const set of prices.sets.all()) set.releaseDate?.slice(0, 4)
for await (const { tcgplayerId } of prices.bulk('swu')) tcgplayerId?.toFixed()
const others = [await prices.sets(), await prices.movers(), await prices.games(), await prices.suggest({ q: 'a' }), await prices.set('mtg', 'a'), await prices.list({ game: 'digimon' })]
const changed: boolean = await prices.changed('/v1/games', { since: prices.version })
const left: number | undefined = prices.rateLimit?.remaining
try { await prices.cards([]) } catch (error) { if (error instanceof QuotaError) console.log(error.found, error.retryAfter) }
export { csv, valued, market, printing, rarity, nearMint, batch, matches, days, periods, others, changed, left }
`
const wrong = [
  'await prices.search({})',
  "await prices.search({ q: 'a', limit: 'ten' })",
  "console.log((await prices.search({ q: 'a', csv: true })).data)",
  "await prices.search({ q: 'a', format: 'csv' })",
  "await prices.search({ q: 'a', game: 4 })",
  "export const chess: KnownGame = 'chess'",
  "void (await prices.card('a')).prices.market.toFixed(2)",
  "void (await prices.card('a')).scryfallID",
  "void (await prices.cards(['a'])).get('a').name",
  "void (await prices.search({ q: 'a' })).data[0]!.setCode",
  "await prices.history('a', { period: '2y' })",
  "await prices.movers({ direction: 'sideways' })",
  'await prices.match([{ set: 4 }])',
  "new CardPrices({ baseUrl: 'a' })",
]

describe('card-prices-client as a package', () => {
  itInAll('The package card-prices-client has no dependencies, and only its own sources', () => {
    const packages = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))
    assert.deepEqual(packages, ['card-prices-client'])
    const files = readdirSync(join(folder, 'node_modules/card-prices-client'), { recursive: true })
    const own = /^(package\.json|README\.md|LICENSE|dist(\/[\w-]+)*(\.d)?(\.(js|ts))?)$/
    for (const name of files) assert.match(String(name), own)
    const manifest = readFileSync(join(folder, 'node_modules/card-prices-client/package.json'), 'utf8')
    assert.equal(JSON.parse(manifest).dependencies, undefined)
  })

  itInAll('The package card-prices-client is at most 8 kB, minified and compressed', async () => {
    const { outputFiles } = await build({
      stdin: { contents: "export * from 'card-prices-client'", resolveDir: folder },
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
    })
    const bytes = gzipSync(outputFiles![0]!.contents, { level: 9 }).length
    assert.ok(bytes <= bytesMax, `${bytes} bytes`)
  })

  const compilers = ['node_modules/typescript/bin/tsc', 'test/client/node_modules/typescript/bin/tsc']
  for (const compiler of compilers) {
    for (const [module, resolution] of Object.entries({ nodenext: 'nodenext', esnext: 'bundler' })) {
      itInAll(`The package card-prices-client has types for ${compiler} with ${module} and ${resolution}`, async () => {
        writeFileSync(join(folder, 'program.ts'), program)
        const first = program.split('\n').length
        writeFileSync(join(folder, 'wrong.ts'), [program, ...wrong].join('\n'))
        const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess']
        const how = `--target es2022 --module ${module} --moduleResolution ${resolution} --lib es2022,dom,dom.iterable`
        const command = [process.execPath, join(projectDir, compiler), ...options, ...how.split(' ')]
        const { stdout } = await run([...command, 'program.ts', 'wrong.ts'], folder)
        const found = stdout.split('\n').filter((line) => line.includes('error TS'))
        const actual = found.map((line) => /^wrong\.ts\((\d+),/.exec(line)?.[1] ?? line)
        assert.deepEqual(
          actual,
          wrong.map((_, i) => String(first + 1 + i)),
          stdout,
        )
      })
    }
  }

  for (const compiler of compilers) {
    itInAll(`A CommonJS project imports card-prices-client as docs/api.md says, by ${compiler}`, async () => {
      const asBefore = "import { CardPrices } from 'card-prices-client'\nexport const prices = CardPrices\n"
      const awaited = "export const prices = async () => (await import('card-prices-client')).CardPrices\n"
      writeFileSync(join(folder, 'common.cts'), asBefore)
      writeFileSync(join(folder, 'awaited.cts'), awaited)
      const found = async (module: string, file: string) => {
        const how = ['--noEmit', '--skipLibCheck', '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable']
        const command = [process.execPath, join(projectDir, compiler), ...how, '--module', module, file]
        return (await run(command, folder)).stdout.match(/error TS\d+/g)
      }
      assert.deepEqual(await found('node16', 'common.cts'), ['error TS1479'])
      assert.deepEqual([await found('nodenext', 'common.cts'), await found('node16', 'awaited.cts')], [null, null])
    })
  }

  for (const [at, runtime] of runtimes.entries()) {
    itInAll(`The package card-prices-client works by ${at === 0 ? 'Node.js 22' : runtime}`, async () => {
      copyFileSync(join(projectDir, 'test/client/runtime-program.mjs'), join(folder, 'program.mjs'))
      await works([...runtime.split(' '), 'program.mjs'])
    })
  }

  itInAll('The package card-prices-client works in a CommonJS bundle', async () => {
    copyFileSync(join(projectDir, 'test/client/runtime-program.mjs'), join(folder, 'program.mjs'))
    const contents = readFileSync(join(folder, 'program.mjs'), 'utf8')
    const [, imports, rest] = /^([\s\S]*?import .*\n)([\s\S]*)$/.exec(contents)!
    const stdin = { contents: `${imports}void (async () => {${rest}})()`, resolveDir: folder }
    await build({ stdin, bundle: true, platform: 'node', format: 'cjs', outfile: join(folder, 'program.cjs') })
    await works([process.execPath, 'program.cjs'])
  })

  async function works(command: readonly string[]) {
    busyUntil = 2
    const env = { ADDRESS: here.address('A'), KEY: here.keys.business, FAILURES: failing.address }
    const { code, stdout, stderr } = await run(command, folder, env)
    assert.equal(code, 0, stderr)
    const headers = { 'x-api-key': here.keys.business }
    const sent = async (path: string) => (await send(here.address('A'), `/v1/${path}`, { headers })).json
    const { data: card } = await sent('cards/pokemon-base1-004')
    const page = await sent(`search?q=${encodeURIComponent('pokémon é')}&limit=2`)
    const swu = await sent('cards?game=swu&limit=1')
    const failed = ['NetworkError', 'CONNECTION_FAILED', null, false]
    assert.deepEqual(JSON.parse(stdout), {
      card,
      cards: Object.entries({ 'pokemon-base1-004': 'Charizard', nobody: null, 'mtg-unh-023': '_____' }),
      page,
      listed: swu.total,
      bulk: swu.total,
      changed: [true, false],
      limit: 100_000,
      retried: 3,
      unknown: ['CardNotFoundError', 'CARD_NOT_FOUND', 404, false],
      quota: ['QuotaError', 'RATE_LIMIT_EXCEEDED', 429, false],
      redirect: ['CardPricesError', 'HTTP_302', 302, false],
      stalled: ['NetworkError', 'TIMEOUT', null, false],
      closed: failed,
      half: failed,
      halfPacked: failed,
      aborted: 'AbortError',
    })
  }

  if (tools !== undefined) {
    itInAll('The package card-prices-client passes attw', async () => {
      // It is ESM alone, for resolvers that know `exports`, as documented.
      const options = ['--profile', 'node16', '--ignore-rules', 'cjs-resolves-to-esm']
      const command = [join(tools, 'attw'), tarballs.get('typescript')!, ...options]
      const { code, stdout } = await run(command, folder)
      assert.equal(code, 0, stdout)
    })

    for (const name of ['typescript', 'mcp']) {
      itInAll(`The package clients/${name} passes publint`, async () => {
        const { code, stdout } = await run([join(tools, 'publint'), 'run', '--strict', tarballs.get(name)!], folder)
        assert.equal(code, 0, stdout)
        assert.match(stdout, /All good!/)
      })
    }
  }
})
