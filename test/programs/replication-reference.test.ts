/**
 * A drawn sequence of changes, each on a machine drawn at random, some at once: what all copies hold at the end is what a
 * store alone holds to which the same was done, and every copy is as every other.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openReplication } from '../../src/accounts/replication/open-replication.ts'
import { SignIns } from '../../src/accounts/sign-ins.ts'
import { planNames } from '../../src/plans.ts'
import { Refusal } from '../../src/store/accounts-error.ts'
import { Store } from '../../src/store/store.ts'
import { runAccountsHere, temporaryFolder } from '../support/command.ts'
import { Postgres } from '../support/postgres.ts'
import { skipWithout } from '../support/programs.ts'
import { randomFrom } from '../support/random.ts'
import { contentsOf, Fleet } from '../support/sharing-servers.ts'

const seed = Number(process.env['SEED'] ?? 20_261_122)
const steps = 240
const machines = ['a', 'b', 'c', 'd']
const kinds =
  'create create create create-key create-key set-plan regenerate revoke suspend resume rename delete sign-out link link use use page end'.split(
    ' ',
  )

it(`Random changes on random machines have the same results as in a single store (seed ${seed})`, {
  skip: skipWithout('postgres'),
}, async () => {
  const draw = randomFrom(seed)
  const one = <T>(of: readonly T[]): T => of[Math.floor(draw() * of.length)]!
  const postgres = await Postgres.start()
  const fleet = await Fleet.of(postgres)
  const referenceDir = temporaryFolder()
  /** Key ids of the fleet by the reference's. */
  const idOf = new Map<string, string>()
  const names: string[] = []
  /** Tokens of links and of sessions: the reference's, and the fleet's. */
  const links: [string, string][] = []
  const sessions: [string, string][] = []
  const done = new Map<string, number>()

  /** A command to the reference and then to a machine has the same end. */
  const both = async (words: readonly string[], keyId?: string) => {
    const [ofReference, ofFleet] = keyId === undefined ? [[], []] : [[keyId], [idOf.get(keyId)!]]
    const reference = await runAccountsHere(referenceDir, ...words, ...ofReference, '--json')
    const ours = await fleet.run(one(machines), [...words, ...ofFleet, '--json'])
    assert.equal(ours.code, reference.code, `${words.join(' ')}: ${ours.stderr} ${reference.stderr}`)
    if (ours.code !== 0) return
    const [made, theirs] = [reference, ours].map(({ stdout }) => JSON.parse(stdout) as { readonly keyId?: string })
    if (made!.keyId !== undefined) idOf.set(made!.keyId, theirs!.keyId!)
    done.set(words[0]!, (done.get(words[0]!) ?? 0) + 1)
  }
  /** The same of what people do on pages. */
  const people = async <T>(what: string, action: (signIns: SignIns, isReference: boolean) => Promise<T>) => {
    const of = async (storeDir: string, url: string | undefined) => {
      const store = new Store(storeDir)
      const { replication } = await openReplication(store, url, async () => undefined)
      try {
        return await action(new SignIns(store, replication), url === undefined)
      } catch (error) {
        if (error instanceof Refusal) return error.message
        throw error
      } finally {
        await replication.close()
        await store.close()
      }
    }
    done.set(what, (done.get(what) ?? 0) + 1)
    return [await of(referenceDir, undefined), await of(fleet.storeDir(one(machines)), postgres.url())] as const
  }
  const now = Date.now()
  for (let step = 0; step < steps; step++) {
    const keyId = idOf.size === 0 ? undefined : one([...idOf.keys()])
    const kind = one(kinds)
    const at = now + step * 1000
    if (kind === 'create' || names.length === 0) {
      const name = `shop ${Math.floor(draw() * 30)}`
      names.push(name)
      await both(['create', name, '--plan', one(planNames)])
    } else if (kind === 'create-key') await both(['create-key', one(names), '--name', `key ${step}`])
    else if (kind === 'set-plan') await both(['set-plan', one(names), one(planNames)])
    else if (kind === 'suspend') await both(['suspend', one(names), ...(draw() < 0.5 ? ['--reason', 'unpaid'] : [])])
    else if (kind === 'rename') {
      const name = `${one(['shop', 'Shop'])} ${Math.floor(draw() * 30)}`
      await both(['rename', one(names), name])
      names.push(name)
    } else if (kind === 'delete') await both(['delete', one(names), '--yes'])
    else if (kind === 'resume' || kind === 'sign-out') await both([kind, one(names)])
    else if (kind === 'link') {
      const name = one(names)
      const made = await people(kind, (signIns) => signIns.makeLink(name, at))
      const [reference, ours] = made.map((link) => (typeof link === 'string' ? link : link.account))
      assert.equal(ours, reference)
      if (typeof made[0] !== 'string' && typeof made[1] !== 'string') links.push([made[0].token, made[1].token])
    } else if (kind === 'use') {
      if (links.length === 0) continue
      const tokens = one(links)
      const used = await people(kind, (signIns, isReference) => signIns.useLink(tokens[isReference ? 0 : 1], at))
      const [reference, ours] = used.map((found) => (typeof found === 'object' ? Object.keys(found) : found))
      assert.deepEqual(ours, reference)
      const [mine, theirs] = used.map((found) => (typeof found === 'object' && 'session' in found ? found.session : ''))
      if (mine !== '') sessions.push([mine!, theirs!])
    } else if (kind === 'page' || kind === 'end') {
      if (sessions.length === 0) continue
      const tokens = one(sessions)
      const found = await people(kind, async (signIns, isReference) => {
        const token = tokens[isReference ? 0 : 1]
        if (kind === 'end') return signIns.endSession(token)
        return (await signIns.findSession(token, at + step * 60_000, true))?.account.name
      })
      assert.equal(found[1], found[0])
    } else await both([kind], keyId!)
  }
  for (const kind of kinds) assert.ok((done.get(kind) ?? 0) > 0, `${kind} was never done`)
  const reference = likenessOf(referenceDir)
  for (const machine of machines) await fleet.run(machine, ['list'])
  const copies = await Promise.all(machines.map((machine) => fleet.copyOf(machine)))
  for (const copy of [...copies, await fleet.shared()]) assert.deepEqual(copy, copies[0])
  for (const machine of machines) assert.deepEqual(likenessOf(fleet.storeDir(machine)), reference)
})

/** The likeness: all but ids, hashes, and when commands ran. Numbers tell keys apart. */
function likenessOf(storeDir: string): unknown {
  const store = new Store(storeDir)
  const { copy: _, accounts, account_ids, keys, sessions, sign_in_links, audit_log, ...others } = contentsOf(store)
  store.database.close()
  const numberOf = new Map(keys.map(({ id, number }) => [id, number]))
  const isSet = (value: unknown) => value !== null
  const sorted = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).sort()
  return {
    ...others,
    haveIds: account_ids.map(({ account }) => account),
    accounts: accounts.map(({ createdAt: _, suspendedAt, deletedAt, ...row }) => ({
      ...row,
      isSuspended: isSet(suspendedAt),
      isDeleted: isSet(deletedAt),
    })),
    keys: keys.map(({ number, account, name, revokedAt }) => [number, account, name, isSet(revokedAt)]),
    sessions: sorted(sessions.map(({ hash: _, ...row }) => row)),
    links: sorted(sign_in_links.map(({ account, expiresAt, usedAt }) => [account, expiresAt, isSet(usedAt)])),
    log: audit_log.map(({ time: _, keyId, ...row }) => ({ ...row, key: numberOf.get(keyId) })),
  }
}
