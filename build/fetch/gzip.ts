/** Whether a gzip is whole: it is unpacked to nowhere. */
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { sourceUnpackedBytesMax } from '../../src/limits.ts'
import { WrongContent } from './fetch-error.ts'

/** Throws WrongContent. */
export async function checkGzip(path: string): Promise<void> {
  const source = createReadStream(path)
  const gunzip = createGunzip()
  source.on('error', (error) => gunzip.destroy(error))
  let bytes = 0
  try {
    for await (const piece of source.pipe(gunzip)) {
      bytes += (piece as Buffer).length
      if (bytes > sourceUnpackedBytesMax)
        throw new WrongContent(`unpacks to more than ${sourceUnpackedBytesMax / 1e9} GB`)
    }
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw error
    throw new WrongContent(`is no whole gzip (${(error as Error).message})`)
  } finally {
    source.destroy()
    gunzip.destroy()
  }
  if (bytes === 0) throw new WrongContent('is an empty gzip')
}
