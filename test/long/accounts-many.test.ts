/** 100,000 accounts with 200,000 keys cost neither time at the start nor memory. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { makeKey, randomBase62 } from '../../src/accounts/keys.ts'
import { addAccount, addKey } from '../../src/accounts/registry.ts'
import { Store } from '../../src/store/store.ts'
import { AccountsServer } from '../support/accounts-server.ts'
import { accounts, temporaryFolder } from '../support/command.ts'

const folder = temporaryFolder()

async function fill(storeDir: string, count: number): Promise<string[]> {
  const store = new Store(storeDir)
  const keys: string[] = []
  store.change(() => {
    for (let i = 0; i < count; i++) {
      const account = addAccount(store, `account ${i}`, 'free', i)
      for (const name of ['live', 'test']) {
        const { key, prefix, hash } = makeKey()
        const record = { name, prefix, hash: hash.toString('hex'), createdAt: i, expiresAt: null, revokedAt: null }
        addKey(store, account, `key_${randomBase62(10)}`, record, i)
        keys.push(key)
      }
    }
  })
  await store.close()
  return keys
}

const residentMb = (pid: number) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))![1]) / 1024

async function measure(storeDir: string, keys: readonly string[]) {
  const start = Date.now()
  const server = await AccountsServer.start({ STORE_DIR: storeDir })
  const startMs = Date.now() - start
  const fresh = await server.takeEach(keys)
  const seen = await server.takeEach(keys)
  const mb = residentMb(server.pid)
  await server.kill('SIGTERM')
  return { startMs, fresh, seen, mb }
}

it('100,000 accounts start, weigh and answer as one', async (context) => {
  const [oneDir, manyDir] = [join(folder, 'one'), join(folder, 'many')]
  const [oneKeys, manyKeys] = [await fill(oneDir, 1), await fill(manyDir, 100_000)]
  const used = manyKeys.filter((_, i) => i % 20 === 0)
  const one = await measure(
    oneDir,
    used.map(() => oneKeys[0]!),
  )
  const many = await measure(manyDir, used)
  context.diagnostic(`one: ${JSON.stringify(one)}`)
  context.diagnostic(`many: ${JSON.stringify(many)}`)
  assert.equal(many.fresh.through, used.length)
  assert.ok(many.startMs < one.startMs + 1000, `started in ${many.startMs} ms, with one in ${one.startMs} ms`)
  assert.ok(many.mb < one.mb + 120, `${many.mb} MB, with one ${one.mb} MB`)
  assert.ok(many.seen.ms < 0.01, `${many.seen.ms} ms a request`)
  const listed = await accounts(manyDir, 'list')
  assert.equal(listed.length, 100_000)
  assert.equal(listed[10].usedToday, 2)
})
