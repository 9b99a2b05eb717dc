/**
 * card-prices build: a snapshot folder becomes a published version.
 *
 *   sets/, cards/ ──read──check──order──▶ cards-…, ids, catalog, search ─┐
 *   history/ ─────────────read──check───▶ history-… ─────────────────────┴─▶ publish
 *
 * What did not change since the last version is taken from it: the card, set and search files as they are if no
 * file of `sets/` and `cards/` changed, and of the history all that the changed files have no part in.
 */
import { stat } from 'node:fs/promises'
import { command } from '../src/cli/command.ts'
import { readSetting } from '../src/settings.ts'
import { build } from './build.ts'
import { finishImport } from './import/write/place.ts'
import { Progress } from './progress.ts'
import { reportOf } from './report.ts'

const usage = `Usage: card-prices build [--snapshots DIR] [--out DIR] [--force]

Compiles a snapshot folder, publishes it as a new version and makes it the one in use.

  --snapshots DIR   what to read (default: snapshots)
  --out DIR         where versions are published (default: INDEX_DIR, else indexes)
  --force           publishes a snapshot that lacks many cards or market prices of the current version, or has most market
                    prices halved or doubled, too
  --help            shows this`

const options = {
  snapshots: { type: 'string', default: 'snapshots' },
  out: { type: 'string' },
  force: { type: 'boolean', default: false },
} as const

process.exitCode = await command(usage, options, 0, async ({ values }) => {
  const { snapshots, out, force } = values as { snapshots: string; out?: string; force: boolean }
  const indexDir = out ?? readSetting('INDEX_DIR')
  if (!(await stat(snapshots).catch(() => undefined))?.isDirectory()) {
    throw new Error(`there is no snapshot folder ${snapshots}`)
  }
  await finishImport(snapshots)
  const progress = new Progress()
  try {
    const result = await build(snapshots, indexDir, progress, { force })
    progress.clear()
    console.log(reportOf(result))
    return 0
  } finally {
    progress.clear()
  }
})
