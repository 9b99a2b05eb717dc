/** The address of the interface, as the pages tell people, and the metrics operators. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { someOf } from '../support/amount.ts'
import { accounts, temporaryFolder } from '../support/command.ts'
import { fixtureIndex } from '../support/sample.ts'
import { scrape } from '../support/scrape.ts'
import { send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { Person } from './person.ts'

const [api, web] = ['https://api.example', 'https://prices.example']
/** `listening`: where the server listens. */
const table: readonly (readonly [env: Record<string, string>, onPages: string, inMetrics: string])[] = [
  [{}, 'listening', 'listening'],
  [{ WEB_URL: web }, web, 'listening'],
  [{ API_URL: api }, api, api],
  [{ WEB_URL: web, API_URL: `${api}/` }, api, api],
]

describe('the address of the interface', () => {
  const [storeDir, indexDir] = [temporaryFolder(), temporaryFolder()]
  before(async () => {
    await fixtureIndex(indexDir)
    await accounts(storeDir, 'create', 'acme', '--plan', 'free')
  })

  for (const [env, onPages, inMetrics] of someOf(table, 2)) {
    it(`with ${JSON.stringify(env)} is ${onPages} on the pages and ${inMetrics} in the metrics`, async () => {
      const dirs = { STORE_DIR: storeDir, INDEX_DIR: indexDir }
      const service = await startService({ ...dirs, WEB_PORT: '0', METRICS_PORT: '0', ...env })
      const known = (address: string) => (address === 'listening' ? service.address : address)
      const [shown, listed] = [known(onPages), known(inMetrics)]
      const describedAt = async () => (await send(service.pages, '/openapi.json')).json?.servers?.[0].url
      await until('the interface is described', async () => (await describedAt()) !== undefined)
      assert.equal(await describedAt(), shown)
      const person = await Person.signedIn(service.pages, storeDir, 'acme', env['WEB_URL'])
      for (const path of ['/', '/docs', '/docs/reference', '/dashboard']) {
        const { body } = await person.open(path)
        const named = [service.address, api, web].filter((address) => body.includes(address))
        assert.deepEqual(named, [shown], path)
        // Where the pages' address stands for the interface's, the guide says where that listens.
        const isElsewhere = path === '/docs' && shown !== listed
        assert.equal(body.includes(`use port ${new URL(listed).port} of the server`), isElsewhere, path)
      }
      assert.equal((await scrape(service.metrics)).values.get(`cpl_server_info{api_url="${listed}"}`), 1)
      assert.equal(await service.stop(), 0)
    })
  }
})
