/** The access log of a real server: which requests it has, what a line tells, and that nobody waits for its reader. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import { AccessLog } from '../../src/log/access.ts'
import { amount } from '../support/amount.ts'
import { accounts, runAccountsHere, temporaryFolder, withLimits } from '../support/command.ts'
import { pipelined, requestText } from '../support/proxy-wire.ts'
import { fixtureIndex } from '../support/sample.ts'
import { scrape } from '../support/scrape.ts'
import { type Service, send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { linesOf, untilLines } from './access-lines.ts'

describe('the access log', () => {
  const indexDir = temporaryFolder()
  const storeDir = temporaryFolder()
  let key: string
  let spent: string

  before(async () => {
    await fixtureIndex(indexDir)
    await accounts(storeDir, 'create', 'first', '--plan', 'free')
    key = (await accounts(storeDir, 'create', 'Shop', '--plan', 'business')).key
    spent = (await accounts(storeDir, 'create', 'Small', '--plan', 'free')).key
  })

  const serve = (env: NodeJS.ProcessEnv) => startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir, ...env })

  describe('the log of all requests', () => {
    let service: Service
    before(async () => {
      const shorter = amount(1, 0) === 1 ? withLimits({ logBytesMax: 128 * 1024 }) : {}
      service = await serve({ ACCESS_LOG: '1', METRICS_PORT: '0', THREADS: '2', ...shorter })
    })

    it('tells of each request what it was and what became of it', async () => {
      const headers = { 'x-api-key': key }
      const posted = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{"ids":[]}' }
      const asked = [
        ['/v1/search?q=secret-text', { headers }, '/v1/search', 'GET', 200, 1],
        ['/v1/cards/pokemon-base1-004', { headers }, '/v1/cards/:id', 'GET', 200, 1],
        ['/v1/cards/secret-card', { headers }, '/v1/cards/:id', 'GET', 404, 1],
        ['/v1/games', { headers, method: 'HEAD' }, '/v1/games', 'HEAD', 200, 1],
        ['/v1/games', { headers: { ...headers, 'if-none-match': '*' } }, '/v1/games', 'GET', 304, 1],
        ['/v1/games?api_key=secret-key', {}, '/v1/games', 'GET', 401, null],
        ['/v1/games', { headers, method: 'PATCH' }, '/v1/games', 'PATCH', 405, null],
        ['/v1/games', { headers, method: 'OPTIONS' }, '/v1/games', 'OPTIONS', 204, null],
        ['/v1/cards/batch', posted, '/v1/cards/batch', 'POST', 200, 1],
        ['/v1/cards/batch', { ...posted, headers }, '/v1/cards/batch', 'POST', 415, 1],
        ['/v1/bulk/mtg', { headers }, '/v1/bulk/:game', 'GET', 200, 1],
        ['/healthz', {}, '/healthz', 'GET', 200, null],
        ['/secret-path', { headers, method: 'PROPFIND' }, 'other', 'other', 404, null],
      ] as const
      const from = Date.now()
      const bytes: number[] = []
      for (const [path, sent, , , status] of asked) {
        const reply = await send(service.address, path, sent)
        assert.equal(reply.status, status, path)
        bytes.push(reply.bytes.length)
      }
      await untilLines(service, asked.length)
      const lines = linesOf(service).sort((a, b) => a.time - b.time)
      for (const { time, us } of lines) {
        assert.ok(Number.isSafeInteger(time) && time >= from - 2 && time <= Date.now() + 2)
        assert.ok(Number.isSafeInteger(us) && us >= 0 && us < 60_000_000)
      }
      // Lines of two threads within a millisecond have no fixed order.
      const reported = lines.map(({ time, us, ...rest }) => JSON.stringify(rest)).sort()
      const expected = asked.map(([, , route, method, status, account], i) =>
        JSON.stringify({ route, method, status, bytes: bytes[i], account }),
      )
      assert.deepEqual(reported, expected.sort())
      for (const secret of ['secret', key.slice('cpl_live_'.length), 'Shop']) assert.ok(!service.log().includes(secret))
    })

    it('that nobody reads costs no answer and no end; what is dropped is counted, and read late every line is whole', {
      timeout: 120_000,
    }, async () => {
      const { child, address, metrics } = service
      await untilLines(service, 1)
      child.stderr!.pause()
      let requests = linesOf(service).length
      const dropped = async () => (await scrape(metrics)).value('cpl_access_log_lines_dropped_total')!
      while ((await dropped()) < 100) {
        await pipelined(address, requestText('/v1/cards/nope', key), 500)
        requests += 500
        assert.ok(requests < 90_000, 'a backlog has an end')
      }
      child.stderr!.resume()
      const reported = () =>
        [...service.log().matchAll(/"dropped":(\d+)/g)].reduce((sum, [, lines]) => sum + Number(lines), 0)
      await until(
        `${requests} requests have a line or are counted as dropped`,
        () => linesOf(service).length + reported() === requests,
        30_000,
        () => `${linesOf(service).length} lines, and ${reported()} dropped`,
      )
      assert.equal(await dropped(), reported())
      const before = linesOf(service).length
      assert.equal((await send(address, '/nope')).status, 404)
      await untilLines(service, before + 1)
      assert.equal(linesOf(service).at(-1)!.route, 'other')
      child.stderr!.pause()
      for (let i = 0; i < amount(2, 4); i++) await pipelined(address, requestText('/v1/cards/nope', key), 1000)
      const closed = once(child, 'exit')
      child.kill('SIGTERM')
      assert.deepEqual(await closed, [0, null])
    })
  })

  /** None without ACCESS_LOG: test/http/unread.test.ts. */
  describe('which requests have one', () => {
    it('errors: 429 and 5xx', async () => {
      const emptyDir = temporaryFolder()
      const service = await serve({ ACCESS_LOG: 'errors', INDEX_DIR: emptyDir, LOG_LEVEL: 'error' })
      assert.equal((await send(service.address, '/v1/games', { headers: { 'x-api-key': key } })).status, 503)
      cpSync(indexDir, emptyDir, { recursive: true })
      await until('it serves', async () => (await send(service.address, '/healthz')).status === 200)
      const health = linesOf(service).filter(({ route }) => route === '/healthz').length
      const statuses = await pipelined(service.address, requestText('/v1/games', spent), 210)
      assert.deepEqual(statuses.get(429), 10)
      assert.equal((await send(service.address, '/nope')).status, 404)
      await untilLines(service, 11 + health)
      await service.stop()
      const reported = linesOf(service).filter(({ route }) => route !== '/healthz')
      assert.deepEqual(
        reported.map(({ status }) => status),
        [503, ...Array.from({ length: 10 }, () => 429)],
      )
      assert.deepEqual(new Set(reported.map(({ account }) => account)), new Set([1, 2]))
      const { stdout } = await runAccountsHere(storeDir, 'list')
      assert.match(stdout, /^Shop .* 1$/m, 'whose a number is')
      assert.match(stdout, /^Small .* 2$/m)
    })

    it('a share: as many as drawing for each would choose', () => {
      for (const share of [0.001, 0.01, 0.3, 1]) {
        const log = new AccessLog({ selects: share, onDropped: () => undefined })
        const requests = Math.ceil(2000 / share)
        let chosen = 0
        for (let i = 0; i < requests; i++) chosen += +log.selects(200)
        // Six standard deviations: once in half a billion runs.
        const away = share === 1 ? 0 : 6 * Math.sqrt(requests * share) + 1
        assert.ok(Math.abs(chosen - requests * share) <= away, `${chosen} of ${requests} at ${share}`)
      }
    })
  })
})
