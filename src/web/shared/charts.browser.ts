/**
 * Draws the charts of a page from the tables beside them, so a chart and its table always agree.
 *
 *   time datetime="2026-11-20" ─ data value="1.50" … ─▶ x, y1, y2 …       a cell without a value is unknown: a gap
 *
 * The style sheet reserves the space of a chart, so nothing moves when the chart is drawn. The page contains the
 * legend.
 */
import type uPlotClass from 'uplot'

declare const uPlot: typeof uPlotClass

type Figures = [number[], ...(number | null)[][]]
type Kind = Pick<uPlotClass.Options, 'series' | 'bands' | 'scales'>

const daySeconds = 86_400
const halfDaySeconds = daySeconds / 2
const monthSeconds = 30 * daySeconds
/**
 * The possible distances between two labels of days: days, weeks, then months. uPlot counts a month as 30 days, and
 * labels its first day.
 */
const dayIncrs = [1, 2, 7, 14, 30, 60, 90, 180, 365, 730].map((days) => days * daySeconds)
const dayOfMonth = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const month = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric', timeZone: 'UTC' })

/**
 * Returns a function that reads a colour of the style sheet. uPlot calls the function at each drawing, because another
 * theme has other colours.
 */
const colour = (name: string) => () => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/** Returns the rows of a table, oldest first, as uPlot needs them. The table has the newest row first. */
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

/**
 * What uPlot passes to an axis. `splits` are the places of the labels, and `step` is the distance between two of them.
 */
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

/**
 * Returns the range of the price axis, which fits the market price. An axis that also fitted a low or high far away
 * would flatten the market price, so the band may leave the picture. The axis never begins below 0.
 */
function marketRange([, market = [], ...others]: Figures): [number, number] {
  const known = (values: readonly (number | null)[]) => values.filter((value) => value !== null)
  const shown = known(market).length > 0 ? known(market) : known(others.flat())
  const [low, high] = [Math.min(...shown), Math.max(...shown)]
  const pad = (high - low) * 0.1 || high * 0.1 || 1
  return shown.length === 0 ? [0, 1] : [Math.max(low - pad, 0), high + pad]
}

/** The kinds of charts. Each function gets the number of days. */
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
  line: () => ({
    series: [{}, { stroke: colour('--accent'), width: 2, points: { size: 4, fill: colour('--accent') } }],
    scales: { y: { range: ({ data }) => marketRange(data as Figures) } },
  }),
  band: (days) => {
    const isOneDay = days === 1
    const [stroke, edgeStroke] = [colour('--accent'), colour('--band-edge')]
    const edge = { stroke: edgeStroke, width: 1, points: { show: isOneDay, size: 6, fill: edgeStroke } }
    return {
      series: [{}, { stroke, width: 2, points: { size: isOneDay ? 8 : 4, fill: stroke } }, edge, edge],
      bands: [{ series: [3, 2], fill: colour('--band') }],
      scales: {
        // A single day is drawn in the middle. Without this, uPlot would draw it at the left, as if another day
        // followed.
        x: { range: (_chart, from, to) => (isOneDay ? [from - halfDaySeconds, from + halfDaySeconds] : [from, to]) },
        y: { range: ({ data }) => marketRange(data as Figures) },
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

/** Draws the charts that are not drawn yet. */
function drawAll(): void {
  for (const place of document.querySelectorAll<HTMLElement>('[data-chart]:empty')) draw(place)
}

/** Loads uPlot into a page that had no chart at first. If uPlot can't be loaded, the tables still show all figures. */
function load(): void {
  const address = (name: string) => new URL(`./${name}`, import.meta.url).href
  const style = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: address('uplot.css') })
  const script = Object.assign(document.createElement('script'), { src: address('uplot.js') })
  script.addEventListener('load', drawAll)
  // The style comes first, so that the pages' own style overrides it.
  document.head.prepend(style)
  document.head.append(script)
}

const drawNew = () => ('uPlot' in globalThis ? drawAll() : load())

if (document.querySelector('[data-chart]') !== null) drawNew()
// A script dispatches this event after it has put further charts into the page.
document.addEventListener('charts', drawNew)
