/** The address of the interface, as the pages tell people, and the metrics operators. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { accounts, build, temporaryFolder } from '../support/command.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { Person } from '../support/person.ts'
import { scrape } from '../support/scrape.ts'
import { send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const [storeDir, indexDir] = [temporaryFolder(), temporaryFolder()]
before(async () => {
  await build(fixtureSnapshot(), indexDir)
  await accounts(storeDir, 'create', 'acme', '--plan', 'free')
})

const [api, web] = ['https://api.example', 'https://prices.example']
/** `listening`: where the server listens. */
const table: readonly (readonly [env: Record<string, string>, onPages: string, inMetrics: string])[] = [
  [{}, 'listening', 'listening'],
  [{ WEB_URL: web }, web, 'listening'],
  [{ API_URL: `${api}/` }, api, api],
  [{ WEB_URL: web, API_URL: api }, api, api],
]

describe('the address of the interface', () => {
  for (const [env, onPages, inMetrics] of table) {
    it(`with ${JSON.stringify(env)} is ${onPages} on the pages and ${inMetrics} in the metrics`, async () => {
      const dirs = { STORE_DIR: storeDir, INDEX_DIR: indexDir }
      const service = await startService({ ...dirs, WEB_PORT: '0', METRICS_PORT: '0', ...env })
      const known = (address: string) => (address === 'listening' ? service.address : address)
      const person = await Person.signedIn(service.pages, storeDir, 'acme')
      const others = [service.address, api, web].filter((address) => address !== known(onPages))
      for (const path of ['/', '/docs', '/dashboard']) {
        const { body } = await person.open(path)
        assert.ok(body.includes(known(onPages)), path)
        for (const other of others) assert.ok(!body.includes(other), `${path} has ${other}`)
      }
      const describedAt = async () => (await send(service.pages, '/openapi.json')).json?.servers?.[0].url
      await until('the interface is described', async () => (await describedAt()) !== undefined)
      assert.equal(await describedAt(), known(onPages))
      const { values } = await scrape(service.metrics)
      assert.equal(values.get(`cpl_server_info{api_url="${known(inMetrics)}"}`), 1)
      assert.equal(await service.stop(), 0)
    })
  }
})
