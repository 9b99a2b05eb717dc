/** Which pictures there are. Each is a function of the results alone, so a run's can be drawn again. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Results } from '../harness/results.ts'
import { cardsPicture } from './cards.ts'
import { draw, type Picture } from './draw.ts'
import { peersPicture } from './peers.ts'
import { ratesPicture } from './rates.ts'
import { scenariosPicture } from './scenarios.ts'
import { swapPicture } from './swap.ts'
import { type Theme, themes, widthPixels } from './theme.ts'

/** Undefined if the run has not measured what it shows. */
type Maker = (results: Results, theme: Theme) => Picture | undefined

export const pictures: Readonly<Record<string, Maker>> = {
  scenarios: scenariosPicture,
  peers: peersPicture,
  rates: ratesPicture,
  cards: cardsPicture,
  swap: swapPicture,
}

/** Writes those that the results have figures for, light and dark; returns the files' names. */
export async function writePictures(results: Results, folder: string): Promise<string[]> {
  const names: string[] = []
  for (const [name, make] of Object.entries(pictures)) {
    for (const theme of themes) {
      const picture = make(results, theme)
      if (picture === undefined) continue
      const file = `${name}-${theme.name}.svg`
      writeFileSync(join(folder, file), await draw(picture, theme))
      names.push(file)
    }
  }
  return names
}

/** Markdown that shows those of the files, each as the reader's page wants it. */
export const shown = (files: readonly string[]): string =>
  Object.keys(pictures)
    .filter((name) => files.includes(`${name}-light.svg`))
    .map(
      (name) =>
        `<picture><source media="(prefers-color-scheme: dark)" srcset="${name}-dark.svg">` +
        `<img src="${name}-light.svg" alt="${name}" width="${widthPixels}"></picture>`,
    )
    .join('\n\n')
