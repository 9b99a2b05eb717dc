/** A sparkline as SVG, rendered by the server: it needs no script and no inline style. */
import { html } from 'hono/html'
import { dayMs } from '../../calendar.ts'
import type { Day } from '../cards.ts'

const [width, height] = [1000, 200]
/** Space above and below the line. */
const margin = 12
/** More points would not be visible. */
const pointsMax = 184

/** Undefined if fewer than two days have a price. */
export function priceLine(days: readonly Day[], label: string) {
  const known = days.flatMap(({ date, market }) => (market === null ? [] : [{ day: Date.parse(date) / dayMs, market }]))
  if (known.length < 2) return undefined
  const step = Math.ceil(known.length / pointsMax)
  const drawn = known.filter((_, i) => (known.length - 1 - i) % step === 0)
  const prices = drawn.map(({ market }) => market)
  const [low, high] = [Math.min(...prices), Math.max(...prices)]
  const [first, last] = [drawn[0]!.day, drawn.at(-1)!.day]
  const points = drawn.map(({ day, market }) => {
    const x = last === first ? 0 : ((day - first) / (last - first)) * width
    const y = high === low ? height / 2 : height - margin - ((market - low) / (high - low)) * (height - 2 * margin)
    return `${x.toFixed(0)},${y.toFixed(0)}`
  })
  return html`<svg class="price-line" role="img" aria-label="${label}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">
<polygon points="0,${height} ${points.join(' ')} ${width},${height}"/>
<polyline points="${points.join(' ')}" vector-effect="non-scaling-stroke"/>
</svg>`
}
