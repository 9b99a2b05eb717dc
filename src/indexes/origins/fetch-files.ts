/**
 * Downloads files of a version to a folder, two at a time, each under its checksum. A file whose transfer broke off stays there, and the
 * next try resumes it. In the end the checksum decides.
 */
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fetchResumeBytesMin } from '../../limits.ts'
import { IndexError } from '../format.ts'
import type { Manifest } from '../manifest.ts'
import { Checksum, piecesOf, type Sum } from '../plain-file.ts'
import { Interrupted } from './http-exchange.ts'
import type { WebFolder } from './web-folder.ts'

type File = Manifest['files'][number]

const atOnce = 2
/** How often a file is synced, so that one sync does not occupy the disk for long. */
const syncedBytes = 8 * 1024 * 1024

export const fetchedPath = (folder: string, { sha256 }: Sum): string => join(folder, sha256)

/** Returns how many bytes were received. The first failure aborts all. */
export async function fetchFiles(
  web: WebFolder,
  version: string,
  files: readonly File[],
  folder: string,
): Promise<number> {
  const failing = new AbortController()
  const { signal } = failing
  const next = files.values()
  let bytes = 0
  const some = async () => {
    for (const file of next) {
      const name = `${version}/${file.name}`
      const received = await fetchFile({ web, name, file, path: fetchedPath(folder, file) }, signal)
      bytes += received
    }
  }
  // Waits for all, so that nothing writes to a file afterwards.
  await Promise.all(Array.from({ length: atOnce }, () => some().catch((error) => failing.abort(error))))
  signal.throwIfAborted()
  return bytes
}

interface Transfer {
  readonly web: WebFolder
  /** As the web server has it. */
  readonly name: string
  readonly file: File
  /** Where its bytes go. */
  readonly path: string
}

/** Returns how many bytes were received. */
async function fetchFile({ web, name, file, path }: Transfer, signal: AbortSignal): Promise<number> {
  const handle = await open(path, 'a+')
  const sum = new Checksum()
  let at = 0
  let unsynced = 0
  try {
    for await (const piece of piecesOf(handle)) {
      sum.add(piece)
      at += piece.length
    }
    const resumedAt = at
    while (at < file.bytes) {
      const before = at
      try {
        for await (const piece of web.rest({ path: name, bytes: file.bytes, from: at }, signal)) {
          await handle.appendFile(piece)
          sum.add(piece)
          at += piece.length
          unsynced += piece.length
          if (unsynced < syncedBytes) continue
          unsynced = 0
          await handle.datasync()
        }
      } catch (error) {
        if (!(error instanceof Interrupted) || at - before < fetchResumeBytesMin) throw error
        await pause(web.resumeMs, undefined, { signal })
      }
    }
    await handle.datasync()
    if (sum.end().sha256 !== file.sha256) throw new IndexError(`${web.addressOf(name)} has a wrong checksum`)
    return at - resumedAt
  } catch (error) {
    // Only a file that broke off can be resumed.
    if (!(error instanceof Interrupted) && !signal.aborted) await rm(path, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}
