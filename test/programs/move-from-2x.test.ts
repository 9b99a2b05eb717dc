/**
 * docs/cluster.md, "Move a cluster of 2.x": three servers of the real release 2.0.0 over a real Redis become three servers
 * over PostgreSQL, one after the other. Nothing that they had is lost.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { dayOfMs } from '../../src/calendar.ts'
import { plans } from '../../src/plans.ts'
import { cardPrices, jsonOf, type Outcome, outcomeOf, projectDir, run, temporaryFolder } from '../support/command.ts'
import { unusedPort } from '../support/port.ts'
import { Postgres } from '../support/postgres.ts'
import { Program } from '../support/program.ts'
import { pathOf, skipWithout } from '../support/programs.ts'
import { fixtureIndex } from '../support/sample.ts'
import { type Service, send, serviceOf, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const earlier = 'card-prices-2.0.0'
const skip = skipWithout('postgres') || skipWithout('redis-server') || skipWithout(earlier)
const machines = [1, 2, 3] as const
type Machine = (typeof machines)[number]

const folder = temporaryFolder()
const today = dayOfMs(Date.now())
const postgres = await Postgres.start()
const indexDir = { earlier: join(folder, 'indexes of 2.0.0'), present: join(folder, 'indexes') }
const storeDir = (machine: Machine | 'office') => join(folder, `store ${machine}`)
const running = new Map<Machine, Service>()
/** Name of what it is of → a key as callers have it, and its id. */
const keys: Record<string, { readonly key: string; readonly keyId: string }> = {}
let redis: Program
let redisSettings: Readonly<Record<string, string>>

const earlierEnv = (machine: Machine | 'office', isAlone = false) => ({
  ...process.env,
  STORE_DIR: storeDir(machine),
  INDEX_DIR: indexDir.earlier,
  PORT: '0',
  LOG_LEVEL: 'warn',
  ...(!isAlone && redisSettings),
})

const inEarlier = (args: readonly string[], env: NodeJS.ProcessEnv = earlierEnv('office')): Promise<Outcome> =>
  outcomeOf(spawn(pathOf(earlier)!, args, { env, stdio: ['ignore', 'pipe', 'pipe'] }))

/** An `accounts` command of 2.0.0, with --json. */
// biome-ignore lint/suspicious/noExplicitAny: each command has its own answer
const before2x = async (...args: string[]): Promise<any> =>
  jsonOf(await inEarlier(['accounts', ...args, '--json']), args)

const settings = (machine: Machine | 'office') => ({ STORE_DIR: storeDir(machine), DATABASE_URL: postgres.url() })

/** The same of this release. */
// biome-ignore lint/suspicious/noExplicitAny: each command has its own answer
async function now3(machine: Machine | 'office', ...args: string[]): Promise<any> {
  return jsonOf(await run(cardPrices, ['accounts', ...args, '--json'], settings(machine)), args)
}

async function stop(machine: Machine): Promise<void> {
  assert.equal(await running.get(machine)!.stop(), 0)
  running.delete(machine)
}

async function startEarlier(machine: Machine): Promise<void> {
  const env = earlierEnv(machine)
  running.set(
    machine,
    await serviceOf(spawn(pathOf(earlier)!, ['serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] }), env),
  )
}

async function startPresent(machine: Machine): Promise<void> {
  running.set(machine, await startService({ ...settings(machine), INDEX_DIR: indexDir.present }))
}

const ask = (machine: Machine, { key }: { readonly key: string }) =>
  send(running.get(machine)!.address, '/v1/games', { headers: { 'x-api-key': key } })

async function use(machine: Machine, account: string, times: number): Promise<void> {
  for (let i = 0; i < times; i++)
    assert.equal((await ask(machine, keys[account]!)).status, 200, `${account} at ${machine}`)
}

interface Reports {
  readonly list: readonly Readonly<Record<string, unknown>>[]
  readonly usage: readonly Readonly<Record<string, unknown>>[]
  readonly keys: readonly (readonly Readonly<Record<string, unknown>>[])[]
  readonly log: readonly Readonly<Record<string, unknown>>[]
}

/** All that commands report of accounts. @param ask runs one */
async function reports(
  // biome-ignore lint/suspicious/noExplicitAny: each command has its own answer
  ask: (...args: string[]) => Promise<any>,
): Promise<Reports> {
  const names = ['shop', 'new name', 'suspended', 'small']
  return {
    list: await ask('list'),
    usage: await ask('usage', '--all'),
    keys: await Promise.all(names.map((name) => ask('keys', name))),
    log: await ask('log'),
  }
}

/** Accounts of a single server of 2.0.0, which was used before it became a cluster. */
async function singleServer(): Promise<void> {
  const alone = earlierEnv(1, true)
  const command = async (...args: string[]) => jsonOf(await inEarlier(['accounts', ...args, '--json'], alone), args)
  keys['shop'] = await command('create', 'shop', '--plan', 'trader')
  for (const [name, plan] of [
    ['old name', 'business'],
    ['suspended', 'free'],
    ['deleted', 'free'],
    ['small', 'free'],
  ] as const) {
    keys[name] = await command('create', name, '--plan', plan)
  }
  keys['expired'] = await command('create-key', 'shop', '--name', 'expires', '--expires', '2099-01-02')
  // The days before today, by the code of 2.0.0: an account, and the requests of each day.
  const home = join(dirname(realpathSync(pathOf(earlier)!)), '..', 'dist/src/store/store.js')
  const script = `const { Store } = await import(${JSON.stringify(pathToFileURL(home).href)})
    const store = new Store(${JSON.stringify(storeDir(1))})
    store.write(() => { for (const ago of [1, 40, 399]) store.addUsage(${today} - ago, 0, 1000 + ago) })
    await store.close()`
  const { code, stderr } = await outcomeOf(
    spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'pipe'] }),
  )
  assert.equal(code, 0, stderr)
}

before(async () => {
  if (skip) return
  const port = await unusedPort()
  const args = [
    '--port',
    `${port}`,
    '--bind',
    '127.0.0.1',
    '--requirepass',
    'word',
    '--appendonly',
    'yes',
    '--dir',
    folder,
  ]
  redis = await new Program('redis-server', args, port).start()
  const url = `redis://:word@127.0.0.1:${port}`
  redisSettings = { ACCOUNTS_STORE: url, QUOTA_STORE: url }
  await fixtureIndex(indexDir.present)
  const built = await inEarlier(['build', '--snapshots', join(projectDir, 'snapshots')])
  assert.equal(built.code, 0, built.stderr)
  await singleServer()
  const moved = await inEarlier(['accounts', 'move', url], earlierEnv(1, true))
  assert.equal(moved.code, 0, moved.stderr)
  await Promise.all(machines.map(startEarlier))
})

after(() => redis?.stop())

describe('A cluster of 2.0.0', { skip, timeout: 300_000 }, () => {
  it('A cluster of 2.0.0 loses nothing when its servers move to PostgreSQL one after the other', async () => {
    await before2x('rename', 'old name', 'new name')
    keys['new name'] = keys['old name']!
    await before2x('suspend', 'suspended', '--reason', 'unpaid')
    await before2x('delete', 'deleted', '--yes')
    await before2x('set-plan', 'new name', 'trader')
    keys['revoked'] = await before2x('create-key', 'shop', '--name', 'revoked')
    await before2x('revoke', keys['revoked']!.keyId)
    keys['regenerated'] = await before2x('create-key', 'shop', '--name', 'regenerated')
    keys['replaced'] = keys['regenerated']!
    keys['regenerated'] = await before2x('regenerate', keys['regenerated']!.keyId)
    for (const machine of machines) {
      await use(machine, 'shop', 10 * machine)
      await use(machine, 'small', 20)
      await use(machine, 'regenerated', 1)
    }
    await until('all requests are in Redis', async () => {
      const rows: { requests: number }[] = await before2x('usage', '--all')
      return rows.reduce((sum, { requests }) => sum + requests, 0) === 60 + 60 + 3 + 3000 + 440
    })
    const found = await reports(before2x)

    // As typed, from the first step to the last.
    await stop(1)
    const args = ['accounts', 'move', postgres.url()]
    const refused = await run(cardPrices, args, { STORE_DIR: storeDir(1), ...redisSettings })
    assert.match(refused.stderr, /^.*ACCOUNTS_STORE.* DATABASE_URL.*"Move a cluster of 2\.x".*\n$/)
    const moved = await run(cardPrices, args, { STORE_DIR: storeDir(1) })
    assert.deepEqual([moved.code, moved.stderr], [0, ''])
    assert.match(moved.stdout, /^4 accounts and 8 keys are there/)
    await startPresent(1)
    // The others go on meanwhile.
    await use(2, 'small', 5)
    for (const machine of [2, 3] as const) {
      await stop(machine)
      await startPresent(machine)
    }

    const usageOf = (rows: Reports['usage']) =>
      rows.map(({ account, plan, date, requests }) => [account, plan, date, requests])
    const expected = usageOf(found.usage).map(([account, plan, date, requests]) =>
      account === 'small' ? [account, plan, date, Number(requests) + 5] : [account, plan, date, requests],
    )
    const report = () => reports((...words) => now3('office', ...words))
    await until('usage is whole', async () => isDeepStrictEqual(usageOf((await report()).usage), expected))
    const present = await report()
    const withoutUse = ({ usedToday: _, lastUsedAt: __, ...rest }: Readonly<Record<string, unknown>>) => rest
    assert.deepEqual(present.list.map(withoutUse), found.list.map(withoutUse))
    assert.deepEqual(
      present.keys.map((each) => each.map(withoutUse)),
      found.keys.map((each) => each.map(withoutUse)),
    )
    const [newest, ...others] = present.log
    assert.deepEqual([newest!['action'], others], ['store moved', found.log])
  })

  it('After a move from 2.0.0, every key works or is refused as before, and quotas count what was used', async () => {
    for (const machine of machines) {
      for (const [name, status] of [
        ['shop', 200],
        ['new name', 200],
        ['expired', 200],
        ['regenerated', 200],
        ['replaced', 401],
        ['revoked', 401],
        ['deleted', 401],
        ['suspended', 403],
      ] as const) {
        assert.equal((await ask(machine, keys[name]!)).status, status, `${name} at server ${machine}`)
      }
    }
    let letIn = 65
    for (let asked = 0, refused = 0; refused < 3 && asked < plans.free.requestsPerDay; asked++) {
      const { status } = await ask(machines[asked % 3]!, keys['small']!)
      if (status === 200) letIn++
      else if (status === 429) refused++
    }
    assert.ok(letIn <= plans.free.requestsPerDay && letIn >= plans.free.requestsPerDay - 2, `${letIn} were let in`)
    await Promise.all(machines.map(stop))
  })
})
