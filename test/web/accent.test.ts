/** The accent: which colours can be read, and the shades that follow from one. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { accentStyle, contrast, contrastMin, grounds, isReadable } from '../../src/accent.ts'

it('The contrast of two colours is computed as WCAG defines it', () => {
  for (const [one, other, expected] of [
    ['#000000', '#ffffff', 21],
    ['#ffffff', '#ffffff', 1],
    ['#777777', '#ffffff', 4.48],
    ['#767676', '#ffffff', 4.54],
    ['#ff0000', '#ffffff', 4],
    ['#00ff00', '#ffffff', 1.37],
    ['#0000ff', '#ffffff', 8.59],
    ['#0a0a0a', '#000000', 1.06],
  ] as const) {
    assert.equal(contrast(one, other).toFixed(2), expected.toFixed(2))
    assert.equal(contrast(other, one), contrast(one, other))
  }
})

it('The accent may be a dark colour, and a light one is refused', () => {
  for (const colour of ['#3149c6', '#000000', '#b3261e', '#17693d', '#7a1f5c']) assert.ok(isReadable(colour), colour)
  for (const colour of ['#ffffff', '#ffd400', '#00ff00', '#777777', '#ff8800']) assert.ok(!isReadable(colour), colour)
})

it('The shades of both themes are computed from the accent, which the dark theme lightens where it must', () => {
  const light =
    '--accent-pointed:#5c1745;--accent-soft:#f2e9ef;--on-accent:#ffffff;--band:#7a1f5c26;--band-edge:#7a1f5c47'
  const dark =
    '--accent-pointed:#c8a3bc;--accent-soft:#26252d;--on-accent:#0e1115;--band:#b684a526;--band-edge:#b684a547'
  const query = '@media screen and (prefers-color-scheme:dark)'
  const style = `:root{--accent:#7a1f5c;${light}}\n${query}{:root{--accent:#b684a5;${dark}}}\n`
  assert.equal(accentStyle('#7a1f5c'), style)
  assert.match(accentStyle('#8f8f8f'), /dark\)\{:root\{--accent:#8f8f8f;/)
})

it('Every accepted accent can be read in both themes, as text and as a background', () => {
  for (let seed = 1; seed < 400; seed++) {
    const accent = `#${((seed * 2_654_435_761) % 0x1000000).toString(16).padStart(6, '0')}`
    if (!isReadable(accent)) continue
    const [light, dark] = accentStyle(accent).split('@media') as [string, string]
    for (const [style, theme] of [
      [light, grounds.light],
      [dark, grounds.dark],
    ] as const) {
      const token = (name: string) => new RegExp(`--${name}:(#[0-9a-f]{6})`).exec(style)![1]!
      for (const ground of [...theme, token('accent-soft'), token('on-accent')]) {
        assert.ok(contrast(token('accent'), ground) >= contrastMin, `${accent}: ${token('accent')} on ${ground}`)
      }
      assert.ok(contrast(token('accent-pointed'), token('on-accent')) >= contrastMin, accent)
    }
  }
})

it('The background colours in the code are those of the style sheet', () => {
  const [light, dark] = readFileSync(new URL('../../src/web/style/tokens.css', import.meta.url), 'utf8').split('@media')
  for (const [style, theme] of [
    [light, grounds.light],
    [dark, grounds.dark],
  ] as const) {
    const colours = ['ground', 'raised', 'sunken'].map((name) => new RegExp(`--${name}: (#\\w+);`).exec(style!)![1])
    assert.deepEqual(colours, theme)
  }
})
