/** The address of the interface, as a server's pages tell people, and its metrics operators. */
import assert from 'node:assert/strict'
import { scrape } from '../support/scrape.ts'
import { type Service, send } from '../support/service.ts'
import { until } from '../support/until.ts'
import type { Person } from './person.ts'

/** Of each setting that has one. */
export const [apiUrl, webUrl] = ['https://api.example', 'https://prices.example']

/** Fails unless the pages of a server with a version show that address alone, and the metrics the other one. */
export async function assertShown(service: Service, person: Person, onPages: string, inMetrics: string): Promise<void> {
  const describedAt = async () => (await send(service.pages, '/openapi.json')).json?.servers?.[0].url
  await until('the interface is described', async () => (await describedAt()) !== undefined)
  assert.equal(await describedAt(), onPages)
  for (const path of ['/', '/docs', '/docs/reference', '/dashboard']) {
    const { body } = await person.open(path)
    const named = [service.address, apiUrl, webUrl].filter((address) => body.includes(address))
    assert.deepEqual(named, [onPages], path)
    // Where the pages' address stands for the interface's, the guide says where that listens.
    const isElsewhere = path === '/docs' && onPages !== inMetrics
    assert.equal(body.includes(`use port ${new URL(inMetrics).port} of the server`), isElsewhere, path)
  }
  assert.equal((await scrape(service.metrics)).values.get(`cpl_server_info{api_url="${inMetrics}"}`), 1)
}
