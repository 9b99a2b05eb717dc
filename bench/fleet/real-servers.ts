/** The same requests, asked of real servers that share accounts and quotas in two real Redis. */
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { createAccount } from '../../src/accounts/registry.ts'
import { Store } from '../../src/store/store.ts'
import { build, projectDir, runAccountsHere, temporaryFolder } from '../../test/support/command.ts'
import { startRedis } from '../../test/support/redis.ts'
import { type Service, startService } from '../../test/support/service.ts'
import type { Outcome, Schedule } from './schedule.ts'

/** A new quota store grants nothing before. */
const settledMs = 2000

export interface RealOutcome extends Outcome {
  /** Neither 200 nor 429. */
  readonly failed: number
  /** The latest that a request was sent after its time: how much the machine was at the limit. */
  readonly latestMs: number
}

/** @param moreMs how long the servers are watched after the last request */
export async function asked(schedule: Schedule, moreMs: number): Promise<RealOutcome> {
  const indexDir = temporaryFolder()
  const built = await build(join(projectDir, 'snapshots'), indexDir)
  if (built.code !== 0) throw new Error(built.stderr)
  const first = temporaryFolder()
  const store = new Store(first)
  const keys = schedule.plans.map((plan, i) => createAccount(store, `account ${i}`, plan, Date.now()).key)
  await store.close()
  const stores = { quotas: await startRedis(), accounts: await startRedis() }
  const moved = await runAccountsHere(first, 'move', stores.accounts.url)
  if (moved.code !== 0) throw new Error(moved.stderr)
  const redis = { quotas: new Redis(stores.quotas.url), accounts: new Redis(stores.accounts.url) }
  const services: Service[] = []
  for (let i = 0; i < schedule.servers; i++) {
    const own = { INDEX_DIR: indexDir, STORE_DIR: temporaryFolder(), LOG_LEVEL: 'silent' }
    const shared = { QUOTA_STORE: stores.quotas.url, ACCOUNTS_STORE: stores.accounts.url }
    services.push(await startService({ ...own, ...shared }))
  }
  try {
    await pause(settledMs)
    const before = [await scriptsRun(redis.quotas), await scriptsRun(redis.accounts)] as const
    const answers = await askAll(schedule, keys, services, moreMs)
    const questions = (await scriptsRun(redis.quotas)) - before[0]
    return { ...answers, questions, accountsQuestions: (await scriptsRun(redis.accounts)) - before[1] }
  } finally {
    for (const { child } of services) child.kill('SIGKILL')
    for (const connection of Object.values(redis)) connection.disconnect()
    for (const server of Object.values(stores)) await server.stop()
  }
}

async function askAll(
  { requests, plans, death }: Schedule,
  keys: readonly string[],
  services: readonly Service[],
  moreMs: number,
) {
  const agents = services.map(() => new Agent({ keepAlive: true, maxSockets: 64 }))
  const letIn = plans.map(() => 0)
  const refused = plans.map(() => 0)
  let failed = 0
  let latestMs = 0
  const ask = async (account: number, server: number) => {
    const headers = { 'X-API-Key': keys[account]! }
    const status = await statusOf(services[server]!.address, headers, agents[server]!)
    if (status === 200) letIn[account]!++
    else if (status === 429) refused[account]!++
    else failed++
  }
  const start = performance.now()
  const killed = death && pause(death.at).then(() => services[death.server]!.child.kill('SIGKILL'))
  const answers: Promise<void>[] = []
  for (const { at, account, server } of requests) {
    const early = at - (performance.now() - start)
    if (early > 1) await pause(early)
    latestMs = Math.max(latestMs, performance.now() - start - at)
    answers.push(ask(account, server))
  }
  await Promise.all([...answers, killed])
  await pause(moreMs)
  for (const agent of agents) agent.destroy()
  return { letIn, refused, failed, latestMs }
}

/** 0 if the connection failed. */
function statusOf(address: string, headers: Record<string, string>, agent: Agent): Promise<number> {
  return new Promise((resolve) => {
    const request = get(`${address}/v1/games`, { headers, agent }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode!))
    })
    request.on('error', () => resolve(0))
  })
}

/** Servers ask about accounts and quotas by scripts, except for a look once a moment. */
async function scriptsRun(redis: Redis): Promise<number> {
  const calls = [...(await redis.info('commandstats')).matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)]
  return calls.reduce((sum, [, count]) => sum + Number(count), 0)
}
