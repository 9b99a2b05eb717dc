/**
 * The pages' accent: the operator gives one colour, and the shades of both themes follow from it. Text in it is readable on
 * every ground: its contrast is at least 4.5, as WCAG 2 computes it.
 */

type Rgb = readonly [red: number, green: number, blue: number]

export const contrastMin = 4.5

/** The grounds of src/web/style/tokens.css that text in the accent stands on. A test compares them. */
export const grounds = {
  light: ['#f6f7f9', '#ffffff', '#f1f3f7'],
  dark: ['#0e1115', '#161a20', '#1d222a'],
} as const

const [white, black] = ['#ffffff', '#000000']

/** The style's tokens for that accent. @param accent `#rrggbb`, in light */
export function accentStyle(accent: string): string {
  const dark = lightened(accent)
  return `:root{${shades(accent, black, softOf(accent, white), white)}}
@media (prefers-color-scheme:dark){:root{${shades(dark, white, softOf(dark, grounds.dark[1]), grounds.dark[0])}}}
`
}

/** Whether text in it can be read in light, and text on it. In dark it is lightened until it can. */
export const isReadable = (accent: string): boolean =>
  leastContrast(accent, [...grounds.light, softOf(accent, white)]) >= contrastMin

const shades = (accent: string, pointedTo: string, soft: string, onAccent: string): string =>
  `--accent:${accent};--accent-pointed:${mixed(accent, pointedTo, 0.25)};--accent-soft:${soft};--on-accent:${onAccent};--band:${accent}26;--band-edge:${accent}47`

/** For the dark theme: as little white as makes it readable there. */
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

/** @param share of the other colour, 0 to 1 */
function mixed(one: string, other: string, share: number): string {
  const others = rgbOf(other)
  const parts = rgbOf(one).map((value, i) => Math.round(value + (others[i]! - value) * share))
  return `#${parts.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

const rgbOf = (colour: string): Rgb =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)) as unknown as Rgb
