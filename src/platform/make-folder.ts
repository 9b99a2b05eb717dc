/**
 * Makes a folder and those above it. Node.js has an option for that, but under /proc, where nobody can make a folder, it
 * never returns: the parent is there, and yet the system says that something is missing.
 */
import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Throws the system's error, or an Error that names the file in the way, or the parent that takes no folder. */
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
