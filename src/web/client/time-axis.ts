/** The days that stand under a chart: few, at even steps, written as the reader does. */
import type uPlotClass from 'uplot'

const daySeconds = 86_400
/** The width of a label with the space around it. */
const labelPx = 72
const daySteps = [1, 2, 7, 14]
const monthSteps = [1, 2, 3, 6, 12, 24, 60]

const dayOfMonth = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const month = new Intl.DateTimeFormat(undefined, { month: 'short', timeZone: 'UTC' })
const year = new Intl.DateTimeFormat(undefined, { year: 'numeric', timeZone: 'UTC' })

/** Back from the last day by days or weeks; where those would be too many, the first days of months. Seconds since 1970. */
function splits({ data, width }: uPlotClass, _axis: number, from: number, to: number): number[] {
  const last = data[0].at(-1) ?? to
  const most = Math.max(Math.floor(width / labelPx), 2)
  const days = (to - from) / daySeconds
  const step = daySteps.find((each) => days / each <= most)
  if (step === undefined) return firstsOfMonths(from, to, monthSteps.find((each) => days / 30 / each <= most) ?? 120)
  const count = Math.floor((last - from) / daySeconds / step) + 1
  return Array.from({ length: count }, (_, i) => last - (count - 1 - i) * step * daySeconds)
}

/** Those of every so many months, January among them. */
function firstsOfMonths(from: number, to: number, step: number): number[] {
  const start = new Date(from * 1000)
  const months = start.getUTCFullYear() * 12 + start.getUTCMonth()
  const found: number[] = []
  for (let at = Math.ceil(months / step) * step; ; at += step) {
    const seconds = Date.UTC(Math.floor(at / 12), at % 12) / 1000
    if (seconds > to) return found
    if (seconds >= from) found.push(seconds)
  }
}

/** Months tell their year where it begins, and at first. */
function values(_chart: uPlotClass, days: readonly number[]): string[] {
  const areMonths = days.length > 1 && days[1]! - days[0]! > 20 * daySeconds
  return days.map((seconds, i) => {
    const date = new Date(seconds * 1000)
    if (!areMonths) return dayOfMonth.format(date)
    return i === 0 || date.getUTCMonth() === 0 ? `${month.format(date)}\n${year.format(date)}` : month.format(date)
  })
}

export const timeAxis = { splits, values }
