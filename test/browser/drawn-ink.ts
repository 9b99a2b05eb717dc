/** Where a page's first chart has ink, as the browser has drawn it. */

/** Columns in CSS pixels from the chart's left edge. */
interface Columns {
  readonly from: number
  readonly to: number
}

export interface DrawnInk {
  /** The middle of the plot. */
  readonly middle: number
  /** Pixels of the line's colour in the plot. */
  readonly line: Columns
  /** Ink below the plot. */
  readonly labels: Columns
}

/** For the page to evaluate. */
export const drawnInk = `(() => {
  const canvas = document.querySelector('[data-chart] canvas')
  const [all, plot] = [canvas, document.querySelector('[data-chart] .u-over')].map((part) => part.getBoundingClientRect())
  const scale = canvas.width / all.width
  const columns = (top, bottom, isInk) => {
    const { data } = canvas.getContext('2d').getImageData(0, top * scale, canvas.width, (bottom - top) * scale)
    const found = []
    for (let at = 0; at < data.length; at += 4) {
      if (isInk(...data.subarray(at, at + 4))) found.push(((at / 4) % canvas.width) / scale)
    }
    return { from: found.reduce((a, b) => Math.min(a, b)), to: found.reduce((a, b) => Math.max(a, b)) }
  }
  const accent = getComputedStyle(document.documentElement).getPropertyValue('--accent').trim()
  const hexOf = (...rgb) => '#' + rgb.map((value) => value.toString(16).padStart(2, '0')).join('')
  return {
    middle: plot.left - all.left + plot.width / 2,
    line: columns(plot.top - all.top, plot.bottom - all.top, (r, g, b, a) => a === 255 && hexOf(r, g, b) === accent),
    labels: columns(plot.bottom - all.top + 2, all.height, (_r, _g, _b, a) => a > 128),
  }
})()`
