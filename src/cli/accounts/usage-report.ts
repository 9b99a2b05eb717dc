/** All accounts' requests, for bills: a line for each account and day that has any, as a table, CSV or JSON. */
import { dateOfDay } from '../../calendar.ts'
import { planNames } from '../../plans.ts'
import type { Account } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import { blockAccounts, blockOf, countsIn } from '../../store/usage-table.ts'

export interface ReportForm {
  readonly head: string
  readonly foot: string
  /** Two lines. */
  readonly between: string
  /** All of a line before its date. */
  readonly start: (account: Account) => string
  /** The rest of it. */
  readonly end: (date: string, requests: number) => string
}

const columns = ['account', 'plan', 'date', 'requests'] as const

export const csvForm: ReportForm = {
  head: `${columns.join(',')}\n`,
  foot: '',
  between: '',
  start: ({ name, plan }) => `${csvCell(name)},${plan},`,
  end: (date, requests) => `${date},${requests}\n`,
}

export const jsonForm: ReportForm = {
  head: '[',
  foot: ']\n',
  between: ',',
  start: ({ name, plan }) => `{"account":${JSON.stringify(name)},"plan":"${plan}","date":"`,
  end: (date, requests) => `${date}","requests":${requests}}`,
}

const planChars = Math.max(...planNames.map((plan) => plan.length))
const dateChars = 'YYYY-MM-DD'.length
const requestsChars = 'REQUESTS'.length

/** Names are read once before, for the width of their column. */
export function tableForm(store: Store): ReportForm {
  let nameChars = 'ACCOUNT'.length
  for (const { name } of store.allAccounts()) nameChars = Math.max(nameChars, name.length)
  const start = (name: string, plan: string) => `${name.padEnd(nameChars)}  ${plan.padEnd(planChars)}  `
  return {
    head: `${start('ACCOUNT', 'PLAN')}${'DATE'.padEnd(dateChars)}  REQUESTS\n`,
    foot: '',
    between: '',
    start: ({ name, plan }) => start(name, plan),
    end: (date, requests) => `${date}  ${String(requests).padStart(requestsChars)}\n`,
  }
}

/**
 * The report in pieces: by account in order of creation, then by date. Each piece is read in a transaction of its own, so
 * that a reader who takes long keeps no old pages of the store alive.
 */
export function* usageReport(store: Store, first: number, last: number, form: ReportForm): Generator<string> {
  yield form.head
  const dates = Array.from({ length: last - first + 1 }, (_, i) => dateOfDay(first + i))
  let before = ''
  const end = store.counter('nextAccount')
  for (let number = 0; number < end; number += blockAccounts) {
    store.refresh()
    let piece = ''
    const counts = dates.map((_, i) => countsIn(store.usageBlock(first + i, blockOf(number))))
    for (const account of store.accountsFrom(number, number + blockAccounts)) {
      const start = form.start(account)
      const place = account.number - number
      for (let day = 0; day < counts.length; day++) {
        const requests = counts[day]![place] ?? 0
        if (requests === 0) continue
        piece += before + start + form.end(dates[day]!, requests)
        before = form.between
      }
    }
    if (piece !== '') yield piece
  }
  yield form.foot
}

/** Such a cell is a formula to a spreadsheet, whoever named the account. */
const formula = /^[=+\-@\t\r＝＋－＠]/

/** Quoted if it must be (RFC 4180). One that a spreadsheet would compute begins with an apostrophe, which makes it text. */
function csvCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text
  return /[",\n\r]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
