/** What servers that share accounts do without each other: changes as bytes, copies that follow them, and whom they wait for. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Copy, refuseOwnAccounts } from '../../src/accounts/feed/copy.ts'
import { bytesOf, changedOf, entryIn, entryOf, isKept, loggedBytes, newChain } from '../../src/accounts/feed/entry.ts'
import { type FoundServer, lackingServers } from '../../src/accounts/feed/servers.ts'
import { Gate } from '../../src/accounts/gate.ts'
import { createAccount, createKey, listKeys, regenerateKey, revokeKey, setPlan } from '../../src/accounts/registry.ts'
import { reserveAccounts, tellThreads } from '../../src/accounts/shared.ts'
import { Trust } from '../../src/accounts/trust.ts'
import { feedChangeBytesMax, feedGapMsMax } from '../../src/limits.ts'
import { planNames } from '../../src/plans.ts'
import { AccountsError } from '../../src/store/accounts-error.ts'
import { type Changed, placeOf } from '../../src/store/changed.ts'
import { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/command.ts'
import { until } from '../support/until.ts'

const start = { id: '0123456789abcdef', number: 1, chain: newChain(), whole: true }

function copyAt(at = start): { store: Store; copy: Copy } {
  const store = new Store(temporaryFolder())
  store.write(() => store.setCopyOf(at))
  return { store, copy: new Copy(store) }
}

/** All that a store holds of accounts and keys. */
function contentsOf(store: Store): unknown {
  store.refresh()
  return {
    next: [store.counter('nextAccount'), store.counter('nextKey')],
    accounts: [...store.allAccounts()],
    names: [...store.names.getRange({})],
    keys: store.keyIdsFrom('', 10_000).map((keyId) => [keyId, store.knownKey(keyId)]),
    keysOf: [...store.keysOf.getRange({})],
    secrets: [...store.secrets.getRange({})].map(({ key, value }) => [Buffer.from(key).toString('hex'), value]),
  }
}

const change = fc.record({
  kind: fc.constantFrom('create', 'key', 'plan', 'regenerate', 'revoke'),
  at: fc.nat(1000),
  plan: fc.constantFrom(...planNames),
})

/** Does it to a store; throws an AccountsError as an operator's would. */
function perform(
  store: Store,
  { kind, at, plan }: { kind: string; at: number; plan: (typeof planNames)[number] },
): void {
  const accounts = [...store.allAccounts()]
  const account = accounts[at % accounts.length]
  if (kind === 'create' || account === undefined) createAccount(store, `shop ${at % 20}`, plan, at)
  else if (kind === 'key') createKey(store, account.name, 'further', null, at)
  else if (kind === 'plan') setPlan(store, account.name, plan)
  else {
    const keys = listKeys(store, account.number, at)
    const { keyId } = keys[at % keys.length]!
    if (kind === 'regenerate') regenerateKey(store, keyId, at)
    else revokeKey(store, keyId, at)
  }
}

describe('a copy', () => {
  it('that is given each change, all at once, or some and then all, is what the store is that they were made on', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 30 }), fc.nat(30), async (changes, late) => {
        const [one, two, three] = [copyAt(), copyAt(), copyAt()]
        const log: Buffer[] = []
        for (const each of changes) {
          const at = one.copy.at!
          const before = contentsOf(one.store)
          try {
            const { changed } = one.store.try(() => perform(one.store, each))
            assert.deepEqual(contentsOf(one.store), before, 'it was only tried')
            log.push(loggedBytes(entryOf(at.chain, changed)))
            one.copy.apply(at, log.slice(-1))
          } catch (error) {
            if (!(error instanceof AccountsError)) throw error
            assert.deepEqual(contentsOf(one.store), before)
          }
        }
        const first = Math.min(late, log.length)
        if (first > 0) two.copy.apply(start, log.slice(0, first))
        if (first < log.length) two.copy.apply(two.copy.at!, log.slice(first))
        // Somebody else's accounts, which are to go.
        for (const name of ['gone', 'shop 1']) {
          const at = three.copy.at!
          const { changed } = three.store.try(() => createAccount(three.store, name, 'free', 1))
          three.copy.apply(at, [loggedBytes(entryOf(at.chain, changed))])
        }
        const { id, number, chain } = one.copy.at!
        assert.ok(await three.copy.replace({ id, number, chain }, pagesOf(one.store)))
        const four = new Copy(new Store(temporaryFolder()))
        assert.ok(await four.replace({ id, number, chain }, pagesOf(one.store)))
        for (const { store } of [two, three, four]) {
          assert.deepEqual(contentsOf(store), contentsOf(one.store))
          assert.deepEqual(store.copyOf(), one.store.copyOf())
        }
        await Promise.all([one, two, three, four].map(({ store }) => store.close()))
      }),
      { numRuns: 15, seed: 18 },
    )
  })

  it('is no longer changed by who comes second, nor by who has begun before another did', async () => {
    const { store, copy } = copyAt()
    const { changed } = store.try(() => createAccount(store, 'acme', 'free', 1))
    const entry = loggedBytes(entryOf(start.chain, changed))
    copy.apply(start, [entry])
    const once = contentsOf(store)
    copy.apply(start, [entry])
    assert.deepEqual([contentsOf(store), copy.at!.number], [once, 2])

    const to = { id: start.id, number: 9, chain: newChain() }
    let isDoneByOther = false
    async function* pages() {
      // Meanwhile another process copies everything.
      isDoneByOther = await copy.replace({ ...to, number: 10 }, pagesOf(store))
      yield* pagesOf(store)
    }
    assert.equal(await copy.replace(to, pages()), false)
    assert.deepEqual([isDoneByOther, copy.at!.number, copy.at!.whole], [true, 10, true])
    await store.close()
  })

  it('that is not whole says so, and is there if it was once', async () => {
    const { store, copy } = copyAt()
    const broken = async function* (): AsyncGenerator<readonly Changed[]> {
      yield []
      throw new AccountsError('the store is away')
    }
    await assert.rejects(copy.replace({ id: start.id, number: 7, chain: 'x' }, broken()), /is away/)
    assert.deepEqual([copy.at!.whole, copy.at!.number, copy.isThere], [false, 1, true])
    const first = new Copy(new Store(temporaryFolder()))
    await assert.rejects(first.replace({ id: start.id, number: 7, chain: 'x' }, broken()), /is away/)
    assert.deepEqual([first.at!.whole, first.isThere], [false, false])
    await Promise.all([store.close(), first.store.close()])
  })

  it('is changed by nobody else', async () => {
    const { store } = copyAt()
    assert.throws(() => createAccount(store, 'acme', 'free', 1), /a copy of those that servers share/)
    refuseOwnAccounts(store, 'here')
    await store.close()
    const own = new Store(temporaryFolder())
    refuseOwnAccounts(own, 'here')
    createAccount(own, 'acme', 'free', 1)
    assert.throws(() => refuseOwnAccounts(own, 'here'), /here has accounts of its own/)
    await own.close()
  })
})

async function* pagesOf(store: Store): AsyncGenerator<readonly Changed[]> {
  for (const page of Copy.records(store)) yield page.map(([place, bytes]) => changedOf(place, bytes))
}

describe('a change as bytes', () => {
  it('is read as it was written, with names in any script; one that is damaged is refused', () => {
    const account = { number: 3, name: 'カード屋 🃏', plan: 'free', createdAt: 5 } as const
    const changed: Changed[] = [
      { type: 'account', number: 3, record: account },
      { type: 'account', number: 4, record: undefined },
      { type: 'key', keyId: 'key_0123456789', record: undefined },
      { type: 'counter', name: 'nextKey', value: 12 },
    ]
    const entry = entryOf(start.chain, changed)
    assert.deepEqual(entryIn(loggedBytes(entry)), { chain: entry.chain, changed })
    assert.notEqual(entryOf(newChain(), changed).chain, entry.chain)
    const logged = loggedBytes(entry)
    for (const cut of [33, 36, logged.length - 1])
      assert.throws(() => entryIn(logged.subarray(0, cut)), /damaged record/)
    for (const [place, bytes] of [
      ['a:4', bytesOf(changed[0]!)],
      ['k:x', bytesOf(changed[0]!)],
      ['c:nextKey', Buffer.from('many')],
      ['c:format', Buffer.from('1')],
      ['a:1', Buffer.from([0xc1])],
    ] as const) {
      assert.throws(() => changedOf(place, bytes), /damaged record/, place)
    }
    assert.deepEqual(changed.map(placeOf), ['a:3', 'a:4', 'k:key_0123456789', 'c:nextKey'])
  })

  it('is kept by its chain alone if it is large', () => {
    const many = Array.from({ length: feedChangeBytesMax / 40 }, (_, number): Changed => {
      const record = { number, name: `shop number ${number}`, plan: 'business', createdAt: 1 } as const
      return { type: 'account', number, record }
    })
    const entry = entryOf(start.chain, many)
    assert.equal(isKept(entry), false)
    assert.deepEqual(loggedBytes(entry).toString(), entry.chain)
  })
})

it('servers that live are waited for: heard of, connected, or of a store that was just started', () => {
  const server = (silentMs: number, isConnected: boolean, number = 6, store = 'ours'): FoundServer => ({
    address: 'web:8080',
    store,
    number,
    silentMs,
    isConnected,
  })
  const cases: readonly [FoundServer, runsMs: number, isWaitedFor: boolean][] = [
    [server(100, true), 60_000, true],
    [server(100, true, 7), 60_000, false],
    [server(100, true, 8), 60_000, false],
    [server(100, true, 8, 'other'), 60_000, true],
    [server(100, true, -1, '-'), 60_000, true],
    [server(3000, false), 60_000, true],
    [server(4000, false), 60_000, false],
    [server(60_000, true), 60_000, true],
    [server(60_000, false), 5000, true],
    [server(60_000, false), 11_000, false],
  ]
  for (const [found, runsMs, isWaitedFor] of cases) {
    const lacking = lackingServers({ servers: [found], runsMs }, 'ours', 7)
    assert.equal(lacking.length, Number(isWaitedFor), JSON.stringify([found, runsMs]))
  }
})

it('a gate lets nobody in while the copy is not trusted, and whoever may when it is', async () => {
  const storeDir = temporaryFolder()
  const store = new Store(storeDir)
  const { key, keyId } = createAccount(store, 'acme', 'free', Date.now())
  const shared = reserveAccounts(storeDir, false, true)
  const trust = new Trust(shared.trusted!)
  const gate = new Gate(shared)
  assert.deepEqual([gate.identify(key), gate.isTrusted], [undefined, false])
  trust.extend(feedGapMsMax)
  assert.equal(gate.identify(key)?.account, 0)
  assert.equal(gate.keysRemembered, 1)
  assert.equal(gate.identify(key)?.account, 0)
  trust.extend(100)
  await until('time passes', () => gate.identify(key) === undefined && !gate.isTrusted)
  revokeKey(store, keyId, Date.now())
  tellThreads(shared)
  trust.extend(feedGapMsMax)
  assert.deepEqual([gate.identify(key), gate.isTrusted], [undefined, true])
  trust.withdraw()
  assert.deepEqual([gate.identify(key), gate.isTrusted], [undefined, false])
  await gate.close()
  await store.close()
})
