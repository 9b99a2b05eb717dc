/** How long answers take as the rate grows, one panel for each percentile. */
import type { RateResult, Results } from '../harness/results.ts'
import { type Picture, panelTitle } from './draw.ts'
import { type LineEnd, placeLabels } from './labels.ts'
import { roughly } from './numbers.ts'
import type { Theme } from './theme.ts'

const panels = [
  ['p50', 'half of all answers within'],
  ['p99', '99 of 100 within'],
  ['p999', '999 of 1,000 within'],
  ['max', 'the worst'],
] as const
type Part = (typeof panels)[number][0]

const width = 318
const height = 210
const names: Readonly<Record<string, string>> = { service: 'this service' }

export function ratesPicture({ rates }: Results, theme: Theme): Picture | undefined {
  if (rates === undefined || rates.length === 0) return undefined
  return {
    title: {
      text: findingOf(rates),
      subtitle: "Card details against requests a second, from a tenth to 95 % of each server's highest rate; open loop",
    },
    concat: panels.map(([part, title]) => panelOf(part, title, rates, theme)),
    columns: 2,
    spacing: 26,
  } as Picture
}

function panelOf(part: Part, title: string, rates: readonly RateResult[], theme: Theme) {
  const points = rates.map(({ server, rate, latencyUs }) => ({
    server: names[server] ?? server,
    rate,
    ms: Math.max(latencyUs[part], 1) / 1000,
  }))
  const most = Math.max(...points.map(({ rate }) => rate)) * 1.04
  // Room for labels above.
  const [low, high] = [
    Math.min(...points.map(({ ms }) => ms)) * 0.8,
    Math.max(...points.map(({ ms }) => ms)) * 3,
  ] as const
  const x = {
    field: 'rate',
    type: 'quantitative',
    scale: { domain: [0, most], nice: false },
    axis: { title: null, tickCount: 5, grid: false, labelExpr: "datum.value == 0 ? '0' : datum.value / 1000 + ',000'" },
  }
  const y = {
    field: 'ms',
    type: 'quantitative',
    scale: { type: 'log', domain: [low, high], nice: false },
    axis: { title: null, values: [0.01, 0.1, 1, 10, 100, 1000], labelExpr: "datum.value + ' ms'" },
  }
  const isOwn = "datum.server == 'this service'"
  const rise = Math.log(high / low)
  const ends = [...new Set(points.map(({ server }) => server))].map((server): LineEnd => {
    const last = points.filter((point) => point.server === server).at(-1)!
    return { text: server, x: (last.rate / most) * width, y: height * (1 - Math.log(last.ms / low) / rise) }
  })
  const labels = placeLabels(ends, width).map((label) => ({
    server: label.text,
    rate: (label.x / width) * most,
    ms: low * Math.exp(rise * (1 - label.y / height)),
  }))
  return {
    title: panelTitle(title),
    width,
    height,
    data: { values: points },
    layer: [
      {
        mark: { type: 'line', interpolate: 'monotone' },
        encoding: {
          x,
          y,
          detail: { field: 'server' },
          color: { condition: { test: isOwn, value: theme.own }, value: theme.other },
          strokeWidth: { condition: { test: isOwn, value: 3 }, value: 1.5 },
          strokeDash: { condition: { test: "datum.server == 'limit'", value: [4, 3] }, value: [1, 0] },
        },
      },
      {
        data: { values: labels },
        mark: {
          type: 'text',
          align: 'right',
          baseline: 'bottom',
          fontSize: 11,
          fontWeight: { expr: `${isOwn} ? 600 : 400` },
        },
        encoding: {
          x,
          y,
          text: { field: 'server' },
          color: { condition: { test: isOwn, value: theme.own }, value: theme.faint },
        },
      },
    ],
  }
}

function findingOf(rates: readonly RateResult[]): string {
  const own = rates.filter(({ server }) => server === 'service')
  const at = own.find(({ share }) => share >= 0.8) ?? own.at(-1)!
  const ms = (at.latencyUs.p999 / 1000).toPrecision(2)
  return `At ${roughly(at.rate)} requests a second, 999 of 1,000 answers take ${ms} ms at most`
}
