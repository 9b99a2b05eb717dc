/** Where packages are: our own package brings parts of large ones, see build/package.sh; all others are in node_modules. */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folders that hold packages, the first to be asked first. */
export const packageFolders = (name: string): readonly string[] => [
  ...(createRequire(import.meta.url).resolve.paths(name) ?? []),
  fileURLToPath(new URL('../packages', import.meta.url)),
]

/** The folder of a package. Packages need not let their package.json be resolved, so it is looked for as Node does. */
export function packageFolder(name: string): string {
  const found = packageFolders(name).find((folder) => existsSync(join(folder, name, 'package.json')))
  if (found === undefined) throw new Error(`the package ${name} is not installed`)
  return join(found, name)
}

/** The version of a package, as it is installed. */
export function packageVersion(name: string): string {
  return (JSON.parse(readFileSync(join(packageFolder(name), 'package.json'), 'utf8')) as { version: string }).version
}
