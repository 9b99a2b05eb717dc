/**
 * A file of a mirror: it is written beside, checked, and renamed.
 *
 *   .fetching/3-3170-prices         what has come; kept when the run ends, and gone on with by range
 *   .fetching/3-3170-prices.from    by what the publisher says whether the file is still the same (If-Range)
 */
import { mkdirSync, renameSync, rmSync, utimesSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { dirname } from 'node:path'
import type { Sum } from '../../src/checksum.ts'
import { BrokenOff } from '../../src/indexes/sources/exchange.ts'
import { fetchingName, Part } from '../../src/indexes/sources/partial-files.ts'
import type { FetchedFile, Mirror } from '../fetch-state.ts'
import { contentOf, isPacked, TooLong } from './content.ts'
import { FetchError, WrongContent } from './fetch-error.ts'
import type { Answer, Host } from './host.ts'

export interface FileToFetch {
  /** In the mirror. */
  readonly name: string
  readonly path: string
  /** What it is of. */
  readonly of: string
  readonly sentBytesMax: number
  readonly unpackedBytesMax: number
  /** How many there are, if the publisher says so. */
  readonly bytes?: number
  /** The check finds any wrong byte, so that it can go on where it was without a word of the publisher's. */
  readonly isChecksummed?: boolean
  /** When the publisher made it; imports take the day of the prices from it. */
  readonly madeAt?: Date
  /** Throws WrongContent. */
  readonly check: (path: string, sum: Sum) => Promise<void>
  readonly onBytes: (bytes: number) => void
}

/** False if the mirror has it already as it is published. Throws FetchError. */
export async function download(wanted: FileToFetch, mirror: Mirror, host: Host): Promise<boolean> {
  const path = partPath(mirror, wanted.name)
  mkdirSync(dirname(path), { recursive: true })
  const part = await Part.open(path, `${path}.from`)
  try {
    return await new Download(wanted, mirror, host, part, path).run()
  } finally {
    await part.close()
  }
}

const partPath = (mirror: Mirror, name: string): string => mirror.path(`${fetchingName}/${name.replaceAll('/', '-')}`)

/** When a mirror is whole, what was left there is for nothing. */
export const removePartialFiles = (mirror: Mirror): void =>
  rmSync(mirror.path(fetchingName), { recursive: true, force: true })

class Download {
  readonly #file: FileToFetch
  readonly #mirror: Mirror
  readonly #host: Host
  readonly #part: Part
  readonly #path: string
  readonly #shown: string
  readonly #known: FetchedFile | undefined
  /** Whether what has come is good for more. */
  #isResumable = true
  #tags: Pick<FetchedFile, 'etag' | 'lastModified'> = {}

  constructor(wanted: FileToFetch, mirror: Mirror, host: Host, part: Part, path: string) {
    this.#file = wanted
    this.#mirror = mirror
    this.#host = host
    this.#part = part
    this.#path = path
    this.#shown = host.shown(wanted.path)
    this.#known = mirror.file(wanted.name)
    this.#isResumable = wanted.isChecksummed === true || part.validator !== undefined
  }

  async run(): Promise<boolean> {
    const { name, of, path } = this.#file
    for (let isSecond = false; ; isSecond = true) {
      const { kept } = this.#part
      const headers = () => this.#headers()
      const isNew = await this.#host.get(
        path,
        headers,
        (answer) => this.#take(answer),
        () => this.#lasting(),
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
        await this.#part.beginAnew()
        // The bytes of an earlier run may be what is wrong.
        if (kept === 0 || isSecond) {
          throw new FetchError(
            this.#shown,
            this.#host.clean(error.message),
            'see what is there by hand, and run it again',
          )
        }
      }
    }
  }

  /** What need not be asked for again. */
  #lasting(): number {
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
  async #take(answer: Answer): Promise<boolean> {
    const { status, headers } = answer
    const part = this.#part
    if (status === 304 && this.#known !== undefined) return false
    if (status === 416 && part.bytes > 0 && lengthOfRange(headers) === part.bytes) return true
    const isRest = status === 206 && startOfRange(headers) === part.bytes && !isPacked(answer)
    if (!isRest && part.bytes > 0) await part.beginAnew()
    if (!isRest && status !== 200) {
      this.#isResumable = true
      throw new BrokenOff(`${this.#shown} answered ${status} to what it was not asked for`)
    }
    const validator = isPacked(answer) ? undefined : rangeValidator(headers)
    this.#isResumable = !isPacked(answer) && (this.#file.isChecksummed === true || validator !== undefined)
    await part.beginsWith(validator)
    this.#tags = tagsOf(headers)
    await this.#add(answer)
    return true
  }

  async #add(answer: Answer): Promise<void> {
    const { sentBytesMax, unpackedBytesMax, onBytes } = this.#file
    const part = this.#part
    try {
      for await (const piece of contentOf(answer, sentBytesMax - (isPacked(answer) ? 0 : part.bytes))) {
        if (part.bytes + piece.length > unpackedBytesMax) throw new TooLong()
        await part.add(piece)
        onBytes(piece.length)
      }
    } catch (error) {
      if (!(error instanceof TooLong)) throw error
      await part.beginAnew()
      const most = `${(sentBytesMax / 1e6).toFixed(0)} MB as sent or ${(unpackedBytesMax / 1e6).toFixed(0)} MB unpacked`
      throw new FetchError(
        this.#shown,
        `has more than ${most}`,
        'see what is there by hand: such a file is none of its',
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

  /** False if it is what the mirror had. */
  #place({ bytes, sha256 }: Sum): boolean {
    const { name, of, isChecksummed: isProved, madeAt } = this.#file
    const file: FetchedFile = { of, bytes, ...this.#tags, ...(isProved === true ? { sha256 } : {}) }
    const isSame = isProved === true && this.#known?.sha256 === sha256
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

/** By which a publisher tells that what is known of a file is still so. */
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

/** A weak tag says nothing of single bytes. */
const rangeValidator = ({ etag, 'last-modified': lastModified }: IncomingHttpHeaders): string | undefined =>
  etag !== undefined && !etag.startsWith('W/') ? etag : lastModified

const startOfRange = (headers: IncomingHttpHeaders): number =>
  Number(/^bytes (\d+)-/.exec(headers['content-range'] ?? '')?.[1] ?? Number.NaN)

/** Of the whole file. */
const lengthOfRange = (headers: IncomingHttpHeaders): number =>
  Number(/\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1] ?? Number.NaN)
