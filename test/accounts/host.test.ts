/** The accounts of a server's process, and the one line that it logs of each failure until that is over. */
import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import pino from 'pino'
import { AccountsHost } from '../../src/accounts/accounts-host.ts'
import { Authenticator } from '../../src/accounts/authenticator.ts'
import { isServed, notifyServer } from '../../src/accounts/control.ts'
import { createAccount, listKeys } from '../../src/accounts/registry.ts'
import { sessionIdleMsMax, sessionNoteMs, startSession } from '../../src/accounts/sign-ins.ts'
import { dayOfMs } from '../../src/calendar.ts'
import { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/command.ts'
import { until } from '../support/until.ts'

const now = Date.now()

/** A host whose threads are this one, with what it logs. */
async function hosted(t: TestContext) {
  const store = new Store(temporaryFolder())
  const { key } = createAccount(store, 'acme', 'free', now)
  const lines: string[] = []
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => lines.push(line) })
  const clocks = { wall: () => now, monotonic: () => performance.now() }
  const host = await AccountsHost.open({ storeDir: store.dir, log, clocks })
  let closing: Promise<void> | undefined
  const close = () => (closing ??= host.close())
  t.after(close)
  const logged = () =>
    lines.splice(0).map((line) => {
      const { level, msg, reason } = JSON.parse(line)
      return [level, msg, reason]
    })
  return { store, key, host, close, authenticator: new Authenticator(host.shared, clocks.wall), lines, logged }
}

it('A store failure is logged once, and unwritten counts are written once the store works again', async (t) => {
  const { store, key, host, close, authenticator, lines, logged } = await hosted(t)
  const failed = (what: string, ...reasons: string[]) => reasons.map((why) => [50, what, why])
  const missing = (table: string) => `${store.dir}/accounts.db can't be read or written (no such table: ${table})`
  const principal = authenticator.identify(key)!
  const written = () => store.usedOn(dayOfMs(now), 0)
  authenticator.take(principal)
  for (let count = 2; count <= 3; count++) {
    store.database.run('ALTER TABLE usage RENAME TO gone')
    const { failures } = host.flusher
    authenticator.take(principal)
    await until('it fails twice', () => host.flusher.failures >= failures + 2)
    assert.equal(await notifyServer(store), undefined, 'threads know of changes')
    assert.equal(await notifyServer(store, true, 100), process.pid, 'and the counts are not written')
    assert.deepEqual(logged(), failed('counts could not be written; retrying', missing('usage')))
    assert.ok(host.flusher.ageMs > 50, `${host.flusher.ageMs}`)
    store.database.run('ALTER TABLE gone RENAME TO usage')
    await until('it is written', () => written() === count)
    assert.equal(await notifyServer(store, true), undefined)
  }
  const settings = {
    generation: 'a change of accounts could not be read; retrying',
    asked: 'commands could not be answered; retrying',
  }
  for (const [name, what] of Object.entries(settings)) {
    const { value } = store.database.get<{ value: string }>('SELECT value FROM settings WHERE name = ?', name)!
    store.database.run("UPDATE settings SET value = 'x' WHERE name = ?", name)
    if (name === 'generation') assert.equal(await notifyServer(store, false, 200), process.pid)
    await until('it is logged', () => lines.some((line) => line.includes(what)))
    const reason = `the store's setting ${name} is damaged: restore a backup`
    const found = logged().filter(([, text]) => text !== 'counts could not be written; retrying')
    assert.deepEqual(found, failed(what, reason))
    store.database.run('UPDATE settings SET value = ? WHERE name = ?', value, name)
    assert.equal(await notifyServer(store), undefined)
  }
  const { byPlan } = host
  assert.deepEqual([byPlan?.free.liveKeys, byPlan?.trader.liveKeys], [1, 0])
  store.database.run('ALTER TABLE keys RENAME TO gone')
  await until('it is counted again', () => host.byPlan !== undefined && lines.length > 0)
  assert.deepEqual(
    [host.byPlan, logged()],
    [byPlan, failed('accounts could not be counted by plan; retrying', missing('keys'))],
  )
  store.database.run('ALTER TABLE gone RENAME TO keys')
  authenticator.take(principal)
  store.database.run('ALTER TABLE usage RENAME TO gone')
  await authenticator.close()
  await close()
  assert.deepEqual(logged().slice(-1), failed('the last counts could not be written', missing('usage')))
  assert.equal(isServed(store), false)
  await store.close()
})

it('The accounts host reports sessions and the last backup, and writes last uses of keys when it stops', async (t) => {
  const { store, key, host, close, authenticator, logged } = await hosted(t)
  store.write(() => {
    startSession(store, 0, now)
    startSession(store, 0, now - sessionIdleMsMax - sessionNoteMs)
    store.setSetting('backedUpAt', 5)
  })
  host.notePages('http://pages')
  assert.deepEqual([host.sessions, host.backedUpAt, host.replication, host.leases], [1, 5, undefined, undefined])
  assert.deepEqual(store.setting('server'), { pid: process.pid, pages: 'http://pages' })
  assert.equal(await host.signInLink('nobody'), undefined)
  assert.match((await host.signInLink('acme'))!.token, /^[\w-]{43}$/)
  assert.equal(await host.createDemo(), undefined)
  authenticator.identify(key)
  await authenticator.close()
  await close()
  assert.equal(listKeys(store, 0)[0]!.lastUsedAt, Math.floor(now / 1000) * 1000)
  assert.deepEqual(logged(), [])
  // A failed start leaves the store to the next server.
  store.write(() => store.setSetting('copy', { id: 'x', number: 1, mark: '', whole: true }))
  await assert.rejects(AccountsHost.open({ storeDir: store.dir, log: pino({ level: 'silent' }) }), {
    message: `the store ${store.dir} is a copy of shared accounts: set DATABASE_URL, or another STORE_DIR`,
  })
  assert.equal(isServed(store), false)
  await store.close()
})
