/** All accounts' requests, for bills: a line for each account and day that has any, as a table, CSV or JSON. */
import type { OthersUsage } from '../../accounts/fleet/others-usage.ts'
import { plansByDay } from '../../accounts/registry.ts'
import { dateOfDay } from '../../calendar.ts'
import { type PlanName, planNames } from '../../plans.ts'
import type { Account } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import { blockAccounts, blockOf, countsIn } from '../../store/usage-block.ts'
import { csvCell } from './csv.ts'

export interface ReportForm {
  readonly head: string
  readonly foot: string
  /** Two lines. */
  readonly between: string
  /** All of a line before its date. @param name of the account */
  readonly start: (name: string, plan: PlanName) => string
  /** The rest of it. */
  readonly end: (date: string, requests: number) => string
}

const columns = ['account', 'plan', 'date', 'requests'] as const

export const csvForm: ReportForm = {
  head: `${columns.join(',')}\n`,
  foot: '',
  between: '',
  start: (name, plan) => `${csvCell(name)},${plan},`,
  end: (date, requests) => `${date},${requests}\n`,
}

export const jsonForm: ReportForm = {
  head: '[',
  foot: ']\n',
  between: ',',
  start: (name, plan) => `{"account":${JSON.stringify(name)},"plan":"${plan}","date":"`,
  end: (date, requests) => `${date}","requests":${requests}}`,
}

const planChars = Math.max(...planNames.map((plan) => plan.length))
const dateChars = 'YYYY-MM-DD'.length
const requestsChars = 'REQUESTS'.length

/** Names are read once before, for the width of their column. */
export function tableForm(store: Store): ReportForm {
  let nameChars = 'ACCOUNT'.length
  for (const account of store.allAccounts()) nameChars = Math.max(nameChars, billedName(account).length)
  const start = (name: string, plan: string) => `${name.padEnd(nameChars)}  ${plan.padEnd(planChars)}  `
  return {
    head: `${start('ACCOUNT', 'PLAN')}${'DATE'.padEnd(dateChars)}  REQUESTS\n`,
    foot: '',
    between: '',
    start,
    end: (date, requests) => `${date}  ${String(requests).padStart(requestsChars)}\n`,
  }
}

/** One that was deleted may have given its name to another. */
const billedName = ({ name, deletedAt }: Account): string => (deletedAt === null ? name : `${name} (deleted)`)

/** Blocks that are asked for ahead of the one that is written: so many take 10 MB for all days of three servers. */
const blocksAhead = 8

/**
 * The report in pieces: by account in order of creation, then by date. Each piece is read in a transaction of its own, so
 * that a reader who takes long keeps no old pages of the store alive.
 * @param others what other servers answered, if any share the accounts
 */
export async function* usageReport(
  store: Store,
  first: number,
  last: number,
  form: ReportForm,
  others?: Pick<OthersUsage, 'ofBlock'>,
): AsyncGenerator<string> {
  yield form.head
  const dates = Array.from({ length: last - first + 1 }, (_, i) => dateOfDay(first + i))
  let before = ''
  const end = store.counter('nextAccount')
  const added = others && askedAhead(Math.ceil(end / blockAccounts), (block) => others.ofBlock(block, first, last))
  for (let number = 0; number < end; number += blockAccounts) {
    const ofOthers = await added?.next().value
    let piece = ''
    const own = dates.map((_, i) => countsIn(store.usageBlock(first + i, blockOf(number))))
    const counts = ofOthers === undefined ? own : own.map((block, i) => sumOf(block, ofOthers[i]))
    const planOn = plansByDay(store, number, number + blockAccounts)
    for (const account of store.accountsFrom(number, number + blockAccounts)) {
      const name = billedName(account)
      const place = account.number - number
      let plan: PlanName | undefined
      let start = ''
      for (let day = 0; day < counts.length; day++) {
        const requests = counts[day]![place] ?? 0
        if (requests === 0) continue
        const planThen = planOn(account, first + day)
        if (planThen !== plan) start = form.start(name, planThen)
        plan = planThen
        piece += before + start + form.end(dates[day]!, requests)
        before = form.between
      }
    }
    if (piece !== '') yield piece
  }
  yield form.foot
}

/** The answers for each block in turn; that for a later one is on its way while an earlier one is read. */
function* askedAhead<Answer>(blocks: number, ask: (block: number) => Promise<Answer>): Generator<Promise<Answer>> {
  const asked: Promise<Answer>[] = []
  for (let block = 0; block < blocks; block++) {
    while (asked.length < blocksAhead && block + asked.length < blocks) {
      const answer = ask(block + asked.length)
      // Whoever awaits it is told; until then nobody does.
      answer.catch(() => {})
      asked.push(answer)
    }
    yield asked.shift()!
  }
}

function sumOf(own: Uint32Array, others: Uint32Array | undefined): Uint32Array {
  if (others === undefined) return own
  for (let place = 0; place < own.length; place++) others[place]! += own[place]!
  return others
}
