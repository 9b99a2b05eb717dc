/**
 * npm run build: a snapshot folder becomes a published version.
 *
 *   sets/, cards/ ──read──check──order──▶ cards-…, ids, catalog, search ─┐
 *   history/ ─────────────read──check───▶ history-… ─────────────────────┴─▶ publish
 *
 * What did not change since the last version is taken from it: the card, set and search files as they are if no
 * file of `sets/` and `cards/` changed, and of the history all that the changed files have no part in.
 */
import { mkdir, stat } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { readSetting, SettingError } from '../src/settings.ts'
import { build } from './build.ts'
import { SnapshotError } from './problems.ts'
import { Progress } from './progress.ts'
import { reportOf } from './report.ts'

const usage = `Usage: npm run build -- [--snapshots DIR] [--out DIR]

Compiles a snapshot folder, publishes it as a new version and makes it the one in use.

  --snapshots DIR   what to read (default: snapshots)
  --out DIR         where versions are published (default: INDEX_DIR, else indexes)
  --help            shows this`

async function main(): Promise<number> {
  let options: { snapshots: string; out?: string; help: boolean }
  try {
    options = parseArgs({
      options: {
        snapshots: { type: 'string', default: 'snapshots' },
        out: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values as typeof options
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`)
    return 2
  }
  if (options.help) {
    console.log(usage)
    return 0
  }
  const progress = new Progress()
  try {
    const indexDir = options.out ?? readSetting('INDEX_DIR')
    if (!(await stat(options.snapshots).catch(() => undefined))?.isDirectory())
      throw new Error(`there is no snapshot folder ${options.snapshots}`)
    await mkdir(indexDir, { recursive: true })
    const result = await build(options.snapshots, indexDir, progress)
    progress.clear()
    console.log(reportOf(result))
    return 0
  } catch (error) {
    progress.clear()
    if (error instanceof SnapshotError) for (const line of error.lines) console.error(line)
    else console.error(error instanceof SettingError ? error.message : `build: ${(error as Error).message}`)
    return 1
  }
}

process.exitCode = await main()
