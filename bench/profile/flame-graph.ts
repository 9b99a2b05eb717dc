/**
 * Draws a CPU profile as a flame graph, an SVG for any browser. Each call is a bar above its caller. The bar's width is
 * the time in the call. Pointing at a bar shows the function's file and line, and its share.
 */
import { escaped } from '../harness/report.ts'
import { type CpuProfile, isBusy, type ProfileNode, timesOf } from './dearest.ts'

/** Pixels. */
const width = 1200
const rowHeight = 17
const head = 30
/** Narrower bars are left out, because they would be invisible. */
const barMin = 0.3
/** The approximate width of a letter. */
const letterWidth = 6.2

interface Bar {
  readonly node: ProfileNode
  readonly depth: number
  readonly fromUs: number
  readonly us: number
}

const colours = { project: '#f0883e', runtime: '#8db5e0', outside: '#c0c6cd' } as const

/** @param placeOf returns the text that is shown for a file's URL */
export function flameGraph(profile: CpuProfile, title: string, placeOf: (url: string) => string): string {
  const bars = barsOf(profile)
  const all = bars[0]?.us ?? 0
  const height = head + rowHeight * (1 + Math.max(0, ...bars.map(({ depth }) => depth)))
  const drawn = bars.flatMap(({ node, depth, fromUs, us }) => {
    const wide = (us / all) * width
    if (wide < barMin) return []
    const { functionName, url, lineNumber } = node.callFrame
    const name = functionName || '(anonymous)'
    const place = url === '' ? '' : ` ${placeOf(url)}:${lineNumber + 1}`
    const x = (fromUs / all) * width
    const y = height - (depth + 1) * rowHeight
    const letters = Math.floor((wide - 6) / letterWidth)
    const shown = letters < 3 ? '' : name.length <= letters ? name : `${name.slice(0, letters - 1)}…`
    return [
      `<g><title>${escaped(`${name}${place}: ${((us / all) * 100).toFixed(1)} %`)}</title>` +
        `<rect x="${x.toFixed(1)}" y="${y}" width="${wide.toFixed(1)}" height="${rowHeight - 1}" fill="${colourOf(url)}"/>` +
        `<text x="${(x + 3).toFixed(1)}" y="${y + 12}">${escaped(shown)}</text></g>`,
    ]
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, monospace" font-size="10">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="6" y="19" font-size="13">${escaped(title)}</text>`,
    ...drawn,
    '</svg>\n',
  ].join('\n')
}

/** Returns a bar for each call, at its time within its caller. The first bar is all of the thread's busy time. */
function barsOf(profile: CpuProfile): Bar[] {
  const { byId, selfOf } = timesOf(profile)
  const [root] = profile.nodes
  const bars: Bar[] = []
  const place = (node: ProfileNode, depth: number, fromUs: number): number => {
    const at = bars.length
    bars.push({ node, depth, fromUs, us: 0 })
    let us = depth === 0 ? 0 : (selfOf.get(node.id) ?? 0)
    for (const child of (node.children ?? []).map((id) => byId.get(id)!).filter(isBusy)) {
      us += place(child, depth + 1, fromUs + us)
    }
    bars[at] = { node, depth, fromUs, us }
    return us
  }
  if (root !== undefined) place(root, 0, 0)
  return bars
}

const colourOf = (url: string) =>
  url === '' ? colours.outside : url.startsWith('file:') ? colours.project : colours.runtime
