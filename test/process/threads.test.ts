/** Threads that die with connections open, and versions that change meanwhile. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Worker } from 'node:worker_threads'
import pino from 'pino'
import { AccountsHost } from '../../src/accounts/accounts-host.ts'
import type { SharedAccounts } from '../../src/accounts/shared.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { freePort } from '../../src/process/free-port.ts'
import { ServerThread, ThreadEnded } from '../../src/process/threads/server-thread.ts'
import { ServerThreads } from '../../src/process/threads/threads.ts'
import { readSettings } from '../../src/settings.ts'
import { temporaryFolder } from '../support/command.ts'
import { send } from '../support/service.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'
import { addVersion } from '../support/versions.ts'

it('a thread that replaces another and refuses the version answers nobody, and is replaced in its turn', async (test) => {
  const indexDir = temporaryFolder()
  const snapshot = snapshotOf({ 'sets/a.ndjson': [aSet], 'cards/a.ndjson': [aCard] })
  const version = await loadVersion(indexDir, await addVersion(indexDir, snapshot))
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) })
  const host = await AccountsHost.open({ storeDir: temporaryFolder(), log })
  const sent = test.mock.method(Worker.prototype, 'postMessage')
  const threads = new ServerThreads(readSettings({}), log, host.shared)
  assert.equal(await threads.open(version), undefined)
  const address = `http://127.0.0.1:${await threads.listen(await freePort('127.0.0.1', 0), true)}`
  assert.equal((await send(address, '/healthz')).status, 200)
  const head = version.files.get('search.msgpack')!
  const [byte] = head
  head[0] = 0
  // No message: the thread fails.
  const thread = sent.mock.calls.at(-1)!.this as Worker
  thread.postMessage(null)
  await until('it does not start', () => lines.some((line) => line.includes('could not be started')))
  await assert.rejects(send(address, '/healthz'), { code: 'ECONNREFUSED' })
  head[0] = byte!
  const status = () =>
    send(address, '/healthz')
      .then((reply) => reply.status)
      .catch(() => 0)
  await until('another one answers', async () => (await status()) === 200)
  await threads.stop()
  await host.close()
})

it('a thread that is stopped while it begins to listen ends', { timeout: 20_000 }, async () => {
  const log = pino({ level: 'silent' })
  const host = await AccountsHost.open({ storeDir: temporaryFolder(), log })
  const thread = new ServerThread({ settings: readSettings({}), accounts: host.shared }, () => undefined)
  await thread.call('ping')
  const listening = thread.call('listen', { port: 0, exclusive: true }).catch(() => undefined)
  await thread.stop()
  assert.equal(await listening, undefined)
  await host.close()
})

it('every request to a thread that has ended is refused, and not waited for', { timeout: 20_000 }, async () => {
  // Without accounts it fails at once.
  const options = { settings: readSettings({}), accounts: {} as SharedAccounts }
  const thread = new ServerThread(options, () => undefined)
  const asked = thread.call('ping')
  await thread.ended
  await assert.rejects(asked, ThreadEnded)
  await assert.rejects(thread.call('switch'), ThreadEnded)
  await assert.rejects(thread.call('listen', { port: 0, exclusive: true }), ThreadEnded)
  await thread.stop()
})
