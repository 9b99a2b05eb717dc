/** A change of a key is in force, in every thread and as far as other servers tell, before its page is shown; so is a command's. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import pino from 'pino'
import { createAccount } from '../../src/accounts/registry.ts'
import { noReplication } from '../../src/accounts/replication/replication.ts'
import { reserveAccounts } from '../../src/accounts/shared.ts'
import { SignIns } from '../../src/accounts/sign-ins.ts'
import { Store } from '../../src/store/store.ts'
import { projectDir, temporaryFolder } from '../support/command.ts'
import { until } from '../support/until.ts'
import { shownKey, textOf } from './person.ts'
import { appOf } from './service-here.ts'

describe('a change of a key on a page', () => {
  const url = 'http://127.0.0.1:1'
  const storeDir = temporaryFolder()
  const store = new Store(storeDir)
  after(() => store.close())

  /** When a change is confirmed, and by what. */
  let confirmation: Promise<string | undefined>
  const logged: string[] = []
  const accounts = reserveAccounts(storeDir, false)
  const replication = noReplication(() => confirmation)
  const signIns = new SignIns(store, replication)
  const log = pino({ level: 'info' }, { write: (line: string) => logged.push(line) })
  const app = appOf(store, { accounts, replication, url, log })

  let shops = 0
  async function shop() {
    const { keyId } = createAccount(store, `shop ${++shops}`, 'free', Date.now())
    const { token } = await signIns.makeLink(`shop ${shops}`, Date.now())
    const used = await signIns.useLink(token, Date.now())
    assert.ok(used !== undefined && 'session' in used)
    const headers = { cookie: `cpl_session=${used.session}`, 'content-type': 'application/x-www-form-urlencoded' }
    const open = async (path: string) => app.request(url + path, { headers })
    const send = async (path: string): Promise<Response> =>
      app.request(url + path, { method: 'POST', headers, body: 'name=another+name' })
    return { keyId, open, send }
  }

  const isOfMaking = (change: string) => change === 'created' || change === 'regenerated'
  const paths: Readonly<Record<string, (keyId: string) => string>> = {
    created: () => '/dashboard/keys',
    renamed: (keyId) => `/dashboard/keys/${keyId}/rename`,
    regenerated: (keyId) => `/dashboard/keys/${keyId}/regenerate`,
    revoked: (keyId) => `/dashboard/keys/${keyId}/revoke`,
  }
  const generation = () => new Int32Array(accounts.generation)[0]!

  for (const [change, pathOf] of Object.entries(paths)) {
    describe(`a key that is ${change}`, () => {
      it('is known to all threads, and confirmed, before the next page is shown', async () => {
        const { keyId, send } = await shop()
        const before = generation()
        let confirm!: (outcome: undefined) => void
        confirmation = new Promise((resolve) => {
          confirm = resolve
        })
        let isShown = false
        const reply = send(pathOf(keyId)).finally(() => {
          isShown = true
        })
        await until('threads know it', () => generation() === before + 1)
        for (let i = 0; i < 20; i++) await turn()
        assert.equal(isShown, false)
        confirm(undefined)
        assert.equal((await reply).status, 303)
        assert.equal(generation(), before + 1)
        assert.ok(logged.some((line) => line.includes(`a key was ${change} on a page`)))
      })

      it('and is not confirmed is reported so', async () => {
        const { keyId, send } = await shop()
        confirmation = Promise.resolve('prices2 did not confirm it')
        const reply = await send(pathOf(keyId))
        const body = await reply.text()
        assert.match(textOf(body), /one of our servers has not confirmed it yet/)
        assert.equal(reply.status, isOfMaking(change) ? 200 : 503)
        assert.equal(shownKey(body) !== undefined, isOfMaking(change))
        assert.ok(logged.some((line) => line.includes('prices2 did not confirm it')))
        assert.ok(!logged.some((line) => shownKey(line) !== undefined))
      })
    })
  }

  it('a session that a command has ended is no session for the next page, though the store was just read', async () => {
    const { open } = await shop()
    assert.equal((await open('/dashboard')).status, 200)
    // From here to the answer nothing gives the event loop a turn.
    assert.equal(store.accountNumber(`shop ${shops}`), shops - 1)
    assert.equal(store.countSessions(0, 0), shops)
    const args = ['src/cli/accounts/accounts-command.ts', 'sign-out', `shop ${shops}`]
    const ended = spawnSync(process.execPath, args, { cwd: projectDir, env: { ...process.env, STORE_DIR: storeDir } })
    assert.equal(ended.status, 0, String(ended.stderr))
    assert.equal((await open('/dashboard')).status, 303)
  })
})
