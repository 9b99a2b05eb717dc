/**
 * Stores the last failed or rejected build, until a build succeeds. As long as builds fail, servers serve old prices,
 * even if later fetches and imports succeed. The record is `INDEX_DIR/build-failure.json`.
 */
import { readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import * as v from 'valibot'
import { diskErrorText, replaceFile } from './indexes/publish/durable.ts'

const schema = v.object({
  /** The absolute path of the snapshot folder. */
  snapshots: v.string(),
  failedAt: v.string(),
  /** The first line of the error. */
  error: v.string(),
  advice: v.string(),
})

export type BuildFailure = Readonly<v.InferOutput<typeof schema>>

const fileIn = (indexDir: string): string => join(indexDir, 'build-failure.json')

/** Undefined if the last build succeeded, or if the record can't be read. */
export async function readBuildFailure(indexDir: string): Promise<BuildFailure | undefined> {
  try {
    return v.parse(schema, JSON.parse(await readFile(fileIn(indexDir), 'utf8')))
  } catch {
    return undefined
  }
}

/**
 * Writes the record. If the disk can't be written, there is no record; the build itself then reports the disk's error.
 */
export async function writeBuildFailure(
  indexDir: string,
  snapshots: string,
  { error, advice }: { readonly error: unknown; readonly advice: string },
): Promise<void> {
  const { code } = error as NodeJS.ErrnoException
  const text = code === undefined ? (error as Error).message : `${indexDir}: ${diskErrorText(error)}`
  const failedAt = new Date().toISOString()
  const failure: BuildFailure = { snapshots: resolve(snapshots), failedAt, error: text.split('\n')[0]!, advice }
  await replaceFile(fileIn(indexDir), Buffer.from(`${JSON.stringify(failure)}\n`)).catch(() => undefined)
}

export const removeBuildFailure = (indexDir: string): Promise<void> => rm(fileIn(indexDir), { force: true })
