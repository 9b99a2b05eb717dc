/** Names at the ends of lines, moved up until none lies over another. */

/** In pixels, from the left and from the top. */
export interface LineEnd {
  readonly text: string
  readonly x: number
  readonly y: number
}

const charPixels = 6.3
const linePixels = 13
const gapPixels = 5

/** Where the right lower corner of each name comes to stand. @param width of the panel */
export function placeLabels(ends: readonly LineEnd[], width: number): LineEnd[] {
  const placed: LineEnd[] = []
  for (const { text, x, y } of [...ends].sort((a, b) => b.y - a.y)) {
    const right = Math.min(width, Math.max(x, text.length * charPixels))
    let label = { text, x: right, y: y - gapPixels }
    while (placed.some((other) => overlap(label, other))) label = { ...label, y: label.y - 1 }
    placed.push(label)
  }
  return placed
}

const overlap = (a: LineEnd, b: LineEnd): boolean =>
  Math.abs(a.y - b.y) < linePixels &&
  a.x - a.text.length * charPixels < b.x + gapPixels &&
  b.x - b.text.length * charPixels < a.x + gapPixels
