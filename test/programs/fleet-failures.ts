/** Failures of a fleet: each begins, lasts a while, and is mended as an operator or a machine would. */

import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { serverHeardMsMax } from '../../src/accounts/replication/timing.ts'
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
  /** Made just before: it must not get lost. */
  readonly made?: MadeKey
}

export interface Fault {
  readonly name: string
  /** In ms, at least and at most. */
  readonly lasts: readonly [number, number]
  begin(fleet: Fleet, random: Random): Promise<Begun>
}

/** Long enough for a store that was restarted to be believed, and for servers that were away. */
const pushMsMax = 20_000
const changeMsMax = 30_000

export const failures: readonly Fault[] = [
  { name: 'a server is killed', lasts: [300, 4000], begin: kill },
  { name: 'a server is frozen', lasts: [3500, 13_000], begin: freeze },
  {
    name: 'a server is frozen, and Redis restarted, so that nobody waits for it any more',
    lasts: [500, 3000],
    begin: async (fleet, random) => {
      const begun = await freeze(fleet, random)
      await crashRedis(fleet)
      await pause(serverHeardMsMax + 500)
      return begun
    },
  },
  {
    name: 'a server is killed, and Redis restarted, before it is back',
    lasts: [500, 3000],
    begin: async (fleet, random) => {
      const begun = await kill(fleet, random)
      await crashRedis(fleet)
      return begun
    },
  },
  {
    name: 'Redis is killed',
    lasts: [300, 5000],
    begin: async ({ redis }) => {
      await redis.program.stop('SIGKILL')
      return { mend: () => redis.start() }
    },
  },
  {
    name: 'Redis is frozen',
    lasts: [500, 6000],
    begin: async ({ redis }) => {
      redis.program.freeze()
      return { mend: () => redis.program.thaw() }
    },
  },
  {
    name: 'Redis is emptied',
    lasts: [500, 2000],
    begin: async (fleet) => {
      await fleet.redis.empty()
      return { mend: () => push(fleet) }
    },
  },
  {
    name: 'Redis loses its disk',
    lasts: [500, 2000],
    begin: async (fleet) => {
      await fleet.redis.restartFrom()
      return { mend: () => push(fleet) }
    },
  },
  {
    name: 'Redis is restored older',
    lasts: [500, 2000],
    begin: async (fleet, random) => {
      const copy = fleet.redis.copy()
      const made = await mustChange(fleet, drawFrom(random, fleet.members), 'after the copy')
      await fleet.redis.restartFrom(copy)
      return { made, mend: () => push(fleet) }
    },
  },
  ...(['unheard', 'unanswered'] as const).map(
    (state): Fault => ({
      name: `a server is ${state} by Redis`,
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

async function crashRedis({ redis }: Fleet): Promise<void> {
  await redis.program.stop('SIGKILL')
  await redis.start()
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
  assert.equal(refused.code, 1, `a store that lost changes took one: ${refused.stdout}`)
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
