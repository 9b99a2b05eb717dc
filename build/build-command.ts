/**
 * card-prices build: compiles a snapshot folder and publishes it as a version.
 *
 *   sets/, cards/ ──read──check──order──▶ cards-…, ids, catalog, search ─┐
 *   history/ ─────────────read──check───▶ history-… ─────────────────────┴─▶ publish
 *
 * It reuses the current version's history before the days of changed files.
 */
import { stat } from 'node:fs/promises'
import { type Output, optionOf, ProgramCommand } from '../src/command/command.ts'
import { readSetting } from '../src/settings.ts'
import { build } from './build.ts'
import { reportOf } from './build-report.ts'
import { finishImport } from './import/write/staging.ts'

export const buildCommand = (output: Output): ProgramCommand =>
  new ProgramCommand('build', output)
    .description('Compiles a snapshot folder, publishes it as a new version and makes it current.')
    .option('--snapshots <DIR>', 'the folder to read', 'snapshots')
    .addOption(optionOf('--out <DIR>', 'the folder of versions', 'INDEX_DIR, else indexes'))
    .option(
      '--force',
      'publishes a snapshot even if it lacks many cards or market prices of the current version, or has most market prices halved ' +
        'or doubled',
      false,
    )
    .examples('card-prices build', 'card-prices build --snapshots prices')
    .action(async ({ snapshots, out, force }: BuildOptions) => {
      if (!(await stat(snapshots).catch(() => undefined))?.isDirectory()) {
        throw new Error(`the snapshot folder ${snapshots} does not exist`)
      }
      await finishImport(snapshots)
      output.log(reportOf(await build(snapshots, out ?? readSetting('INDEX_DIR'), { force })))
    })

interface BuildOptions {
  readonly snapshots: string
  readonly out?: string
  readonly force: boolean
}
