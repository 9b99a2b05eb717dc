/** Measures each step of a request without HTTP: tinybench runs the server's own modules. */

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import pino from 'pino'
import { Bench as TinyBench } from 'tinybench'
import { AccountsHost } from '../../src/accounts/accounts-host.ts'
import { Authenticator } from '../../src/accounts/authenticator.ts'
import { openDataset } from '../../src/api/dataset.ts'
import { searchLimitDefault } from '../../src/api/parameters.ts'
import { drawBelow, drawFrom, randomFrom } from '../../test/support/random.ts'
import type { Bench } from '../harness/bench.ts'
import { fixed, whole } from '../harness/report.ts'
import { distinctQueries } from '../http/queries.ts'

/** The calls in one sample of tinybench, because a single call is too short for its clock. */
const callsPerSample = 1000
const seed = 42

interface Step {
  readonly name: string
  /** Does the step for the i-th time. Its results are hashed, so that a wrong step is noticed. */
  readonly run: (i: number) => number | Uint8Array
}

export async function measureInProcess({ subject, report, seconds }: Bench): Promise<void> {
  report.heading('In process')
  const log = pino({ level: 'silent' })
  const host = await AccountsHost.open({ storeDir: subject.storeDir, log })
  const authenticator = new Authenticator(host.shared)
  try {
    const steps = await stepsOf(subject, authenticator)
    const tiny = new TinyBench({ time: (seconds * 1000) / 3, warmupTime: 300 })
    for (const { name, run } of steps) {
      let i = 0
      tiny.add(name, () => {
        for (const end = i + callsPerSample; i < end; i++) consumed += sizeOf(run(i))
      })
    }
    await tiny.run()
    assert(consumed > 0)
    const rows = tiny.tasks.map((task, index) => {
      if (task.result.state !== 'completed') throw new Error(`${task.name}: ${task.result.state}`)
      const { p50, p99 } = task.result.latency
      const nanos = [p50, p99].map((ms) => (ms * 1e6) / callsPerSample)
      const [half, most] = nanos as [number, number]
      return [task.name, fixed(half, 0), fixed(most, 0), whole(1e9 / half), hashOf(steps[index]!)]
    })
    report.table(['step', 'ns, p50', 'ns, p99', 'a second', 'answers'], rows)
  } finally {
    await authenticator.close()
    await host.close()
  }
}

/** A sum over all results. It is read at the end, because V8 may optimise unused results away. */
let consumed = 0
const sizeOf = (result: number | Uint8Array) => (typeof result === 'number' ? result : result.length)

function hashOf({ run }: Step): string {
  const hash = createHash('sha256')
  for (let i = 0; i < callsPerSample; i++) {
    const result = run(i)
    hash.update(typeof result === 'number' ? String(Math.sign(result)) : result)
  }
  return hash.digest('hex').slice(0, 16)
}

async function stepsOf({ version, ids, names, keys }: Bench['subject'], authenticator: Authenticator): Promise<Step[]> {
  const { catalog, search, history } = await openDataset(version)
  const random = randomFrom(seed)
  const many = 1 << 16
  const last = many - 1
  const cards = Array.from({ length: many }, () => drawBelow(random, ids.length))
  const cardIds = cards.map((card) => ids[card]!)
  const cardKeys = cards.map(() => drawFrom(random, keys))
  const accesses = keys.map((key) => authenticator.identify(key)!)
  const queries = distinctQueries(random, names, many)
  const all = { game: -1, set: undefined, rarity: undefined }
  const historyOf = (i: number, period: string, days: number) =>
    history.body(cards[i & last]!, cardIds[i & last]!, `"period":"${period}"`, days)
  return [
    { name: 'key check', run: (i) => authenticator.identify(cardKeys[i & last]!)!.limit },
    // Each request is refunded, because at this rate it would soon use up the quota.
    { name: 'count, and take it back', run: (i) => countOne(authenticator, accesses[i % accesses.length]!) },
    { name: 'look-up of an id', run: (i) => 1 + catalog.find(cardIds[i & last]!) },
    { name: 'body of card details', run: (i) => catalog.details(cards[i & last]!) },
    {
      name: 'search, a new query',
      run: (i) => 1 + search.find(queries[i % queries.length]!, all, { limit: searchLimitDefault, offset: 0 }).total,
    },
    {
      name: 'search and its page',
      run: (i) =>
        catalog.cardsPage(
          search.find(queries[i % queries.length]!, all, { limit: searchLimitDefault, offset: 0 }),
          'summary',
          searchLimitDefault,
          0,
        ),
    },
    { name: 'body of 30 days of history', run: (i) => historyOf(i, '30d', 30) },
    { name: 'body of a year of history', run: (i) => historyOf(i, '1y', 365) },
  ]
}

function countOne(authenticator: Authenticator, access: Parameters<Authenticator['take']>[0]): number {
  const now = Date.now()
  const left = authenticator.take(access, now)
  authenticator.refund(access, authenticator.resetAt(now))
  return left
}
