/** Failures of a fleet: each begins, lasts a while, and is mended as an operator or a machine would. */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { serverHeardMsMax } from '../../../src/limits.ts'
import { drawFrom, type Random } from '../random.ts'
import { until } from '../until.ts'
import type { Fleet, Member } from './fleet.ts'

export interface Begun {
  /** Returns when all that belongs to the fleet runs again. */
  mend(): Promise<void>
  /** The server that was killed, if one was. */
  readonly killed?: Member
  /** Servers that may have answered somebody who was not there any more. */
  readonly disturbed?: boolean
}

export interface Fault {
  readonly name: string
  /** In ms, at least and at most. */
  readonly lasts: readonly [number, number]
  begin(fleet: Fleet, random: Random): Promise<Begun>
}

const slowBytesPerSecond = 60_000
const cutBytes = 3000
/** Long enough for a store that was restarted to be believed, and for servers that were away. */
const pushMsMax = 20_000
const changeMsMax = 30_000

export const failures: readonly Fault[] = [
  {
    name: 'a server is killed',
    lasts: [300, 4000],
    begin: async (fleet, random) => {
      const killed = drawFrom(random, fleet.members)
      await fleet.endServer(killed, 'SIGKILL')
      return { killed, disturbed: true, mend: () => fleet.startServer(killed) }
    },
  },
  {
    name: 'a server is frozen',
    lasts: [3500, 13_000],
    begin: async (fleet, random) => {
      const { child } = drawFrom(random, fleet.members).service!
      child.kill('SIGSTOP')
      return {
        disturbed: true,
        mend: async () => {
          child.kill('SIGCONT')
        },
      }
    },
  },
  {
    name: 'Redis is killed',
    lasts: [300, 5000],
    begin: async ({ redis }) => {
      await redis.program.end('SIGKILL')
      return { mend: () => redis.start() }
    },
  },
  {
    name: 'Redis is frozen',
    lasts: [500, 6000],
    begin: async ({ redis }) => {
      redis.program.freeze()
      return {
        mend: async () => {
          redis.program.thaw()
        },
      }
    },
  },
  {
    name: 'Redis is emptied',
    lasts: [500, 2000],
    begin: async (fleet) => {
      await fleet.redis.asked((redis) => redis.flushall())
      return { mend: () => push(fleet) }
    },
  },
  {
    name: 'Redis loses its disk',
    lasts: [500, 2000],
    begin: async (fleet) => {
      await fleet.redis.program.end('SIGKILL')
      fleet.redis.putBack()
      await fleet.redis.start()
      return { mend: () => push(fleet) }
    },
  },
  {
    name: 'Redis is restored older',
    lasts: [500, 2000],
    begin: async (fleet, random) => {
      const copy = fleet.redis.copy()
      await mustChange(fleet, drawFrom(random, fleet.members), 'after the copy')
      await fleet.redis.program.end('SIGKILL')
      fleet.redis.putBack(copy)
      await fleet.redis.start()
      return { mend: () => push(fleet) }
    },
  },
  ...(['unheard', 'unanswered'] as const).map(
    (state): Fault => ({
      name: `a server is ${state} by Redis`,
      lasts: [500, 9000],
      begin: async (fleet, random) => {
        const { line } = drawFrom(random, fleet.members)
        line.set(state)
        return { mend: async () => line.set('whole') }
      },
    }),
  ),
  {
    name: 'HAProxy is restarted',
    lasts: [100, 1000],
    begin: async ({ balancer }) => {
      await balancer.program.end('SIGTERM')
      return { disturbed: true, mend: () => balancer.program.start() }
    },
  },
  {
    name: 'a version is published while another is fetched',
    lasts: [1000, 2000],
    begin: async (fleet, random) => {
      fleet.files.fault = { type: 'slow', bytesPerSecond: slowBytesPerSecond }
      publishAnother(fleet, random)
      return {
        mend: async () => {
          publishAnother(fleet, random)
          await pause(500)
          fleet.files.fault = { type: 'none' }
        },
      }
    },
  },
  {
    name: 'files come slowly',
    lasts: [1000, 5000],
    begin: async (fleet, random) => {
      fleet.files.fault = { type: 'slow', bytesPerSecond: slowBytesPerSecond }
      publishAnother(fleet, random)
      return { mend: async () => whole(fleet) }
    },
  },
  {
    name: 'files break off',
    lasts: [1000, 6000],
    begin: async (fleet, random) => {
      fleet.files.fault = { type: 'cut', bytes: cutBytes }
      publishAnother(fleet, random)
      return { mend: async () => whole(fleet) }
    },
  },
  {
    name: 'an old current is served',
    lasts: [1000, 6000],
    begin: async (fleet, random) => {
      fleet.files.fault = { type: 'old', current: `${fleet.current}\n` }
      publishAnother(fleet, random)
      return { mend: async () => whole(fleet) }
    },
  },
  {
    name: 'a server is frozen, and Redis restarted, so that nobody waits for it any more',
    lasts: [500, 3000],
    begin: async (fleet, random) => {
      const { child } = drawFrom(random, fleet.members).service!
      child.kill('SIGSTOP')
      await fleet.redis.program.end('SIGKILL')
      await fleet.redis.start()
      await pause(serverHeardMsMax + 500)
      return {
        disturbed: true,
        mend: async () => {
          child.kill('SIGCONT')
        },
      }
    },
  },
  {
    name: 'a server is killed, and Redis restarted, before it is back',
    lasts: [500, 3000],
    begin: async (fleet, random) => {
      const killed = drawFrom(random, fleet.members)
      await fleet.endServer(killed, 'SIGKILL')
      await fleet.redis.program.end('SIGKILL')
      await fleet.redis.start()
      return { killed, disturbed: true, mend: () => fleet.startServer(killed) }
    },
  },
]

function whole(fleet: Fleet): void {
  fleet.files.fault = { type: 'none' }
}

const publishAnother = (fleet: Fleet, random: Random): void =>
  fleet.publish(
    drawFrom(
      random,
      fleet.versions.filter((version) => version !== fleet.current),
    ),
  )

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
  await until(
    'a copy is pushed',
    async () => {
      for (const member of fleet.members) {
        const { code, stderr } = await fleet.accounts(member, 'push')
        if (code === 0) return true
        said.push(stderr)
      }
      return false
    },
    pushMsMax,
  ).catch((error: Error) => {
    throw new Error(`${error.message}: ${said.slice(-3).join(' ')}`)
  })
}
