/** A fault of our own: an answer that throws. The caller gets a 500 that tells nothing, others go on. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import pino from 'pino'
import { Gate } from '../src/accounts/gate.ts'
import { AccountsHost } from '../src/accounts/host.ts'
import { Store } from '../src/accounts/store.ts'
import { openDataset } from '../src/dataset.ts'
import { Server } from '../src/http/server.ts'
import { loadVersion } from '../src/indexes/load.ts'
import { accounts, build, temporaryFolder } from './support/command.ts'
import { fixtureSnapshot } from './support/fixture.ts'
import { type Sent, send } from './support/service.ts'

const card = '/v1/cards/pokemon-base1-004'
const fail = () => {
  throw new TypeError('/a/path/of/ours')
}

for (const form of ['A', 'B'] as const) {
  it(`${form}: what throws is a 500 in the endpoint's form that tells nothing, does not count, and ends nothing`, async () => {
    const indexDir = temporaryFolder()
    const storeDir = temporaryFolder()
    assert.equal((await build(fixtureSnapshot(), indexDir)).code, 0)
    const { key } = await accounts(storeDir, 'create', 'a', '--plan', 'trader')
    const damaged = (await accounts(storeDir, 'create', 'b', '--plan', 'trader')).key
    const lines: string[] = []
    const log = pino({ level: 'error' }, { write: (line) => lines.push(line) })
    const host = await AccountsHost.open({ storeDir, log })
    const store = new Store(storeDir)
    store.write(() => store.accounts.putSync(1, 'no account' as never))
    const gate = new Gate(host.shared)
    const server = new Server({ settings: { API_FORM: form, TLS_CERT: undefined, TLS_KEY: undefined }, gate, log })
    const data = await openDataset(await loadVersion(indexDir, readFileSync(join(indexDir, 'current'), 'utf8').trim()))
    Object.defineProperties(data.catalog, { games: { value: fail }, batch: { value: fail } })
    Object.defineProperty(data.history, 'body', { value: fail })
    server.data = data
    const address = `http://127.0.0.1:${await server.listen('127.0.0.1', 0, true)}`
    const json = { 'content-type': 'application/json' }
    const batch = { method: 'POST', headers: json, body: '{"ids":[]}' }
    const table: readonly (readonly [path: string, sent: Sent, form: 'A' | 'B', key: string])[] = [
      ['/v1/games', {}, form, key],
      ['/v1/games', { method: 'HEAD' }, form, key],
      ['/v1/cards/batch', batch, form, key],
      [`${card}/history`, {}, 'A', key],
      [`${card}/prices`, {}, 'B', key],
      ['/v1/sets', {}, form, damaged],
      [`${card}/prices`, {}, 'B', damaged],
      ['/v1/cards/batch', batch, form, damaged],
    ]
    for (const [path, sent, formOfRoute, secret] of table) {
      const reply = await send(address, path, { ...sent, headers: { ...sent.headers, 'x-api-key': secret } })
      assert.equal(reply.status, 500, path)
      assert.equal(reply.headers['x-ratelimit-remaining'], secret === key ? '10000' : '0', path)
      if (sent.method === 'HEAD') continue
      const { error } = reply.json
      assert.deepEqual(Object.keys(error), formOfRoute === 'A' ? ['code', 'message', 'status'] : ['code', 'message'])
      assert.equal(error.code, 'INTERNAL_ERROR')
      assert.ok(!reply.body.includes('path'))
    }
    const reply = await send(address, '/v1/sets', { headers: { 'x-api-key': key } })
    assert.equal(reply.status, 200)
    assert.equal(reply.headers['x-ratelimit-remaining'], '9999')
    assert.equal(lines.length, table.length)
    for (const secret of [key, damaged]) assert.ok(!lines.join('').includes(secret))
    await server.stop()
    await gate.close()
    await store.close()
    await host.close()
  })
}
