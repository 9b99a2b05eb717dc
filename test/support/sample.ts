/**
 * Versions of the sample and the fixture. Each is built once for all test files, and again when its data or the
 * compiler changes.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { build, projectDir, temporaryFolder } from './command.ts'
import { fixtureSnapshot } from './fixture.ts'

export const sampleSnapshot = join(projectDir, 'snapshots')

export interface SampleCard {
  readonly id: string
  readonly name: string
}

export function sampleCards(): SampleCard[] {
  const folder = join(sampleSnapshot, 'cards')
  return readdirSync(folder)
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line) as SampleCard)
}

export const sampleIds = (): string[] => sampleCards().map(({ id }) => id)

const cache = join(projectDir, 'node_modules/.cache/card-price-lookup-tests')
const unusedMsMax = 3_600_000

let digest: string | undefined

/** Returns an INDEX_DIR whose current version is that of the sample. */
export const sampleIndex = (indexDir?: string): Promise<string> =>
  indexOfBuilt('sample', () => sampleSnapshot, indexDir)

/** The same for the fixture. */
export const fixtureIndex = (indexDir?: string): Promise<string> => indexOfBuilt('fixture', fixtureSnapshot, indexDir)

async function indexOfBuilt(name: string, snapshot: () => string, indexDir = temporaryFolder()): Promise<string> {
  digest ??= digestOf('src', 'build', 'snapshots', 'package-lock.json', 'test/support/fixture.ts')
  const built = join(cache, `${name}-${digest}`)
  if (!existsSync(built)) await fill(built, snapshot())
  cpSync(built, indexDir, { recursive: true })
  return indexDir
}

/** Builds the snapshot into the cache. Several test files may do so at once; the first result stays. */
async function fill(kept: string, snapshot: string): Promise<void> {
  mkdirSync(cache, { recursive: true })
  for (const name of readdirSync(cache)) {
    const path = join(cache, name)
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() }
    if (!name.endsWith(digest!) && Date.now() - mtimeMs > unusedMsMax) rmSync(path, { recursive: true, force: true })
  }
  const made = mkdtempSync(join(cache, 'new-'))
  const built = await build(snapshot, made)
  assert.equal(built.code, 0, built.stderr)
  try {
    renameSync(made, kept)
  } catch (error) {
    rmSync(made, { recursive: true })
    if (!existsSync(kept)) throw error
  }
}

/** A checksum over all files, by name and bytes. @param paths paths from the project's folder */
function digestOf(...paths: readonly string[]): string {
  const hash = createHash('sha256')
  const add = (path: string) => {
    const full = join(projectDir, path)
    if (statSync(full).isDirectory()) {
      for (const name of readdirSync(full).sort()) if (name !== 'node_modules') add(join(path, name))
    } else hash.update(`${path}\0`).update(readFileSync(full)).update('\0')
  }
  for (const path of paths) add(path)
  return hash.digest('hex').slice(0, 16)
}
