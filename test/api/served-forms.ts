/** A server for each form of the interface, over the fixture's snapshot, and an account on each plan. */
import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { after, before } from 'node:test'
import { accounts, temporaryFolder } from '../support/command.ts'
import { fixtureIndex } from '../support/sample.ts'
import { type Reply, type Sent, type Service, send, startService } from '../support/service.ts'

export interface Forms {
  /** By plan, and `spent`: a free one's that no other test uses. */
  readonly keys: Readonly<Record<string, string>>
  /** By form. */
  readonly services: Readonly<Record<string, Service>>
  /** A further server, over the same accounts. It is the caller's to stop. */
  start(env: NodeJS.ProcessEnv): Promise<Service>
  /** A request with the business account's key. */
  ask(path: string, sent?: Sent, form?: string): Promise<Reply>
}

/** The form in which a path's errors are written, for any API_FORM. */
export const formOf = (path: string, apiForm: string): string =>
  /^\/v1\/cards\/[^/?]*\/history/.test(path) ? 'A' : /^\/v1\/cards\/[^/?]*\/prices/.test(path) ? 'B' : apiForm

/** That it is an error in that form: its body holds these keys and no other. */
export function assertError({ status, headers, json }: Reply, form: string, expected: number, code: string): void {
  assert.equal(status, expected)
  assert.equal(headers['content-type'], 'application/json')
  assert.deepEqual(Object.keys(json), ['error'])
  assert.deepEqual(Object.keys(json.error), form === 'A' ? ['code', 'message', 'status'] : ['code', 'message'])
  assert.equal(json.error.code, form === 'B' && expected === 401 ? 'unauthorized' : code)
  assert.equal(typeof json.error.message, 'string')
  if (form === 'A') assert.equal(json.error.status, expected)
}

/** They run during the tests of the file that calls this. */
export function serveForms(): Forms {
  const firstStore = temporaryFolder()
  const indexDir = temporaryFolder()
  const keys: Record<string, string> = {}
  const services: Record<string, Service> = {}

  /** A store has one server. */
  function start(env: NodeJS.ProcessEnv): Promise<Service> {
    const storeDir = temporaryFolder()
    cpSync(firstStore, storeDir, { recursive: true })
    return startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir, ...env })
  }

  before(async () => {
    await fixtureIndex(indexDir)
    // The last one is for callers that use up its quota.
    for (const [name, plan] of Object.entries({
      free: 'free',
      trader: 'trader',
      business: 'business',
      spent: 'free',
    })) {
      keys[name] = (await accounts(firstStore, 'create', `${name} account`, '--plan', plan)).key
    }
    for (const form of ['A', 'B']) services[form] = await start({ API_FORM: form })
  })

  after(async () => {
    const codes = await Promise.all(Object.values(services).map((service) => service.stop()))
    assert.deepEqual(codes, [0, 0], 'SIGTERM ends a server in order')
  })

  return {
    keys,
    services,
    start,
    ask: (path, sent = {}, form = 'A') =>
      send(services[form]!.address, path, { ...sent, headers: { 'x-api-key': keys['business']!, ...sent.headers } }),
  }
}
