/** A server for each form of the interface, with an account on each plan, and requests to them. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { ApiForm } from '../../src/settings.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { type ServersHere, type State, serveHere } from '../support/servers-here.ts'
import { type Reply, type Sent, send } from '../support/service.ts'

/** The form in which a path's errors are written, for any API_FORM. */
export const formOf = (path: string, apiForm: string): string =>
  /^\/v1\/cards\/[^/?]*\/history/.test(path) ? 'A' : /^\/v1\/cards\/[^/?]*\/prices/.test(path) ? 'B' : apiForm

/** Checks that it is an error in that form: its body has these keys and no other. */
export function assertError({ status, headers, json, body }: Reply, form: string, wanted: number, code: string): void {
  assert.deepEqual(
    [status, headers['content-type'], Object.keys(json ?? {})],
    [wanted, 'application/json', ['error']],
    body,
  )
  assert.deepEqual(Object.keys(json.error), form === 'A' ? ['code', 'message', 'status'] : ['code', 'message'])
  assert.equal(json.error.code, form === 'B' && wanted === 401 ? 'unauthorized' : code)
  assert.equal(typeof json.error.message, 'string')
  if (form === 'A') assert.equal(json.error.status, wanted)
}

/** The server and the account of a request; by default form A and the account on the Business plan. */
interface Asker {
  readonly form?: ApiForm
  readonly key?: string
  readonly state?: State
}

/** The servers run during the tests of the file that calls this. @param prepare called when they run */
export function serveForms(snapshot: () => string = fixtureSnapshot, prepare?: (here: ServersHere) => unknown) {
  let here: ServersHere
  before(async () => {
    here = await serveHere(snapshot())
    await prepare?.(here)
  })
  after(() => here.close())
  const ask = (path: string, sent: Sent = {}, { form = 'A', key = here.keys.business, state }: Asker = {}) =>
    send(here.address(form, state), path, { ...sent, headers: { 'x-api-key': key, ...sent.headers } })
  return {
    get here() {
      return here
    },
    /** The tag of the version that is served. */
    get tag() {
      return `"${here.server('A').data!.version}"`
    },
    ask,
    /** Sends JSON; a text as it stands. */
    post: (path: string, body: unknown, asker?: Asker): Promise<Reply> => {
      const sent = typeof body === 'string' ? body : JSON.stringify(body)
      return ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: sent }, asker)
    },
  }
}

export const remainingOf = ({ headers }: Reply): number => Number(headers['x-ratelimit-remaining'])
export const idsIn = ({ json }: Pick<Reply, 'json'>): string[] => json.data.map(({ id }: { id: string }) => id)
