/**
 * npm run bench:cluster: loads three servers that share accounts and quotas in PostgreSQL, and kills one of them.
 * Reports how often the servers use the database, the database's CPU time, and the requests admitted. Fails if a quota
 * is exceeded.
 */
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createAccount } from '../../src/accounts/registry.ts'
import { ProgramCommand, runProgram } from '../../src/command/command.ts'
import { type PlanName, plans } from '../../src/plans.ts'
import { Store } from '../../src/store/store.ts'
import { build, projectDir, runAccountsHere, temporaryFolder } from '../../test/support/command.ts'
import { Postgres } from '../../test/support/postgres.ts'
import { drawBelow, randomFrom } from '../../test/support/random.ts'
import { type Service, startService } from '../../test/support/service.ts'
import { Report, whole } from '../harness/report.ts'

/**
 * Accounts that use up a small quota, many accounts with few requests, and accounts with a large quota in steady use.
 */
const kinds: readonly Kind[] = [
  { accounts: 5, plan: 'free', perSecond: 15 },
  { accounts: 40, plan: 'free', perSecond: 0.5 },
  { accounts: 3, plan: 'trader', perSecond: 40 },
]
const seed = 18
const serverCount = 3
const seconds = 24
/** ms after the start at which the last server is killed. Its later requests go to the first server. */
const deathMs = 9000
/** After this time, all servers have replicas of the accounts. */
const settledMs = 2000
/** Within this time, servers release the leases that they do not use. */
const releasedMs = 2000
/** The most requests that may fail: those on their way to the server when it is killed. */
const failedMax = 10

/** A kind of account: how many there are, their plan, and the requests a second of each. */
interface Kind {
  readonly accounts: number
  readonly plan: PlanName
  readonly perSecond: number
}

interface Planned {
  /** When to send the request, in ms since the start. */
  readonly at: number
  readonly account: number
  readonly server: number
}

interface Outcome {
  /** The requests admitted, by account. */
  readonly admitted: readonly number[]
  readonly rejected: number
  /** Requests with neither 200 nor 429. */
  readonly failed: number
  /** The longest delay with which a request was sent, in ms. */
  readonly latestMs: number
}

async function measure(): Promise<void> {
  const accountPlans = kinds.flatMap(({ accounts, plan }) => Array.from({ length: accounts }, () => plan))
  const planned = plannedRequests()
  const first = temporaryFolder()
  const store = new Store(first)
  const keys = accountPlans.map((plan, i) => createAccount(store, `account ${i}`, plan, Date.now()).key)
  await store.close()
  const postgres = await Postgres.start({ isDurable: true })
  const moved = await runAccountsHere(first, 'move', postgres.url())
  if (moved.code !== 0) throw new Error(moved.stderr)
  const servers = await startServers(postgres.url())
  try {
    await pause(settledMs)
    const before = { cpu: postgres.cpuSeconds(), ...(await asked(postgres)) }
    const outcome = await sendAll(planned, keys, servers)
    const limits = accountPlans.map((plan) => plans[plan].requestsPerDay)
    const exceeded = outcome.admitted.findIndex((admitted, account) => admitted > limits[account]!)
    if (exceeded !== -1) {
      throw new Error(`account ${exceeded}: ${outcome.admitted[exceeded]} of ${limits[exceeded]} were admitted`)
    }
    if (outcome.failed > failedMax) throw new Error(`${outcome.failed} requests failed`)
    const after = await asked(postgres)
    new Report().table(
      [`${seconds} s, one of ${serverCount} servers killed after ${deathMs / 1000} s`, ''],
      [
        ['exchanges of leases', whole(after.exchanges - before.exchanges)],
        ['transactions', whole(after.transactions - before.transactions)],
        ['CPU of PostgreSQL, s', (postgres.cpuSeconds() - before.cpu).toFixed(2)],
        ['admitted', whole(outcome.admitted.reduce((sum, one) => sum + one, 0))],
        ['rejected', whole(outcome.rejected)],
        ['failed', whole(outcome.failed)],
        ['the latest request was late by, ms', whole(outcome.latestMs)],
      ],
    )
  } finally {
    for (const { child } of servers) child.kill('SIGKILL')
    await postgres.end()
  }
}

/** Returns the requests in the order of their times, which are random like those of independent callers. */
function plannedRequests(): Planned[] {
  const random = randomFrom(`${seed} schedule`)
  const rates = kinds.flatMap(({ accounts, perSecond }) => Array.from({ length: accounts }, () => perSecond))
  const planned: Planned[] = []
  for (const [account, perSecond] of rates.entries()) {
    for (let at = 0; ; ) {
      at += (-Math.log(1 - random()) * 1000) / perSecond
      if (at >= seconds * 1000) break
      const server = drawBelow(random, serverCount)
      const isDead = at >= deathMs && server === serverCount - 1
      planned.push({ at, account, server: isDead ? 0 : server })
    }
  }
  return planned.sort((a, b) => a.at - b.at)
}

async function startServers(url: string): Promise<Service[]> {
  const indexDir = temporaryFolder()
  const built = await build(join(projectDir, 'snapshots'), indexDir)
  if (built.code !== 0) throw new Error(built.stderr)
  const servers: Service[] = []
  for (let i = 0; i < serverCount; i++) {
    const settings = {
      INDEX_DIR: indexDir,
      STORE_DIR: temporaryFolder(),
      LOG_LEVEL: 'silent',
      DATABASE_URL: url,
    }
    servers.push(await startService(settings))
  }
  return servers
}

async function sendAll(
  planned: readonly Planned[],
  keys: readonly string[],
  servers: readonly Service[],
): Promise<Outcome> {
  const agents = servers.map(() => new Agent({ keepAlive: true, maxSockets: 64 }))
  const admitted = keys.map(() => 0)
  let rejected = 0
  let failed = 0
  let latestMs = 0
  const send = async (account: number, server: number) => {
    const status = await statusOf(servers[server]!.address, keys[account]!, agents[server]!)
    if (status === 200) admitted[account]!++
    else if (status === 429) rejected++
    else failed++
  }
  const start = performance.now()
  const killed = pause(deathMs).then(() => servers.at(-1)!.child.kill('SIGKILL'))
  const sent: Promise<void>[] = []
  for (const { at, account, server } of planned) {
    const early = at - (performance.now() - start)
    if (early > 1) await pause(early)
    latestMs = Math.max(latestMs, performance.now() - start - at)
    sent.push(send(account, server))
  }
  await Promise.all([...sent, killed])
  await pause(releasedMs)
  for (const agent of agents) agent.destroy()
  return { admitted, rejected, failed, latestMs }
}

/** Returns the response's status, or 0 if the connection failed. */
function statusOf(address: string, key: string, agent: Agent): Promise<number> {
  return new Promise((resolve) => {
    const request = get(`${address}/v1/games`, { headers: { 'X-API-Key': key }, agent }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode!))
    })
    request.on('error', () => resolve(0))
  })
}

/** Returns the servers' exchanges of leases, and the database's transactions, until now. */
async function asked(postgres: Postgres): Promise<{ exchanges: number; transactions: number }> {
  const [found] = await postgres.shared(`SELECT (SELECT sum(exchange) FROM card_prices.lessees)::int AS exchanges,
    (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database())::int AS transactions`)
  return found
}

const program = new ProgramCommand('npm run bench:cluster --', console)
  .description(
    `Runs three servers with shared accounts and quotas for ${seconds} s, and kills one. It needs PostgreSQL. It exits with 1 if a ` +
      `quota is exceeded, or if more than ${failedMax} requests fail.`,
  )
  .action(measure)
process.exitCode = await runProgram(program, process.argv.slice(2), console)
