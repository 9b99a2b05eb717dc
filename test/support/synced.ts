import { readlinkSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { relative } from 'node:path'
import type { TestContext } from 'node:test'

/** The files and folders that the work syncs, in order, by the names that they have then, as seen from the folder. */
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
