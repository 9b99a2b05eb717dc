/** Counts and changes through hard crashes, and revocations under load. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { notifyServer } from '../../src/accounts/control.ts'
import { accountNamed, createAccount, createKey, revokeKey } from '../../src/accounts/registry.ts'
import { dayOfMs } from '../../src/calendar.ts'
import { Store } from '../../src/store/store.ts'
import { AccountsServer } from '../support/accounts-server.ts'
import { itInAll } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'

const folder = temporaryFolder()
const rounds = 10
const keysRevoked = 100

itInAll(
  'after SIGKILL, at any moment, no count is lower than what was answered a second before, and no change is lost',
  async () => {
    const storeDir = join(folder, 'crash')
    const made: string[] = []
    let counted = 0
    for (let round = 0; round < rounds; round++) {
      const name = `round-${round}`
      const store = new Store(storeDir)
      const { key } = createAccount(store, name, 'business', Date.now())
      const { number } = accountNamed(store, name)
      const server = await AccountsServer.start({ STORE_DIR: storeDir, THREADS: '2' })
      const day = dayOfMs(Date.now())
      for (const thread of [0, 1]) server.hammer(key, thread)
      const killAt = Date.now() + 1000 + Math.random() * 500
      while (Date.now() < killAt) {
        made.push(createAccount(store, `${name}, ${made.length}`, 'free', Date.now()).keyId)
        await pause(Math.random() * 30)
      }
      const killedAt = Date.now()
      await server.kill('SIGKILL')
      await store.close()

      const answered = server.answered
        .filter(({ at }) => at <= killedAt - 1000)
        .reduce((sum, { requests }) => sum + requests, 0)
      const after = new Store(storeDir)
      const stored = [day, day + 1].reduce((sum, d) => sum + after.usedOn(d, number), 0)
      assert.ok(stored >= answered, `${stored} stored of ${answered} answered`)
      assert.ok(made.slice(-100).every((keyId) => after.key(keyId) !== undefined))
      assert.equal(after.database.damage('quick_check'), undefined)
      await after.close()
      counted += stored
    }
    assert.ok(counted > rounds * 100, `requests ran: ${counted}`)
  },
)

itInAll('keys revoked under load: none opens the door after its revocation', async () => {
  const storeDir = join(folder, 'revoked')
  const store = new Store(storeDir)
  const { key: busy } = createAccount(store, 'busy', 'business', Date.now())
  const server = await AccountsServer.start({ STORE_DIR: storeDir, THREADS: '2' })
  for (const thread of [0, 1]) server.hammer(busy, thread)
  createAccount(store, 'many', 'business', Date.now())
  for (let i = 0; i < keysRevoked; i++) {
    const { key, keyId } = createKey(store, 'many', { name: `key ${i}`, expiresAt: null }, Date.now())
    await notifyServer(store)
    const ask = async () => [...(await server.take(key, 1, 0)), ...(await server.take(key, 1, 1))]
    assert.ok(
      (await ask()).every((left) => left !== 'unknown'),
      'a new key works at once',
    )
    revokeKey(store, keyId, Date.now())
    await notifyServer(store)
    assert.deepEqual(await ask(), ['unknown', 'unknown'])
  }
  assert.ok(server.answered.reduce((sum, { requests }) => sum + requests, 0) > 1000)
  await server.kill('SIGKILL')
  await store.close()
})
