/** The address of the interface, as the pages tell people, and the metrics operators. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { amount } from '../support/amount.ts'
import { accounts, temporaryFolder } from '../support/command.ts'
import { fixtureIndex } from '../support/sample.ts'
import { startService } from '../support/service.ts'
import { Person } from './person.ts'
import { assertTells } from './shown-addresses.ts'

const [api, web] = ['https://api.example', 'https://prices.example']
type Row = readonly [env: Record<string, string>, onPages: string, inMetrics: string]
/** `listening`: where the server listens. */
const table: readonly Row[] = [
  [{ WEB_URL: web, API_URL: `${api}/` }, api, api],
  // about.test.ts has the first one of these, and thread.test.ts the second one.
  ...(amount(0, 1) === 1
    ? ([
        [{}, 'listening', 'listening'],
        [{ WEB_URL: web }, web, 'listening'],
        [{ API_URL: api }, api, api],
      ] as const)
    : []),
]

describe('the address of the interface', () => {
  const [storeDir, indexDir] = [temporaryFolder(), temporaryFolder()]
  before(async () => {
    await fixtureIndex(indexDir)
    await accounts(storeDir, 'create', 'acme', '--plan', 'free')
  })

  for (const [env, onPages, inMetrics] of table) {
    it(`with ${JSON.stringify(env)} is ${onPages} on the pages and ${inMetrics} in the metrics`, async () => {
      const dirs = { STORE_DIR: storeDir, INDEX_DIR: indexDir }
      const service = await startService({ ...dirs, WEB_PORT: '0', METRICS_PORT: '0', ...env })
      const known = (address: string) => (address === 'listening' ? service.address : address)
      const person = await Person.signedIn(service.pages, storeDir, 'acme', env['WEB_URL'])
      const others = [service.address, api, web].filter((address) => address !== known(onPages))
      await assertTells(service, person, { onPages: known(onPages), inMetrics: known(inMetrics), others })
      assert.equal(await service.stop(), 0)
    })
  }
})
