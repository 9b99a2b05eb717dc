/**
 * Draws the charts of a page from the tables beside them: what a chart shows and what its table says can't part.
 *
 *   tr data-date="2026-11-20" ─ td data-value="1.5" … ─▶ x, y1, y2 …       an empty value is unknown: a gap
 */
import type uPlotClass from 'uplot'

declare const uPlot: typeof uPlotClass

type Figures = [number[], ...(number | null)[][]]

const heightPx = 220
const utc = (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC')

/** A colour of the style's. */
const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/** Oldest first, as uPlot wants them; the table has the newest first. */
function figuresOf(table: HTMLElement): Figures {
  const rows = [...table.querySelectorAll<HTMLTableRowElement>('tr[data-date]')].reverse()
  const seconds = rows.map((row) => Date.parse(row.dataset['date'] ?? '') / 1000)
  const columns = rows[0]?.querySelectorAll('[data-value]').length ?? 0
  const valueIn = (row: HTMLElement, column: number) => {
    const text = row.querySelectorAll<HTMLElement>('[data-value]')[column]?.dataset['value'] ?? ''
    return text === '' ? null : Number(text)
  }
  return [seconds, ...Array.from({ length: columns }, (_, column) => rows.map((row) => valueIn(row, column)))]
}

function axes(): uPlotClass.Axis[] {
  const line = { stroke: colour('--line'), width: 1 }
  const text = { stroke: colour('--muted'), ticks: line, font: '12px system-ui, sans-serif' }
  return [
    { ...text, grid: { show: false } },
    { ...text, grid: line, size: 64 },
  ]
}

const kinds: Record<string, () => Pick<uPlotClass.Options, 'series' | 'bands'>> = {
  bars: () => ({
    series: [
      {},
      {
        label: 'Requests',
        fill: colour('--accent'),
        width: 0,
        paths: uPlot.paths.bars!({ size: [0.7, 24] }),
        points: { show: false },
      },
    ],
  }),
  band: () => ({
    series: [
      {},
      { label: 'Market', stroke: colour('--accent'), width: 2 },
      { label: 'Low', stroke: colour('--line'), width: 1, points: { show: false } },
      { label: 'High', stroke: colour('--line'), width: 1, points: { show: false } },
    ],
    bands: [{ series: [3, 2], fill: colour('--band') }],
  }),
}

function draw(place: HTMLElement): void {
  const table = document.getElementById(place.dataset['table'] ?? '')
  const kind = kinds[place.dataset['chart'] ?? '']
  if (table === null || kind === undefined) return
  const options = () => ({
    ...kind(),
    width: place.clientWidth,
    height: heightPx,
    tzDate: utc,
    axes: axes(),
    cursor: { drag: { x: false, y: false } },
    scales: {
      y: { range: { min: { pad: 0.1, soft: 0, mode: 1 as const }, max: { pad: 0.1, soft: 1, mode: 2 as const } } },
    },
    legend: { show: true },
  })
  let chart = new uPlot(options(), figuresOf(table), place)
  new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height: heightPx })).observe(place)
  document.addEventListener('figures', () => chart.setData(figuresOf(table)))
  // Another theme has other colours.
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    chart.destroy()
    chart = new uPlot(options(), figuresOf(table), place)
  })
}

for (const place of document.querySelectorAll<HTMLElement>('[data-chart]')) draw(place)
