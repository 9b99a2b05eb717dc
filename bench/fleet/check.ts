/** The model held against three real servers and a real Redis: the same requests at the same times, a server killed meanwhile. */
import { fixed, type Report, whole } from '../harness/report.ts'
import { leaseFieldUs, leaseQuestionUs } from './costs.ts'
import { questionCosts } from './question-costs.ts'
import { asked } from './real-servers.ts'
import { type Kind, limitsOf, modelled, type Outcome, scheduleOf } from './schedule.ts'

/** Small quotas that are used up, large ones in use, and many accounts that ask now and then. */
const kinds: readonly Kind[] = [
  { accounts: 5, plan: 'free', perSecond: 15 },
  { accounts: 40, plan: 'free', perSecond: 0.5 },
  { accounts: 3, plan: 'trader', perSecond: 40 },
]
const servers = 3
const seconds = 24
const deathAt = 9000
/** Leases that are not used are given back within it. */
const moreMs = 2000
const questionMs = 1
/** On their way to a server that is killed. */
const failedMax = 10

/** The model's tolerance: a share, and some more where there is little. */
const bounds = {
  questions: { share: 0.1, more: 20 },
  accountsQuestions: { share: 0.15, more: 20 },
  letIn: { share: 0.02, more: 10 },
  refused: { share: 0.1, more: 20 },
} as const

export interface Checked {
  readonly name: keyof typeof bounds
  readonly model: number
  readonly real: number
  readonly isRight: boolean
}

/** Throws if requests failed but those that were on their way to the killed server, or if a quota was passed. */
export async function compare(seed: number): Promise<{ checked: Checked[]; latestMs: number }> {
  const schedule = scheduleOf(seed, kinds, servers, seconds, deathAt)
  const real = await asked(schedule, moreMs)
  if (real.failed > failedMax) throw new Error(`${real.failed} requests failed`)
  limitsOf(schedule).forEach((limit, account) => {
    if (real.letIn[account]! > limit)
      throw new Error(`account ${account}: ${real.letIn[account]} of ${limit} were let in`)
  })
  const model = modelled(schedule, questionMs, seconds * 1000 + moreMs)
  const figures = ({ letIn, refused, ...asked }: Outcome) => ({ ...asked, letIn: sum(letIn), refused: sum(refused) })
  const [reported, found] = [figures(model), figures(real)]
  const names = Object.keys(bounds) as (keyof typeof bounds)[]
  const checked = names.map((name) => {
    const { share, more } = bounds[name]
    const isRight = Math.abs(reported[name] - found[name]) <= share * found[name] + more
    return { name, model: reported[name], real: found[name], isRight }
  })
  return { checked, latestMs: real.latestMs }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

export async function checkAgainstServers(report: Report, seed: number): Promise<boolean> {
  const { checked, latestMs } = await compare(seed)
  report.text(`${servers} servers, ${seconds} s, one of them killed after ${deathAt / 1000} s; seed ${seed}.`)
  report.table(
    ['', 'model', 'servers', 'off by', 'may be'],
    checked.map(({ name, model, real, isRight }) => {
      const { share, more } = bounds[name]
      const off = `${fixed((100 * (model - real)) / real, 1)} %${isRight ? '' : ' WRONG'}`
      return [name, whole(model), whole(real), off, `${100 * share} % and ${more}`]
    }),
  )
  report.text(`The latest request was sent ${whole(latestMs)} ms late.`)
  const costs = await questionCosts()
  report.table(
    ['servers in the hash', 'of the quota store, µs', 'the model has'],
    costs.map(({ fields, us }) => [whole(fields), whole(us), whole(leaseQuestionUs + fields * leaseFieldUs)]),
  )
  return checked.every(({ isRight }) => isRight)
}
