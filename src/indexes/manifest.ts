/**
 * Reads `indexes/<version>/manifest.json`, which lists a version's files, and `indexes/current`, which names the
 * current version.
 */
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import * as v from 'valibot'
import { dayOfDate, noDay } from '../calendar.ts'
import { indexFileBytesMax, quotedCharsMax, versionBytesMax } from '../limits.ts'
import { softwareVersion } from '../version.ts'
import { buildOnce, formatVersion, IndexError } from './format.ts'
import { readPlain } from './plain-file.ts'

export const currentName = 'current'
export const manifestName = 'manifest.json'
/** The name of the report: what changed since the version before (report-file.ts). */
export const reportName = 'report.json'

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

/** YYYY-MM-DD */
export const dateSchema = v.pipe(
  v.string(),
  v.check((text) => dayOfDate(text) !== noDay, 'is no date'),
)

const release = v.pipe(v.string(), v.regex(/^[\w.+-]{1,40}$/))

/** The pages parse a report in one step, so it must be small. */
export const reportBytesMax = 1024 * 1024

/** The names that a version's files may have, except its manifest and its report. */
const fileName = /^((cards|history)-\d{3}|ids|catalog|search|lists|changes|set-figures|about|bulk)\.msgpack$/

const sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))

const fileSchema = v.object({
  name: v.pipe(v.string(), v.regex(fileName, 'is no file that this release knows')),
  bytes: v.pipe(count, v.maxValue(indexFileBytesMax)),
  sha256,
})

const reportSchema = v.object({
  name: v.literal(reportName),
  bytes: v.pipe(count, v.maxValue(reportBytesMax)),
  sha256,
})

/** The size of all files together in bytes. */
export const bytesOf = (files: readonly { readonly bytes: number }[]): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0)

const schema = v.object({
  format: v.literal(formatVersion),
  version: v.string(),
  /** Null if neither history nor cards have a date. */
  asOf: v.nullable(dateSchema),
  /** The time of publication. All other fields depend only on the snapshots. */
  builtAt: v.pipe(v.string(), v.isoTimestamp()),
  /** The order of publications in an index folder. A build's number is one above all others there. */
  sequence: v.optional(count, 0),
  /** The release that built the version. Older releases do not write it. */
  release: v.optional(release),
  /** The snapshot that it was built from: the fingerprint of its content, and the number of its last import. */
  snapshot: v.optional(v.object({ sha256, imports: count })),
  counts: v.object({ cards: count, sets: count, historyRows: count }),
  files: v.pipe(
    v.array(fileSchema),
    v.check((files) => new Set(files.map(({ name }) => name)).size === files.length, 'has a file twice'),
    v.check((files) => bytesOf(files) <= versionBytesMax, `has more than ${versionBytesMax} bytes`),
  ),
  /**
   * The report is not one of `files`, because the version's name follows from `files`. So the same snapshots make the
   * same version, whatever version was current before. A version that an older release built has no report. A version
   * that an older release downloaded lacks the report's file. Servers do not need it.
   */
  report: v.optional(reportSchema),
})

export type Manifest = v.InferOutput<typeof schema>

/** A file of a version. */
export type VersionFile = Pick<Manifest['files'][number], 'name' | 'bytes' | 'sha256'>

export const filesOf = ({ files, report }: Manifest): readonly VersionFile[] =>
  report === undefined ? files : [...files, report]

export const manifestText = (manifest: Manifest): Buffer => Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)

/** The form of a version's name: the data's date and a checksum. */
const versionName = /^(\d{4}-\d{2}-\d{2}|undated)-[0-9a-f]{12}$/

/** True if the text has the form of a version's name. */
export const isVersionName = (text: string): boolean => versionName.test(text)

/**
 * The version that `current` names; undefined if there is no `current`. Throws IndexError if it names no version, or is
 * unreadable.
 */
export async function readCurrent(indexDir: string): Promise<string | undefined> {
  const path = resolve(indexDir, currentName)
  const text = await readIfThere(path)
  return text === undefined ? undefined : versionNamedIn(text, path)
}

/** The version in the text of a `current` file. Throws IndexError if the text names none. @param path for messages */
export function versionNamedIn(text: string, path: string): string {
  const version = text.trim()
  if (!isVersionName(version)) {
    throw new IndexError(`${path} names no version (${JSON.stringify(version.slice(0, quotedCharsMax))})`)
  }
  return version
}

/** A message that says why a folder has no version. @param path the folder's absolute path */
export const emptyMessageOf = (path: string): string =>
  existsSync(path) ? `no version is published in ${path} yet` : `there is no folder ${path}`

/** Identifies the state of `indexes/current`; empty if there is none. Call this before reading the version. */
export async function currentStamp(indexDir: string): Promise<string> {
  const path = resolve(indexDir, currentName)
  try {
    const { ino, mtimeMs, size } = await stat(path)
    return `${ino} ${mtimeMs} ${size}`
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return ''
    if (code === 'ENOTDIR') throw new Error(`INDEX_DIR: must be a folder (${indexDir})`)
    throw new Error(`${path} can't be read (${code ?? message})`)
  }
}

/** Reads a version's manifest. Throws IndexError if it is missing, damaged, of an unknown format, or unreadable. */
export async function readManifest(indexDir: string, version: string): Promise<Manifest> {
  const { text, path } = await readText(indexDir, version)
  return manifestIn(text, version, path)
}

const builtBy = v.fallback(
  v.object({ format: v.optional(v.unknown()), release: v.fallback(v.optional(release), undefined) }),
  {},
)

const otherFormat = v.object({
  format: v.pipe(v.number(), v.notValue(formatVersion)),
  builtAt: v.string(),
  sequence: v.optional(count, 0),
})

/** Reads the fields that the manifests of all formats share. Throws as `readManifest` does. */
export async function readAnyManifest(
  indexDir: string,
  version: string,
): Promise<Pick<Manifest, 'builtAt' | 'sequence'> & { readonly format: number }> {
  const { text, path } = await readText(indexDir, version)
  const other = v.safeParse(otherFormat, jsonIn(text, path))
  return other.success ? other.output : manifestIn(text, version, path)
}

async function readText(indexDir: string, version: string): Promise<{ text: string; path: string }> {
  const path = resolve(indexDir, version, manifestName)
  const text = await readIfThere(path)
  if (text === undefined) {
    throw new IndexError(`${path} is not there: is the version still being copied? Publish ${currentName} last`)
  }
  return { text, path }
}

function jsonIn(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new IndexError(`${path} is not JSON`)
  }
}

/**
 * The manifest in a text. Throws IndexError if it is not that of `version`.
 * @param path the text's path, for messages
 */
export function manifestIn(text: string, version: string, path: string): Manifest {
  const value = jsonIn(text, path)
  const { format, release: by = `before ${softwareVersion}` } = v.parse(builtBy, value)
  if (format !== formatVersion) {
    // A release that is in development may write another format under the same name.
    const formats = by === softwareVersion ? ` (index format ${JSON.stringify(format)}, not ${formatVersion})` : ''
    throw new IndexError(`${path}: built by release ${by}, this is ${softwareVersion}${formats}${buildOnce}`)
  }
  const result = v.safeParse(schema, value)
  if (!result.success) {
    const issue = result.issues[0]
    throw new IndexError(`${path} is damaged (${v.getDotPath(issue)}: ${issue.message})`)
  }
  if (result.output.version !== version) {
    throw new IndexError(`${path} belongs to version ${result.output.version}`)
  }
  return result.output
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return (await readPlain(path)).toString('utf8')
  } catch (error) {
    if (error instanceof IndexError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new IndexError(`${path} can't be read (${code ?? message})`)
  }
}
