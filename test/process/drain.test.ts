/** A stop that a balancer is told of before. test/long/restarts.test.ts takes longer. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { it } from 'node:test'
import { temporaryFolder } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { restartInTurn } from '../support/rolling-restarts.ts'
import { send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

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
