/**
 * Finds installed packages. This project's own package contains parts of some large packages (build/package.sh). All
 * other packages are in node_modules.
 */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folders to search, in order. */
export const packageFolders = (name: string): readonly string[] => [
  ...(createRequire(import.meta.url).resolve.paths(name) ?? []),
  fileURLToPath(new URL('../../packages', import.meta.url)),
]

/** The folder of a package. Some packages do not export their package.json, so this searches as Node.js does. */
export function packageFolder(name: string): string {
  const found = packageFolders(name).find((folder) => existsSync(join(folder, name, 'package.json')))
  if (found === undefined) throw new Error(`the package ${name} is not installed`)
  return join(found, name)
}
