/** Faults of our own: an answer that throws, a thread that dies. The caller gets a 500 that tells nothing, others go on. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { Gate } from '../src/accounts/gate.ts'
import { AccountsHost } from '../src/accounts/host.ts'
import { openDataset } from '../src/dataset.ts'
import { Server } from '../src/http/server.ts'
import { loadVersion, type VersionFiles } from '../src/indexes/load.ts'
import { freePort } from '../src/port.ts'
import { readSettings } from '../src/settings.ts'
import { ServerThreads } from '../src/threads.ts'
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

it('threads that die with connections open are replaced, and serve the version they had', async () => {
  const indexDir = temporaryFolder()
  const storeDir = temporaryFolder()
  assert.equal((await build(fixtureSnapshot(), indexDir)).code, 0)
  const { key } = await accounts(storeDir, 'create', 'a', '--plan', 'business')
  const log = pino({ level: 'silent' })
  const host = await AccountsHost.open({ storeDir, log })
  const settings = readSettings({ INDEX_DIR: indexDir, STORE_DIR: storeDir, LOG_LEVEL: 'silent' })
  const threads = new ServerThreads(2, { settings, accounts: host.shared }, log)
  await threads.open(await loadVersion(indexDir, readFileSync(join(indexDir, 'current'), 'utf8').trim()))
  const address = `http://127.0.0.1:${await threads.listen(await freePort('127.0.0.1', 0), false)}`
  const open = Array.from({ length: 8 }, () =>
    connect(Number(new URL(address).port), '127.0.0.1').on('error', () => {}),
  )
  const status = () =>
    send(address, '/v1/games', { headers: { 'x-api-key': key } }).then(
      (reply) => reply.status,
      () => 0,
    )
  assert.equal(await status(), 200)

  await assert.rejects(threads.open({} as VersionFiles), /a server thread ended/)
  for (let i = 0; i < 100 && (await status()) !== 200; i++) await sleep(100)
  for (let i = 0; i < 20; i++) assert.equal(await status(), 200)
  for (const socket of open) socket.destroy()
  await threads.stop()
  await host.close()
})
