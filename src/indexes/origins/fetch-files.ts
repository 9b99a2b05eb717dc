/**
 * Downloads files of a version to a folder, two at a time. Each file's name there is its checksum. If a transfer breaks
 * off, the partial file stays, and the next try resumes it. The checksum of the whole file decides whether it is right.
 */
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { IndexError } from '../format.ts'
import type { VersionFile } from '../manifest.ts'
import { Checksum, piecesOf, type Sum } from '../plain-file.ts'
import { Interrupted } from './http-exchange.ts'
import type { WebFolder } from './web-folder.ts'

/** A broken transfer is resumed at once if it received at least this many bytes. */
const fetchResumeBytesMin = 64 * 1024

const atOnce = 2
/** A file is synced whenever this many bytes were written, so that no sync occupies the disk for long. */
const syncedBytes = 8 * 1024 * 1024

export const fetchedPath = (folder: string, { sha256 }: Sum): string => join(folder, sha256)

interface Fetch {
  readonly web: WebFolder
  readonly version: string
  readonly files: readonly VersionFile[]
  /** The folder that gets the files. */
  readonly folder: string
  readonly signal: AbortSignal
}

/** Returns how many bytes were received. The first failure aborts all transfers. */
export async function fetchFiles(fetch: Fetch): Promise<number> {
  const failing = new AbortController()
  const signal = AbortSignal.any([failing.signal, fetch.signal])
  const next = fetch.files.values()
  let bytes = 0
  const some = async () => {
    for (const file of next) {
      const received = await fetchFile(fetch, file, signal)
      bytes += received
    }
  }
  // Waits for all transfers, so that nothing writes to a file afterwards.
  await Promise.all(Array.from({ length: atOnce }, () => some().catch((error) => failing.abort(error))))
  signal.throwIfAborted()
  return bytes
}

/** Returns how many bytes were received. */
async function fetchFile({ web, version, folder }: Fetch, file: VersionFile, signal: AbortSignal): Promise<number> {
  const name = `${version}/${file.name}`
  const path = fetchedPath(folder, file)
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
        for await (const piece of web.rest(name, file.bytes, at, signal)) {
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
    // A file can be resumed only if its transfer broke off or was aborted.
    if (!(error instanceof Interrupted) && !signal.aborted) await rm(path, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}
