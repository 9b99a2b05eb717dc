/** Servers of both forms of the API in the test's own process. They have data, no data, or data that throws. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pino, { type Logger } from 'pino'
import { AccountsHost } from '../../src/accounts/accounts-host.ts'
import { Authenticator } from '../../src/accounts/authenticator.ts'
import { createAccount, suspendAccount } from '../../src/accounts/registry.ts'
import { type Dataset, openDataset } from '../../src/api/dataset.ts'
import { Server } from '../../src/http/server.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { type PlanName, planNames } from '../../src/plans.ts'
import { systemClocks } from '../../src/quota/quota.ts'
import type { ApiForm } from '../../src/settings.ts'
import { Store } from '../../src/store/store.ts'
import { build, temporaryFolder } from './command.ts'
import { sampleIndex, sampleSnapshot } from './sample.ts'

export const forms: readonly ApiForm[] = ['A', 'B']

export type State = 'serving' | 'empty' | 'failing'

export interface ServersHere {
  /** The key of an account on each plan. The quota of `spent` is used up; the account of `suspended` is suspended. */
  readonly keys: Readonly<Record<PlanName | 'spent' | 'suspended', string>>
  server(form: ApiForm, state?: State): Server
  address(form: ApiForm, state?: State): string
  /** Stops all servers. @param drainMs how long they wait for requests in flight */
  close(drainMs?: number): Promise<void>
}

const failing = new Proxy({} as Dataset, {
  get(_, name) {
    if (name === 'version') return 'failing'
    throw new TypeError('/a/path/of/ours')
  },
})

const indexes = new Map<string, Promise<string>>()

/** Returns a folder whose current version was built from the snapshot. Each snapshot is built once. */
export function indexOf(snapshots: string): Promise<string> {
  const known = indexes.get(snapshots) ?? (snapshots === sampleSnapshot ? sampleIndex() : builtOf(snapshots))
  indexes.set(snapshots, known)
  return known
}

async function builtOf(snapshots: string): Promise<string> {
  const indexDir = temporaryFolder()
  const built = await build(snapshots, indexDir)
  assert.equal(built.code, 0, built.stderr)
  return indexDir
}

export async function currentOf(indexDir: string): Promise<Dataset> {
  return openDataset(await loadVersion(indexDir, readFileSync(join(indexDir, 'current'), 'utf8').trim()))
}

/** Starts a server that listens on a free port. */
export async function listenHere(API_FORM: ApiForm, authenticator: Authenticator, log: Logger, data?: Dataset) {
  const server = new Server({ settings: { API_FORM, TLS_CERT: undefined }, authenticator, log })
  server.data = data
  const port = (await server.apps.listen({ host: '127.0.0.1', port: 0, exclusive: true }))!
  return { server, port, address: `http://127.0.0.1:${port}` }
}

/**
 * Starts servers with one version of the snapshot, and creates an account on each plan.
 * @param clock their clock, in ms since 1970
 */
export async function serveHere(snapshots: string, clock: () => number = Date.now): Promise<ServersHere> {
  const storeDir = temporaryFolder()
  const data = await currentOf(await indexOf(snapshots))
  const store = new Store(storeDir)
  const keyOf = (name: string, plan: PlanName) => createAccount(store, name, plan, clock()).key
  const ofPlans = Object.fromEntries(planNames.map((plan) => [plan, keyOf(plan, plan)])) as Record<PlanName, string>
  const keys = { ...ofPlans, spent: keyOf('spent', 'free'), suspended: keyOf('suspended', 'business') }
  suspendAccount(store, 'suspended', undefined, clock())
  await store.close()
  const log = pino({ level: 'silent' })
  const host = await AccountsHost.open({ storeDir, log, clocks: { ...systemClocks, wall: clock } })
  const authenticator = new Authenticator(host.shared, clock)
  const spent = authenticator.identify(keys.spent)!
  while (authenticator.take(spent) > 0);
  // Loaded only here, because the renderer takes long to load.
  const { describeInterface } = await import('../../src/api/description/document.ts')
  const servers = new Map<string, { server: Server; address: string }>()
  for (const form of forms) {
    const description = describeInterface(form, {}, JSON.parse(Buffer.from(data.catalog.gamesBody()).toString()))
    for (const [state, held] of Object.entries({ serving: data, empty: undefined, failing })) {
      const listening = await listenHere(form, authenticator, log, held)
      listening.server.answers.description = description
      servers.set(`${form} ${state}`, listening)
    }
  }
  return {
    keys,
    server: (form, state = 'serving') => servers.get(`${form} ${state}`)!.server,
    address: (form, state = 'serving') => servers.get(`${form} ${state}`)!.address,
    async close(drainMs) {
      await Promise.all([...servers.values()].map(({ server }) => server.stop(drainMs)))
      await authenticator.close()
      await host.close()
    },
  }
}
