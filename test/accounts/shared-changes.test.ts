/** Changes in a real PostgreSQL, without servers: what meets another change, gets no answer, is large, or is not confirmed. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { createAccount, listKeys, renameAccount, renameKey, revokeKey } from '../../src/accounts/registry.ts'
import { enter } from '../../src/accounts/replication/presence-lock.ts'
import { Replica } from '../../src/accounts/replication/replica.ts'
import { SharedReplication } from '../../src/accounts/replication/shared-replication.ts'
import { SharedStore } from '../../src/accounts/replication/shared-store.ts'
import { serverGoneMsMin } from '../../src/accounts/replication/timing.ts'
import { pushAccounts } from '../../src/accounts/replication/upload.ts'
import { changeBySession, TooManyChanges } from '../../src/accounts/session-changes.ts'
import { sessionChangesPerDayMax } from '../../src/limits.ts'
import { PostgresConnection } from '../../src/postgres/connection.ts'
import { pageActor, Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/command.ts'
import { Postgres } from '../support/postgres.ts'
import { skipWithout } from '../support/programs.ts'
import { assertSameContents, contentsOf } from '../support/sharing-servers.ts'
import { until } from '../support/until.ts'

const skip = skipWithout('postgres')
const postgres = await Postgres.start()

describe('A change of shared accounts', { skip, timeout: 300_000 }, () => {
  let office: Awaited<ReturnType<typeof machine>>
  const open: { close(): unknown }[] = []
  before(async () => {
    office = await machine()
    await create(office, 'first')
  })
  after(async () => {
    for (const each of open) await each.close()
  })

  /** A machine's copy and its connection. */
  async function machine(Shared = SharedStore, storeDir = temporaryFolder()) {
    const [store, connection] = [new Store(storeDir), new PostgresConnection(postgres.url())]
    await connection.connect()
    // On a busy machine, the first attempt may take longer than the connection allows. It goes on to try.
    await until('it is connected', () => connection.isUp)
    const shared = new Shared(connection)
    open.push(connection, store)
    return { store, connection, shared, replica: new Replica(store), replication: new SharedReplication(store, shared) }
  }
  const create = ({ store, replication }: typeof office, ...names: string[]) =>
    replication.change(() => {
      for (const name of names) createAccount(store, name, 'free', 1)
    })

  it('A change is retried if another machine makes one at the same moment', async () => {
    let tries = 0
    /** Another machine makes a change as soon as the copy is up to date. */
    class Slow extends SharedStore {
      override async change(...about: Parameters<SharedStore['change']>): ReturnType<SharedStore['change']> {
        if (tries++ === 0) await create(office, 'theirs')
        return super.change(...about)
      }
    }
    const ours = await machine(Slow)
    await create(ours, 'ours')
    assert.equal(tries, 2)
    await office.replication.refresh()
    const names = [...office.store.allAccounts()].map(({ name }) => name)
    assert.deepEqual(names, ['first', 'theirs', 'ours'])
    assertSameContents(contentsOf(ours.store), contentsOf(office.store))
  })

  it('A change whose response is lost is retried, and is made only once', async () => {
    let attempts = 0
    class Cut extends SharedStore {
      override async change(...about: Parameters<SharedStore['change']>): ReturnType<SharedStore['change']> {
        const state = await super.change(...about)
        if (attempts++ > 0) return state
        this.connection.drop('the test cuts it')
        throw this.connection.awayError
      }
    }
    const cut = await machine(Cut)
    await create(cut, 'once')
    assert.ok(attempts >= 2, `${attempts} attempts`)
    await office.replication.refresh()
    assert.notEqual(office.store.accountNumber('once'), undefined)
    assertSameContents(contentsOf(cut.store), contentsOf(office.store))
  })

  it('A change fails with an error that names the database if the database does not respond', async () => {
    const failing = await machine()
    await failing.replication.refresh()
    postgres.hang()
    const change = failing.store.try.bind(failing.store)
    failing.store.try = change
    const refused = create(failing, 'unheard')
    await assert
      .rejects(refused, { message: /the database at 127\.0\.0\.1:\d+ can't be asked \(.+\)/ })
      .finally(() => postgres.resume())
    await until('it answers', () => office.connection.isUp)
  })

  it('The daily limit of changes on an account’s pages is shared by all servers', async () => {
    const servers = [await machine(), await machine()]
    const now = Date.UTC(2026, 10, 20, 12)
    const { keyId } = await office.replication.change(() => createAccount(office.store, 'bounded', 'free', now))
    const account = office.store.accountNumber('bounded')!
    const rename = ({ store, replication }: typeof office, name: string) =>
      replication.change(() =>
        store.as(pageActor('bounded'), () =>
          changeBySession(store, { account, action: 'key renamed', now }, () => renameKey(store, keyId, name, now)),
        ),
      )
    for (let i = 0; i < sessionChangesPerDayMax; i++) await rename(servers[i % 2]!, `name ${i}`)
    for (const server of [...servers, await machine()]) await assert.rejects(rename(server, 'more'), TooManyChanges)
    await office.replication.refresh()
    assert.equal(office.store.key(keyId)!.name, `name ${sessionChangesPerDayMax - 1}`)
  })

  it('A change of shared accounts can swap the names of two accounts', async () => {
    await create(office, 'left', 'right')
    await office.replication.change(() => {
      renameAccount(office.store, 'left', 'middle', 1)
      renameAccount(office.store, 'right', 'left', 1)
      renameAccount(office.store, 'middle', 'right', 1)
    })
    const late = await machine()
    await late.replication.refresh()
    assertSameContents(contentsOf(late.store), contentsOf(office.store))
  })

  it('A change of thousands of rows reaches a new replica and one that is behind', async () => {
    const late = await machine()
    await late.replication.refresh()
    await create(office, ...Array.from({ length: 2500 }, (_, i) => `many ${i} ${'x'.repeat(70)}`))
    await office.replication.change(() => revokeKey(office.store, listKeys(office.store, 9)[0]!.keyId, 1))
    await late.replication.refresh()
    assertSameContents(contentsOf(late.store), contentsOf(office.store))
    const fresh = await machine()
    await fresh.replication.refresh()
    assertSameContents(contentsOf(fresh.store), contentsOf(office.store))
  })

  it('A change that deletes rows also deletes them in a replica', async () => {
    const late = await machine()
    await late.replication.refresh()
    await office.replication.change(() => {
      office.store.putSession(Buffer.alloc(32, 7), { account: 1, startedAt: 1, lastPageAt: 2 })
    })
    await late.replication.refresh()
    assert.notEqual(late.store.session(Buffer.alloc(32, 7)), undefined)
    await office.replication.change(() => office.store.removeSession(Buffer.alloc(32, 7)))
    await late.replication.refresh()
    assert.equal(late.store.session(Buffer.alloc(32, 7)), undefined)
  })

  it('A replica that lacks changes no longer in the change log copies all accounts anew', async () => {
    const late = await machine()
    await late.replication.refresh()
    await create(office, 'between')
    await office.replication.change(() =>
      office.store.putSession(Buffer.alloc(32, 8), { account: 1, startedAt: 1, lastPageAt: 2 }),
    )
    await postgres.shared("UPDATE card_prices.change_log SET time = now() - interval '40 days'")
    await create(office, 'last')
    await office.replication.removeOld()
    const [{ complete_from: from }] = await postgres.shared('SELECT complete_from::int FROM card_prices.history')
    assert.ok(from > late.replica.state!.number)
    assert.equal((await late.shared.sync(late.replica.state)).state, 'incomplete')
    await late.replication.refresh()
    assertSameContents(contentsOf(late.store), contentsOf(office.store))
  })

  it('A change on a replica with another history is refused, and the replica stays as it was', async () => {
    const away = await machine()
    await away.replication.refresh()
    await create(office, 'known')
    const { state } = away.replica
    away.store.write(() => away.store.setSetting('copy', { ...state!, number: state!.number + 1, mark: 'another' }))
    const before = contentsOf(away.store)
    await assert.rejects(create(away, 'unknown'), { message: /has other changes than this copy/ })
    away.store.write(() => away.store.setSetting('copy', { ...state!, id: 'another' }))
    await assert.rejects(create(away, 'unknown'), { message: /has other accounts than this copy/ })
    away.store.write(() => away.store.setSetting('copy', { ...state!, number: state!.number + 99 }))
    await assert.rejects(create(away, 'unknown'), { message: /is older, with \d+ changes, than this copy with \d+/ })
    assert.deepEqual({ ...contentsOf(away.store), copy: 0 }, { ...before, copy: 0 })
  })

  it('A change that violates a database constraint is rolled back as a whole', async () => {
    const wrong = await machine()
    await wrong.replication.refresh()
    const before = contentsOf(wrong.store)
    const breaking = wrong.replication.change(() => {
      createAccount(wrong.store, 'fine', 'free', 1)
      wrong.store.putPlanDay(99_999, 1, 'free')
    })
    await assert.rejects(breaking, { message: /the database at .* refuses \(.*foreign key/ })
    assertSameContents(contentsOf(wrong.store), before)
  })

  it('An account number reserved by a server is given to no other account, even after a push of an older store', async () => {
    const ahead = {
      nextAccount: office.store.counter('nextAccount') + 70,
      nextKey: office.store.counter('nextKey') + 90,
    }
    const server = { id: 'ahead', process: 'ahead', address: 'ahead:1' }
    await enter(office.connection, 'ahead', 'ahead', 'ahead:1')
    await office.shared.sync(undefined, { ...server, ...ahead })
    // It is killed then.
    await office.connection.query('SELECT pg_advisory_unlock_all()')
    await pushAccounts(office.store.dir, postgres.url(), true)
    await create(office, 'after')
    assert.equal(office.store.accountNumber('after'), ahead.nextAccount)
    assert.equal(office.store.counter('nextKey'), ahead.nextKey + 1)
  })

  it('A change waits until a killed server counts as dead, and warns of a frozen server that did not confirm', async () => {
    await postgres.shared("UPDATE card_prices.database_run SET since = now() - interval '1 hour'")
    await postgres.shared('DELETE FROM card_prices.servers')
    /** Enters as a server that has no copy. */
    const connect = async (id: string) => {
      const connection = new PostgresConnection(postgres.url())
      open.push(connection)
      await connection.connect()
      await enter(connection, id, randomUUID(), `${id}:1`)
      return connection
    }
    const confirm = async (): Promise<[warning: string | undefined, ms: number]> => {
      const from = performance.now()
      return [await office.replication.confirm(100), performance.now() - from]
    }
    const killed = await connect('killed')
    killed.close()
    await until('its lock is gone', async () => {
      const [{ locks }] = await postgres.shared(
        "SELECT count(*)::int AS locks FROM pg_locks WHERE locktype = 'advisory'",
      )
      return locks === 0
    })
    const [nothing, msUntilDead] = await confirm()
    assert.equal(nothing, undefined)
    assert.ok(msUntilDead > serverGoneMsMin / 2, `${msUntilDead} ms`)
    await connect('frozen')
    const [warning, msUntilNamed] = await confirm()
    assert.equal(warning, 'the change is stored, but frozen:1 did not confirm it within 0.1 s')
    assert.ok(msUntilNamed < serverGoneMsMin, `${msUntilNamed} ms`)
  })
})
