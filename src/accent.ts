/**
 * Computes the pages' accent. The operator gives one colour, and this file derives the shades of both themes from it.
 * Text in the accent is readable on every ground: its contrast is at least 4.5, as WCAG 2 computes contrast.
 */

type Rgb = readonly [red: number, green: number, blue: number]

export const contrastMin = 4.5

/** The colours behind text in the accent. They come from src/web/style/tokens.css, and a test compares both. */
export const grounds = {
  light: ['#f6f7f9', '#ffffff', '#f1f3f7'],
  dark: ['#0e1115', '#161a20', '#1d222a'],
} as const

const [white, black] = ['#ffffff', '#000000']

/** The tokens of the style for an accent. @param accent `#rrggbb`, for the light theme */
export function accentStyle(accent: string): string {
  const dark = lightened(accent)
  return `:root{${shades(accent, black, softOf(accent, white), white)}}
@media screen and (prefers-color-scheme:dark){:root{${shades(dark, white, softOf(dark, grounds.dark[1]), grounds.dark[0])}}}
`
}

/**
 * True if, in the light theme, text in the accent can be read, and so can text on the accent. In the dark theme,
 * `lightened` makes any accent readable.
 */
export const isReadable = (accent: string): boolean =>
  leastContrast(accent, [...grounds.light, softOf(accent, white)]) >= contrastMin

const shades = (accent: string, pointedTo: string, soft: string, onAccent: string): string =>
  `--accent:${accent};--accent-pointed:${mixed(accent, pointedTo, 0.25)};--accent-soft:${soft};--on-accent:${onAccent};--band:${accent}26;--band-edge:${accent}47`

/** The accent for the dark theme: mixed with just enough white to be readable there. */
function lightened(accent: string): string {
  const isDim = (colour: string) =>
    leastContrast(colour, [...grounds.dark, softOf(colour, grounds.dark[1])]) < contrastMin
  let lighter = accent
  for (let share = 0.05; isDim(lighter); share += 0.05) lighter = mixed(accent, white, share)
  return lighter
}

const softOf = (accent: string, ground: string): string => mixed(ground, accent, 0.1)

const leastContrast = (text: string, on: readonly string[]): number =>
  Math.min(...on.map((ground) => contrast(text, ground)))

export function contrast(one: string, other: string): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(colour: string): number {
  const [red, green, blue] = rgbOf(colour).map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Mixes two colours. @param share how much of the other colour the result has, from 0 to 1 */
function mixed(one: string, other: string, share: number): string {
  const others = rgbOf(other)
  const parts = rgbOf(one).map((value, i) => Math.round(value + (others[i]! - value) * share))
  return `#${parts.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

const rgbOf = (colour: string): Rgb =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)) as unknown as Rgb
