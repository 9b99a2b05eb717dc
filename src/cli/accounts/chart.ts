/** Usage as a table with bars, for a terminal. */
import type { DayUsage } from '../../quota/usage.ts'
import { table } from '../table.ts'

const barChars = 40
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** One line a day, oldest first; days without requests between others are shown too, so that the shape is true. */
export function chart(days: readonly DayUsage[]): string {
  const most = Math.max(...days.map((day) => day.requests), 1)
  const lines = withGaps(days).map(({ date, requests }) => [date, String(requests), bar(requests / most)])
  const total = days.reduce((sum, day) => sum + day.requests, 0)
  return table([['DATE', 'REQUESTS', ''], ...lines, ['total', String(total), '']], {
    right: [1],
    firstCharsMin: 'YYYY-MM-DD'.length,
  })
}

function bar(share: number): string {
  const filled = Math.round(share * barChars * 8)
  // A day with any request at all has a mark.
  return '█'.repeat(filled >> 3) + eighths[share > 0 ? Math.max(filled & 7, filled < 8 ? 1 : 0) : 0]!
}

function withGaps(days: readonly DayUsage[]): DayUsage[] {
  const all: DayUsage[] = []
  for (const day of days) {
    const last = all.at(-1)
    for (let ms = last ? Date.parse(last.date) + 86_400_000 : Number.POSITIVE_INFINITY; ms < Date.parse(day.date); ) {
      all.push({ date: new Date(ms).toISOString().slice(0, 10), requests: 0 })
      ms += 86_400_000
    }
    all.push(day)
  }
  return all
}
