/** One server a store, and commands beside it: a living server is never taken for a dead one, nor a dead one for living. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pino from 'pino'
import { AccountsHost } from '../../src/accounts/accounts-host.ts'
import { claimStore, isServed, notificationPoll, notifyServer } from '../../src/accounts/control.ts'
import { createAccount } from '../../src/accounts/registry.ts'
import { notificationPollMs } from '../../src/limits.ts'
import { Store } from '../../src/store/store.ts'
import { AccountsServer } from '../support/accounts-server.ts'
import { itInAll } from '../support/amount.ts'
import { accounts, collect, run, runAccountsHere, start, temporaryFolder, withLimits } from '../support/command.ts'
import { send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const log = pino({ level: 'silent' })
const indexDir = temporaryFolder()
/** Answers commands as a server does, until its timer is cleared. */
function answerWith(store: Store, confirm: () => boolean | undefined): NodeJS.Timeout {
  const answering = notificationPoll(store, confirm)
  return setInterval(() => {
    try {
      answering()
    } catch {
      // A server logs it, and tries again.
    }
  }, notificationPollMs)
}

/** The server that `npm run serve` starts, without a version: a key that is let in gets 503, another 401. */
async function serve(storeDir: string) {
  const service = await startService({ STORE_DIR: storeDir, INDEX_DIR: indexDir })
  const isLetIn = async (key: string) => {
    const { status } = await send(service.address, '/v1/games', { headers: { 'x-api-key': key } })
    assert.ok(status === 401 || status === 503, `${status}`)
    return status === 503
  }
  return { ...service, isLetIn }
}

describe('a store without any account', () => {
  const warning = (storeDir: string) => `no accounts in ${storeDir}: every key gets 401`
  const warnings = (log: string, storeDir: string) => log.split(warning(storeDir)).length - 1

  it('is warned of once when serving starts, with its whole path', async () => {
    const storeDir = join(temporaryFolder(), 'mistyped')
    const { logs, log, stop } = await serve(storeDir)
    await logs(new RegExp(warning(storeDir)))
    await stop()
    assert.equal(warnings(log(), storeDir), 1)
  })

  it('is not warned of when it has an account, nor by npm start, which makes one', async () => {
    const [has, empty] = [temporaryFolder(), temporaryFolder()]
    await accounts(has, 'create', 'acme', '--plan', 'free')
    const given = { WEB_PORT: '0', INDEX_DIR: temporaryFolder() }
    const [served, started] = [await serve(has), await startService({ STORE_DIR: empty, ...given }, 'build/start.ts')]
    await until('the account is made', async () => (await runAccountsHere(empty, 'list')).stdout.includes('demo'))
    await Promise.all([served.stop(), started.stop()])
    assert.deepEqual([warnings(served.log(), has), warnings(started.log(), empty)], [0, 0])
  })
})

describe('one server a store', () => {
  const storeDir = temporaryFolder()
  let first: Awaited<ReturnType<typeof serve>>
  after(() => first.stop())

  it('refuses a second one with one line, and the first goes on', { timeout: 30_000 }, async () => {
    const { key } = await accounts(storeDir, 'create', 'acme', '--plan', 'free')
    first = await serve(storeDir)
    const second = await run('src/cli/serve-command.ts', [], { STORE_DIR: storeDir, INDEX_DIR: indexDir, PORT: '0' })
    assert.equal(second.code, 1)
    assert.equal(second.stderr.trim().split('\n').length, 1, second.stderr)
    assert.match(second.stderr, new RegExp(`process id ${first.child.pid}:`))
    assert.ok(second.stderr.includes(storeDir))
    assert.ok(await first.isLetIn(key))
    await accounts(storeDir, 'set-plan', 'acme', 'trader')
  })

  it('that is frozen serves its store still', async () => {
    const { child } = first
    child.kill('SIGSTOP')
    await assert.rejects(
      AccountsHost.open({ storeDir, log }),
      new RegExp(`in use by the server with process id ${child.pid}:`),
    )
    child.kill('SIGCONT')
  })

  it('leaves it to the next as it stops', async () => {
    assert.equal(await first.stop(), 0)
    assert.ok(!isServed({ dir: storeDir }))
    const next = await AccountsHost.open({ storeDir, log })
    await next.close()
  })

  itInAll('of several that start at once, exactly one serves', async () => {
    const storeDir = temporaryFolder()
    for (let round = 0; round < 2; round++) {
      const tries = await Promise.allSettled([1, 2].map(() => AccountsServer.start({ STORE_DIR: storeDir })))
      const serving = tries.flatMap((tried) => (tried.status === 'fulfilled' ? [tried.value] : []))
      const refusals = tries.flatMap((tried) => (tried.status === 'rejected' ? [String(tried.reason)] : []))
      assert.equal(serving.length, 1, refusals.join(''))
      for (const refusal of refusals) assert.match(refusal, /is in use by the server with process id/)
      // The next round finds what a killed one has left.
      await serving[0]!.kill('SIGKILL')
    }
  })

  // That the process ends then, with one line, is in failing-starts.test.ts.
  it('is refused with one line if it can not lock the store, and leaves it to the next', async () => {
    const storeDir = temporaryFolder()
    const lock = join(storeDir, 'server.db')
    mkdirSync(lock)
    await assert.rejects(
      AccountsHost.open({ storeDir, log }),
      ({ message }: Error) => message.includes(lock) && !message.includes('\n'),
    )
    rmSync(lock, { recursive: true })
    const next = await AccountsHost.open({ storeDir, log })
    await next.close()
  })
})

describe('a command beside a server', () => {
  it('that is killed waits for nobody, and a command that finds its server starting waits for it', async () => {
    const storeDir = temporaryFolder()
    const store = new Store(storeDir)
    createAccount(store, 'acme', 'free', 0)
    assert.equal(await notifyServer(store), undefined)
    for (let round = 0; round < 2; round++) {
      const lock = claimStore(store)
      const reported = notifyServer(store)
      await pause(200)
      const answering = answerWith(store, () => true)
      assert.equal(await reported, undefined)
      clearInterval(answering)
      lock.close()
    }
    await store.close()
  })

  itInAll('that starts at the same moment ends well', async () => {
    const storeDir = temporaryFolder()
    const env = { STORE_DIR: storeDir, INDEX_DIR: indexDir, PORT: '0', LOG_LEVEL: 'silent' }
    const child = start('src/cli/serve-command.ts', [], env)
    process.once('exit', () => child.kill('SIGKILL'))
    const output = collect(child)
    for (let made = 0; !output.stdout().includes('listening on'); made++) {
      const { code, stderr } = await runAccountsHere(storeDir, 'create', `acme ${made}`, '--plan', 'free')
      assert.equal(code, 0, stderr)
      assert.ok(made < 1000)
    }
    child.kill('SIGTERM')
    await once(child, 'close')
  })

  it('that can not write its counts has confirmed a change, and lets no backup be made', async () => {
    const storeDir = temporaryFolder()
    const store = new Store(storeDir)
    const lock = claimStore(store)
    const answering = answerWith(store, () => false)
    const file = join(temporaryFolder(), 'backup')
    assert.equal(await notifyServer(store), undefined)
    const env = { STORE_DIR: storeDir, ...withLimits({ confirmMsMax: 500 }) }
    const { code, stderr } = await run('src/cli/accounts/accounts-command.ts', ['backup', file], env)
    assert.equal(code, 1)
    assert.match(stderr, /did not write its counts within 0.5 s: nothing is backed up/)
    assert.ok(!existsSync(file))
    clearInterval(answering)
    lock.close()
    await store.close()
  })

  const silences: readonly (readonly [what: string, confirm: () => boolean | undefined])[] = [
    ['that could not look again', () => undefined],
    [
      'that fails',
      () => {
        throw new Error('no')
      },
    ],
  ]
  for (const [what, confirm] of silences) {
    it(`${what}, has not confirmed`, async () => {
      const storeDir = temporaryFolder()
      const store = new Store(storeDir)
      const lock = claimStore(store)
      const answering = answerWith(store, confirm)
      const begun = performance.now()
      assert.equal(await notifyServer(store, false, 500), process.pid)
      const ms = performance.now() - begun
      assert.ok(ms > 490 && ms < 2900, `${ms}`)
      clearInterval(answering)
      lock.close()
      await store.close()
    })
  }
})
