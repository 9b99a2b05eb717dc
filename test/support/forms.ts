/** A server for each form of the interface, over the fixture's snapshot, and an account on each plan. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { accounts, build, temporaryFolder } from './command.ts'
import { fixtureSnapshot } from './fixture.ts'
import { type Reply, type Sent, type Service, send, startService } from './service.ts'

export interface Forms {
  /** By plan. */
  readonly keys: Readonly<Record<string, string>>
  /** By form. */
  readonly services: Readonly<Record<string, Service>>
  /** A request with the business account's key. */
  ask(path: string, sent?: Sent, form?: string): Promise<Reply>
}

/** They run during the tests of the file that calls this. */
export function serveForms(): Forms {
  const storeDir = temporaryFolder()
  const indexDir = temporaryFolder()
  const keys: Record<string, string> = {}
  const services: Record<string, Service> = {}

  before(async () => {
    const { code, stderr } = await build(fixtureSnapshot(), indexDir)
    assert.equal(code, 0, stderr)
    for (const plan of ['free', 'trader', 'business']) {
      keys[plan] = (await accounts(storeDir, 'create', `${plan} account`, '--plan', plan)).key
    }
    for (const form of ['A', 'B']) {
      services[form] = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir, API_FORM: form })
    }
  })

  after(async () => {
    const codes = await Promise.all(Object.values(services).map((service) => service.stop()))
    assert.deepEqual(codes, [0, 0], 'SIGTERM ends a server in order')
  })

  return {
    keys,
    services,
    ask: (path, sent = {}, form = 'A') =>
      send(services[form]!.address, path, { ...sent, headers: { 'x-api-key': keys['business']!, ...sent.headers } }),
  }
}
