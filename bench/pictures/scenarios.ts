/** Each scenario as a share of its limit, with the aim as a mark. */
import type { Results } from '../contest/results.ts'
import type { Picture } from './draw.ts'
import type { Theme } from './theme.ts'

const kinds = {
  hot: 'beside a bare server that sends one constant answer',
  cold: 'beside one that gathers random bytes from as much memory',
}

export function scenariosPicture({ scenarios }: Results, theme: Theme): Picture | undefined {
  if (scenarios === undefined || scenarios.length === 0) return undefined
  const values = scenarios.map(({ name, limit, ratio, aim, rate }) => ({
    name,
    kind: kinds[limit],
    ratio,
    aim,
    isMissed: aim !== null && ratio < aim,
    label: `${Math.round(ratio * 100)} %   ${Math.round(rate).toLocaleString('en')}/s`,
  }))
  const best = scenarios.find(({ name }) => name === 'details') ?? scenarios[0]!
  const aimed = values.filter(({ aim }) => aim !== null)
  const held = aimed.filter(({ isMissed }) => !isMissed).length
  const y = { field: 'name', type: 'nominal', sort: null, axis: { title: null, ticks: false, domain: false } } as const
  const x = { field: 'ratio', type: 'quantitative' } as const
  const scale = { domain: [0, Math.max(1, ...values.map(({ ratio }) => ratio))] }
  return {
    title: {
      text: `${titleOf(best.name)} at ${Math.round(best.ratio * 100)} % of what this machine could send at most`,
      subtitle: `Each scenario beside the limit that fits it, and requests a second; ${held} of ${aimed.length} aims are held (the marks)`,
    },
    data: { values },
    facet: { row: { field: 'kind', type: 'nominal', sort: [kinds.cold, kinds.hot], header: { labelOrient: 'top' } } },
    resolve: { scale: { y: 'independent' } },
    spec: {
      width: 560,
      height: { step: 24 },
      layer: [
        {
          mark: { type: 'bar', height: 15, cornerRadiusEnd: 2, color: theme.own },
          encoding: { y, x: { ...x, scale, axis: { title: null, format: '.0%', tickCount: 5 } } },
        },
        {
          transform: [{ filter: 'datum.aim != null' }],
          mark: { type: 'tick', thickness: 2, size: 21 },
          encoding: {
            y,
            x: { field: 'aim', type: 'quantitative' },
            color: { condition: { test: 'datum.isMissed', value: theme.missed }, value: theme.text },
          },
        },
        {
          mark: { type: 'text', align: 'left', dx: 6, color: theme.text, xOffset: 0 },
          encoding: { y, x: { datum: scale.domain[1]! }, text: { field: 'label' } },
        },
      ],
    },
  } as Picture
}

const titleOf = (name: string) => (name === 'details' ? 'Card details' : name)
