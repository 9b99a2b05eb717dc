/** Downloads files of a version to partial files, two at a time, and verifies each checksum. */
import { setTimeout as pause } from 'node:timers/promises'
import { fetchesMax, fetchResumeBytesMin } from '../../limits.ts'
import { IndexError } from '../format.ts'
import type { Manifest } from '../manifest.ts'
import { Interrupted } from './exchange.ts'
import type { PartialFile, PartialFiles } from './partial-files.ts'
import { ContentMismatch, type WebFolder } from './web-folder.ts'

type File = Manifest['files'][number]

/** Returns how many bytes were received. The first failure aborts all. */
export async function fetchFiles(
  web: WebFolder,
  version: string,
  files: readonly File[],
  partialFiles: PartialFiles,
  signal: AbortSignal,
): Promise<number> {
  const failing = new AbortController()
  const ending = AbortSignal.any([signal, failing.signal])
  const next = files.values()
  let bytes = 0
  const some = async () => {
    for (const file of next) {
      const received = await fetchFile(web, version, file, partialFiles, ending)
      bytes += received
    }
  }
  // Waits for all, so that nothing writes to a partial file afterwards.
  await Promise.all(Array.from({ length: fetchesMax }, () => some().catch((error) => failing.abort(error))))
  ending.throwIfAborted()
  return bytes
}

/** Returns how many bytes were received. */
async function fetchFile(
  web: WebFolder,
  version: string,
  file: File,
  partialFiles: PartialFiles,
  signal: AbortSignal,
): Promise<number> {
  const path = `${version}/${file.name}`
  const partial = await partialFiles.open(file)
  try {
    for (;;) {
      await fetchUntilComplete(web, path, file, partial, signal)
      if (partial.end().sha256 === file.sha256) break
      const { resumed } = partial
      await partial.restart()
      // If bytes of an earlier try were in the file, they may be wrong: downloads the file once more.
      if (resumed === 0) throw new IndexError(`${web.addressOf(path)} has a wrong checksum`)
    }
    await partial.sync()
    return partial.received
  } finally {
    await partial.close()
  }
}

/** Downloads until the file has its length. Resumes after an interruption, unless it received nearly nothing. */
async function fetchUntilComplete(
  web: WebFolder,
  path: string,
  file: File,
  partial: PartialFile,
  signal: AbortSignal,
): Promise<void> {
  while (partial.bytes < file.bytes) {
    const before = partial.bytes
    try {
      await fetchRest(web, path, file, partial, signal)
    } catch (error) {
      if (error instanceof ContentMismatch) await partial.restart()
      if (!(error instanceof Interrupted) || partial.bytes - before < fetchResumeBytesMin) throw error
      await pause(web.resumeMs, undefined, { signal })
    }
  }
}

async function fetchRest(
  web: WebFolder,
  path: string,
  file: File,
  partial: PartialFile,
  signal: AbortSignal,
): Promise<void> {
  const incoming = await web.open(path, file.bytes, partial.bytes, partial.validator, signal)
  try {
    if (incoming.from !== partial.bytes) await partial.restart()
    await partial.setValidator(incoming.validator)
    for await (const piece of incoming.pieces()) {
      if (partial.bytes + piece.length > file.bytes) {
        throw new ContentMismatch(`${web.addressOf(path)} has more than the ${file.bytes} bytes that its manifest says`)
      }
      await partial.add(piece)
    }
  } finally {
    incoming.end()
  }
  if (partial.bytes < file.bytes) throw new Interrupted(`${web.addressOf(path)} ended early`)
}
