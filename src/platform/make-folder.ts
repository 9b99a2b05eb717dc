/**
 * Makes a folder and its missing parents. Node.js's option `recursive` never returns for a path under /proc, where
 * nobody can make a folder: the parent exists, and yet the system reports ENOENT.
 */
import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Throws the system's error, or an Error that names the file in the way, or the parent in which no folder can be made.
 */
export function makeFolder(path: string): void {
  const full = resolve(path)
  const found = statSync(full, { throwIfNoEntry: false })
  if (found?.isDirectory() === true) return
  if (found !== undefined) throw new Error(`${full} must be a folder, and is a file`)
  const parent = dirname(full)
  makeFolder(parent)
  try {
    mkdirSync(full)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'EPERM') throw new Error(`${full}: no folder can be made in ${parent} (${code})`)
    // Another process may have made it a moment ago.
    if (code !== 'EEXIST' || !statSync(full).isDirectory()) throw error
  }
}
