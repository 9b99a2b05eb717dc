/** card-prices doctor tells what is, not what could be reached; and each command that it prints runs as it is printed. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Mirror } from '../../build/fetch-state.ts'
import { update } from '../../build/update/update.ts'
import { Store } from '../../src/store/store.ts'
import type { CopyState } from '../../src/store/store-records.ts'
import { chosenOf } from '../fetch/fetching.ts'
import { PublicSource, tcgcsvFiles } from '../fetch/public-source.ts'
import { someOf } from '../support/amount.ts'
import { copyOf, projectDir, runAccountsOf, temporaryFolder } from '../support/command.ts'
import { groupsOf } from '../support/mirror.ts'
import { Postgres } from '../support/postgres.ts'
import { skipWithout } from '../support/programs.ts'
import { fixtureIndex } from '../support/sample.ts'
import { startService } from '../support/service.ts'
import { doctorHere, madeStore } from './doctor.ts'

/** Runs the commands in a finding's brackets by a shell, with the settings that the doctor had. */
function runPrinted(found: string, env: NodeJS.ProcessEnv, cwd: string): number[] {
  const commands = [...found.matchAll(/\((\S*card-prices [^()]+)\)/g)].map(([, command]) => command!)
  assert.notDeepEqual(commands, [], found)
  const settings = { ...process.env, CARD_PRICES_ENV: '', ...env }
  return commands.map((command) => {
    const { status, stderr } = spawnSync('sh', ['-c', command], { cwd, env: settings, encoding: 'utf8' })
    assert.equal(status, 0, `${command}\n${stderr}`)
    return 0
  })
}

it('The doctor reports a failed update and its held sets, and how to accept them', async () => {
  const filesOf = (day: number, of301: number) =>
    tcgcsvFiles(groupsOf(Array.from({ length: 80 }, (_, i) => (i < 40 ? day : of301))), `2026-11-${day}T20:05:31+0000`)
  const source = await PublicSource.start(filesOf(10, 10))
  const [cwd, INDEX_DIR] = [temporaryFolder(), temporaryFolder()]
  const folder = join(temporaryFolder(), "the shop's")
  const run = () =>
    update([chosenOf('tcgcsv', source, { games: ['pokemon'] })], folder, INDEX_DIR, { games: new Set(['pokemon']) })
  const env = { INDEX_DIR, CARD_PRICES_PROGRAM: join(projectDir, 'bin/card-prices') }
  const found = async () => (await doctorHere(env, cwd)).of('import')
  await run()
  assert.match(await found(), /^ok the last one 0 minutes ago, of tcgcsv into \S+the shop's$/)
  for (const [path, content] of filesOf(11, 1000)) source.set(path, content)
  await run()
  assert.match(await found(), /^warn sets that keep earlier prices: pokemon\/g1 of tcgcsv \(run 1: /)
  source.fault = ({ response }) => void response.writeHead(403).end()
  await run()
  assert.match(await found(), /^warn the last update of tcgcsv failed 0 minutes ago: http.* answered 403.*; sets that /)
  source.fault = undefined
  // The fetches' clock is faster than the doctor's.
  assert.match((await doctorHere(env, cwd)).of('fetch'), /^ok tcgcsv \d+ minutes (ago|in the future)$/)
  // Within the source's interval, no command asks it.
  const state = new Mirror(join(folder, 'import/mirror/tcgcsv'), 'tcgcsv')
  await state.finish(Date.now() - 60_000)
  assert.deepEqual(runPrinted(await found(), env, cwd), [0, 0])
  assert.match(await found(), /^ok /)
})

it('The doctor prints commands that work where nothing is installed yet', async () => {
  const cwd = temporaryFolder()
  const env = { INDEX_DIR: join(cwd, 'indexes'), STORE_DIR: await madeStore(), PORT: '0' }
  execFileSync('cp', ['-r', join(projectDir, 'snapshots'), cwd])
  const program = { ...env, CARD_PRICES_PROGRAM: join(projectDir, 'bin/card-prices') }
  const { of } = await doctorHere(program, cwd)
  assert.deepEqual([runPrinted(of('INDEX_DIR'), env, cwd), runPrinted(of('backup'), env, cwd)], [[0], [0]])
  const after = await doctorHere(program, cwd)
  assert.match(after.of('INDEX_DIR') + after.of('backup'), /^ok .*ok the last one/)
})

it('The doctor reports a Node.js in which no HTTP library loads', () => {
  // That of Node.js 24 does not load in this one, and on Debian 12 in none.
  const other = 'Object.defineProperty(process, "versions", { value: { ...process.versions, modules: "137" } })'
  const args = ['--import', `data:text/javascript,${encodeURIComponent(other)}`, '--', 'src/cli/main.ts', 'doctor']
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: projectDir, encoding: 'utf8' })
  assert.equal(status, 1)
  assert.match(stdout, /^bad +Node.js +\S+ on \S+ \S+, in which no HTTP library loads: docs\/versions.md lists what /m)
  assert.match(stdout, /^bad +HTTP library +No HTTP library loads in Node.js /m)
})

it('The doctor reports a server at PORT that is not the one of STORE_DIR', async () => {
  const INDEX_DIR = await fixtureIndex()
  const [own, other] = [await madeStore(), await madeStore()]
  const service = await startService({ INDEX_DIR, STORE_DIR: own })
  const PORT = new URL(service.address).port
  const at = async (STORE_DIR: string, port = PORT) =>
    (await doctorHere({ INDEX_DIR, STORE_DIR, PORT: port })).of('port')
  assert.match(await at(own), /^ok a server answers at /)
  const wrong = `which is not the server of STORE_DIR: `
  assert.ok((await at(other)).includes(`${wrong}none runs on ${other}`))
  const second = await startService({ INDEX_DIR, STORE_DIR: other })
  const there = `${wrong}process id ${second.child.pid} listens on ${second.address}`
  assert.ok((await at(other)).startsWith('bad ') && (await at(other)).includes(there))
  await Promise.all([service.stop(), second.stop()])
})

describe('The doctor and accounts in the database', { skip: skipWithout('postgres') }, async () => {
  const postgres = await Postgres.start()
  const cwd = temporaryFolder()
  const STORE_DIR = join(temporaryFolder(), 'store')
  const env = { STORE_DIR, DATABASE_URL: postgres.url(), PORT: '0' }
  const found = async (given: NodeJS.ProcessEnv = env) => (await doctorHere(given, cwd)).of('database')
  const create = () => runAccountsOf(env, 'create', 'a', '--plan', 'free')
  const answers = /^ok PostgreSQL \d+[.\d]* answers at 127\.0\.0\.1:\d+$/

  it('The doctor reports a database without accounts, and a store that is a copy or has its own accounts', async () => {
    assert.match(
      await found(),
      /^warn Post.*, and has no accounts yet: every key gets 401: create one \(card-prices acc/,
    )
    assert.equal((await create()).code, 0)
    assert.match(await found(), answers)
    assert.match((await doctorHere({ STORE_DIR, PORT: '0' })).of('STORE_DIR'), /^bad .* is a copy of shared accounts/)
    assert.match(await found({ ...env, STORE_DIR: await madeStore() }), /^bad Post.* has accounts of its own, so that /)
  })

  const changes: readonly (readonly [change: Partial<CopyState>, found: RegExp])[] = [
    [{ id: 'another' }, /has other accounts than this copy/],
    [{ number: 9 }, /is older, with \d changes, than this copy with 9/],
    [{ mark: '1' }, /has other changes than this copy/],
  ]
  for (const [change, told] of someOf(changes, 2)) {
    it(`The doctor reports a copy that does not fit the database: ${JSON.stringify(change)}`, async () => {
      const copy = copyOf(STORE_DIR)
      const store = new Store(copy)
      store.write(() => store.setSetting('copy', { ...store.setting('copy')!, ...change }))
      await store.close()
      assert.match(await found({ ...env, STORE_DIR: copy }), told)
    })
  }

  it('The doctor finds no fault with a copy that lacks the latest changes', async () => {
    const copy = copyOf(STORE_DIR)
    assert.equal((await runAccountsOf(env, 'create', 'b', '--plan', 'free')).code, 0)
    assert.match(await found({ ...env, STORE_DIR: copy }), answers)
  })

  it('The doctor reports an emptied database, and the commands it prints upload a copy', async () => {
    await postgres.replace()
    assert.notEqual((await create()).code, 0)
    const emptied = await found({ ...env, CARD_PRICES_PROGRAM: join(projectDir, 'bin/card-prices') })
    assert.match(emptied, /^bad Post.*, but servers refuse it: .* is empty, and this copy has \d changes: /)
    assert.deepEqual(runPrinted(emptied, env, cwd), [0])
    assert.match(await found(), answers)
  })

  it('The doctor reports that its user can’t see whether a standby follows, and that it follows once the user can', async () => {
    await postgres.standby()
    const unseen = await found()
    const [, grant] =
      /^warn .*; its user can't see whether the standby follows: let it \((GRANT .*)\)$/.exec(unseen) ?? []
    assert.ok(grant !== undefined, unseen)
    await postgres.asks(grant)
    assert.match(await found(), /^ok PostgreSQL .*; the standby standby follows$/)
  })
})
