/**
 * Long answers, each sent as fast as its reader takes it, from the memory that they are kept in: nothing is copied but by
 * the kernel, into what it holds for a connection.
 *
 *   begin ─▶ ready ─ a turn writes a slice ─┬─ all taken ──────────▶ ready          behind all others that are
 *              ▲                            ├─ taken in part ──────▶ waits
 *              │                            └─ the last one ───────▶ sent
 *              └── the kernel has room, or the next look ◀─ waits ── no byte taken for too long ─▶ closed
 *
 * A turn of the event loop writes so much and no more, for all downloads together, so that none holds up other answers.
 *
 * The kernel tells of room when a third of what it holds has left it, which a slow reader may need minutes for. The library
 * gives a download eight seconds from a write that was not taken whole, and then closes it, unless there is a new attempt.
 * So all that wait are tried again at each look, which also tells who still reads.
 *
 * What is written corked and is short stays in the library if the kernel does not take it: then a last piece would pass
 * for sent, and be lost when those seconds are over. So one that fits there is written only when the kernel has room,
 * uncorked; meanwhile a byte at a time tells who still reads, and all but the last byte can be spared for that.
 */
import { downloadLookMs, downloadSliceBytes, downloadStallMsMax, downloadTurnBytesMax } from '../limits.ts'
import type { HttpResponse } from './uws.ts'

/** The library's own, which a corked piece up to that length is copied to. */
const corkBytes = 16 * 1024
/** A write that takes nothing costs a turn as much as one of so many bytes. */
const attemptBytes = 4 * 1024
const checkMs = 10

interface Download {
  readonly res: HttpResponse
  readonly bytes: Uint8Array
  /** Taken by the kernel, but for a few in the library that were to tell who still reads. */
  sent: number
  /** When it last took some, as performance.now() has it. */
  takenAt: number
}

export interface DownloadBounds {
  /** What waits is tried again so often. */
  readonly lookMs: number
  /** A reader that takes nothing for so long is closed. */
  readonly stallMsMax: number
}

export class Downloads {
  readonly #running = new Set<Download>()
  /** In the order in which they have their turn. */
  readonly #ready = new Set<Download>()
  readonly #bounds: DownloadBounds
  #turn: NodeJS.Immediate | undefined
  #looking: NodeJS.Timeout | undefined

  constructor(bounds: DownloadBounds = { lookMs: downloadLookMs, stallMsMax: downloadStallMsMax }) {
    this.#bounds = bounds
  }

  /** How many are on their way. */
  get count(): number {
    return this.#running.size
  }

  /**
   * Sends the body, as what ends the response.
   * @param res its status and headers are written
   * @param bytes of shared memory, which nobody changes
   */
  begin(res: HttpResponse, bytes: Uint8Array): void {
    if (bytes.length <= corkBytes) {
      res.end(bytes)
      return
    }
    const download = { res, bytes, sent: 0, takenAt: performance.now() }
    this.#running.add(download)
    this.#looking ??= setInterval(() => this.#look(), this.#bounds.lookMs)
    res.onAborted(() => this.#forget(download))
    res.onWritable(() => {
      if (isShort(download)) this.#write(download)
      else this.#makeReady(download)
      return true
    })
    this.#write(download)
  }

  /** Resolves when all are sent, or after `msMax`. */
  async drain(msMax: number): Promise<void> {
    const deadline = performance.now() + msMax
    while (this.#running.size > 0 && performance.now() < deadline) {
      await new Promise((resume) => setTimeout(resume, checkMs))
    }
  }

  #makeReady(download: Download): void {
    this.#ready.add(download)
    this.#turn ??= setImmediate(() => this.#takeTurn())
  }

  #takeTurn(): void {
    let left = downloadTurnBytesMax
    for (const download of this.#ready) {
      if (left <= 0) break
      this.#ready.delete(download)
      const before = download.sent
      download.res.cork(() => this.#write(download))
      left -= Math.max(download.sent - before, attemptBytes)
    }
    this.#turn = this.#ready.size > 0 ? setImmediate(() => this.#takeTurn()) : undefined
  }

  /** Writes the next slice. Corked only if the rest is not short. */
  #write(download: Download): void {
    const { res, bytes, sent } = download
    const rest = bytes.length - sent
    // What stays behind after a slice is never short.
    const slice = rest < 2 * downloadSliceBytes ? rest : downloadSliceBytes
    const [isTaken, isSent] = res.tryEnd(bytes.subarray(sent, sent + slice), bytes.length)
    if (isSent) {
      download.sent = bytes.length
      this.#forget(download)
      return
    }
    this.#note(download)
    if (isTaken) this.#makeReady(download)
  }

  #note(download: Download): void {
    const sent = download.res.getWriteOffset()
    if (sent > download.sent) download.takenAt = performance.now()
    download.sent = sent
  }

  #look(): void {
    const now = performance.now()
    for (const download of this.#running) {
      if (this.#ready.has(download)) continue
      if (now - download.takenAt > this.#bounds.stallMsMax) download.res.close()
      else if (isShort(download)) this.#probe(download)
      else this.#makeReady(download)
    }
  }

  /** Tries a byte, and makes the library wait on. */
  #probe(download: Download): void {
    const { res, bytes, sent } = download
    if (sent + 1 < bytes.length) {
      res.cork(() => res.tryEnd(bytes.subarray(sent, sent + 1), bytes.length))
      this.#note(download)
    }
    res.pause()
    res.resume()
  }

  #forget(download: Download): void {
    this.#running.delete(download)
    this.#ready.delete(download)
    if (this.#running.size > 0) return
    clearInterval(this.#looking)
    this.#looking = undefined
  }
}

const isShort = ({ bytes, sent }: Download): boolean => bytes.length - sent <= corkBytes
