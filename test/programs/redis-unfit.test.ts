/**
 * A Redis that answers, and can't hold accounts and quotas: it may drop keys, its user lacks rights, or its memory is full. It is
 * away for servers, commands and doctor, for a reason that they say once, until it is put right.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { accounts, run, runAccountsOf, temporaryFolder } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { believe, startRedis } from '../support/redis.ts'
import { sampleIndex } from '../support/sample.ts'
import { send, startService, withShortDrain } from '../support/service.ts'
import { until } from '../support/until.ts'

const redis = await startRedis()
const user = 'shop'
const word = 'hidden'
const everything = `SETUSER ${user} reset on >${word} ~card-prices:* +@all`

/** Commands of Redis that make it unfit, and that put it right again. */
const cases = [
  {
    what: 'may evict keys',
    spoil: 'CONFIG SET maxmemory-policy volatile-lru',
    mend: 'CONFIG SET maxmemory-policy noeviction',
    reason: /its maxmemory-policy is volatile-lru: set noeviction/,
  },
  {
    what: 'forbids scripts',
    spoil: `ACL SETUSER ${user} -@scripting`,
    mend: `ACL ${everything}`,
    reason: /no permissions to run the 'eval(sha)?' command: allow that by ACL SETUSER/,
  },
  {
    what: 'forbids a command that scripts call',
    spoil: `ACL SETUSER ${user} -hset`,
    mend: `ACL ${everything}`,
    reason: /its user may not run HSET: allow that by ACL SETUSER/,
  },
]

describe('a Redis that', { skip: skipWithout('redis-server') }, () => {
  let admin: Redis
  const url = redis.url.replace('redis://', `redis://${user}:${word}@`)
  const tell = (command: string) => {
    const [name, ...args] = command.split(' ')
    return admin.call(name!, ...args)
  }

  before(async () => {
    admin = new Redis(redis.url)
    await tell(`ACL ${everything}`)
    await believe(redis)
  })

  after(async () => {
    admin.disconnect()
  })

  async function serve() {
    const STORE_DIR = temporaryFolder()
    const { key } = await accounts(STORE_DIR, 'create', 'shop', '--plan', 'business')
    const given = { INDEX_DIR: await sampleIndex(), STORE_DIR, QUOTA_STORE: url, LOG_LEVEL: 'info' }
    const service = await startService({ ...given, ...withShortDrain })
    const status = async () => (await send(service.address, '/v1/games', { headers: { 'x-api-key': key } })).status
    return { service, status, lines: (text: string) => service.log().split(text).length - 1 }
  }

  for (const { what, spoil, mend, reason } of cases) {
    it(`${what} is away until it is put right`, { timeout: 60_000 }, async (t) => {
      await tell(spoil)
      t.after(() => tell(mend))
      const { service, status, lines } = await serve()
      const env = { STORE_DIR: temporaryFolder(), ACCOUNTS_STORE: url }
      const sharing = await startService({ ...env, INDEX_DIR: await sampleIndex(), QUOTA_STORE: url })
      assert.equal(await status(), 503)
      assert.match(service.log(), reason)
      await sharing.logs(reason)
      const { code, stderr } = await runAccountsOf(env, 'create', 'other', '--plan', 'free')
      assert.equal(code, 1)
      assert.match(stderr, /^accounts: the accounts' store at 127\.0\.0\.1:\d+ can't be asked \(.*\)\n$/)
      assert.match(stderr, reason)
      const { stdout } = await run('src/cli/main.ts', ['doctor'], { ...env, QUOTA_STORE: url, CARD_PRICES_ENV: '' })
      const [line] = /^bad +Redis .*$/m.exec(stdout) ?? ['']
      for (const name of ['QUOTA_STORE', 'ACCOUNTS_STORE']) {
        assert.match(line, new RegExp(`${name} can't be used at 127\\.0\\.0\\.1:\\d+ \\([^;]*${reason.source}`))
      }
      assert.equal(lines('is away'), 1, service.log())
      await tell(mend)
      await until('requests are answered', async () => (await status()) === 200)
      assert.equal(lines('is back'), 1)
      for (const text of [service.log(), sharing.log(), stderr, stdout]) assert.ok(!text.includes(word), 'the password')
      assert.deepEqual([await service.stop(), await sharing.stop()], [0, 0], sharing.log())
    })
  }

  it('is full is logged once while it answers some commands and refuses others', { timeout: 60_000 }, async (t) => {
    await tell('CONFIG SET maxmemory 1')
    t.after(() => tell('CONFIG SET maxmemory 0'))
    const { service, status, lines } = await serve()
    for (let i = 0; i < 10; i++) {
      assert.equal(await status(), 503)
      await pause(200)
    }
    assert.equal(lines('is away'), 1, service.log())
    // On a busy machine the server may have waited too long for an answer before it read one.
    assert.match(service.log(), /OOM command not allowed|Command timed out/)
    assert.ok(lines('is back') <= 1, service.log())
    assert.equal(await service.stop(), 0)
  })
})
