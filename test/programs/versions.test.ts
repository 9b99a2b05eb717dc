/** Versions behind a real nginx, with the block of deploy: pushed, fetched, resumed, gone back to. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { push } from '../../src/indexes/publish/push-version.ts'
import { temporaryFolder } from '../support/command.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { unusedPort } from '../support/port.ts'
import { skipWithout } from '../support/programs.ts'
import { requestsTo, startVersionsNginx } from '../support/proxies.ts'
import { send, startService } from '../support/service.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'
import { addVersion, bytesOf, makeCurrent, publishMade } from '../support/versions.ts'

/** Ten times what is promised: the machine of the tests is busy with much else. */
const servedMsMax = 100_000

describe('nginx gives out versions', { skip: skipWithout('nginx') }, () => {
  let indexDir: string
  let first: string
  let second: string

  before(async () => {
    indexDir = temporaryFolder()
    first = await addVersion(indexDir, fixtureSnapshot())
    second = await addVersion(indexDir, snapshotOf({ 'sets/a.ndjson': [aSet], 'cards/a.ndjson': [aCard] }))
  })

  const pushOf = (version: string, root: string) => {
    makeCurrent(indexDir, version)
    return push(indexDir, root)
  }

  it('A server soon serves each version that nginx offers, even an older one, and also after nginx was away', {
    timeout: 600_000,
  }, async () => {
    const root = temporaryFolder()
    const port = await unusedPort()
    let nginx = await startVersionsNginx(root, port, { word: 'hidden' })
    const service = await startService({
      INDEX_DIR: temporaryFolder(),
      STORE_DIR: temporaryFolder(),
      INDEX_URL: `http://127.0.0.1:${nginx.port}`,
      INDEX_URL_HEADER: 'Authorization: Bearer hidden',
    })
    const served = async () => (await send(service.address, '/healthz')).json.version
    const untilServed = (version: string) =>
      until(`${version} is served`, async () => (await served()) === version, servedMsMax)
    for (const version of [first, second, first]) {
      await pushOf(version, root)
      await untilServed(version)
    }
    // Published within the second in which the one before was: nginx gives both the same tag.
    await pushOf(second, root)
    await pushOf(first, root)
    await pushOf(second, root)
    await untilServed(second)
    await nginx.stop('SIGKILL')
    await until('it is missed', () => service.log().includes('ECONNREFUSED'), servedMsMax)
    assert.equal(await served(), second)
    await pushOf(first, root)
    nginx = await startVersionsNginx(root, port, { word: 'hidden' })
    await untilServed(first)
    await until('it is asked whether it is still the same', () =>
      requestsTo(nginx).some(({ status }) => status === 304),
    )
    assert.doesNotMatch(service.log(), /hidden/)
    assert.equal(await service.stop(), 0)
    await nginx.stop()
  })

  it('The documented nginx lets every file but `current` be cached for ever, and answers other paths with 404', async () => {
    const root = temporaryFolder()
    await pushOf(first, root)
    const nginx = await startVersionsNginx(root, await unusedPort())
    for (const [path, status, kept] of [
      ['/current', 200, 'no-cache'],
      [`/${first}/manifest.json`, 200, 'public, max-age=31536000, immutable'],
      [`/${first}/ids.msgpack`, 200, 'public, max-age=31536000, immutable'],
      [`/${first}/`, 404, undefined],
      ['/', 404, undefined],
    ] as const) {
      const reply = await send(`http://127.0.0.1:${nginx.port}`, path)
      assert.deepEqual([reply.status, reply.headers['cache-control']], [status, kept], path)
    }
    await nginx.stop()
  })

  it('A download from nginx resumes with a range after the server and nginx were killed', {
    timeout: 600_000,
  }, async () => {
    const [from, root, to] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
    const version = publishMade(from, { 'cards-000.msgpack': bytesOf(3, 3_000_000) })
    await push(from, root)
    const port = await unusedPort()
    const slow = await startVersionsNginx(root, port, { rate: '500k' })
    const env = {
      INDEX_DIR: to,
      STORE_DIR: temporaryFolder(),
      INDEX_URL: `http://127.0.0.1:${port}`,
      LOG_LEVEL: 'info',
    }
    const parts = join(to, '.fetching')
    /** Of the largest file. */
    const fetched = () =>
      existsSync(parts) ? Math.max(0, ...readdirSync(parts).map((name) => statSync(join(parts, name)).size)) : 0
    const service = await startService(env)
    await until('much has come', () => fetched() > 1_000_000)
    service.child.kill('SIGKILL')
    await service.stop()
    await slow.stop('SIGKILL')
    const had = fetched()
    const fast = await startVersionsNginx(root, port)
    const again = await startService(env)
    await until('it is there, and refused, since it is no index', () =>
      again.log().includes(`${version} fails its trial`),
    )
    const asked = requestsTo(fast).find(({ path }) => path.endsWith('cards-000.msgpack'))
    assert.deepEqual([asked!.status, asked!.bytes, asked!.range], [206, 3_000_000 - had, `bytes=${had}-`])
    assert.equal(await again.stop(), 0)
    await fast.stop()
  })
})
