/**
 * card-prices build: compiles a snapshot folder and publishes it as a version.
 *
 *   sets/, cards/ ──read──check──order──▶ cards-…, ids, catalog, search ─┐
 *   history/ ─────────────read──check───▶ history-… ─────────────────────┴─▶ publish
 *
 * It reuses the current version's history before the days of changed files.
 */
import { stat } from 'node:fs/promises'
import { command } from '../src/command/command.ts'
import { readSetting } from '../src/settings.ts'
import { build } from './build.ts'
import { reportOf } from './build-report.ts'
import { finishImport } from './import/write/staging.ts'

const usage = `Usage: card-prices build [--snapshots DIR] [--out DIR] [--force]

Compiles a snapshot folder, publishes it as a new version and makes it current.

  --snapshots DIR   the folder to read (default: snapshots)
  --out DIR         the folder of versions (default: INDEX_DIR, else indexes)
  --force           publishes a snapshot even if it lacks many cards or market prices of the current version, or has most
                    market prices halved or doubled
  --help            shows this`

const options = {
  snapshots: { type: 'string', default: 'snapshots' },
  out: { type: 'string' },
  force: { type: 'boolean', default: false },
} as const

process.exitCode = await command(usage, { options }, async ({ values }) => {
  const { snapshots, out, force } = values as { snapshots: string; out?: string; force: boolean }
  const indexDir = out ?? readSetting('INDEX_DIR')
  if (!(await stat(snapshots).catch(() => undefined))?.isDirectory()) {
    throw new Error(`the snapshot folder ${snapshots} does not exist`)
  }
  await finishImport(snapshots)
  console.log(reportOf(await build(snapshots, indexDir, { force })))
  return 0
})
