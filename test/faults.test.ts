/** A fault of our own: an answer that throws. The caller gets a 500 that tells nothing, others go on. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import pino from 'pino'
import { Gate } from '../src/accounts/gate.ts'
import { AccountsHost } from '../src/accounts/host.ts'
import { openDataset } from '../src/dataset.ts'
import { Server } from '../src/http/server.ts'
import { loadVersion } from '../src/indexes/load.ts'
import { accounts, build, temporaryFolder } from './support/command.ts'
import { fixtureSnapshot } from './support/fixture.ts'
import { send } from './support/service.ts'

it('an answer that throws is a 500 that tells nothing, does not count, and ends nothing', async () => {
  const indexDir = temporaryFolder()
  const storeDir = temporaryFolder()
  assert.equal((await build(fixtureSnapshot(), indexDir)).code, 0)
  const { key } = await accounts(storeDir, 'create', 'a', '--plan', 'trader')
  const lines: string[] = []
  const log = pino({ level: 'error' }, { write: (line) => lines.push(line) })
  const host = await AccountsHost.open({ storeDir, log })
  const gate = new Gate(host.shared)
  const server = new Server({ settings: { API_FORM: 'A', TLS_CERT: undefined, TLS_KEY: undefined }, gate, log })
  const data = await openDataset(await loadVersion(indexDir, readFileSync(join(indexDir, 'current'), 'utf8').trim()))
  const fail = () => {
    throw new TypeError('/a/path/of/ours')
  }
  Object.defineProperties(data.catalog, { games: { value: fail }, batch: { value: fail } })
  server.data = data
  const address = `http://127.0.0.1:${await server.listen('127.0.0.1', 0, true)}`
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const batch = { method: 'POST', headers, body: '{"ids":[]}' }
  for (const [path, sent] of [
    ['/v1/games', { headers }],
    ['/v1/games', { method: 'HEAD', headers }],
    ['/v1/cards/batch', batch],
  ] as const) {
    const reply = await send(address, path, sent)
    assert.equal(reply.status, 500)
    if (reply.body !== '') assert.equal(reply.json.error.code, 'INTERNAL_ERROR')
    assert.ok(!reply.body.includes('path'))
  }
  const reply = await send(address, '/v1/sets', { headers })
  assert.equal(reply.status, 200)
  assert.equal(reply.headers['x-ratelimit-remaining'], '9999')
  assert.equal(lines.length, 3)
  assert.ok(!lines.join('').includes(key))
  await server.stop()
  await gate.close()
  await host.close()
})
