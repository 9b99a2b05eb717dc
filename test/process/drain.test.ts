/** A stop that a balancer learns of before. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { temporaryFolder, withModules } from '../support/command.ts'
import { fixtureIndex } from '../support/sample.ts'
import { scrape } from '../support/scrape.ts'
import { type Service, send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

describe('A stop that waits for the balancer', () => {
  const mortalDir = temporaryFolder()
  let service: Service

  before(async () => {
    const mortal = { MORTAL_DIR: mortalDir, ...withModules('test/process/mortal.cjs') }
    const env = { ...mortal, DRAIN_SECONDS: '3600', METRICS_PORT: '0', LOG_LEVEL: 'info' }
    service = await startService({ INDEX_DIR: await fixtureIndex(), STORE_DIR: temporaryFolder(), ...env })
  })

  it('A thread replaced during a drain also answers /healthz with 503, and the log reports the stop', async () => {
    const health = () => send(service.address, '/healthz')
    assert.equal((await health()).status, 200)
    service.child.kill('SIGTERM')
    await until('it says so', async () => (await health()).headers['retry-after'] === '1')
    const there = await health()
    const onMetrics = await send(service.metrics, '/healthz')
    assert.deepEqual([there.status, onMetrics.status, onMetrics.body], [503, 503, there.body])
    assert.equal((await send(service.address, '/openapi.json')).status, 200, 'all else is answered')
    const alive = () => readdirSync(mortalDir).find((name) => name.startsWith('alive-'))
    await until('the thread can be killed', () => alive() !== undefined)
    const killed = alive()!
    writeFileSync(join(mortalDir, killed.replace('alive', 'kill')), '')
    await until('another one answers', async () => {
      const now = await scrape(service.metrics)
      return now.value('cpl_thread_failures_total') === 1 && now.value('cpl_threads') === 1
    })
    assert.equal((await health()).status, 503)
    const [line] = service.log().match(/.*"msg":"stopping"/)!
    assert.match(line, /"signal":"SIGTERM","drainMs":3600000/)
  })

  it('A second signal ends a waiting server at once', async () => {
    const { child } = service
    const exited = once(child, 'exit')
    await until('it has ended', () => {
      child.kill('SIGTERM')
      return child.exitCode !== null || child.signalCode !== null
    })
    assert.deepEqual(await exited, [null, 'SIGTERM'])
  })
})
