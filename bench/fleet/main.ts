/** Fleets larger than the machines at hand, by simulation: `npm run bench:fleet`. */

import { command } from '../../src/command/command.ts'
import { fixed, percent, Report, whole } from '../harness/report.ts'
import { checkAgainstServers } from './check.ts'
import { machines, versionBytes } from './costs.ts'
import { demandOf } from './demand.ts'
import { type FleetFigures, type FleetPlan, fleetOf } from './fleet.ts'

const usage = `Usage: npm run bench:fleet -- [--servers N,…] [--accounts N] [--requests N] [--spread N] [--seed N]
       npm run bench:fleet -- --check

Simulates fleets of servers that share accounts and quotas, for a day, and tells what gives way first. It takes a minute.

  --servers N,…    how many servers (default: 10,100,1000)
  --accounts N     how many accounts (default: 10000000)
  --requests N     a day and account, in the mean; who asks how much follows Zipf (default: 100)
  --spread N       over how many servers the balancer spreads an account (default: over all)
  --deaths N       how often a server is killed, in a year (default: 12)
  --changes N      changes of accounts and keys a minute, of the whole fleet (default: 60)
  --samples N      of each doubling of the accounts' ranks (default: 8)
  --seed N         of all that is drawn (default: 18)
  --check          runs three real servers with Redis instead, and holds the model against them; exits 1 if it is wrong
  --help           shows this`

const number = (fallback: number) => ({ type: 'string', default: `${fallback}` }) as const
const options = {
  servers: { type: 'string', default: '10,100,1000' },
  accounts: number(10_000_000),
  requests: number(100),
  spread: { type: 'string' },
  deaths: number(12),
  changes: number(60),
  samples: number(8),
  seed: number(18),
  check: { type: 'boolean', default: false },
} as const

const strainsShown = 6
const questionMs = 0.5

function positive(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${name}: must be a whole number of 1 or more (${text})`)
  return Number(text)
}

process.exitCode = await command(usage, { options }, async ({ values }) => {
  const report = new Report()
  const given = (name: keyof typeof options) => positive(name, values[name] as string)
  if (values['check'] === true) return (await checkAgainstServers(report, given('seed'))) ? 0 : 1
  const accounts = given('accounts')
  const demand = demandOf(accounts, given('requests'), given('samples'))
  const fleets = (values['servers'] as string).split(',').map((text) => {
    const servers = positive('servers', text)
    const spread = values['spread'] === undefined ? servers : Math.min(given('spread'), servers)
    const plan: FleetPlan = {
      leases: {
        seed: given('seed'),
        servers,
        serversAnAccount: spread,
        deathsPerServerDay: given('deaths') / 365,
        questionMs,
      },
      kept: { accounts, keysAnAccount: 1.2, changesPerSecond: given('changes') / 60 },
      versionBytes,
    }
    return fleetOf(plan, demand, machines)
  })
  report.text(`${whole(accounts)} accounts, ${whole(demand.wished)} requests a day; seed ${given('seed')}.`)
  tell(report, fleets)
  return 0
})

function tell(report: Report, fleets: readonly FleetFigures[]): void {
  const named = (fleet: FleetFigures, ...cells: string[]) => [whole(fleet.plan.leases.servers), ...cells]
  report.heading('Quotas, in the busiest hour')
  report.table(
    ['servers', 'requests/s', 'questions/s', 'fields each', 'of a core', 'wait for it', 'too early', 'held by one'],
    fleets.map((fleet) => {
      const { leases, quotaCoreShare } = fleet
      return named(
        fleet,
        whole(leases.requestsPerSecond),
        whole(leases.questionsPerSecond),
        whole(leases.fieldsPerQuestion),
        percent(quotaCoreShare),
        percent(leases.waited / leases.requests),
        `${fixed((100 * leases.refusedEarly) / leases.requests, 4)} %`,
        whole(leases.heldByServer),
      )
    }),
  )
  report.heading("The accounts' store")
  report.table(
    ['servers', 'questions/s', 'usage MB/s', 'of a core', 'accounts GB', 'usage GB', 'quotas GB', 'a join, s'],
    fleets.map((fleet) => {
      const { kept } = fleet
      const gigabytes = (bytes: number) => fixed(bytes / 1e9, 1)
      return named(
        fleet,
        whole(kept.questions),
        fixed(kept.blockBytes / 1e6, 1),
        percent(kept.coreShare),
        gigabytes(kept.recordBytes),
        gigabytes(kept.usageBytes),
        gigabytes(kept.quotaBytes),
        fixed(kept.joinMs / 1000, 1),
      )
    }),
  )
  report.heading('A new version')
  report.table(
    ['servers', 'sent, GB', 'half serve it after, s', 'all, s'],
    fleets.map((fleet) => {
      const { bytes, halfServe, allServe } = fleet.version
      return named(fleet, fixed(bytes / 1e9, 1), fixed(halfServe / 1000, 1), fixed(allServe / 1000, 1))
    }),
  )
  report.heading('What gives way first')
  report.table(
    ['servers', 'what', 'needed', 'there', 'times'],
    fleets.flatMap((fleet) =>
      fleet.strains
        .slice(0, strainsShown)
        .map(({ what, needed, there, unit }) =>
          named(fleet, what, `${fixed(needed, 2)} ${unit}`, `${fixed(there, 2)} ${unit}`, fixed(needed / there, 2)),
        ),
    ),
  )
}
