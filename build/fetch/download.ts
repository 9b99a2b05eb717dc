/**
 * Downloads a file of a mirror: to a partial file, which is checked and renamed.
 *
 *   .fetching/3-3170-prices         the partial file; kept when the run ends, and resumed by range
 *   .fetching/3-3170-prices.from    the publisher's validator of the same file (If-Range)
 */
import { mkdirSync, renameSync, rmSync, utimesSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { dirname } from 'node:path'
import type { Sum } from '../../src/checksum.ts'
import { Interrupted } from '../../src/indexes/origins/exchange.ts'
import { sourceBytesMax, sourceUnpackedBytesMax } from '../../src/limits.ts'
import type { FetchedFile, Mirror } from '../fetch-state.ts'
import { contentOf, type HostResponse, isPacked, TooLong } from './content.ts'
import { FetchError, WrongContent } from './errors.ts'
import type { Host } from './host.ts'
import { PartialFile } from './partial-file.ts'
import type { FetchProgress } from './progress.ts'
import type { Fetching } from './sources/source.ts'

const fetchingName = '.fetching'

interface FileToFetch {
  /** The path in the mirror. */
  readonly name: string
  readonly path: string
  /** Its source version. */
  readonly of: string
  /** The most that it may have, as sent or unpacked. By default `sourceBytesMax` as sent, `sourceUnpackedBytesMax` unpacked. */
  readonly bytesMax?: number
  /** The file's size, if the publisher gives it. */
  readonly bytes?: number
  /** The check finds any wrong byte, so that the download can be resumed without a validator. */
  readonly isChecksummed?: boolean
  /** The mirror records its SHA-256: the same content is not new, and an import can be named by it. */
  readonly keepsSum?: boolean
  /** The file's mtime: imports take the day of the prices from it. */
  readonly madeAt?: Date
  /** Throws WrongContent. */
  readonly check: (path: string, sum: Sum) => Promise<void>
}

/** False if the mirror's file is current. Throws FetchError. */
export async function download(wanted: FileToFetch, fetching: Fetching): Promise<boolean> {
  const path = fetching.mirror.path(`${fetchingName}/${wanted.name.replaceAll('/', '-')}`)
  mkdirSync(dirname(path), { recursive: true })
  const part = await PartialFile.open(path, `${path}.from`)
  try {
    return await new Download(wanted, fetching, part, path).run()
  } finally {
    await part.close()
  }
}

export const removePartialFiles = (mirror: Mirror): void =>
  rmSync(mirror.path(fetchingName), { recursive: true, force: true })

class Download {
  readonly #file: FileToFetch
  readonly #mirror: Mirror
  readonly #host: Host
  readonly #progress: FetchProgress
  readonly #part: PartialFile
  readonly #path: string
  readonly #shown: string
  readonly #known: FetchedFile | undefined
  /** True if the partial file can be resumed. */
  #isResumable: boolean
  #tags: Pick<FetchedFile, 'etag' | 'lastModified'> = {}

  constructor(wanted: FileToFetch, { mirror, host, progress }: Fetching, part: PartialFile, path: string) {
    this.#file = wanted
    this.#mirror = mirror
    this.#host = host
    this.#progress = progress
    this.#part = part
    this.#path = path
    this.#shown = host.shown(wanted.path)
    this.#known = mirror.file(wanted.name)
    this.#isResumable = wanted.isChecksummed === true || part.validator !== undefined
  }

  async run(): Promise<boolean> {
    const { name, of, path } = this.#file
    for (let isSecond = false; ; isSecond = true) {
      const { resumed } = this.#part
      const isNew = await this.#host.get(
        path,
        () => this.#headers(),
        (response) => this.#take(response),
        () => this.#resumableBytes(),
      )
      if (!isNew) {
        this.#mirror.record(name, { ...this.#known!, of })
        return false
      }
      const sum = this.#part.end()
      try {
        await this.#check(sum)
        return this.#place(sum)
      } catch (error) {
        if (!(error instanceof WrongContent)) throw error
        await this.#part.restart()
        // The wrong bytes may be of an earlier run, so the file is downloaded once more.
        if (resumed === 0 || isSecond) {
          throw new FetchError(
            this.#shown,
            this.#host.clean(error.message),
            'look at the address yourself, and run it again',
          )
        }
      }
    }
  }

  /** Received bytes that need not be requested again. */
  #resumableBytes(): number {
    return this.#isResumable ? this.#part.bytes : 0
  }

  #headers(): Record<string, string> {
    const { bytes, validator } = this.#part
    if (bytes > 0 && this.#isResumable) {
      return { range: `bytes=${bytes}-`, ...(validator === undefined ? {} : { 'if-range': validator }) }
    }
    return conditionsOf(this.#known)
  }

  /** False for a 304. */
  async #take(response: HostResponse): Promise<boolean> {
    const { status, headers } = response
    const part = this.#part
    if (status === 304 && this.#known !== undefined) return false
    if (status === 416 && part.bytes > 0 && lengthOfRange(headers) === part.bytes) return true
    const isRest = status === 206 && startOfRange(headers) === part.bytes && !isPacked(response)
    if (!isRest && part.bytes > 0) await part.restart()
    if (!isRest && status !== 200) {
      this.#isResumable = true
      throw new Interrupted(`${this.#shown} answered ${status}, which was not asked for`)
    }
    const validator = isPacked(response) ? undefined : rangeValidator(headers)
    this.#isResumable = !isPacked(response) && (this.#file.isChecksummed === true || validator !== undefined)
    await part.setValidator(validator)
    this.#tags = tagsOf(headers)
    await this.#add(response)
    return true
  }

  async #add(response: HostResponse): Promise<void> {
    const { bytesMax } = this.#file
    const [sentBytesMax, unpackedBytesMax] = [bytesMax ?? sourceBytesMax, bytesMax ?? sourceUnpackedBytesMax]
    const part = this.#part
    try {
      for await (const chunk of contentOf(response, sentBytesMax - (isPacked(response) ? 0 : part.bytes))) {
        if (part.bytes + chunk.length > unpackedBytesMax) throw new TooLong()
        await part.add(chunk)
        this.#progress.add(chunk.length)
      }
    } catch (error) {
      if (!(error instanceof TooLong)) throw error
      await part.restart()
      const most = `${(sentBytesMax / 1e6).toFixed(0)} MB as sent or ${(unpackedBytesMax / 1e6).toFixed(0)} MB unpacked`
      throw new FetchError(
        this.#shown,
        `has more than ${most}`,
        'look at the address yourself: it publishes no file of that size',
      )
    }
  }

  async #check(sum: Sum): Promise<void> {
    const { bytes, check } = this.#file
    if (bytes !== undefined && sum.bytes !== bytes) {
      throw new WrongContent(`has ${sum.bytes} bytes, its publisher says ${bytes}`)
    }
    await check(this.#path, sum)
  }

  /** False if the mirror had the same file. */
  #place({ bytes, sha256 }: Sum): boolean {
    const { name, of, keepsSum, madeAt } = this.#file
    const file: FetchedFile = { of, bytes, ...this.#tags, ...(keepsSum === true ? { sha256 } : {}) }
    const isSame = keepsSum === true && this.#known?.sha256 === sha256
    const target = this.#mirror.path(name)
    if (isSame) rmSync(this.#path)
    else {
      mkdirSync(dirname(target), { recursive: true })
      if (madeAt !== undefined) utimesSync(this.#path, madeAt, madeAt)
      renameSync(this.#path, target)
    }
    rmSync(`${this.#path}.from`, { force: true })
    this.#mirror.record(name, file)
    return !isSame
  }
}

/** The headers of a conditional request. */
export function conditionsOf({ etag, lastModified }: Partial<FetchedFile> = {}): Record<string, string> {
  return {
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(lastModified === undefined ? {} : { 'if-modified-since': lastModified }),
  }
}

export function tagsOf({
  etag,
  'last-modified': lastModified,
}: IncomingHttpHeaders): Pick<FetchedFile, 'etag' | 'lastModified'> {
  return { ...(etag === undefined ? {} : { etag }), ...(lastModified === undefined ? {} : { lastModified }) }
}

/** A weak tag does not identify bytes. */
const rangeValidator = ({ etag, 'last-modified': lastModified }: IncomingHttpHeaders): string | undefined =>
  etag !== undefined && !etag.startsWith('W/') ? etag : lastModified

const startOfRange = (headers: IncomingHttpHeaders): number =>
  Number(/^bytes (\d+)-/.exec(headers['content-range'] ?? '')?.[1] ?? Number.NaN)

/** The length of the whole file. */
const lengthOfRange = (headers: IncomingHttpHeaders): number =>
  Number(/\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1] ?? Number.NaN)
