/**
 * Which compiler made a version: what another one left is not reused, since it may compile the same snapshot otherwise.
 * Its identity is its own source, not a number that someone must remember to raise.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Checksum } from '../../src/checksum.ts'

const sourceFolders = ['build', 'src']
/** They decide what is taken from a snapshot, and how it is packed. */
const packages = ['msgpackr', 'valibot']

let identity: string | undefined

/**
 * SHA-256, hexadecimal, over the names and contents of the project's sources, the versions of the packages that shape
 * the bytes, and the version of Unicode by which names are folded. Made once, in a few milliseconds.
 */
export function compiler(): string {
  identity ??= identify()
  return identity
}

function identify(): string {
  const project = fileURLToPath(new URL('../..', import.meta.url))
  const sum = createHash('sha256').update(`unicode ${process.versions['unicode']}\n`)
  for (const name of packages) sum.update(`${name} ${versionOf(name)}\n`)
  for (const folder of sourceFolders) {
    const names = readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
    for (const name of names.filter((file) => file.endsWith('.ts')).sort()) {
      const content = new Checksum().add(readFileSync(join(project, folder, name))).end()
      sum.update(`${folder}/${name} ${content.sha256}\n`)
    }
  }
  return sum.digest('hex')
}

/** As it is installed. Packages need not let their package.json be resolved, so it is looked for as Node does. */
function versionOf(name: string): string {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? []
  const path = folders.map((folder) => join(folder, name, 'package.json')).find((candidate) => existsSync(candidate))
  if (path === undefined) throw new Error(`the package ${name} is not installed`)
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version
}
