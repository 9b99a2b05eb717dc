/** A picture's description to SVG, without a browser. */
import { parse, View } from 'vega'
import { compile, type TopLevelSpec } from 'vega-lite'
import { configOf, type Theme } from './theme.ts'

export type Picture = TopLevelSpec

export async function draw(picture: Picture, theme: Theme): Promise<string> {
  const { spec } = compile({ ...picture, config: configOf(theme) } as TopLevelSpec)
  const view = new View(parse(spec), { renderer: 'none' })
  try {
    return await view.toSVG()
  } finally {
    view.finalize()
  }
}
