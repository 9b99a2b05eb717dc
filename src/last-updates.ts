/**
 * Stores what the last run of `card-prices update` did, for each source. One copy is beside the snapshots, for the next
 * run. The other copy is in INDEX_DIR, for metrics and the operator's pages.
 *
 *   SNAPSHOTS/import/last.json       INDEX_DIR/updates.json
 */
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import * as v from 'valibot'
import { commandLine } from './command/command-line.ts'
import { inFolder, replaceFile } from './indexes/publish/durable.ts'
import { makeFolder } from './platform/make-folder.ts'

const updateSchema = v.object({
  /** The absolute path of the snapshot folder. */
  snapshots: v.optional(v.string()),
  startedAt: v.string(),
  endedAt: v.string(),
  success: v.boolean(),
  error: v.nullable(v.string()),
  /** The run's advice about its error. Older releases do not write it. */
  advice: v.optional(v.nullable(v.string()), null),
  /** The options that a later run for the same update must repeat. Older releases do not write them. */
  options: v.optional(v.array(v.string()), []),
  /** True if the source could not be reached: the network failed, or it answered with a 5xx or a 429. */
  isAway: v.optional(v.boolean()),
  /** The publisher's name for the version of the files that were downloaded last. */
  stamp: v.nullable(v.string()),
  /** True if this run imported something. */
  isNew: v.boolean(),
  requests: v.number(),
  bytes: v.number(),
  /**
   * What the last import imported. `day` and `missingDays` describe the same import, which may be of an earlier run.
   */
  counts: v.nullable(v.object({ sets: v.number(), cards: v.number(), prices: v.number(), newIds: v.number() })),
  /** The day of the prices, YYYY-MM-DD. */
  day: v.nullable(v.string()),
  /** The days without prices between `day` and the day of the previous import. */
  missingDays: v.array(v.string()),
  /** The held sets of the source: they stay as they were (build/import/write/held.ts). */
  held: v.optional(
    v.array(v.object({ game: v.string(), code: v.string(), runs: v.number(), figures: v.string() })),
    [],
  ),
  /**
   * The version that was imported last, by input. An input is one file or several. A run skips an input whose version
   * is the same.
   */
  imported: v.record(v.string(), v.string()),
  /** The version that this run built. */
  version: v.nullable(v.string()),
})

const updatesSchema = v.record(v.string(), updateSchema)

export type LastUpdate = v.InferOutput<typeof updateSchema>
export type LastUpdates = v.InferOutput<typeof updatesSchema>

export const lastUpdatesFile = (snapshots: string): string => join(snapshots, 'import', 'last.json')
const serversFile = (indexDir: string): string => join(indexDir, 'updates.json')

export async function writeLastUpdates(snapshots: string, indexDir: string, updates: LastUpdates): Promise<void> {
  const content = Buffer.from(`${JSON.stringify(updates, undefined, 2)}\n`)
  for (const file of [serversFile(indexDir), lastUpdatesFile(snapshots)]) {
    await inFolder(file, 'the next run may repeat this one', async () => {
      makeFolder(dirname(file))
      await replaceFile(file, content)
    })
  }
}

/** The records beside the snapshots, by source. Empty if the file can't be read. */
export function readLastUpdates(snapshots: string): LastUpdates {
  try {
    return updatesIn(readFileSync(lastUpdatesFile(snapshots), 'utf8'))
  } catch {
    return {}
  }
}

/** The records in INDEX_DIR, by source. Empty if the file can't be read. */
export const readUpdatesOfServer = (indexDir: string): Promise<LastUpdates> =>
  readFile(serversFile(indexDir), 'utf8')
    .then(updatesIn)
    .catch(() => ({}))

const updatesIn = (text: string): LastUpdates => v.parse(updatesSchema, JSON.parse(text))

/** The name of a held set in `--accept`: `pokemon/swsh12`. */
export const acceptedName = ({ game, code }: { readonly game: string; readonly code: string }): string =>
  `${game}/${code}`

/** The folder to which imports and updates write, unless `--out` names another one. */
export const usualSnapshots = 'prices'

/**
 * The command line that updates a source.
 * @param snapshots the snapshot folder; undefined if an earlier release wrote the record
 * @param more the options of the run, and further ones
 */
export function updateLine(source: string, snapshots: string | undefined, ...more: readonly string[]): string {
  const isUsual = snapshots === undefined || resolve(snapshots) === resolve(usualSnapshots)
  return commandLine('update', source, ...(isUsual ? [] : ['--out', snapshots]), ...more)
}
