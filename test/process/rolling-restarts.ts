/** Two servers behind a proxy, restarted in turn under load: callers of the proxy notice nothing. */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../src/process/port.ts'
import { Callers } from '../programs/proxy-callers.ts'
import { accounts, temporaryFolder } from '../support/command.ts'
import { type ProxyName, startProxy } from '../support/proxies.ts'
import { Wire } from '../support/proxy-wire.ts'
import { fixtureIndex } from '../support/sample.ts'
import { type Service, send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

/** nginx ends a caller's connection after 1,000. */
const requestsPerConnection = 500
/** Before another one is stopped, HAProxy must have seen twice that this one answers. */
const seenUpMs = 2500

export interface Seen {
  answers: number
  /** Servers that announced their stop before it. */
  reported: number
}

/** @param pauseMs of each caller, between two requests */
export async function restartInTurn(
  name: ProxyName,
  restarts: number,
  drainSeconds: number,
  callerCount = 12,
  pauseMs = 10,
): Promise<Seen> {
  const indexDir = temporaryFolder()
  await fixtureIndex(indexDir)
  const storeDirs = [temporaryFolder(), temporaryFolder()] as const
  const keys: string[] = []
  for (let i = 0; i < 5; i++) keys.push((await accounts(storeDirs[0], 'create', `a${i}`, '--plan', 'business')).key)
  const exported = `${temporaryFolder()}/accounts`
  await accounts(storeDirs[0], 'export', exported)
  await accounts(storeDirs[1], 'import', exported)
  const ports = [await freePort('127.0.0.1', 0), await freePort('127.0.0.1', 0)] as const
  const serve = (i: 0 | 1) =>
    startService({
      INDEX_DIR: indexDir,
      STORE_DIR: storeDirs[i],
      PORT: `${ports[i]}`,
      DRAIN_SECONDS: `${drainSeconds}`,
    })
  const services: [Service, Service] = [await serve(0), await serve(1)]
  const proxy = await startProxy(name, ports)
  const callers = await Callers.of(services[0], keys)
  const seen: Seen = { answers: 0, reported: 0 }
  let done = false
  const call = async (i: number) => {
    let wire = await Wire.open(proxy.port)
    for (let asked = 1; !done; asked++) {
      if (asked % requestsPerConnection === 0) {
        wire.close()
        wire = await Wire.open(proxy.port)
      }
      await callers.ask(wire, `caller ${i}, answer ${seen.answers}`)
      seen.answers++
      await pause(pauseMs)
    }
    wire.close()
  }
  const calling = Promise.all(Array.from({ length: callerCount }, (_, i) => call(i)))
  let failed: Error | undefined
  calling.catch((error: Error) => {
    failed = error
  })
  for (let restart = 0; restart < restarts && failed === undefined; restart++) {
    const i = (restart % 2) as 0 | 1
    if (restart > 0) await pause(seenUpMs)
    const stopped = services[i].stop()
    if (drainSeconds > 0) {
      const health = () => send(services[i].address, '/healthz').then(({ status }) => status)
      await until('its health is refused', async () => (await health()) === 503, 1000)
      seen.reported++
      const { status } = await send(services[i].address, '/v1/games', { headers: { 'x-api-key': keys[0]! } })
      assert.equal(status, 200, 'all else is answered')
    }
    assert.equal(await stopped, 0)
    services[i] = await serve(i)
  }
  done = true
  await calling
  await proxy.stop()
  for (const service of services) service.child.kill('SIGTERM')
  return seen
}
