/** A server for each form of the interface, over the fixture's snapshot, and an account on each plan. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { fixtureSnapshot } from '../support/fixture.ts'
import { type ServersHere, serveHere } from '../support/servers-here.ts'
import { type Reply, type Sent, send } from '../support/service.ts'

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
export function serveForms() {
  /** By plan. */
  const keys = {} as ServersHere['keys'] & Readonly<Record<string, string>>
  /** By form. */
  const addresses: Record<string, string> = {}
  let here: ServersHere
  before(async () => {
    here = await serveHere(fixtureSnapshot())
    Object.assign(keys, here.keys)
    for (const form of ['A', 'B'] as const) addresses[form] = here.address(form)
  })
  after(() => here.close())
  /** A request with the business account's key. */
  const ask = (path: string, sent: Sent = {}, form = 'A'): Promise<Reply> =>
    send(addresses[form]!, path, { ...sent, headers: { 'x-api-key': keys.business, ...sent.headers } })
  return { keys, addresses, ask }
}
