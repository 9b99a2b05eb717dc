/**
 * Draws a run's pictures from its results.json. One has a bar for each scenario's share of its limit, the other
 * compares the server with its peers. Each picture is two SVGs, for light and for dark pages.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { escaped } from './harness/report.ts'
import { type PeerResult, type Results, resultsName, type ScenarioResult } from './harness/results.ts'

interface Bar {
  readonly label: string
  readonly value: number
  readonly kind: 'own' | 'limit' | 'peer'
  /** The texts to the right of the bar, in two columns. */
  readonly texts: readonly [string, string]
  /** A value that the bar should reach. */
  readonly aim?: number | null
}

interface Picture {
  readonly title: string
  readonly subtitle: string
  readonly panels: readonly { readonly title: string; readonly bars: readonly Bar[] }[]
}

const light = {
  page: '#ffffff',
  text: '#1f2328',
  faint: '#59636e',
  own: '#0969da',
  limit: '#d0d7de',
  peer: '#a8b0b9',
  missed: '#bc4c00',
}
const dark: typeof light = {
  page: '#0d1117',
  text: '#f0f6fc',
  faint: '#9198a1',
  own: '#4493f8',
  limit: '#2a313c',
  peer: '#656c76',
  missed: '#f0883e',
}
const themes = { light, dark } as const

/** Pixels. */
const width = 800
const margin = 16
const barsFrom = 230
const barsTo = 640
const rowHeight = 22
const barHeight = 14
const columns = [706, width - margin] as const

const font = 'system-ui, -apple-system, &quot;Segoe UI&quot;, Roboto, &quot;Helvetica Neue&quot;, sans-serif'

function svgOf({ title, subtitle, panels }: Picture, colours: typeof light): string {
  const most = Math.max(...panels.flatMap(({ bars }) => bars.flatMap(({ value, aim }) => [value, aim ?? 0])))
  const lengthOf = (value: number) => Math.round((value / most) * (barsTo - barsFrom))
  const lines: string[] = []
  const write = (x: number, y: number, text: string, style: string) =>
    lines.push(`<text x="${x}" y="${y}" ${style}>${escaped(text)}</text>`)
  let y = margin + 14
  write(margin, y, title, `fill="${colours.text}" font-size="16" font-weight="600"`)
  y += 21
  write(margin, y, subtitle, `fill="${colours.faint}" font-size="13"`)
  for (const panel of panels) {
    y += 34
    write(margin, y, panel.title, `fill="${colours.text}" font-size="13" font-weight="600"`)
    y += 9
    for (const { label, value, kind, texts, aim } of panel.bars) {
      const colour = kind === 'own' ? colours.text : colours.faint
      const weight = kind === 'own' ? 600 : 400
      write(barsFrom - 10, y + 12, label, `fill="${colour}" text-anchor="end" font-weight="${weight}"`)
      const bar = `y="${y + 1}" width="${lengthOf(value)}" height="${barHeight}" rx="2"`
      lines.push(`<rect x="${barsFrom}" ${bar} fill="${colours[kind]}"/>`)
      if (aim != null) {
        const mark = `x="${barsFrom + lengthOf(aim) - 1}" y="${y - 2}" width="3" height="${barHeight + 6}"`
        lines.push(`<rect ${mark} fill="${value < aim ? colours.missed : colours.text}"/>`)
      }
      texts.forEach((text, i) => {
        write(columns[i]!, y + 12, text, `fill="${colour}" text-anchor="end" font-weight="${i === 0 ? weight : 400}"`)
      })
      y += rowHeight
    }
  }
  const height = y + margin
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${font}" font-size="12">
<rect width="${width}" height="${height}" fill="${colours.page}"/>
${lines.join('\n')}
</svg>
`
}

const count = (value: number) => Math.round(value).toLocaleString('en')
const percent = (share: number) => `${Math.round(share * 100)} %`

function scenariosPicture(scenarios: readonly ScenarioResult[]): Picture {
  const kinds = [
    ['cold', 'of a bare server that sends random bytes of as much memory, in as many pieces'],
    ['hot', 'of a bare server that sends one constant response'],
  ] as const
  const held = scenarios.filter(({ ratio, aim }) => aim !== null && ratio >= aim).length
  const aims = scenarios.filter(({ aim }) => aim !== null).length
  return {
    title: 'Each scenario beside the most that this machine can send',
    subtitle: `Share of the limit, and requests a second on one core. Marks are aims: ${held} of ${aims} are reached`,
    panels: kinds.map(([kind, title]) => ({
      title,
      bars: scenarios
        .filter(({ limit }) => limit === kind)
        .map(({ label, ratio, aim, rate }) => {
          return { label, value: ratio, kind: 'own', texts: [percent(ratio), `${count(rate)}/s`], aim }
        }),
    })),
  }
}

function peersPicture(peers: readonly PeerResult[]): Picture {
  const titles: Readonly<Record<string, string>> = {
    details: 'one card, any of them',
    batch: 'twenty cards in a batch',
    games: 'the games, the same bytes for all',
    'search-new': 'a search that nobody has sent before',
  }
  const names: Readonly<Record<string, string>> = { service: 'this server', limit: 'limit: checks nothing' }
  const time = (us: number) => (us < 100 ? us.toFixed(1) : count(us))
  return {
    title: 'Requests a second on one core, and CPU time for one',
    subtitle: 'Equal bytes, except for searches. Peers check keys and count requests where they can',
    panels: [...new Set(peers.map(({ scenario }) => scenario))].map((name) => ({
      title: titles[name] ?? name,
      bars: peers
        .filter(({ scenario }) => scenario === name)
        .sort((a, b) => b.rate - a.rate)
        .map(({ server, rate, cpuUs }) => ({
          label: names[server] ?? server,
          value: rate,
          kind: server === 'service' ? 'own' : server === 'limit' ? 'limit' : 'peer',
          texts: [count(rate), Number.isFinite(cpuUs) ? `${time(cpuUs)} µs` : ''],
        })),
    })),
  }
}

/** Writes the pictures for which the run has figures. Returns Markdown that shows each in the reader's theme. */
export function writePictures({ scenarios = [], peers = [] }: Results, folder: string): string {
  const pictures: Record<string, Picture> = {}
  if (scenarios.length > 0) pictures['scenarios'] = scenariosPicture(scenarios)
  if (peers.length > 0) pictures['peers'] = peersPicture(peers)
  for (const [name, picture] of Object.entries(pictures)) {
    for (const [theme, colours] of Object.entries(themes)) {
      writeFileSync(join(folder, `${name}-${theme}.svg`), svgOf(picture, colours))
    }
  }
  return Object.keys(pictures)
    .map(
      (name) =>
        `<picture><source media="(prefers-color-scheme: dark)" srcset="${name}-dark.svg">` +
        `<img src="${name}-light.svg" alt="${name}" width="${width}"></picture>`,
    )
    .join('\n\n')
}

/** Draws the pictures again from the results in a run's folder. */
export const redraw = (folder: string): string =>
  writePictures(JSON.parse(readFileSync(join(folder, resultsName), 'utf8')) as Results, folder)
