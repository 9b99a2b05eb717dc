/** Files of a version, fetched two at a time into their parts, each until its checksum fits. */
import { setTimeout as pause } from 'node:timers/promises'
import { fetchesMax, fetchResumeBytesMin } from '../../limits.ts'
import { IndexError } from '../format.ts'
import type { Manifest } from '../manifest.ts'
import { BrokenOff } from './exchange.ts'
import type { Part, Parts } from './partial-files.ts'
import { OtherContent, type WebFolder } from './web-folder.ts'

type File = Manifest['files'][number]

/** Returns how many bytes have come. The first failure ends all. */
export async function fetchFiles(
  web: WebFolder,
  version: string,
  files: readonly File[],
  parts: Parts,
  signal: AbortSignal,
): Promise<number> {
  const failing = new AbortController()
  const ending = AbortSignal.any([signal, failing.signal])
  const next = files.values()
  let bytes = 0
  const some = async () => {
    for (const file of next) {
      const came = await fetchFile(web, version, file, parts, ending)
      bytes += came
    }
  }
  // All have ended before anybody goes on: nobody writes to a part any more.
  await Promise.all(Array.from({ length: fetchesMax }, () => some().catch((error) => failing.abort(error))))
  ending.throwIfAborted()
  return bytes
}

/** Returns how many bytes have come. */
async function fetchFile(
  web: WebFolder,
  version: string,
  file: File,
  parts: Parts,
  signal: AbortSignal,
): Promise<number> {
  const path = `${version}/${file.name}`
  const part = await parts.open(file)
  try {
    for (;;) {
      await fetchPart(web, path, file, part, signal)
      if (part.end().sha256 === file.sha256) break
      const { kept } = part
      await part.beginAnew()
      // The bytes of an earlier try may be what is wrong.
      if (kept === 0) throw new IndexError(`${web.addressOf(path)} has a wrong checksum`)
    }
    await part.sync()
    return part.came
  } finally {
    await part.close()
  }
}

/** Until the part has all of the file: what was broken off goes on where it was, unless nearly nothing had come. */
async function fetchPart(web: WebFolder, path: string, file: File, part: Part, signal: AbortSignal): Promise<void> {
  while (part.bytes < file.bytes) {
    const before = part.bytes
    try {
      await fetchRest(web, path, file, part, signal)
    } catch (error) {
      if (error instanceof OtherContent) await part.beginAnew()
      if (!(error instanceof BrokenOff) || part.bytes - before < fetchResumeBytesMin) throw error
      await pause(web.resumeMs, undefined, { signal })
    }
  }
}

async function fetchRest(web: WebFolder, path: string, file: File, part: Part, signal: AbortSignal): Promise<void> {
  const coming = await web.open(path, file.bytes, part.bytes, part.validator, signal)
  try {
    if (coming.from !== part.bytes) await part.beginAnew()
    await part.beginsWith(coming.validator)
    for await (const piece of coming.pieces()) {
      if (part.bytes + piece.length > file.bytes) {
        throw new OtherContent(`${web.addressOf(path)} has more than the ${file.bytes} bytes that its manifest says`)
      }
      await part.add(piece)
    }
  } finally {
    coming.end()
  }
  if (part.bytes < file.bytes) throw new BrokenOff(`${web.addressOf(path)} ended early`)
}
