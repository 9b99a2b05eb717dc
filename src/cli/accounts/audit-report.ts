/** The audit log as a table, CSV or JSON, in parts, because it can be long. */
import type { AuditRow } from '../../store/records.ts'
import { csvCell } from './usage-report.ts'

type Form = 'table' | 'csv' | 'json'

const columns = ['time', 'actor', 'action', 'account', 'keyId', 'detail'] as const

export async function* auditReport(entries: Iterable<AuditRow>, form: Form): AsyncGenerator<string> {
  if (form === 'json') yield '['
  if (form === 'csv') yield `${columns.join(',')}\n`
  if (form === 'table') yield line(columns.map((name) => name.toUpperCase()).with(4, 'KEY ID'))
  let before = ''
  for (const entry of entries) {
    const time = new Date(entry.time).toISOString()
    const texts = [time, ...columns.slice(1).map((name) => String(entry[name] ?? ''))]
    if (form === 'json') yield before + JSON.stringify({ ...entry, time })
    if (form === 'csv') yield `${texts.map(csvCell).join(',')}\n`
    if (form === 'table') yield line(texts)
    before = ','
  }
  if (form === 'json') yield ']\n'
}

/** Fixed widths that fit most texts, so that the log is not read twice. */
const widths = ['YYYY-MM-DDTHH:MM:SS.sssZ'.length, 24, 'sign-in link created'.length, 20, 'key_0123456789'.length]

const line = (texts: readonly string[]): string =>
  `${texts
    .map((text, i) => text.padEnd(widths[i] ?? 0))
    .join('  ')
    .trimEnd()}\n`
