/** One server a store, commands beside it, and its crashes: a living server is never taken for a dead one, nor a dead one for living. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pino from 'pino'
import { AccountsHost } from '../../src/accounts/accounts-host.ts'
import { claimStore, isServed, notificationPoll, notificationPollMs, notifyServer } from '../../src/accounts/control.ts'
import { createAccount } from '../../src/accounts/registry.ts'
import { Store } from '../../src/store/store.ts'
import { AccountsServer } from '../support/accounts-server.ts'
import { itInAll } from '../support/amount.ts'
import { accounts, runAccountsHere, temporaryFolder } from '../support/command.ts'
import { send, startService } from '../support/service.ts'

const log = pino({ level: 'silent' })
/** Answers commands as a server does, until it is closed. */
function answerWith(store: Store, confirm: () => boolean | undefined, lock = claimStore(store)) {
  const answering = notificationPoll(store, confirm)
  const timer = setInterval(() => {
    try {
      answering()
    } catch {
      // A server logs it, and tries again.
    }
  }, notificationPollMs)
  return {
    close() {
      clearInterval(timer)
      lock.close()
    },
  }
}

describe('A server and its store', () => {
  it('A server without accounts logs one warning, and a second server on its store is refused', async () => {
    const storeDir = join(temporaryFolder(), 'mistyped')
    const first = await startService({ STORE_DIR: storeDir, INDEX_DIR: temporaryFolder() })
    const warning = `no accounts in ${storeDir}: every key gets 401`
    await first.logs(new RegExp(warning))
    const { key } = await accounts(storeDir, 'create', 'acme', '--plan', 'free')
    const pid = first.child.pid
    const message = `the store ${storeDir} is in use by the server with process id ${pid}: stop it, or set another STORE_DIR`
    await assert.rejects(AccountsHost.open({ storeDir, log }), { message })
    // It has no version: a key that is let in gets 503, another 401.
    assert.equal((await send(first.address, '/v1/games', { headers: { 'x-api-key': key } })).status, 503)
    assert.equal(await first.stop(), 0)
    assert.equal(first.log().split(warning).length - 1, 1)
    assert.ok(!isServed({ dir: storeDir }))
    const lines: string[] = []
    const next = await AccountsHost.open({ storeDir, log: pino({}, { write: (line: string) => lines.push(line) }) })
    next.warnIfEmpty()
    assert.deepEqual(lines, [])
    await accounts(storeDir, 'delete', 'acme', '--yes')
    next.warnIfEmpty()
    assert.equal(JSON.parse(lines.join('')).msg, warning)
    await next.close()
  })

  itInAll('When two servers start at once on one store, exactly one of them serves', async () => {
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
  it('A server that can’t lock its store fails with one line, and the next server can open the store', async () => {
    const storeDir = temporaryFolder()
    const lock = join(storeDir, 'server.db')
    mkdirSync(lock)
    await assert.rejects(AccountsHost.open({ storeDir, log }), {
      message: `${lock} can't be read or written (unable to open database file)`,
    })
    rmSync(lock, { recursive: true })
    const next = await AccountsHost.open({ storeDir, log })
    await next.close()
  })
})

/** Each waits much of its time. */
describe('A command beside a server', { concurrency: true }, () => {
  it('A command does not wait if no server runs, and waits for a server that is starting', async () => {
    const store = new Store(temporaryFolder())
    createAccount(store, 'acme', 'free', 0)
    assert.equal(await notifyServer(store), undefined)
    for (let round = 0; round < 2; round++) {
      const lock = claimStore(store)
      const reported = notifyServer(store)
      await pause(200)
      const answering = answerWith(store, () => true, lock)
      assert.equal(await reported, undefined)
      answering.close()
    }
    await store.close()
  })

  it('A backup fails while the server can’t write its counts, but account changes are still confirmed', async () => {
    const storeDir = temporaryFolder()
    const store = new Store(storeDir)
    const answering = answerWith(store, () => false)
    const file = join(temporaryFolder(), 'backup')
    assert.equal(await notifyServer(store), undefined)
    const { code, stderr } = await runAccountsHere(storeDir, 'backup', file)
    const message = `the server with process id ${process.pid} did not write its counts within 3 s: nothing is backed up`
    assert.deepEqual([code, stderr], [1, `accounts: ${message}\n`])
    assert.ok(!existsSync(file))
    answering.close()
    await store.close()
  })

  const silences: readonly (readonly [what: string, confirm: () => boolean | undefined])[] = [
    ['a server whose threads may still accept old keys', () => undefined],
    [
      'a server that fails',
      () => {
        throw new Error('no')
      },
    ],
  ]
  for (const [what, confirm] of silences) {
    it(`A command gets no confirmation from ${what}`, async () => {
      const store = new Store(temporaryFolder())
      const answering = answerWith(store, confirm)
      const begun = performance.now()
      assert.equal(await notifyServer(store, false, 200), process.pid)
      const ms = performance.now() - begun
      assert.ok(ms > 190 && ms < 2900, `${ms}`)
      answering.close()
      await store.close()
    })
  }
})
