/** The very next page knows what a command has written, also where the store was read in the same turn. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { it } from 'node:test'
import { createAccount } from '../../src/accounts/registry.ts'
import { noReplication } from '../../src/accounts/replication/replication.ts'
import { reserveAccounts } from '../../src/accounts/shared.ts'
import { SignIns } from '../../src/accounts/sign-ins.ts'
import { Store } from '../../src/store/store.ts'
import { projectDir, temporaryFolder } from '../support/command.ts'
import { appOf } from './service-here.ts'

it('a session that a command has ended is no session for the next page', async () => {
  const storeDir = temporaryFolder()
  const store = new Store(storeDir)
  createAccount(store, 'acme', 'free', Date.now())
  const signIns = new SignIns(store, noReplication())
  const used = await signIns.useLink((await signIns.makeLink('acme', Date.now())).token, Date.now())
  assert.ok(used !== undefined && 'session' in used)
  const url = 'http://127.0.0.1:1'
  const app = appOf(store, { accounts: reserveAccounts(storeDir, false), url })
  const open = () => app.request(`${url}/dashboard`, { headers: { cookie: `cpl_session=${used.session}` } })
  assert.equal((await open()).status, 200)
  // From here to the answer nothing gives the event loop a turn.
  assert.equal(store.accountNumber('acme'), 0)
  assert.equal(store.countSessions(0, 0), 1)
  const args = ['src/cli/accounts/accounts-command.ts', 'sign-out', 'acme']
  const ended = spawnSync(process.execPath, args, { cwd: projectDir, env: { ...process.env, STORE_DIR: storeDir } })
  assert.equal(ended.status, 0, String(ended.stderr))
  assert.equal((await open()).status, 303)
  await store.close()
})
