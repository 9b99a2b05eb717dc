/** A table of usage with bars, for a terminal. */
import type { DayPlan } from '../../accounts/registry.ts'
import { dateOfDay, dayOfDate } from '../../calendar.ts'
import { table } from '../../command/table.ts'
import type { DayUsage } from '../../quota/usage.ts'

const barChars = 40
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

interface DayOnPlan extends DayUsage, DayPlan {}

/** One line a day, oldest first, including days without requests between others. */
export function chart(days: readonly DayOnPlan[]): string {
  const most = Math.max(...days.map((day) => day.requests), 1)
  const lines = withGaps(days).map(({ date, requests, plan, planChangedTo }) => [
    ...[date, String(requests), bar(requests / most)],
    planChangedTo === undefined ? plan : `${plan}, then ${planChangedTo}`,
  ])
  const total = days.reduce((sum, day) => sum + day.requests, 0)
  return table([['DATE', 'REQUESTS', '', 'PLAN'], ...lines, ['total', String(total), '', '']], {
    right: [1],
    firstCharsMin: 'YYYY-MM-DD'.length,
  })
}

function bar(share: number): string {
  const filled = Math.round(share * barChars * 8)
  // A day with any requests shows at least the smallest bar.
  return '█'.repeat(filled >> 3) + eighths[share > 0 ? Math.max(filled & 7, filled < 8 ? 1 : 0) : 0]!
}

function withGaps(days: readonly DayOnPlan[]): DayOnPlan[] {
  const all: DayOnPlan[] = []
  for (const day of days) {
    const last = all.at(-1)
    const next = last === undefined ? Number.POSITIVE_INFINITY : dayOfDate(last.date) + 1
    for (let gap = next; gap < dayOfDate(day.date); gap++) {
      all.push({ date: dateOfDay(gap), requests: 0, plan: last!.planChangedTo ?? last!.plan })
    }
    all.push(day)
  }
  return all
}
