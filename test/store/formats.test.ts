/** Stores of other versions: older ones are carried over at the start, newer ones refused with one line. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { createAccount } from '../../src/accounts/registry.ts'
import { dateOfDay, dayOfMs } from '../../src/calendar.ts'
import { damageOf } from '../../src/store/file.ts'
import { Store } from '../../src/store/store.ts'
import { blockAccounts } from '../../src/store/usage-table.ts'
import { AccountsServer } from '../support/accounts-server.ts'
import { accounts, runAccountsHere, temporaryFolder } from '../support/command.ts'
import { asFormat1, asNewer } from '../support/old-store.ts'
import { drawBelow, randomFrom } from '../support/random.ts'

const today = dayOfMs(Date.now())

it('usage in blocks is what it would be entry by entry', async () => {
  const store = new Store(temporaryFolder())
  const random = randomFrom(5)
  const naive = new Map<string, number>()
  for (let round = 0; round < 40; round++) {
    store.write(() => {
      for (let i = 0; i < 50; i++) {
        const [day, account] = [drawBelow(random, 3), drawBelow(random, 3 * blockAccounts)]
        const added = drawBelow(random, 2000) - 500
        store.addUsage(day, account, added)
        naive.set(`${day} ${account}`, Math.max((naive.get(`${day} ${account}`) ?? 0) + added, 0))
      }
    })
  }
  for (let day = 0; day < 3; day++) {
    for (let account = 0; account < 4 * blockAccounts; account++) {
      assert.equal(store.usedOn(day, account), naive.get(`${day} ${account}`) ?? 0)
    }
  }
  await store.close()
})

/** A store of format 1 with three accounts, the last of which has another block; returns the first one's key. */
async function oldStore(storeDir: string): Promise<string> {
  const store = new Store(storeDir)
  const { key } = createAccount(store, 'first', 'free', 0)
  store.write(() => store.setCounter('nextAccount', 700))
  createAccount(store, 'last', 'free', 0)
  await store.close()
  await asFormat1(storeDir, [
    [today - 2, 0, 7],
    [today - 1, 0, 8],
    [today - 1, 700, 100_000],
    [today, 0, 199],
  ])
  return key
}

const requests = async (storeDir: string, name: string) =>
  (await accounts(storeDir, 'usage', name)).map(({ date, requests }: { date: string; requests: number }) => [
    date,
    requests,
  ])

it('a server carries an older store over when it starts, and counts on', async () => {
  const storeDir = temporaryFolder()
  const key = await oldStore(storeDir)
  const server = await AccountsServer.start({ STORE_DIR: storeDir })
  assert.deepEqual(await server.take(key, 2), [0, -1], 'one of the 200 is left')
  await server.kill('SIGTERM')
  assert.deepEqual(await requests(storeDir, 'first'), [
    [dateOfDay(today - 2), 7],
    [dateOfDay(today - 1), 8],
    [dateOfDay(today), 200],
  ])
  assert.deepEqual(await requests(storeDir, 'last'), [
    [dateOfDay(today - 1), 100_000],
    [dateOfDay(today), 0],
  ])
  assert.equal(damageOf(join(storeDir, 'accounts.mdb')), undefined)
})

it('a command carries it over too, but never below a server', async () => {
  const storeDir = temporaryFolder()
  await oldStore(storeDir)
  const beside = temporaryFolder()
  await oldStore(beside)
  const server = await AccountsServer.start({ STORE_DIR: beside })
  await asFormat1(beside, [])
  const { code, stderr } = await runAccountsHere(beside, 'list')
  assert.equal(code, 1)
  assert.match(
    stderr,
    new RegExp(`^accounts: the store .* by an older version, and the process ${server.pid} serves it.*\n$`),
  )
  await server.kill('SIGKILL')
  assert.equal((await runAccountsHere(beside, 'list')).code, 0)
  assert.deepEqual((await requests(storeDir, 'first')).at(-1), [dateOfDay(today), 199])
})

it('a newer store is refused with one line, by commands and at a start', async () => {
  const storeDir = temporaryFolder()
  await asNewer(storeDir)
  const { code, stderr } = await runAccountsHere(storeDir, 'list')
  assert.equal(code, 1)
  assert.match(stderr, /^accounts: the store .* was written by a newer version of this software .*\n$/)
  await assert.rejects(AccountsServer.start({ STORE_DIR: storeDir }), /was written by a newer version/)
})
