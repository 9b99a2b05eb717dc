/** How long answers take as the rate grows, one panel for each percentile. */
import type { RateResult, Results } from '../contest/results.ts'
import type { Picture } from './draw.ts'
import type { Theme } from './theme.ts'

const panels = [
  ['p50', 'half of all answers'],
  ['p99', '99 of 100'],
  ['p999', '999 of 1,000'],
  ['max', 'the worst'],
] as const

export function ratesPicture({ rates }: Results, theme: Theme): Picture | undefined {
  if (rates === undefined || rates.length === 0) return undefined
  const values = panels.flatMap(([part]) =>
    rates.map(({ server, rate, latencyUs }) => ({ server, rate, part, ms: Math.max(latencyUs[part], 1) / 1000 })),
  )
  const domain = {
    x: [0, Math.max(...rates.map(({ rate }) => rate)) * 1.12],
    y: [Math.min(...values.map(({ ms }) => ms)) * 0.8, Math.max(...values.map(({ ms }) => ms)) * 1.5],
  }
  return {
    title: {
      text: findingOf(rates),
      subtitle:
        "Card details, milliseconds against requests a second, from a tenth to 95 % of each server's highest rate; open loop",
    },
    data: { values },
    concat: panels.map(([part, title], i) => panelOf(part, title, i, domain, theme)),
    columns: 2,
    spacing: 24,
  } as Picture
}

function panelOf(part: string, title: string, index: number, domain: { x: number[]; y: number[] }, theme: Theme) {
  const x = {
    field: 'rate',
    type: 'quantitative',
    scale: { domain: domain.x, nice: false },
    axis: { title: null, format: '~s', tickCount: 5, grid: false },
  }
  const y = {
    field: 'ms',
    type: 'quantitative',
    scale: { type: 'log', domain: domain.y, nice: false },
    axis: { title: null, format: '~g', tickCount: 4, labelExpr: "datum.value + ' ms'", labels: index % 2 === 0 },
  }
  const isOwn = "datum.server == 'service'"
  const color = { condition: { test: isOwn, value: theme.own }, value: theme.other }
  const last = [
    {
      window: [{ op: 'last_value', field: 'rate', as: 'lastRate' }],
      groupby: ['server'],
      sort: [{ field: 'rate' }],
      frame: [null, null],
    },
    { filter: 'datum.rate == datum.lastRate' },
  ]
  return {
    title: { text: title, fontSize: 13, offset: 6 },
    width: 345,
    height: 190,
    transform: [{ filter: `datum.part == '${part}'` }],
    layer: [
      {
        mark: { type: 'line', interpolate: 'monotone', strokeWidth: 1.5 },
        encoding: {
          x,
          y,
          detail: { field: 'server' },
          color,
          strokeWidth: { condition: { test: isOwn, value: 3 }, value: 1.5 },
          strokeDash: { condition: { test: "datum.server == 'limit'", value: [4, 3] }, value: [1, 0] },
        },
      },
      {
        transform: last,
        mark: { type: 'text', align: 'right', dy: -8, dx: 4 },
        encoding: {
          x,
          y,
          text: { field: 'server' },
          color: { condition: { test: isOwn, value: theme.own }, value: theme.faint },
          fontWeight: { condition: { test: isOwn, value: 600 }, value: 400 },
        },
      },
    ],
  }
}

function findingOf(rates: readonly RateResult[]): string {
  const own = rates.filter(({ server }) => server === 'service')
  const at = own.find(({ share }) => share >= 0.8) ?? own.at(-1)!
  const ms = (at.latencyUs.p999 / 1000).toPrecision(2)
  return `At ${Math.round(at.rate / 1000)},000 requests a second, 999 of 1,000 answers take ${ms} ms at most`
}
