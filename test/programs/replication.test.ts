/** Accounts that servers share in PostgreSQL: what holds when a command ends, and when a server is frozen or killed. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { replicationGapMsMax, replicationPollMs } from '../../src/accounts/replication/timing.ts'
import { Postgres } from '../support/postgres.ts'
import { skipWithout } from '../support/programs.ts'
import type { Service } from '../support/service.ts'
import { Fleet, statusFor } from '../support/sharing-servers.ts'
import { until } from '../support/until.ts'

const skip = skipWithout('postgres')
const postgres = await Postgres.start()
const fleet = await Fleet.of(postgres)
let a: Service
let b: Service
/** Of `shop`, made first of all. */
let key = ''

const start = (machine: string) => fleet.start(machine)
const portOf = ({ address }: Service) => new URL(address).port
/** A time on a machine that is busy with much else. That a command waits for nobody in vain is told by its exit with 0. */
const busy = (ms: number) => 10 * ms
const kill = async ({ child }: Service) => {
  child.kill('SIGKILL')
  await until('it is dead', () => child.signalCode !== null)
}
before(async () => {
  if (!skip) ({ key, a, b } = await fleet.pair())
})

describe('The accounts that servers share', { skip }, () => {
  it('A server that starts copies the accounts, and a change holds on all servers when its command returns', async () => {
    for (const server of [a, b]) assert.equal(await statusFor(server, key), 200)
    for (const machine of ['office', 'a', 'b', 'office']) {
      const made = await fleet.do(machine, 'create-key', 'shop', '--name', machine)
      for (const server of [a, b]) assert.equal(await statusFor(server, made.key), 200, machine)
      const from = performance.now()
      await fleet.do(machine, 'revoke', made.keyId)
      const ms = performance.now() - from
      for (const server of [a, b]) assert.equal(await statusFor(server, made.key), 401, machine)
      assert.ok(ms < busy(1000), `${machine}: ${ms} ms`)
    }
  })

  it('If several machines change accounts at the same time, PostgreSQL makes each change once, in one order', async () => {
    const machines = ['office', 'a', 'b']
    const plans = ['free', 'trader', 'business']
    const before = await fleet.copyOf('office')
    const outcomes = await Promise.all(
      Array.from({ length: 9 }, (_, i) =>
        fleet.run(machines[i % 3]!, ['create', `at once ${i}`, '--plan', plans[i % 3]!]),
      ),
    )
    const found = outcomes.map(({ code, stderr }) => [code, stderr])
    assert.deepEqual(
      found,
      outcomes.map(() => [0, '']),
    )
    const shown = await fleet.do('office', 'list')
    const actual = shown.map(({ account, plan }: { account: string; plan: string }) => [account, plan]).sort()
    assert.deepEqual(actual, [['shop', 'business'], ...outcomes.map((_, i) => [`at once ${i}`, plans[i % 3]])].sort())
    const copies = await Promise.all(machines.map((machine) => fleet.copyOf(machine)))
    for (const copy of copies) assert.deepEqual(copy, copies[0])
    assert.equal(copies[0]!.copy!.number, before.copy!.number + 9)
  })

  it('A revocation names a frozen server, which accepts no revoked key when it goes on', async () => {
    const { key: revoked, keyId } = await fleet.do('office', 'create-key', 'shop', '--name', 'frozen')
    b.child.kill('SIGSTOP')
    try {
      const from = performance.now()
      const { code, stdout, stderr } = await fleet.run('office', ['revoke', keyId])
      const ms = performance.now() - from
      assert.equal(code, 1, stderr)
      assert.ok(ms < busy(4000), `${ms} ms`)
      assert.match(stdout, /is revoked/)
      assert.match(
        stderr,
        new RegExp(`^accounts: the change is stored, but \\S+:${portOf(b)} did not confirm it within 3 s\n$`),
      )
      assert.equal(await statusFor(a, revoked), 401)
      await pause(Math.max(0, 3500 - (performance.now() - from)))
      // As if it had thawed where the database can't be asked: what it holds is old.
      postgres.hang()
      const asked = Array.from({ length: 20 }, () => statusFor(b, revoked))
      const thawed = performance.now()
      b.child.kill('SIGCONT')
      for (const status of await Promise.all(asked)) assert.equal(status, 503)
      while (performance.now() - thawed < 1000) assert.equal(await statusFor(b, revoked), 503)
    } finally {
      postgres.resume()
      b.child.kill('SIGCONT')
    }
    await until('it has asked', async () => (await statusFor(b, revoked)) === 401)
    assert.equal(await statusFor(b, key), 200)
    assert.equal((await fleet.run('office', ['revoke', keyId])).code, 0)
  })

  it('A server that was frozen does not take an older answer of the database for a fresh one', async () => {
    const { key: revoked, keyId } = await fleet.do('office', 'create-key', 'shop', '--name', 'asked before')
    assert.equal(await statusFor(b, revoked), 200)
    postgres.hang()
    // Longer than it waits with its next question: PostgreSQL answers that when the server is frozen.
    await pause(2 * replicationPollMs)
    b.child.kill('SIGSTOP')
    postgres.resume()
    try {
      assert.equal((await fleet.run('office', ['revoke', keyId])).code, 1)
      await pause(replicationGapMsMax)
      postgres.hang()
      b.child.kill('SIGCONT')
      const end = performance.now() + 800
      while (performance.now() < end) assert.equal(await statusFor(b, revoked), 503)
    } finally {
      postgres.resume()
      b.child.kill('SIGCONT')
    }
    await until('it has asked', async () => (await statusFor(b, revoked)) === 401)
    await b.logs(/was frozen for a while/)
    assert.equal((await fleet.run('office', ['revoke', keyId])).code, 0)
  })

  it('A command waits for no killed or stopped server, and a killed one gets what it missed at its next start', async () => {
    const { key: revoked, keyId } = await fleet.do('office', 'create-key', 'shop', '--name', 'killed')
    await kill(b)
    const from = performance.now()
    await fleet.do('office', 'revoke', keyId)
    assert.ok(performance.now() - from < busy(5000))
    b = await start('b')
    assert.equal(await statusFor(b, revoked), 401)
    assert.equal(await statusFor(b, key), 200)
    await b.stop()
    const since = performance.now()
    await fleet.do('office', 'set-plan', 'shop', 'trader')
    assert.ok(performance.now() - since < busy(1500))
    b = await start('b')
  })
})
