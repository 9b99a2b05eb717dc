/** A picture's description to SVG, without a browser. */
import * as vega from 'vega'
import { compile, type TopLevelSpec } from 'vega-lite'
import { configOf, type Theme, widthPixels } from './theme.ts'

export type Picture = TopLevelSpec

/** Of the letters that the usual fonts have, as parts of their size; without a browser nothing measures them. */
const charWidth = 0.58

interface TextItem {
  readonly fontSize?: number
}

/** Not among the library's types. */
const { textMetrics } = vega as unknown as { textMetrics: { width: (item: TextItem, text: string) => number } }
textMetrics.width = ({ fontSize = 11 }, text) => charWidth * fontSize * String(text ?? '').length

/** Of the whole, its view and its background. */
const sizes = /^(<svg [^>]*?)width="\d+"( height="\d+" )viewBox="0 0 \d+ (\d+"><rect )width="\d+"/

/** All pictures have one width, for labels of any length. */
export async function draw(picture: Picture, theme: Theme): Promise<string> {
  const { spec } = compile({ ...picture, config: configOf(theme) } as TopLevelSpec)
  const view = new vega.View(vega.parse(spec), { renderer: 'none' })
  try {
    const svg = await view.toSVG()
    return `${svg.replace(sizes, `$1width="${widthPixels}"$2viewBox="0 0 ${widthPixels} $3width="${widthPixels}"`)}\n`
  } finally {
    view.finalize()
  }
}

/** The title of a part of a picture. */
export const panelTitle = (text: string) => ({ text, fontSize: 13, offset: 8, frame: 'group' })
