/** npm run bench:pictures: draws the pictures of a run again. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { command } from '../../src/command/command.ts'
import { projectDir } from '../harness/process.ts'
import { type Results, resultsName } from '../harness/results.ts'
import { writePictures } from './pictures.ts'

const usage = `Usage: npm run bench:pictures -- [DIR]

Draws the pictures of a run from its ${resultsName}, into the same folder (default: bench/results/reference).

  --help   shows this`

process.exitCode = await command(usage, { positionalsMax: 1 }, async ({ positionals }) => {
  const folder = positionals[0] ?? join(projectDir, 'bench/results/reference')
  const results = JSON.parse(readFileSync(join(folder, resultsName), 'utf8')) as Results
  const names = await writePictures(results, folder)
  console.log(names.length === 0 ? 'nothing to draw' : names.join('\n'))
  return 0
})
