/** Each scenario as a share of its limit, with the aim as a mark. */
import type { Results, ScenarioResult } from '../harness/results.ts'
import { type Picture, panelTitle } from './draw.ts'
import type { Theme } from './theme.ts'

const kinds = [
  ['cold', 'of a bare server that sends random bytes of as much memory, in as many pieces'],
  ['hot', 'of a bare server that sends one constant answer'],
] as const

export function scenariosPicture({ scenarios }: Results, theme: Theme): Picture | undefined {
  if (scenarios === undefined || scenarios.length === 0) return undefined
  const most = Math.max(1, ...scenarios.map(({ ratio }) => ratio))
  const best = scenarios.find(({ name }) => name === 'details') ?? scenarios[0]!
  const aimed = scenarios.filter(({ aim }) => aim !== null)
  const held = aimed.filter((scenario) => !isMissed(scenario)).length
  const given = kinds.filter(([kind]) => scenarios.some(({ limit }) => limit === kind))
  return {
    title: {
      text: `${capital(best.label)}: ${percentOf(best.ratio)} of what this machine can send at most`,
      subtitle: `Share of the limit, and requests a second on one core. Marks are aims: ${held} of ${aimed.length} are held`,
    },
    vconcat: given.map(([kind, title], i) =>
      panelOf(
        title,
        scenarios.filter(({ limit }) => limit === kind),
        most,
        i === given.length - 1,
        theme,
      ),
    ),
    spacing: 18,
  } as Picture
}

function panelOf(title: string, scenarios: readonly ScenarioResult[], most: number, isLast: boolean, theme: Theme) {
  const y = { field: 'label', type: 'nominal', sort: null, axis: { title: null, ticks: false, domain: false } }
  const scale = { domain: [0, most] }
  const axis = isLast ? { title: null, format: '.0%', tickCount: 5 } : { title: null, labels: false, tickCount: 5 }
  const column = (field: string, offset: number, color: string, fontWeight: number) => ({
    mark: { type: 'text', align: 'right', dx: offset, color, fontWeight },
    encoding: { y, x: { datum: most, type: 'quantitative', scale }, text: { field } },
  })
  return {
    title: panelTitle(title),
    width: 455,
    height: { step: 22 },
    data: {
      values: scenarios.map((scenario) => ({
        label: scenario.label,
        ratio: scenario.ratio,
        aim: scenario.aim,
        isMissed: isMissed(scenario),
        share: percentOf(scenario.ratio),
        rate: `${Math.round(scenario.rate).toLocaleString('en')}/s`,
      })),
    },
    layer: [
      {
        mark: { type: 'bar', height: 14, cornerRadiusEnd: 2, color: theme.own },
        encoding: { y, x: { field: 'ratio', type: 'quantitative', scale, axis } },
      },
      {
        transform: [{ filter: 'datum.aim != null' }],
        mark: { type: 'tick', thickness: 2.5, size: 20 },
        encoding: {
          y,
          x: { field: 'aim', type: 'quantitative', scale },
          color: { condition: { test: 'datum.isMissed', value: theme.missed }, value: theme.text },
        },
      },
      column('share', 48, theme.text, 600),
      column('rate', 126, theme.faint, 400),
    ],
  }
}

const isMissed = ({ aim, ratio }: ScenarioResult): boolean => aim !== null && ratio < aim
const percentOf = (share: number) => `${Math.round(share * 100)} %`
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
