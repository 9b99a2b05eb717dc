/** A stop that a balancer is told of before. test/long/restarts.test.ts takes longer. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { accounts, projectDir, temporaryFolder } from '../support/command.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { skipWithout } from '../support/programs.ts'
import { restartInTurn } from '../support/rolling-restarts.ts'
import { scrape } from '../support/scrape.ts'
import { send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { addVersion, makeCurrent } from '../support/versions.ts'

it('two servers restarted in turn behind HAProxy: no answer fails', {
  skip: skipWithout('haproxy'),
}, async (context) => {
  const seen = await restartInTurn('haproxy', 2, 2)
  context.diagnostic(JSON.stringify(seen))
  assert.ok(seen.answers > 100 && seen.told === 2)
})

it('a second signal ends a server that waits for its balancer, at once', async () => {
  const dirs = { INDEX_DIR: temporaryFolder(), STORE_DIR: temporaryFolder() }
  const { address, child } = await startService({ ...dirs, DRAIN_SECONDS: '60' })
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const text = async () => (await send(address, '/healthz')).headers['retry-after']
  await until('it says so', async () => (await text()) === '1')
  await until('it has ended', () => {
    child.kill('SIGTERM')
    return child.exitCode !== null || child.signalCode !== null
  })
  assert.deepEqual(await exited, [null, 'SIGTERM'])
})

it('a thread that takes another’s place tells that the server will stop, and the log tells of the stop', async () => {
  const dirs = { INDEX_DIR: temporaryFolder(), STORE_DIR: temporaryFolder() }
  makeCurrent(dirs.INDEX_DIR, await addVersion(dirs.INDEX_DIR, fixtureSnapshot()))
  const mortalDir = temporaryFolder()
  const NODE_OPTIONS = `--require ${join(projectDir, 'test/support/mortal.cjs')}`
  const env = { ...dirs, MORTAL_DIR: mortalDir, NODE_OPTIONS, DRAIN_SECONDS: '3600', METRICS_PORT: '0' }
  const service = await startService({ ...env, LOG_LEVEL: 'info' })
  const health = () => send(service.address, '/healthz').then(({ status }) => status)
  assert.equal(await health(), 200)
  service.child.kill('SIGTERM')
  await until('it says so', async () => (await health()) === 503)
  const alive = () => readdirSync(mortalDir).find((name) => name.startsWith('alive-'))
  await until('the thread can be killed', () => alive() !== undefined)
  const killed = alive()!
  writeFileSync(join(mortalDir, killed.replace('alive', 'kill')), '')
  await until('another one answers', async () => {
    const now = await scrape(service.metrics)
    return now.value('cpl_thread_failures_total') === 1 && now.value('cpl_threads') === 1
  })
  assert.equal(await health(), 503)
  const [line] = service.log().match(/.*"msg":"stopping"/)!
  assert.match(line, /"signal":"SIGTERM","drainMs":3600000/)
  service.child.kill('SIGKILL')
  await service.stop()
})

describe('the last line of the log', () => {
  const stops: readonly (readonly [what: string, head: string, says: RegExp])[] = [
    [
      'a request that was answered',
      'Content-Length: 0\r\n\r\n',
      /"ms":\d+,"msg":"stopped; every request was answered"/,
    ],
    [
      'a request whose body never came',
      'Content-Length: 9\r\n\r\n',
      /"ms":\d+,"givenUp":1,"msg":"stopped; the last requests could not be answered in time"/,
    ],
  ]
  for (const [what, head, says] of stops) {
    it(`tells of ${what}`, async () => {
      const dirs = { INDEX_DIR: temporaryFolder(), STORE_DIR: temporaryFolder() }
      makeCurrent(dirs.INDEX_DIR, await addVersion(dirs.INDEX_DIR, fixtureSnapshot()))
      const { key } = await accounts(dirs.STORE_DIR, 'create', 'a', '--plan', 'free')
      const service = await startService({ ...dirs, LOG_LEVEL: 'info', METRICS_PORT: '0' })
      const { hostname, port } = new URL(service.address)
      const socket = connect(Number(port), hostname)
      const headers = `Host: a\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nExpect: 100-continue`
      socket.write(`POST /v1/cards/batch HTTP/1.1\r\n${headers}\r\n${head}`)
      await once(socket, 'data')
      assert.equal(await service.stop(), 0)
      assert.match(service.log().trim().split('\n').at(-1)!, says)
      socket.destroy()
    })
  }
})
