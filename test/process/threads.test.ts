/** The owners of the version and of the threads: a service in this process, and threads that die with requests open. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Worker } from 'node:worker_threads'
import pino from 'pino'
import { AccountsHost } from '../../src/accounts/accounts-host.ts'
import type { SharedAccounts } from '../../src/accounts/shared.ts'
import { loadVersion, type VersionFiles } from '../../src/indexes/load.ts'
import { readManifest } from '../../src/indexes/manifest.ts'
import { startService } from '../../src/process/supervisor.ts'
import { ServerThread, ThreadEnded } from '../../src/process/threads/server-thread.ts'
import { readSettings } from '../../src/settings.ts'
import { temporaryFolder } from '../support/command.ts'
import { send } from '../support/service.ts'
import { aSnapshot, snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'
import { addVersion, columnsOf, damagedCopy, makeCurrent, versionNamed } from '../support/versions.ts'

it('A server counts taken and refused versions and failed threads, and answers nobody while no thread can start', {
  timeout: 300_000,
}, async (test) => {
  const indexDir = temporaryFolder()
  const published = undefined
  const settings = readSettings({ PORT: '0', METRICS_PORT: '0', INDEX_DIR: indexDir, STORE_DIR: temporaryFolder() })
  const sent = test.mock.method(Worker.prototype, 'postMessage')
  const lines: string[] = []
  const log = pino({}, { write: (line) => lines.push(line) })
  const linesWith = (text: string) => lines.filter((line) => line.includes(text)).length
  const service = await startService(settings, log)
  const { address, current, threads } = service
  assert.deepEqual(current.figures, { served: undefined, taken: 0, refused: 0, isRefusing: false, published })
  assert.deepEqual(threads.figures, { up: 1, failures: 0 })

  const first = await addVersion(indexDir, snapshotOf(aSnapshot))
  const { asOf, counts, builtAt } = await readManifest(indexDir, first)
  const served = { version: first, asOf, counts, publishedAt: builtAt }
  makeCurrent(indexDir, first)
  await until('it is served', () => current.figures.taken === 1)
  assert.deepEqual(current.figures, { served, taken: 1, refused: 0, isRefusing: false, published })

  const good = await loadVersion(indexDir, first)
  const { file, start } = columnsOf(good).find(({ name }) => name === 'wordLetters')!
  const wrong = versionNamed(1)
  damagedCopy(indexDir, good, wrong, file, (bytes) => bytes.fill(0xff, start, start + 1))
  makeCurrent(indexDir, wrong)
  await until('it is refused', () => current.figures.refused > 0)
  const refusedAt = performance.now()
  await until('it was tried again', () => performance.now() - refusedAt > 1300)
  const again = { served, taken: 1, refused: 1, isRefusing: true, published }
  assert.deepEqual(current.figures, again, 'for the same reason: it counts once')

  // The version in the memory that all threads share.
  const prepared = sent.mock.calls.find(({ arguments: [message] }) => message.name === 'prepare')!
  const head = (prepared.arguments[0].values[0] as VersionFiles).files.get('search.msgpack')!
  const [byte] = head
  head[0] = 0
  // No message: the thread fails.
  const thread = prepared.this as Worker
  thread.postMessage(null)
  assert.equal(await threads.areWell(10_000), true, 'one that ends meanwhile does not count')
  await until('its replacement does not start', () => linesWith('could not be started') > 0)
  await assert.rejects(send(address, '/healthz'), { code: 'ECONNREFUSED' })
  const health = async () => (await send(service.metrics!, '/healthz')).status
  assert.equal(await health(), 503)
  head[0] = byte!
  await until('another one answers', () => threads.figures.up === 1)
  assert.equal((await send(address, '/healthz')).json.version, first)
  assert.equal((await send(address, '/openapi.json')).json.openapi, '3.1.0', 'it has what is described')
  const { failures } = threads.figures
  assert.ok(failures >= 2)
  assert.equal(linesWith('a server thread ended and is replaced'), failures)

  makeCurrent(indexDir, first)
  await until('the first one is taken again', () => !current.figures.isRefusing)
  const { figures } = service.current
  // It may have been tried again while there was no thread.
  assert.ok(figures.refused === 1 || figures.refused === 2)
  assert.deepEqual(figures, { ...again, taken: 2, refused: figures.refused, isRefusing: false })
  assert.equal(await health(), 200)
  service.drain()
  assert.equal(await health(), 503)
  await service.stop()
  assert.equal(threads.figures.failures, failures, 'ending when asked is no failure')
  const messages = lines.map((line) => JSON.parse(line)).map(({ level, msg }) => `${level} ${msg}`)
  const retried = /no server thread runs at this moment$/
  const none = `no version is published in ${indexDir} yet: build one there (card-prices build --out ${indexDir})`
  const found = [...new Set(messages)].filter((message) => !retried.test(message))
  assert.deepEqual(found, [
    `40 ${none} or correct INDEX_DIR; until then all is answered 503`,
    '30 serving',
    `50 the version that current names is rejected; retrying: ${indexDir}/${wrong}/${file} has a wrong checksum`,
    '40 a server thread ended and is replaced',
    '50 a new server thread could not be started: the search file has no head',
  ])
})

it('A thread that is stopped while it begins to listen ends', { timeout: 300_000 }, async () => {
  const log = pino({ level: 'silent' })
  const host = await AccountsHost.open({ storeDir: temporaryFolder(), log })
  const thread = new ServerThread({ settings: readSettings({}), accounts: host.shared }, () => undefined)
  await thread.call('ping')
  const listening = thread.call('listen', { port: 0, exclusive: true }).catch(() => undefined)
  await thread.stop()
  // It may have listened just before.
  assert.match(typeof (await listening), /^(undefined|number)$/)
  await host.close()
})

it('Every message to a server thread that has ended is rejected at once', { timeout: 300_000 }, async () => {
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
