/** The usage of all accounts, for bills: a line for each account and day with requests, as a table, CSV or JSON. */
import type { OthersUsage } from '../../accounts/fleet/others-usage.ts'
import { plansByDay } from '../../accounts/registry.ts'
import { dateOfDay } from '../../calendar.ts'
import { type PlanName, planNames } from '../../plans.ts'
import type { Account } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import { blockAccounts, blockOf, countsIn } from '../../store/usage-block.ts'

interface ReportForm {
  readonly head: string
  readonly foot: string
  /** Between two lines. */
  readonly between: string
  /** The part of a line before its date. @param name of the account */
  readonly start: (name: string, plan: PlanName) => string
  /** The part from the date on. @param changedTo the plan on which the day ended, if that is another one */
  readonly end: (date: string, requests: number, changedTo?: PlanName) => string
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
  end: (date, requests, changedTo) =>
    `${date}","requests":${requests}${changedTo === undefined ? '' : `,"planChangedTo":"${changedTo}"`}}`,
}

const planChars = Math.max(...planNames.map((plan) => plan.length))
const dateChars = 'YYYY-MM-DD'.length
const requestsChars = 'REQUESTS'.length

/** Reads all names first, for the width of their column. */
export function tableForm(store: Store): ReportForm {
  let nameChars = 'ACCOUNT'.length
  for (const account of store.allAccounts()) nameChars = Math.max(nameChars, billedName(account).length)
  const start = (name: string, plan: string) => `${name.padEnd(nameChars)}  ${plan.padEnd(planChars)}  `
  return {
    head: `${start('ACCOUNT', 'PLAN')}${'DATE'.padEnd(dateChars)}  REQUESTS\n`,
    foot: '',
    between: '',
    start,
    end: (date, requests, changedTo) =>
      `${date}  ${String(requests).padStart(requestsChars)}${changedTo === undefined ? '' : `  then ${changedTo}`}\n`,
  }
}

/** A deleted account is marked, because another account may have its name. */
const billedName = ({ name, deletedAt }: Account): string => (deletedAt === null ? name : `${name} (deleted)`)

/** Blocks requested ahead: this many take 10 MB for all days of three servers. */
const blocksAhead = 8

/**
 * The report in parts: by account in order of creation, then by date. Each part is read in its own transaction, so a slow reader does
 * not make the WAL grow.
 * @param others the requests of other servers, if they share the accounts
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
  const added = others && requestedAhead(Math.ceil(end / blockAccounts), (block) => others.ofBlock(block, first, last))
  for (let number = 0; number < end; number += blockAccounts) {
    const ofOthers = await added?.next().value
    let part = ''
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
        const { plan: planThen, planChangedTo } = planOn(account, first + day)
        if (planThen !== plan) start = form.start(name, planThen)
        plan = planThen
        part += before + start + form.end(dates[day]!, requests, planChangedTo)
        before = form.between
      }
    }
    if (part !== '') yield part
  }
  yield form.foot
}

/** Yields the answers for each block in turn, and requests later ones meanwhile. */
function* requestedAhead<Answer>(
  blocks: number,
  request: (block: number) => Promise<Answer>,
): Generator<Promise<Answer>> {
  const requested: Promise<Answer>[] = []
  for (let block = 0; block < blocks; block++) {
    while (requested.length < blocksAhead && block + requested.length < blocks) {
      const answer = request(block + requested.length)
      // It is awaited later, which reports a rejection.
      answer.catch(() => {})
      requested.push(answer)
    }
    yield requested.shift()!
  }
}

function sumOf(own: Uint32Array, others: Uint32Array | undefined): Uint32Array {
  if (others === undefined) return own
  for (let place = 0; place < own.length; place++) others[place]! += own[place]!
  return others
}

/** A spreadsheet would evaluate such a cell. */
const formula = /^[=+\-@\t\r＝＋－＠]/

/** A cell of a CSV file: quoted if needed (RFC 4180). An apostrophe turns a formula into text. */
export function csvCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text
  return /[",\n\r]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
