/**
 * A server that is frozen, as by a virtual machine that pauses, behind the proxies of deploy. It keeps its connections and
 * takes new ones, but answers nothing.
 */
import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { amount } from '../support/amount.ts'
import { accounts, temporaryFolder } from '../support/command.ts'
import type { Program } from '../support/program.ts'
import { skipWithout } from '../support/programs.ts'
import { type ProxyName, proxyNames, startBalancer, startProxy } from '../support/proxies.ts'
import { fixtureIndex } from '../support/sample.ts'
import { type Service, send, startService } from '../support/service.ts'
import { halfLoad } from './fleet-load.ts'

const frozenMs = 10_000
const rounds = amount(1, 20)
const ids = JSON.stringify({ ids: ['pokemon-base1-004'] })

const skip = skipWithout('nginx') || skipWithout('haproxy')

// Both proxies at once: half as many freezes, each of which takes its real time.
describe('A server that is frozen for 10 s', { skip, timeout: (rounds + 1) * 60_000 }, () => {
  const servers: Service[] = []
  let key: string

  before(async () => {
    const [INDEX_DIR, STORE_DIR] = [temporaryFolder(), temporaryFolder()]
    await fixtureIndex(INDEX_DIR)
    key = (await accounts(STORE_DIR, 'create', 'caller', '--plan', 'business')).key
    // Each has a store of its own, with the same key.
    for (let i = 0; i < 3; i++) {
      const own = temporaryFolder()
      cpSync(STORE_DIR, own, { recursive: true })
      servers.push(await startService({ INDEX_DIR, STORE_DIR: own }))
    }
  })

  after(async () => {
    for (const { child } of servers) child.kill('SIGCONT')
    for (const server of servers) await server.stop()
  })

  it('A server that is frozen for 10 s fails no request that only reads, behind any proxy', async () => {
    const ports = servers.map(({ address }) => Number(new URL(address).port))
    const start = (name: ProxyName) => (name === 'haproxy' ? startBalancer(ports) : startProxy(name, ports))
    const proxies = await Promise.all(proxyNames.map(start))
    const loads = await Promise.all(proxies.map(({ port }) => halfLoad({ port, keys: [key], callers: 10 })))
    const troubles = () => loads.map((load, i) => `${proxyNames[i]}: ${load.troubles}`)
    const none = proxyNames.map((name) => `${name}: `)
    const headers = { host: 'prices.example', 'x-api-key': key, 'content-type': 'application/json' }
    const ask = ({ port }: Program, method: string, path: string, body?: string) =>
      send(`http://127.0.0.1:${port}`, path, { method, headers, ...(body === undefined ? {} : { body }) })
    for (let round = 0; round < rounds; round++) {
      const { child } = servers[round % servers.length]!
      child.kill('SIGSTOP')
      // Among as many as there are servers, one meets the frozen one.
      const others = servers.flatMap(() =>
        proxies.flatMap((proxy) => [ask(proxy, 'POST', '/v1/cards/batch', ids), ask(proxy, 'HEAD', '/v1/games')]),
      )
      await pause(frozenMs)
      child.kill('SIGCONT')
      const statuses = (await Promise.all(others)).map(({ status }) => status)
      assert.deepEqual([...new Set(statuses)], [200], `round ${round}`)
      assert.deepEqual(troubles(), none, `round ${round}`)
      await pause(3000)
    }
    await Promise.all(loads.map((load) => load.stop()))
    assert.deepEqual(troubles(), none)
    for (const load of loads) assert.ok(load.count(200) > 100 * rounds, `${load.count(200)} requests`)
    await Promise.all(proxies.map((proxy) => proxy.stop()))
  })
})
