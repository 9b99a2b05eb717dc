import { readlinkSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { relative } from 'node:path'
import type { TestContext } from 'node:test'

/**
 * Returns the paths of the files and folders that the work syncs, in order, relative to `folder`. A file has the name
 * that it had when it was synced.
 */
export async function syncedBy(context: TestContext, folder: string, work: () => Promise<unknown>): Promise<string[]> {
  const handle = await open(folder)
  const handles: FileHandle = Object.getPrototypeOf(handle)
  await handle.close()
  const synced: string[] = []
  for (const name of ['sync', 'datasync'] as const) {
    const sync = handles[name]
    context.mock.method(handles, name, async function (this: FileHandle) {
      await sync.call(this)
      synced.push(relative(folder, readlinkSync(`/proc/self/fd/${this.fd}`)))
    })
  }
  await work()
  return synced
}
