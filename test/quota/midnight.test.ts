/** A request that is counted on one day and taken back on the next, by both ways of counting: its own day has it back. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pino from 'pino'
import { AccountsHost } from '../../src/accounts/accounts-host.ts'
import { Authenticator } from '../../src/accounts/authenticator.ts'
import { openDataset } from '../../src/api/dataset.ts'
import { dayMs, dayOfMs } from '../../src/calendar.ts'
import { Server } from '../../src/http/server.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { Store } from '../../src/store/store.ts'
import { accounts, temporaryFolder } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { Wire } from '../support/proxy-wire.ts'
import { believe, startRedis } from '../support/redis.ts'
import { fixtureIndex } from '../support/sample.ts'
import { send } from '../support/service.ts'

const noRedis = skipWithout('redis-server')
const redis = noRedis ? undefined : await startRedis()
if (redis !== undefined) await believe(redis)
after(() => redis?.stop())
const lastMoment = (dayOfMs(Date.parse('2026-11-21')) + 1) * dayMs - 1
const body = '{"ids":[]}'
const indexDir = temporaryFolder()

before(() => fixtureIndex(indexDir))

for (const { name, quotaStore, skip } of [
  { name: 'alone', quotaStore: undefined, skip: false },
  { name: 'with leases', quotaStore: redis?.url, skip: noRedis },
] as const) {
  describe(name, { skip }, () => {
    it('a POST whose body comes after midnight, and which fails then, is taken back on its own day', async () => {
      const storeDir = temporaryFolder()
      const { key } = await accounts(storeDir, 'create', name, '--plan', 'business')
      let now = lastMoment
      const clocks = { wall: () => now, monotonic: () => performance.now() }
      const log = pino({ level: 'silent' })
      const host = await AccountsHost.open({ storeDir, quotaStore, log, clocks })
      const authenticator = new Authenticator(host.shared, clocks.wall)
      const server = new Server({ settings: { API_FORM: 'A', TLS_CERT: undefined }, authenticator, log })
      const data = await openDataset(
        await loadVersion(indexDir, readFileSync(join(indexDir, 'current'), 'utf8').trim()),
      )
      Object.defineProperty(data.catalog, 'batch', {
        value: () => {
          throw new TypeError('a fault of ours')
        },
      })
      server.data = data
      const port = (await server.apps.listen({ host: '127.0.0.1', port: 0, exclusive: true }))!
      const count = async () => {
        const { status } = await send(`http://127.0.0.1:${port}`, '/v1/games', { headers: { 'x-api-key': key } })
        assert.equal(status, 200)
      }
      await count()
      const wire = await Wire.open(port)
      wire.write(
        `GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nPOST /v1/cards/batch HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
      )
      assert.equal((await wire.answer())?.status, 200)
      now++
      await count()
      assert.match((await wire.ask(body.slice(5)))!.body, /INTERNAL_ERROR/)
      wire.close()
      host.flusher.flush()
      const store = new Store(storeDir)
      assert.deepEqual([store.usedOn(dayOfMs(lastMoment), 0), store.usedOn(dayOfMs(now), 0)], [1, 1])
      await store.close()
      await server.stop()
      await authenticator.close()
      await host.close()
    })
  })
}
