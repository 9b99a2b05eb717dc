/** Failures of a fleet: each begins, lasts a while, and is mended as an operator or a machine would. */

import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { serverHeardMsMax } from '../../src/accounts/replication/timing.ts'
import { startPooler } from '../support/pooler.ts'
import { drawFrom, type Random } from '../support/random.ts'
import { until } from '../support/until.ts'
import type { Fleet, Member } from './fleet.ts'

export interface Begun {
  /** Resolves when all that belongs to the fleet runs again. */
  mend(): unknown
  /** The server that was killed, if one was. */
  readonly killed?: Member
  /** Servers may have answered callers who had left. */
  readonly disturbed?: boolean
  /** Made just before, or just after it began: it must not get lost. */
  readonly made?: MadeKey
}

export interface Fault {
  readonly name: string
  /** In ms, at least and at most. */
  readonly lasts: readonly [number, number]
  begin(fleet: Fleet, random: Random): Promise<Begun>
}

/** Long enough for a database that was restarted to take changes, and for servers that were away. */
const pushMsMax = 60_000
const changeMsMax = 120_000

export const failures: readonly Fault[] = [
  { name: 'a server is killed', lasts: [300, 4000], begin: kill },
  { name: 'a server is frozen', lasts: [3500, 13_000], begin: freeze },
  {
    name: 'a server is frozen, and PostgreSQL restarted, so that nobody waits for it any more',
    lasts: [500, 3000],
    begin: async (fleet, random) => {
      const begun = await freeze(fleet, random)
      await fleet.postgres.restart('SIGKILL')
      await pause(serverHeardMsMax + 500)
      return begun
    },
  },
  {
    name: 'a server is killed, and PostgreSQL restarted, before it is back',
    lasts: [500, 3000],
    begin: async (fleet, random) => {
      const begun = await kill(fleet, random)
      await fleet.postgres.restart('SIGKILL')
      return begun
    },
  },
  {
    name: 'PostgreSQL is killed',
    lasts: [300, 5000],
    begin: async ({ postgres }) => {
      await postgres.end('SIGKILL')
      return { mend: () => postgres.begin() }
    },
  },
  {
    name: 'PostgreSQL is stopped',
    lasts: [300, 5000],
    begin: async ({ postgres }) => {
      await postgres.end()
      return { mend: () => postgres.begin() }
    },
  },
  {
    name: 'PostgreSQL is frozen',
    lasts: [500, 6000],
    begin: async ({ postgres }) => {
      postgres.hang()
      return { mend: () => postgres.resume() }
    },
  },
  {
    name: 'PostgreSQL cuts all connections',
    lasts: [100, 500],
    begin: async ({ postgres }) => {
      await postgres.cut()
      return { mend: () => {} }
    },
  },
  {
    name: "PostgreSQL's connections are used up",
    lasts: [500, 4000],
    begin: async ({ postgres }) => {
      await postgres.asks('ALTER ROLE card_prices CONNECTION LIMIT 0')
      await postgres.cut()
      return { mend: () => postgres.asks('ALTER ROLE card_prices CONNECTION LIMIT -1') }
    },
  },
  {
    name: 'PostgreSQL is read-only',
    lasts: [500, 4000],
    begin: async ({ postgres }) => {
      await postgres.asks('ALTER ROLE card_prices SET default_transaction_read_only = on')
      await postgres.cut()
      return {
        mend: async () => {
          await postgres.asks('ALTER ROLE card_prices RESET default_transaction_read_only')
          await postgres.cut()
        },
      }
    },
  },
  {
    name: 'PostgreSQL is emptied',
    lasts: [500, 2000],
    begin: async (fleet) => {
      await fleet.postgres.replace()
      return { mend: () => push(fleet) }
    },
  },
  {
    name: 'PostgreSQL is restored older',
    lasts: [500, 2000],
    begin: async (fleet, random) => {
      const dump = fleet.postgres.dump()
      const made = await mustChange(fleet, drawFrom(random, fleet.members), 'after the dump')
      await fleet.postgres.replace(dump)
      return { made, mend: () => push(fleet) }
    },
  },
  {
    name: 'PostgreSQL fails over to a synchronous standby',
    lasts: [300, 3000],
    begin: async (fleet, random) => {
      await fleet.addStandby()
      await fleet.postgres.waitForStandby()
      const made = await mustChange(fleet, drawFrom(random, fleet.members), 'before the failover')
      await fleet.postgres.end('SIGKILL')
      return { made, mend: () => fleet.failOver() }
    },
  },
  {
    name: 'PostgreSQL fails over to a standby that lacks changes',
    lasts: [500, 2000],
    begin: async (fleet, random) => {
      const standby = await fleet.addStandby()
      await standby.end()
      const made = await mustChange(fleet, drawFrom(random, fleet.members), 'what the standby lacks')
      await fleet.postgres.end('SIGKILL')
      await standby.begin()
      await fleet.failOver()
      return { made, mend: () => push(fleet) }
    },
  },
  {
    name: "PostgreSQL's disk is full",
    lasts: [500, 4000],
    begin: async ({ postgres, disk }) => {
      disk!.fill(0)
      await postgres.untilFull()
      return {
        mend: async () => {
          disk!.free()
          await postgres.restart('SIGKILL')
        },
      }
    },
  },
  {
    name: 'a pooler is put between, and killed',
    lasts: [500, 3000],
    begin: async (fleet, random) => {
      const pooler = await startPooler(fleet.postgres.port, 'session')
      fleet.lead(pooler.port)
      const made = await mustChange(fleet, drawFrom(random, fleet.members), 'by the pooler')
      return {
        made,
        mend: async () => {
          await pooler.stop('SIGKILL')
          fleet.lead(fleet.postgres.port)
        },
      }
    },
  },
  {
    name: 'the network to PostgreSQL is slow',
    lasts: [2000, 9000],
    begin: async ({ members }) => {
      for (const { line } of members) line.set('slow')
      return {
        mend: () => {
          for (const { line } of members) line.set('whole')
        },
      }
    },
  },
  ...(['unheard', 'unanswered'] as const).map(
    (state): Fault => ({
      name: `a server is ${state} by PostgreSQL`,
      lasts: [500, 9000],
      begin: async (fleet, random) => {
        const { line } = drawFrom(random, fleet.members)
        line.set(state)
        return { mend: () => line.set('whole') }
      },
    }),
  ),
  {
    name: 'HAProxy is restarted',
    lasts: [100, 1000],
    begin: async ({ balancer }) => {
      await balancer.stop()
      return { disturbed: true, mend: () => balancer.start() }
    },
  },
]

async function kill(fleet: Fleet, random: Random): Promise<Begun> {
  const killed = drawFrom(random, fleet.members)
  await fleet.endServer(killed, 'SIGKILL')
  return { killed, disturbed: true, mend: () => fleet.startServer(killed) }
}

async function freeze(fleet: Fleet, random: Random): Promise<Begun> {
  const { child } = drawFrom(random, fleet.members).service!
  child.kill('SIGSTOP')
  return { disturbed: true, mend: () => child.kill('SIGCONT') }
}

let made = 0

export interface MadeKey {
  /** Of its account. */
  readonly name: string
  readonly key: string
  readonly keyId: string
}

/** A change that has to succeed, if not at once. */
export async function mustChange(fleet: Fleet, member: Member, why: string): Promise<MadeKey> {
  let said = ''
  for (const end = performance.now() + changeMsMax; performance.now() < end; await pause(200)) {
    // Another one each time: what a command could not confirm may be stored.
    const name = `account ${made++}`
    const { code, stdout, stderr } = await fleet.accounts(member, 'create', name, '--plan', 'free', '--json')
    if (code === 0) return { ...JSON.parse(stdout), name }
    said = stderr
  }
  throw new Error(`${why}: no account could be made from machine ${member.number}: ${said}`)
}

/** As an operator does it: no change is taken, until the accounts of a server that knows all are pushed. */
async function push(fleet: Fleet): Promise<void> {
  const refused = await fleet.accounts(fleet.members[0]!, 'create', `refused ${made++}`, '--plan', 'free')
  assert.equal(refused.code, 1, `a database that lost changes took one: ${refused.stdout}`)
  const said: string[] = []
  const isPushed = async () => {
    for (const member of fleet.members) {
      const { code, stderr } = await fleet.accounts(member, 'push')
      if (code === 0) return true
      said.push(stderr)
    }
    return false
  }
  await until('a copy is pushed', isPushed, pushMsMax, () => said.slice(-3).join(' '))
}
