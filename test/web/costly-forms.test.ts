/**
 * Searches for the forms of the pages that cost most, as strangers, as accounts and as the operator. It begins with
 * drawn forms, keeps the dearest, and changes them. FUZZ_STEPS and FUZZ_SEED change the search.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createAccount, createKey } from '../../src/accounts/registry.ts'
import { noReplication } from '../../src/accounts/replication/replication.ts'
import { reserveAccounts } from '../../src/accounts/shared.ts'
import { OperatorSignIns, startSession } from '../../src/accounts/sign-ins.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { lookUpWindowMs } from '../../src/limits.ts'
import { Store } from '../../src/store/store.ts'
import { addDesk } from '../../src/web/operator/desk.ts'
import { DoctorRuns } from '../../src/web/operator/doctor-runs.ts'
import { RequestHours, reserveRequestHours } from '../../src/web/operator/request-hours.ts'
import { CurrentData } from '../../src/web/site.ts'
import { type Cost, CostlyForms } from '../fuzz/costly-forms.ts'
import { costSettings } from '../fuzz/costs.ts'
import { amount } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'
import { drawBelow, randomFrom } from '../support/random.ts'
import { unitMs } from '../support/relative-cost.ts'
import { fixtureIndex } from '../support/sample.ts'
import { appOf } from './service-here.ts'

/** What a form may cost at a stretch and in all, in units of `unitMs`: 10 ms and 100 ms on a quiet machine. */
const stretchUnitsMax = 4.5
const allUnitsMax = 45
const kept = 12
/** What a search may leave in memory. */
const bytesLeftMax = 100 * 2 ** 20

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function bytesHeld(): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const people = ['a stranger', 'an account', 'the operator'] as const

describe('The dearest forms', () => {
  const store = new Store(temporaryFolder())
  const data = new CurrentData()
  const random = randomFrom(costSettings(0).seed)
  const signIns = new OperatorSignIns(store, noReplication())
  let now = Date.now()
  let indexDir = ''
  let places: Readonly<Record<string, string>> = {}
  before(async () => {
    indexDir = await fixtureIndex()
    data.show(await loadVersion(indexDir, readFileSync(join(indexDir, 'current'), 'utf8').trim()), 0)
    const { keyId } = createAccount(store, 'acme', 'business', now)
    // The operator's forms suspend another account than the one that is signed in.
    const other = createAccount(store, 'other', 'free', now)
    createKey(store, 'other', { name: 'second', expiresAt: null }, now)
    places = { keyId, number: `${store.accountNumber(other.account)}`, token: 'x'.repeat(43), version: 'none' }
  })
  after(() => store.close())

  async function cookieOf(who: (typeof people)[number]): Promise<Record<string, string>> {
    if (who === 'a stranger') return {}
    if (who === 'an account') return { Cookie: `cpl_session=${store.change(() => startSession(store, 0, now))}` }
    const { token } = await signIns.makeLink(now)
    return { Cookie: `cpl_operator=${((await signIns.useLink(token, now)) as { session: string }).session}` }
  }

  for (const who of people) {
    it(`The dearest forms of ${who} leave the pages' thread to others, and end when their senders leave`, {
      timeout: 3_600_000,
    }, async (t) => {
      // Each look-up of a stranger is in a window of its own.
      const clock = () => {
        if (who === 'a stranger') now += 2 * lookUpWindowMs
        return now
      }
      const desk = {
        signIns,
        indexDir,
        isDownloading: false,
        addPages: addDesk,
        requests: new RequestHours(reserveRequestHours(), []),
        doctor: new DoctorRuns(),
      }
      const accounts = reserveAccounts(store.dir, false)
      const app = appOf(store, { accounts, url: 'http://127.0.0.1:1', data, clock, desk })
      const paths = app.routes
        .filter(({ method }) => method === 'POST')
        .map(({ path }) => path.replaceAll(/:(\w+)/g, (_, name: string) => places[name]!))
      const headers = await cookieOf(who)
      const forms = new CostlyForms(random, app, [...new Set(paths)], headers)
      const heldBefore = bytesHeld()
      const unit = unitMs()
      const dearest: Cost[] = []
      const steps = costSettings(amount(60, 2000)).steps / people.length
      for (let step = 0; step < steps; step++) {
        // The form before may have signed out.
        Object.assign(headers, await cookieOf(who))
        const isNew = dearest.length < kept || drawBelow(random, 4) === 0
        const form = isNew ? forms.drawn() : forms.changed(dearest[drawBelow(random, dearest.length)]!.form)
        let [cost, scale] = [await forms.costOf(form), unit]
        for (let again = 0; again < 8 && isOver(cost, scale); again++) {
          // Other processes may slow the machine down since.
          scale = Math.max(scale, unitMs())
          cost = leastOf(cost, await forms.costOf(form))
        }
        assert.ok(!isOver(cost, scale), `step ${step}, ${scale.toFixed(1)} ms a unit: ${JSON.stringify(cost)}`)
        dearest.push(cost)
        dearest.sort((a, b) => b.stretch + b.all / 10 - (a.stretch + a.all / 10))
        dearest.length = Math.min(dearest.length, kept)
      }
      const left = bytesHeld() - heldBefore
      assert.ok(left < bytesLeftMax, `${left} bytes are still held`)
      const most = (name: 'stretch' | 'all', costs = dearest) =>
        Math.max(0, ...costs.map((cost) => cost[name])).toFixed(1)
      const unvalued = dearest.filter((cost) => !isValued(cost))
      t.diagnostic(
        `${Math.ceil(steps)} forms: ${most('stretch')} ms at a stretch, ${most('all')} ms in all, ${most('all', unvalued)} without values; ${unit.toFixed(1)} ms a unit; ${(left / 2 ** 20).toFixed(0)} MB held`,
      )
    })
  }
})

/** What else the thread does, such as collecting garbage, comes on top. */
const leastOf = (one: Cost, other: Cost): Cost => ({
  ...other,
  stretch: Math.min(one.stretch, other.stretch),
  all: Math.min(one.all, other.all),
  afterLeaving: Math.min(one.afterLeaving, other.afterLeaving),
})

/** A list whose lines are valued may cost more in all. */
const isValued = ({ status, form }: Cost): boolean => form.path.includes('/value') && status === 200

function isOver(cost: Cost, unit: number): boolean {
  const { stretch, all, afterLeaving } = cost
  if (stretch > stretchUnitsMax * unit || afterLeaving > stretchUnitsMax * unit) return true
  return all > allUnitsMax * unit && !isValued(cost)
}
