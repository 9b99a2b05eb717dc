/** Connections to a real PostgreSQL: which addresses are taken, which databases are refused, and what a connection does in each failure. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pino from 'pino'
import { databaseAddress } from '../../src/database-address.ts'
import { rejectionLogMs } from '../../src/limits.ts'
import { PostgresConnection } from '../../src/postgres/connection.ts'
import { DatabasePresence } from '../../src/postgres/presence.ts'
import { cardPrices, run, temporaryFolder } from '../support/command.ts'
import { startPooler } from '../support/pooler.ts'
import { Postgres } from '../support/postgres.ts'
import { skipWithout } from '../support/programs.ts'
import { until } from '../support/until.ts'

const skip = skipWithout('postgres')
const postgres = await Postgres.start()

describe('DATABASE_URL', () => {
  const cases: readonly (readonly [url: string, name: string, places: readonly string[]])[] = [
    ['postgres://u:p@db/d?sslmode=disable', 'db:5432', ['postgres://u:p@db:5432/d?sslmode=disable']],
    ['postgresql://db:7/d?sslmode=verify-full', 'db:7', ['postgresql://db:7/d?sslmode=verify-full']],
    [
      'postgres://u@a,b:6/d?sslmode=require',
      'a:5432,b:6',
      ['postgres://u@a:5432/d?sslmode=require', 'postgres://u@b:6/d?sslmode=require'],
    ],
    ['postgres://[::1]:5/d?sslmode=disable', '[::1]:5', ['postgres://[::1]:5/d?sslmode=disable']],
    ['postgres://u@/d?host=/run/pg', '/run/pg', ['postgres://u@/d?sslmode=disable&host=%2Frun%2Fpg&port=5432']],
    [
      'postgres://u@/d?host=a,b&port=1,2&sslmode=disable',
      'a:1,b:2',
      ['postgres://u@a:1/d?sslmode=disable', 'postgres://u@b:2/d?sslmode=disable'],
    ],
    ['postgres://db/d', 'db:5432', ['postgres://db:5432/d?sslmode=require', 'postgres://db:5432/d?sslmode=disable']],
  ]
  for (const [url, name, places] of cases) {
    it(`DATABASE_URL ${url} names ${name}`, () => {
      const address = databaseAddress(url)!
      assert.equal(address.name, name)
      const found = address.places.map(({ connectionString }) =>
        connectionString.replace('&uselibpqcompat=true', '').replace('uselibpqcompat=true&', ''),
      )
      assert.deepEqual(found, places)
    })
  }

  it('Other forms of DATABASE_URL are refused, and settings of 2.x with the name of their replacement', async () => {
    for (const url of ['redis://x', 'http://x', 'postgres://[', 'x']) assert.equal(databaseAddress(url), undefined, url)
    for (const name of ['ACCOUNTS_STORE', 'QUOTA_STORE']) {
      const env = { [name]: 'redis://hidden', STORE_DIR: temporaryFolder() }
      for (const words of [['serve'], ['accounts', 'list'], ['accounts', 'move', 'postgres://x/y']]) {
        const { code, stderr } = await run(cardPrices, words, env)
        assert.notEqual(code, 0)
        assert.match(
          stderr,
          new RegExp(
            `${name}: is gone: .*DATABASE_URL; docs/cluster\\.md says in "Move a cluster of 2\\.x"[^\\n]*\\n$`,
          ),
        )
        assert.doesNotMatch(stderr, /hidden/)
      }
    }
  })
})

describe('A connection', { skip, timeout: 300_000 }, () => {
  const open: PostgresConnection[] = []
  after(() => {
    for (const each of open) each.close()
  })
  async function connected(url = postgres.url()) {
    const connection = new PostgresConnection(url)
    open.push(connection)
    await connection.connect()
    return connection
  }

  it('A database connection that is up is not opened again, and two new connections at once make one schema', async () => {
    const url = await postgres.database()
    const [one, two] = await Promise.all([connected(url), connected(url)])
    assert.deepEqual([one.isUp, two.isUp, one.reason], [true, true, ''])
    const { pid } = one
    await one.connect()
    assert.equal(one.pid, pid)
    const versions = await one.query('SELECT number FROM card_prices.schema_version')
    assert.deepEqual(versions, [{ number: 1 }])
  })

  it('A database connection that is cut is replaced, and reports why it was lost', async () => {
    const connection = await connected()
    let reason = ''
    connection.listen({
      onAway: (why) => {
        reason = why
      },
    })
    const { pid } = connection
    await postgres.cut()
    await until('it is another one', () => connection.isUp && connection.pid !== pid)
    assert.match(reason, /terminating connection due to administrator command/)
  })

  it('A database connection gives up a query without an answer in time, and runs the next query', async () => {
    const connection = await connected()
    await assert.rejects(connection.query('SELECT pg_sleep(5)', [], 200), {
      message: /can't be asked \(no answer for 200 ms\)/,
    })
    await until('it is back', () => connection.isUp)
    assert.deepEqual(await connection.query('SELECT 1 AS one'), [{ one: 1 }])
  })

  it('A database connection rolls back a failed transaction, and can be used again', async () => {
    const connection = await connected()
    const failing = connection.transaction('BEGIN', async (query) => {
      await query('CREATE TABLE card_prices.gone (x int)')
      await query('SELECT 1 / 0')
    })
    await assert.rejects(failing, { message: /refuses \(division by zero\)/ })
    assert.deepEqual(await connection.query("SELECT to_regclass('card_prices.gone') AS gone"), [{ gone: null }])
  })

  it('A database connection follows the writable host through a failover to a synchronous standby, and loses no change', async () => {
    const first = await Postgres.start()
    const standby = await first.standby()
    await first.waitForStandby()
    const query = 'target_session_attrs=read-write&sslmode=disable'
    const url = `postgres://card_prices:CHANGE-THIS@127.0.0.1:${standby.port},127.0.0.1:${first.port}/card_prices?${query}`
    const connection = await connected(url)
    assert.ok(connection.isUp, connection.reason)
    const at = async () => (await connection.query<{ port: number }>('SELECT inet_server_port() AS port'))[0]!.port
    assert.equal(await at(), first.port)
    await connection.query("INSERT INTO card_prices.history VALUES ('ours', 7, 'mark', 7)")
    await first.end('SIGKILL')
    await until('it is away', () => !connection.isUp)
    await standby.promote()
    await until('it is at the other', () => connection.isUp)
    assert.equal(await at(), standby.port)
    assert.deepEqual(await connection.query('SELECT number::int FROM card_prices.history'), [{ number: 7 }])
  })

  it('A database connection refuses a newer schema and a user without rights', async () => {
    const url = await postgres.database()
    await connected(url)
    await postgres.asks('UPDATE card_prices.schema_version SET number = 9', url.replace(/.*\//, ''))
    const newer = await connected(url)
    assert.match(newer.unfit ?? '', /its schema card_prices is of a newer release \(number 9, this one knows 1\)/)
    const started = await run(cardPrices, ['serve'], {
      DATABASE_URL: url,
      STORE_DIR: temporaryFolder(),
      INDEX_DIR: temporaryFolder(),
      INDEX_URL: 'http://127.0.0.1:1',
      PORT: '0',
    })
    assert.equal(started.code, 1)
    assert.match(started.stdout + started.stderr, /can't be used: its schema card_prices is of a newer release/)
    await postgres.asks('CREATE ROLE stranger LOGIN PASSWORD $$x$$')
    const stranger = await connected((await postgres.database()).replace('card_prices:CHANGE-THIS', 'stranger:x'))
    assert.match(stranger.reason, /permission denied/)
  })
})

describe('PgBouncer', { skip: skip || skipWithout('pgbouncer'), timeout: 300_000 }, () => {
  async function pooler(mode: 'session' | 'transaction'): Promise<string> {
    const { port } = await startPooler(postgres.port, mode)
    return `postgres://card_prices@127.0.0.1:${port}/card_prices?sslmode=disable`
  }

  it('A server refuses PgBouncer in transaction mode at its start with one line', async () => {
    const env = {
      DATABASE_URL: await pooler('transaction'),
      STORE_DIR: temporaryFolder(),
      INDEX_DIR: temporaryFolder(),
    }
    const { code, stdout, stderr } = await run(cardPrices, ['serve'], {
      ...env,
      INDEX_URL: 'http://127.0.0.1:1',
      PORT: '0',
    })
    assert.equal(code, 1)
    assert.match(stdout + stderr, /can't be used: a pooler in transaction mode is between: use its session mode/)
  })

  it('A command creates an account through PgBouncer in session mode', async () => {
    const DATABASE_URL = await pooler('session')
    const made = await run(cardPrices, ['accounts', 'create', 'pooled', '--plan', 'free'], {
      DATABASE_URL,
      STORE_DIR: temporaryFolder(),
    })
    assert.equal(made.code, 0, made.stderr)
  })
})

it('A database’s absence is logged when it begins, once a minute while it lasts, and when all its uses work again', ({
  mock,
}) => {
  const lines: string[] = []
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => lines.push(JSON.parse(line).msg) })
  const presence = new DatabasePresence(log, 'db:1', () => 'effects')
  let now = 1e6
  mock.method(performance, 'now', () => now)
  const [away, back] = ['the database at db:1 is away: effects', 'the database at db:1 is back']
  for (let second = 0; second < 150; second++) {
    presence.fails('accounts', 'why')
    now += 1000
  }
  assert.deepEqual(lines.splice(0), [away, away, away])
  presence.fails('quotas', 'why')
  assert.equal(presence.works('accounts'), true)
  assert.deepEqual([lines.splice(0), presence.isUp], [[], false])
  assert.equal(presence.works('quotas'), true)
  assert.deepEqual([lines.splice(0), presence.isUp], [[back], true])
  assert.equal(presence.works('quotas'), false)
  now += rejectionLogMs
  presence.fails('usage', 'why')
  assert.deepEqual(lines, [away])
})
