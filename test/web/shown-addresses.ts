/** Which address of the interface a server tells people on its pages, and operators in its metrics. */
import assert from 'node:assert/strict'
import { scrape } from '../support/scrape.ts'
import { type Service, send } from '../support/service.ts'
import { until } from '../support/until.ts'
import type { Person } from './person.ts'

export interface ShownAddresses {
  readonly onPages: string
  readonly inMetrics: string
  /** Addresses that pages must not show. */
  readonly others: readonly string[]
}

/** @param person who is signed in there */
export async function assertTells(
  { pages, metrics }: Service,
  person: Person,
  { onPages, inMetrics, others }: ShownAddresses,
): Promise<void> {
  for (const path of ['/', '/docs', '/docs/reference', '/dashboard']) {
    const { status, body } = await person.open(path)
    assert.equal(status, 200, path)
    assert.ok(body.includes(onPages), path)
    for (const other of others) assert.ok(!body.includes(other), `${path} has ${other}`)
    // Where the pages' address stands for the interface's, the guide says where that listens.
    const isElsewhere = path === '/docs' && onPages !== inMetrics
    assert.equal(body.includes(`use port ${new URL(inMetrics).port} of the server`), isElsewhere, path)
  }
  const describedAt = async () => (await send(pages, '/openapi.json')).json?.servers?.[0].url
  await until('the interface is described', async () => (await describedAt()) !== undefined)
  assert.equal(await describedAt(), onPages)
  const { values } = await scrape(metrics)
  assert.equal(values.get(`cpl_server_info{api_url="${inMetrics}"}`), 1)
}
