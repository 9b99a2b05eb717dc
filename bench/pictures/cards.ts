/** The cost of more cards: CPU a request, memory, the start. */
import type { CardsResult, Results } from '../harness/results.ts'
import { type Picture, panelTitle } from './draw.ts'
import type { Theme } from './theme.ts'

const titles: Readonly<Record<string, string>> = { details: 'card details', 'search-new': 'new searches' }

const size = { width: 205, height: 180 }

interface Bar {
  readonly cards: string
  readonly value: number
  readonly label: string
}

export function cardsPicture({ cards }: Results, theme: Theme): Picture | undefined {
  if (cards === undefined || cards.length === 0) return undefined
  const details = cards.filter(({ scenario }) => scenario === cards[0]!.scenario)
  const order = details.map(shortNumber)
  const bars = (text: string, value: (each: CardsResult) => number, label: (value: number) => string) =>
    barsOf(
      text,
      details.map((each): Bar => ({ cards: shortNumber(each), value: value(each), label: label(value(each)) })),
      order,
      theme,
    )
  return {
    title: {
      text: findingOf(cards),
      subtitle: 'The same snapshot with more cards, names and sets, or fewer; one core, without history',
    },
    hconcat: [
      linesOf(cards, order, theme),
      bars(
        'resident memory',
        ({ residentBytes }) => residentBytes / 1e6,
        (mb) => `${Math.round(mb).toLocaleString('en')} MB`,
      ),
      bars(
        'start',
        ({ startMs }) => startMs / 1000,
        (seconds) => `${seconds.toFixed(1)} s`,
      ),
    ],
    spacing: 34,
  } as Picture
}

const xOf = (order: readonly string[], field = 'cards') => ({
  field,
  type: 'nominal',
  sort: order,
  axis: { title: 'cards', labelAngle: 0, ticks: false },
})

function linesOf(cards: readonly CardsResult[], order: readonly string[], theme: Theme) {
  const x = xOf(order)
  const y = { field: 'cpuUs', type: 'quantitative', scale: { zero: true }, axis: null }
  const values = cards.map((each) => ({
    series: titles[each.scenario] ?? each.scenario,
    cards: shortNumber(each),
    cpuUs: each.cpuUs,
    label: each.cpuUs.toFixed(1),
  }))
  return {
    title: panelTitle('CPU a request, µs'),
    ...size,
    data: { values },
    layer: [
      {
        mark: { type: 'line', strokeWidth: 2.5, point: { size: 45, filled: true } },
        encoding: {
          x,
          y,
          color: {
            field: 'series',
            type: 'nominal',
            sort: null,
            scale: { range: [theme.own, theme.ownFaint] },
            legend: null,
          },
        },
      },
      { mark: { type: 'text', dy: -11, color: theme.faint }, encoding: { x, y, text: { field: 'label' } } },
      {
        transform: [{ filter: { field: 'cards', equal: order[0] } }],
        mark: { type: 'text', align: 'left', dy: 18, dx: -14, color: theme.text, fontWeight: 600 },
        encoding: { x, y, text: { field: 'series' } },
      },
    ],
  }
}

function barsOf(title: string, values: readonly Bar[], order: readonly string[], theme: Theme) {
  const x = xOf(order)
  const y = { field: 'value', type: 'quantitative', axis: null }
  return {
    title: panelTitle(title),
    ...size,
    data: { values },
    layer: [
      { mark: { type: 'bar', width: 30, cornerRadiusEnd: 2, color: theme.own }, encoding: { x, y } },
      { mark: { type: 'text', dy: -8, color: theme.text }, encoding: { x, y, text: { field: 'label' } } },
    ],
  }
}

function shortNumber({ cards }: CardsResult): string {
  if (cards >= 1e6) return `${(cards / 1e6).toFixed(1)} m`
  return cards >= 10_000 ? `${Math.round(cards / 1000)} k` : cards.toLocaleString('en')
}

function findingOf(cards: readonly CardsResult[]): string {
  const most = Math.max(...cards.map(({ times }) => times))
  const rises = [...new Set(cards.map(({ scenario }) => scenario))].map((name) => {
    const at = (times: number) => cards.find((each) => each.scenario === name && each.times === times)!
    return `${titles[name] ?? name} ${(at(most).cpuUs / at(1).cpuUs).toFixed(2)}`
  })
  return `${most} times the cards: ${rises.join(', ')} times the CPU a request`
}
