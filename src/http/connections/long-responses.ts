/**
 * Sends long responses as fast as their clients read. A slice of a response is read from shared memory, or rendered,
 * when it is written. Only the kernel keeps bytes, in the connection's send buffer.
 *
 *   begin ─▶ ready ─ a turn writes a slice ─┬─ kernel took all ────▶ ready          last in the queue
 *              ▲                            ├─ kernel took some ───▶ waits
 *              │                            └─ last slice taken ───▶ sent
 *              └── the kernel has room, or the next check ◀─ waits ── no byte taken for too long ─▶ closed
 *
 * A turn of the event loop writes at most `turnBytesMax` for all downloads, so other responses are not delayed.
 *
 * The kernel reports room when a third of its buffer is free, which can take minutes with a slow client. The library
 * closes a download eight seconds after a write that the kernel took only in part, unless there is another write. So
 * each check writes again to all downloads that wait. This also shows which clients still read.
 *
 * The library buffers a short corked write if the kernel does not take it. A last slice in that buffer would count as
 * sent, and be lost after eight seconds. So a last slice that fits the buffer is written uncorked, and only when the
 * kernel has room. Until then each check writes one byte, but never the last byte of the response.
 */
import { downloadStallMsMax } from '../../limits.ts'
import type { HttpResponse } from './uws.ts'

/** The bytes of one response that are sent at a time. */
const sliceBytes = 64 * 1024
/**
 * The bytes of all responses that are sent in a turn of the event loop. Sending them takes half a millisecond, most of
 * it in the kernel.
 */
const turnBytesMax = 128 * 1024
/**
 * The time between two checks of waiting responses. The library gives up a response after 8 s; two checks run in that
 * time.
 */
const checkMs = 3000
/** Size of the library's cork buffer. */
const corkBytes = 16 * 1024
/**
 * Each write counts as at least this many bytes of a turn, because a write costs time even if the kernel takes nothing.
 */
const attemptBytes = 4 * 1024

/** A body whose bytes do not change while it is sent. */
export interface LongBody {
  readonly length: number
  /** Returns these bytes. They are used before the next call. */
  subarray(from: number, to: number): Uint8Array
}

interface Download {
  readonly res: HttpResponse
  readonly bytes: LongBody
  /** How many bytes the kernel has taken. The library may still buffer single bytes of checks, which are included. */
  sent: number
  /** When the kernel last took bytes, by performance.now(). */
  takenAt: number
}

export interface DownloadBounds {
  /** The time between two checks. */
  readonly lookMs: number
  /** A client that reads nothing for this long is disconnected. */
  readonly stallMsMax: number
}

export class Downloads {
  readonly #running = new Set<Download>()
  /** The downloads that may write. The first one writes next. */
  readonly #ready = new Set<Download>()
  readonly #bounds: DownloadBounds
  #turn: NodeJS.Immediate | undefined
  #checking: NodeJS.Timeout | undefined

  constructor(bounds: DownloadBounds = { lookMs: checkMs, stallMsMax: downloadStallMsMax }) {
    this.#bounds = bounds
  }

  /** How many responses are being sent. */
  get count(): number {
    return this.#running.size
  }

  /**
   * Sends the body and ends the response.
   * @param res a response whose status and headers are already written
   */
  begin(res: HttpResponse, bytes: LongBody): void {
    if (bytes.length <= corkBytes) {
      res.end(bytes.subarray(0, bytes.length))
      return
    }
    const download = { res, bytes, sent: 0, takenAt: performance.now() }
    this.#running.add(download)
    this.#checking ??= setInterval(() => this.#check(), this.#bounds.lookMs)
    res.onAborted(() => this.#remove(download))
    res.onWritable(() => {
      if (isShort(download)) this.#write(download)
      else this.#makeReady(download)
      return true
    })
    this.#write(download)
  }

  #makeReady(download: Download): void {
    this.#ready.add(download)
    this.#turn ??= setImmediate(() => this.#takeTurn())
  }

  #takeTurn(): void {
    let left = turnBytesMax
    for (const download of this.#ready) {
      if (left <= 0) break
      this.#ready.delete(download)
      const before = download.sent
      download.res.cork(() => this.#write(download))
      left -= Math.max(download.sent - before, attemptBytes)
    }
    this.#turn = this.#ready.size > 0 ? setImmediate(() => this.#takeTurn()) : undefined
  }

  /** Writes the next slice. Call it corked, unless the rest is short (`isShort`). */
  #write(download: Download): void {
    const { res, bytes, sent } = download
    const rest = bytes.length - sent
    // A rest of less than two slices is written whole, so that no short rest remains.
    const slice = rest < 2 * sliceBytes ? rest : sliceBytes
    const [isTaken, isSent] = res.tryEnd(bytes.subarray(sent, sent + slice), bytes.length)
    if (isSent) {
      download.sent = bytes.length
      this.#remove(download)
      return
    }
    this.#recordProgress(download)
    if (isTaken) this.#makeReady(download)
  }

  #recordProgress(download: Download): void {
    const sent = download.res.getWriteOffset()
    if (sent > download.sent) download.takenAt = performance.now()
    download.sent = sent
  }

  #check(): void {
    const now = performance.now()
    for (const download of this.#running) {
      if (this.#ready.has(download)) continue
      if (now - download.takenAt > this.#bounds.stallMsMax) download.res.close()
      else if (isShort(download)) this.#probe(download)
      else this.#makeReady(download)
    }
  }

  /** Writes one byte, but never the last one, and restarts the library's timeout. */
  #probe(download: Download): void {
    const { res, bytes, sent } = download
    if (sent + 1 < bytes.length) {
      res.cork(() => res.tryEnd(bytes.subarray(sent, sent + 1), bytes.length))
      this.#recordProgress(download)
    }
    res.pause()
    res.resume()
  }

  #remove(download: Download): void {
    this.#running.delete(download)
    this.#ready.delete(download)
    if (this.#running.size > 0) return
    clearInterval(this.#checking)
    this.#checking = undefined
  }
}

const isShort = ({ bytes, sent }: Download): boolean => bytes.length - sent <= corkBytes
