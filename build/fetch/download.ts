/**
 * Downloads a file of a mirror. The file is downloaded to a partial file, which is checked and then renamed.
 *
 *   .fetching/3-3170-prices         the partial file; kept when the run ends, and resumed by range
 *   .fetching/3-3170-prices.from    the validator that the publisher sent with it; needed to resume (If-Range)
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { dirname } from 'node:path'
import { type Exchange, Interrupted } from '../../src/indexes/origins/http-exchange.ts'
import { checksumOfFile, type Sum } from '../../src/indexes/plain-file.ts'
import type { FetchedFile, Mirror } from '../fetch-state.ts'
import { contentOf, isPacked, TooLong } from './content.ts'
import { FetchError, WrongContent } from './fetch-errors.ts'
import { sourceBytesMax, sourceUnpackedBytesMax } from './fetch-limits.ts'
import type { Fetching } from './sources/fetched-source.ts'

const fetchingName = '.fetching'

interface FileToFetch {
  /** The path in the mirror. */
  readonly name: string
  readonly path: string
  /** The file's source version. */
  readonly of: string
  /**
   * The most bytes that the file may have, as sent and unpacked. By default, it may have `sourceBytesMax` as sent, and
   * `sourceUnpackedBytesMax` unpacked.
   */
  readonly bytesMax?: number
  /** The file's size, if the publisher reports it. */
  readonly bytes?: number
  /**
   * True if the mirror records the file's SHA-256. A download with the same content is then not new, and an import can
   * use the checksum as its revision.
   */
  readonly keepsSum?: boolean
  /** The file's new mtime. Imports take the day of the prices from the mtime. */
  readonly madeAt?: Date
  /** Checks the downloaded file. Throws WrongContent if the file is wrong. */
  readonly check: (path: string, sum: Sum) => Promise<void>
}

/** Downloads a file. Returns false if the mirror's file is current. Throws FetchError. */
export async function download(wanted: FileToFetch, fetching: Fetching): Promise<boolean> {
  const { name, of, path, keepsSum, madeAt } = wanted
  const { mirror, host } = fetching
  const known = mirror.file(name)
  const partial = mirror.path(`${fetchingName}/${name.replaceAll('/', '-')}`)
  mkdirSync(dirname(partial), { recursive: true })
  const tags = await host.get(
    path,
    () => rangeFrom(partial) ?? conditionsOf(known),
    async (response) => {
      if (response.status === 304 && known !== undefined) return undefined
      await receive(response, partial, wanted, fetching)
      return tagsOf(response.headers)
    },
  )
  if (tags === undefined) {
    mirror.record(name, { ...known!, of })
    return false
  }
  const sum = await checksumOfFile(partial)
  await check(partial, sum, wanted, host)
  const sha256 = keepsSum ? sum.sha256 : undefined
  const isSame = sha256 !== undefined && known?.sha256 === sha256
  if (isSame) rmSync(partial)
  else {
    const target = mirror.path(name)
    mkdirSync(dirname(target), { recursive: true })
    if (madeAt !== undefined) utimesSync(partial, madeAt, madeAt)
    renameSync(partial, target)
  }
  rmSync(validatorOf(partial), { force: true })
  mirror.record(name, { of, bytes: sum.bytes, ...tags, sha256 })
  return !isSame
}

/** Downloads the files of one day. Returns false if nothing is new. */
export async function downloadDay(
  files: readonly Omit<FileToFetch, 'of' | 'keepsSum'>[],
  day: string,
  fetching: Fetching,
): Promise<boolean> {
  const { mirror, games, isUnfinished } = fetching
  let isNew = isUnfinished
  for (const file of files) {
    const check = async (path: string, sum: Sum): Promise<void> => {
      await file.check(path, sum)
      // From here on, the mirror's files are of different days.
      mirror.begin(day, games)
    }
    const isFetched = isUnfinished && mirror.has(file.name, day)
    if (!isFetched && (await download({ ...file, of: day, keepsSum: true, check }, fetching))) isNew = true
  }
  if (isNew) mirror.begin(day, games)
  return isNew
}

export const removePartialFiles = (mirror: Mirror): void =>
  rmSync(mirror.path(fetchingName), { recursive: true, force: true })

const validatorOf = (partial: string): string => `${partial}.from`

const sizeOf = (partial: string): number => statSync(partial, { throwIfNoEntry: false })?.size ?? 0

function remove(partial: string): void {
  for (const path of [partial, validatorOf(partial)]) rmSync(path, { force: true })
}

/** The headers of a request for the rest of a file; undefined if there is nothing to resume. */
function rangeFrom(partial: string): Record<string, string> | undefined {
  const bytes = sizeOf(partial)
  if (bytes === 0 || !existsSync(validatorOf(partial))) return undefined
  return { range: `bytes=${bytes}-`, 'if-range': readFileSync(validatorOf(partial), 'latin1') }
}

/** Writes the content to the partial file. Throws Interrupted if the request should be repeated. */
async function receive(
  response: Exchange,
  partial: string,
  { path, bytesMax }: FileToFetch,
  { host, progress }: Fetching,
): Promise<void> {
  const { status, headers } = response
  const isRest = status === 206 && startOfRange(headers) === sizeOf(partial) && !isPacked(response)
  if (!isRest) remove(partial)
  if (!isRest && status !== 200)
    throw new Interrupted(`${host.shown(path)} answered ${status}, which was not asked for`)
  const [sentBytesMax, unpackedBytesMax] = [bytesMax ?? sourceBytesMax, bytesMax ?? sourceUnpackedBytesMax]
  const file = await open(partial, 'a')
  try {
    const validator = isPacked(response) ? undefined : rangeValidator(headers)
    if (validator !== undefined) writeFileSync(validatorOf(partial), validator, 'latin1')
    let bytes = sizeOf(partial)
    for await (const chunk of contentOf(response, sentBytesMax - bytes)) {
      bytes += chunk.length
      if (bytes > unpackedBytesMax) throw new TooLong()
      await file.appendFile(chunk)
      progress.add(chunk.length)
    }
  } catch (error) {
    if (!(error instanceof TooLong)) throw error
    remove(partial)
    const most = `${(sentBytesMax / 1e6).toFixed(0)} MB as sent or ${(unpackedBytesMax / 1e6).toFixed(0)} MB unpacked`
    const advice = 'look at the address yourself: it publishes no file of that size'
    throw new FetchError(host.shown(path), `has more than ${most}`, advice)
  } finally {
    await file.close()
  }
}

/**
 * Checks a downloaded file. Throws FetchError if the file is wrong. The next run then downloads the file from its
 * start.
 */
async function check(partial: string, sum: Sum, wanted: FileToFetch, host: Fetching['host']): Promise<void> {
  const { path, bytes } = wanted
  try {
    if (bytes !== undefined && sum.bytes !== bytes)
      throw new WrongContent(`has ${sum.bytes} bytes, its publisher says ${bytes}`)
    await wanted.check(partial, sum)
  } catch (error) {
    if (!(error instanceof WrongContent)) throw error
    remove(partial)
    throw new FetchError(host.shown(path), host.clean(error.message), 'look at the address yourself, and run it again')
  }
}

/** The headers of a conditional request. */
export function conditionsOf({ etag, lastModified }: Partial<FetchedFile> = {}): Record<string, string> {
  return {
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(lastModified === undefined ? {} : { 'if-modified-since': lastModified }),
  }
}

export const tagsOf = ({ etag, 'last-modified': lastModified }: IncomingHttpHeaders) => ({ etag, lastModified })

/** The validator for resuming. A weak tag is not used, since it does not identify bytes. */
const rangeValidator = ({ etag, 'last-modified': lastModified }: IncomingHttpHeaders): string | undefined =>
  etag !== undefined && !etag.startsWith('W/') ? etag : lastModified

const startOfRange = (headers: IncomingHttpHeaders): number =>
  Number(/^bytes (\d+)-/.exec(headers['content-range'] ?? '')?.[1] ?? Number.NaN)
