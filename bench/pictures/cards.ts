/** What more cards cost: CPU a request, memory, the start. */
import type { CardsResult, Results } from '../contest/results.ts'
import type { Picture } from './draw.ts'
import type { Theme } from './theme.ts'

const titles: Readonly<Record<string, string>> = { details: 'card details', 'search-new': 'new searches' }

export function cardsPicture({ cards }: Results, theme: Theme): Picture | undefined {
  if (cards === undefined || cards.length === 0) return undefined
  const details = cards.filter(({ scenario }) => scenario === cards[0]!.scenario)
  const ticks = details.map(({ cards }) => cards)
  const x = {
    field: 'cards',
    type: 'quantitative',
    scale: { type: 'log', domain: [ticks[0], ticks.at(-1)], nice: false },
    axis: { title: 'cards', values: ticks, grid: false, labelExpr: shortNumber },
  }
  const panel = (title: string, values: readonly object[], labelled: boolean) => ({
    title: { text: title, fontSize: 13, offset: 6 },
    width: 205,
    height: 190,
    data: { values },
    layer: [
      {
        mark: { type: 'line', strokeWidth: 2.5, point: { size: 45, filled: true } },
        encoding: {
          x,
          y: { field: 'value', type: 'quantitative', scale: { zero: true }, axis: { title: null, tickCount: 4 } },
          color: {
            field: 'series',
            type: 'nominal',
            scale: { range: [theme.own, theme.ownFaint] },
            legend: null,
          },
        },
      },
      ...(labelled ? [seriesLabels(x)] : []),
    ],
  })
  const costs = cards.map(({ scenario, cards, cpuUs }) => ({
    cards,
    value: cpuUs,
    series: titles[scenario] ?? scenario,
  }))
  return {
    title: {
      text: findingOf(cards),
      subtitle: 'The same snapshot with a quarter, four times and sixteen times the cards, without history',
    },
    hconcat: [
      panel('CPU a request, µs', costs, true),
      panel(
        'resident memory, MB',
        details.map((each) => ({ cards: each.cards, value: each.residentBytes / 1e6, series: '' })),
        false,
      ),
      panel(
        'start, s',
        details.map((each) => ({ cards: each.cards, value: each.startMs / 1000, series: '' })),
        false,
      ),
    ],
    spacing: 30,
  } as Picture
}

const shortNumber =
  "datum.value >= 1e6 ? format(datum.value / 1e6, '.2~f') + ' m' : datum.value >= 1e4 ? format(datum.value / 1e3, '.0f') + ',000' : format(datum.value, ',')"

/** At the last point of each line. */
const seriesLabels = (x: object) => ({
  transform: [
    { window: [{ op: 'rank', as: 'fromLast' }], groupby: ['series'], sort: [{ field: 'cards', order: 'descending' }] },
    { filter: 'datum.fromLast == 1' },
  ],
  mark: { type: 'text', align: 'right', dy: -12, dx: 4 },
  encoding: { x, y: { field: 'value', type: 'quantitative' }, text: { field: 'series' } },
})

function findingOf(cards: readonly CardsResult[]): string {
  const most = Math.max(...cards.map(({ times }) => times))
  const rises = [...new Set(cards.map(({ scenario }) => scenario))].map((name) => {
    const at = (times: number) => cards.find((each) => each.scenario === name && each.times === times)!
    return `${titles[name] ?? name} ${(at(most).cpuUs / at(1).cpuUs).toFixed(2)}`
  })
  return `${most} times the cards cost a request little: ${rises.join(' times, ')} times the CPU`
}
