/** The sample's version, compiled once for all test files while nothing changes that it is made of or by. */
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

export const sampleSnapshot = join(projectDir, 'snapshots')

const cache = join(projectDir, 'node_modules/.cache/card-price-lookup-tests')
const unusedMsMax = 3_600_000

/** An INDEX_DIR of its own, whose current version is the sample's. */
export async function sampleIndex(): Promise<string> {
  const kept = join(cache, digestOf('src', 'build', 'snapshots', 'package-lock.json'))
  if (!existsSync(kept)) await fill(kept)
  const indexDir = temporaryFolder()
  cpSync(kept, indexDir, { recursive: true })
  return indexDir
}

/** Several test files may do so at once: the first one's stays. */
async function fill(kept: string): Promise<void> {
  mkdirSync(cache, { recursive: true })
  for (const name of readdirSync(cache)) {
    const path = join(cache, name)
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() }
    if (Date.now() - mtimeMs > unusedMsMax) rmSync(path, { recursive: true, force: true })
  }
  const made = mkdtempSync(join(cache, 'new-'))
  const built = await build(sampleSnapshot, made)
  assert.equal(built.code, 0, built.stderr)
  try {
    renameSync(made, kept)
  } catch (error) {
    rmSync(made, { recursive: true })
    if (!existsSync(kept)) throw error
  }
}

/** Of all files, by their names and bytes. @param paths as seen from the project */
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
