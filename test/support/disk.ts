/** A small disk of its own, in memory: for tests that may mount one (see programs.ts). */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './command.ts'
import { until } from './until.ts'

export interface Disk {
  readonly folder: string
  /** Leaves so many bytes, as far as pages go. */
  fill(left: number): void
  /** Undoes that. */
  free(): void
  /** Resolves when no file on it is open. Rejects if one stays open; the disk goes all the same. */
  unmount(): Promise<void>
}

export function mountDisk(bytes: number): Disk {
  const folder = join(temporaryFolder(), 'disk')
  mkdirSync(folder)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder])
  const filler = join(folder, 'filler')
  const freeBytes = () => {
    const [blocks, blockBytes] = execFileSync('stat', ['-f', '-c', '%a %S', folder], { encoding: 'utf8' }).split(' ')
    return Number(blocks) * Number(blockBytes)
  }
  const free = () => rmSync(filler, { force: true })
  return {
    folder,
    fill(left) {
      free()
      writeFileSync(filler, Buffer.alloc(Math.max(0, freeBytes() - left)))
    },
    free,
    // A file may still be being closed.
    unmount: () =>
      until('the disk is unmounted', () => spawnSync('umount', [folder]).status === 0).catch((error) => {
        spawnSync('umount', ['--lazy', folder])
        throw error
      }),
  }
}
