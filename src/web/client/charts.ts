/**
 * Draws the charts of a page from the tables beside them: what a chart shows and what its table says can't part.
 *
 *   time datetime="2026-11-20" ─ data value="1.50" … ─▶ x, y1, y2 …       a cell without a value is unknown: a gap
 *
 * The room is the style's, so nothing moves when a chart is drawn. Its legend stands in the page.
 */
import type uPlotClass from 'uplot'

declare const uPlot: typeof uPlotClass

type Figures = [number[], ...(number | null)[][]]
type Kind = Pick<uPlotClass.Options, 'series' | 'bands' | 'scales'>

const daySeconds = 86_400
const halfDaySeconds = daySeconds / 2
const monthSeconds = 30 * daySeconds
/** Between two labels of days: days, weeks, then firsts of months, which uPlot counts as 30 days each. */
const dayIncrs = [1, 2, 7, 14, 30, 60, 90, 180, 365, 730].map((days) => days * daySeconds)
const dayOfMonth = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const month = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric', timeZone: 'UTC' })

/** A colour of the style's. uPlot calls it at each drawing, because another theme has other colours. */
const colour = (name: string) => () => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/** Oldest first, as uPlot wants them; the table has the newest first. */
const rowsOf = (table: HTMLElement) => [...table.querySelectorAll<HTMLTableRowElement>('tbody tr')].reverse()

function figuresOf(rows: readonly HTMLTableRowElement[]): Figures {
  const seconds = rows.map((row) => Date.parse(row.querySelector('time')?.dateTime ?? '') / 1000)
  const columns = [...(rows[0]?.cells ?? [])].slice(1).map((_, i) =>
    rows.map((row) => {
      const figure = row.cells[i + 1]?.querySelector('data')
      return figure ? Number(figure.value) : null
    }),
  )
  return [seconds, ...columns]
}

/** `20 Nov 2026 · Market 54.78 · Low 50.37 · High 107.24` */
function rowText(table: HTMLElement, row: HTMLTableRowElement): string {
  const heads = [...table.querySelectorAll('thead th')].map((head) => head.textContent)
  const [date, ...figures] = [...row.cells].map((cell) => cell.textContent)
  return [date, ...figures.map((figure, i) => `${heads[i + 1]} ${figure}`)].join(' · ')
}

/** uPlot passes an axis's places, and how far apart they are. */
type AxisArguments = [chart: uPlotClass, splits: number[], axis: number, space: number, step: number]

function axes(): uPlotClass.Axis[] {
  const font = `12px ${getComputedStyle(document.body).fontFamily}`
  const text = { stroke: colour('--muted'), font, ticks: { show: false } }
  const grid = { stroke: colour('--line'), width: 1 }
  const labels = (...[, splits, , , step]: AxisArguments) =>
    splits.map((value) => value.toLocaleString(undefined, { minimumFractionDigits: step % 1 === 0 ? 0 : 2 }))
  const days = (...[, splits, , , step]: AxisArguments) =>
    splits.map((seconds) => (step < monthSeconds ? dayOfMonth : month).format(seconds * 1000))
  const size = (_chart: uPlotClass, shown: string[] | null) =>
    16 + 7 * Math.max(...(shown ?? ['']).map(({ length }) => length))
  return [
    { ...text, grid: { show: false }, size: 44, space: 72, incrs: dayIncrs, values: days },
    { ...text, grid, values: labels, size, space: 40 },
  ]
}

/** Each takes the number of days. */
const kinds: Record<string, (days: number) => Kind> = {
  bars: () => ({
    series: [
      {},
      {
        fill: colour('--accent'),
        width: 0,
        paths: uPlot.paths.bars!({ size: [0.7, 24], radius: 0.2 }),
        points: { show: false },
      },
    ],
    scales: {
      x: { range: (_chart, from, to) => [from - halfDaySeconds, to + halfDaySeconds] },
      y: { range: (_chart, _least, most) => [0, Math.max(most * 1.05, 5)] },
    },
  }),
  band: (days) => {
    const isOneDay = days === 1
    const [stroke, edgeStroke] = [colour('--accent'), colour('--band-edge')]
    const edge = { stroke: edgeStroke, width: 1, points: { show: isOneDay, size: 6, fill: edgeStroke } }
    return {
      series: [{}, { stroke, width: 2, points: { size: isOneDay ? 8 : 4, fill: stroke } }, edge, edge],
      bands: [{ series: [3, 2], fill: colour('--band') }],
      scales: {
        // One day stands in the middle: uPlot would put it at the left, before a day that is not there.
        x: { range: (_chart, from, to) => (isOneDay ? [from - halfDaySeconds, from + halfDaySeconds] : [from, to]) },
        // Never below 0, and from 0 only where prices come near it.
        y: { range: { min: { pad: 0.1, soft: 0, mode: 3 }, max: { pad: 0.1 } } },
      },
    }
  },
}

const steps: Record<string, number> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  PageUp: -7,
  PageDown: 7,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

/** A cursor outside of the chart. */
const away = { left: -10, top: -10 }

function walkByKeys(place: HTMLElement, chart: uPlotClass): void {
  const go = (step: number) => {
    const last = chart.data[0].length - 1
    const at = Math.min(Math.max((chart.cursor.idx ?? last) + step, 0), last)
    chart.setCursor({ left: chart.valToPos(chart.data[0][at]!, 'x'), top: 0 })
  }
  place.addEventListener('keydown', (event) => {
    const step = steps[event.key]
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    go(step)
  })
  place.addEventListener('focus', () => go(0))
  place.addEventListener('blur', () => chart.setCursor(away))
}

function draw(place: HTMLElement): void {
  const table = document.getElementById(place.dataset['table'] ?? '')
  const makeKind = kinds[place.dataset['chart'] ?? '']
  const pointed = document.getElementById(`${table?.id}-pointed`)
  if (table === null || makeKind === undefined || pointed === null) return
  const rows = rowsOf(table)
  const size = () => ({ width: place.clientWidth, height: place.clientHeight })
  const tell = ({ cursor }: uPlotClass) => {
    const row = rows[cursor.idx ?? rows.length - 1]
    pointed.textContent = row === undefined ? '' : rowText(table, row)
  }
  const options: uPlotClass.Options = {
    ...makeKind(rows.length),
    ...size(),
    axes: axes(),
    cursor: { drag: { x: false, y: false }, y: false },
    legend: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    hooks: { setCursor: [tell] },
  }
  const chart = new uPlot(options, figuresOf(rows), place)
  const redraw = () => {
    chart.setData(figuresOf(rows))
    tell(chart)
  }
  tell(chart)
  walkByKeys(place, chart)
  new ResizeObserver(() => chart.setSize(size())).observe(place)
  document.addEventListener('figures', redraw)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw)
}

for (const place of document.querySelectorAll<HTMLElement>('[data-chart]')) draw(place)
