/**
 * A drawn sequence of changes, each on a machine drawn at random, some at once: what all copies hold at the end is what a
 * store alone holds to which the same was done, and every copy is as every other.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { listKeys } from '../../src/accounts/registry.ts'
import { runAccounts } from '../../src/cli/accounts/command-line.ts'
import { planNames } from '../../src/plans.ts'
import { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { randomFrom } from '../support/random.ts'
import { startRedis } from '../support/redis.ts'
import { Fleet } from '../support/sharing-servers.ts'

const seed = Number(process.env['SEED'] ?? 20_261_122)
const steps = 120
const machines = ['a', 'b', 'c', 'd']

it(`a sequence of changes on random machines, seed ${seed}`, { skip: skipWithout('redis-server') }, async () => {
  const draw = randomFrom(seed)
  const one = <T>(of: readonly T[]): T => of[Math.floor(draw() * of.length)]!
  const redis = await startRedis()
  const fleet = await Fleet.of(redis)
  const twinDir = temporaryFolder()
  /** Key ids of the fleet by the twin's. */
  const idOf = new Map<string, string>()
  const names: string[] = []

  /** What is said to the twin, and then to a machine, has the same end. */
  const both = async (words: readonly string[], keyId?: string) => {
    const twin = await runHere(twinDir, [...words, ...(keyId === undefined ? [] : [keyId])])
    const ours = await fleet.run(one(machines), [
      ...words,
      ...(keyId === undefined ? [] : [idOf.get(keyId)!]),
      '--json',
    ])
    assert.equal(ours.code, twin.code, `${words.join(' ')}: ${ours.stderr} ${twin.stderr}`)
    if (ours.code === 0 && twin.value.keyId !== undefined) idOf.set(twin.value.keyId, JSON.parse(ours.stdout).keyId)
  }
  for (let step = 0; step < steps; step++) {
    const keyId = idOf.size === 0 ? undefined : one([...idOf.keys()])
    const kind = one(['create', 'create-key', 'create-key', 'set-plan', 'regenerate', 'revoke'])
    if (kind === 'create' || names.length === 0) {
      const name = `shop ${Math.floor(draw() * 30)}`
      names.push(name)
      await both(['create', name, '--plan', one(planNames)])
    } else if (kind === 'create-key') await both(['create-key', one(names), '--name', `key ${step}`])
    else if (kind === 'set-plan') await both(['set-plan', one(names), one(planNames)])
    else await both([kind], keyId!)
  }
  const twin = contentsOf(twinDir)
  for (const machine of machines) await fleet.run(machine, ['list'])
  const copies = await Promise.all(machines.map((machine) => fleet.copyOf(machine)))
  for (const copy of copies) assert.deepEqual(copy, copies[0])
  for (const machine of machines) assert.deepEqual(await contentsOf(fleet.storeDir(machine)), await twin)
  const { accounts, keys } = copies[0] as { accounts: unknown[]; keys: unknown[] }
  assert.equal((await fleet.records()).size, accounts.length + keys.length + 2)
  await redis.stop()
})

async function runHere(
  storeDir: string,
  words: readonly string[],
): Promise<{ code: number; stderr: string; value: { readonly keyId?: string } }> {
  let [stdout, stderr] = ['', '']
  const log = (text: string) => {
    stdout += text
  }
  const error = (text: string) => {
    stderr += text
  }
  const code = await runAccounts([...words, '--json'], storeDir, { log, error, write: async (text) => log(text) })
  return { code, stderr, value: stdout === '' ? {} : JSON.parse(stdout) }
}

/** What does not differ by chance: numbers, names, plans, and which keys live. */
async function contentsOf(storeDir: string): Promise<unknown> {
  const store = new Store(storeDir)
  const found = [...store.allAccounts()].map(({ number, name, plan }) => [
    number,
    name,
    plan,
    listKeys(store, number).map((key) => [key.number, key.name, key.revokedAt === null]),
  ])
  await store.close()
  return found
}
