/** A server thread that goes on for ever: its supervisor ends the process, with a line that says what the thread did. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { it } from 'node:test'
import { itInAll } from '../support/amount.ts'
import { accounts, temporaryFolder, withLimits } from '../support/command.ts'
import { fixtureIndex } from '../support/sample.ts'
import { scrape } from '../support/scrape.ts'
import { type Service, send, startService } from '../support/service.ts'

const endless = withLimits({ unansweredCpuMsMax: 1000, answerLookMs: 50 }, 'test/process/endless.cjs')
const settings = { INDEX_DIR: await fixtureIndex(), STORE_DIR: temporaryFolder(), METRICS_PORT: '0' }
const { key } = await accounts(settings.STORE_DIR, 'create', 'shop', '--plan', 'business')
const body = JSON.stringify({ cards: [{ name: 'goes on for ever' }] })
const line = /"msg":"a server thread used 1 s of CPU time without an end (.+)"/g

/** Sends a match that never ends. */
function askForEver({ address }: Service): void {
  const headers = { 'content-type': 'application/json', 'x-api-key': key }
  send(address, '/v1/match', { method: 'POST', headers, body }).catch(() => undefined)
}

const saidIn = (log: string): string[] => [...log.matchAll(line)].map(([, said]) => said!)

const hungIn = async ({ metrics }: Service) => (await scrape(metrics)).value('cpl_threads_hung_total')

it('A server with a thread in an endless request exits with 1, names the route, and counts the hang', async () => {
  const service = await startService({ ...settings, THREADS: '2', ...endless })
  assert.equal(await hungIn(service), 0)
  const ended = once(service.child, 'close')
  askForEver(service)
  assert.deepEqual(await ended, [1, null])
  assert.deepEqual(saidIn(service.log()), ['while it answered POST /v1/match'])
  const next = await startService(settings)
  assert.equal(await hungIn(next), 1)
  assert.equal(await next.stop(), 0)
})

itInAll('A server that gets SIGTERM while a thread is in an endless request exits with 1', async () => {
  const service = await startService({ ...settings, ...endless })
  askForEver(service)
  // A signal that came first would stop the server before it has the request.
  await service.logs(/^an endless loop begins$/m)
  assert.equal(await service.stop(), 1)
  assert.deepEqual(saidIn(service.log()), ['while it answered POST /v1/match'])
})

itInAll('A start exits with 1 if a thread loops endlessly while it opens the version', async () => {
  await assert.rejects(startService({ ...settings, ...endless, ENDLESS: 'opening' }), ({ message }: Error) => {
    assert.match(message, /^the server exited 1: /)
    assert.deepEqual(saidIn(message), ['while it opened a version'])
    return true
  })
})
