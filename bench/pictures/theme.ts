/** How pictures look, on light and on dark pages: what is ours in one colour, all else in greys. */

export interface Theme {
  readonly name: 'light' | 'dark'
  readonly page: string
  readonly text: string
  readonly faint: string
  readonly grid: string
  readonly own: string
  readonly ownFaint: string
  readonly other: string
  readonly missed: string
}

export const themes: readonly Theme[] = [
  {
    name: 'light',
    page: '#ffffff',
    text: '#1f2328',
    faint: '#59636e',
    grid: '#e4e7eb',
    own: '#0969da',
    ownFaint: '#80b3ec',
    other: '#a8b0b9',
    missed: '#bc4c00',
  },
  {
    name: 'dark',
    page: '#0d1117',
    text: '#f0f6fc',
    faint: '#9198a1',
    grid: '#2a313c',
    own: '#4493f8',
    ownFaint: '#2b5a94',
    other: '#656c76',
    missed: '#f0883e',
  },
]

/** Of a README's column, the labels at the side included. */
export const widthPixels = 800

const font = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif'

/** The config that all pictures share, for Vega-Lite. */
export const configOf = ({ page, text, faint, grid }: Theme) => ({
  font,
  background: page,
  padding: 16,
  view: { stroke: null },
  title: {
    anchor: 'start' as const,
    frame: 'bounds' as const,
    color: text,
    subtitleColor: faint,
    fontSize: 16,
    fontWeight: 600 as const,
    subtitleFontSize: 13,
    subtitlePadding: 6,
    offset: 16,
  },
  axis: {
    labelColor: faint,
    titleColor: faint,
    gridColor: grid,
    domainColor: grid,
    tickColor: grid,
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: 'normal' as const,
    labelLimit: 260,
  },
  header: {
    labelColor: text,
    labelFontSize: 13,
    labelFontWeight: 600 as const,
    labelAnchor: 'start' as const,
    title: null,
  },
  text: { color: text, fontSize: 12 },
})
