/**
 * Sends what this server has counted to the accounts' store, after it was written down here: the file is the truth, and
 * nothing waits for the store.
 *
 *   flush ─▶ file ─ blocks that were carried, keys that were used ─┐
 *                                                                  ├▶ pieces, one after the other ─▶ accounts' store
 *   an unknown stamp there ─ all of the days that it may lack ─────┘
 *
 * A piece is taken only by a store that holds the stamp of the piece before, so that one that comes late, or by a connection
 * of before, puts nothing old in the place of what is newer. What was perhaps not taken is sent again.
 */
import { randomBytes } from 'node:crypto'
import { dateOfDay, dayOfMs } from '../../calendar.ts'
import { sentLookMs } from '../../limits.ts'
import type { SharedCounts } from '../../quota/cells.ts'
import { type Clocks, systemClocks } from '../../quota/clocks.ts'
import type { Store } from '../../store/store.ts'
import type { FeedConnection } from '../feed/connection.ts'
import type { LastUse } from '../last-uses.ts'
import { copiedId, nameIn, storeName } from './same-store.ts'
import { type UnsentBlock, UnsentBlocks } from './unsent-blocks.ts'
import { UnsentUses } from './unsent-uses.ts'
import { defineUsageScripts, endOfMonthKept, fieldOf, monthOf, sentName, usageName } from './usage-scripts.ts'

/** Of 1 KB each: what the store and this thread do in a row takes a millisecond at most. */
export const blocksAtOnce = 64

export class UsageSender {
  readonly #connection: FeedConnection
  readonly #store: Store
  readonly #isFollowed: () => boolean
  readonly #clocks: Clocks
  readonly #server: string
  readonly #blocks: UnsentBlocks
  readonly #uses: UnsentUses
  /** Told from all others that ever sent for this store. */
  readonly #run = randomBytes(6).toString('hex')
  #pieces = 0
  /** What the store holds as this process's stamp; undefined as long as that must be asked. */
  #known: string | undefined
  /** The stamps of the last piece that was taken and of the one after it: a store that holds either lacks nothing else. */
  #taken: string | undefined
  #tried: string | undefined
  /** The day of the stamp that was found, until all that may have come after it is sent. */
  #lacksFrom: number | undefined
  #lookedAt = Number.NEGATIVE_INFINITY
  #sending: Promise<void> | undefined

  /** @param isFollowed whether the store's accounts are those of the copy: counts of others are not its own */
  constructor(
    connection: FeedConnection,
    store: Store,
    counts: SharedCounts,
    isFollowed: () => boolean,
    clocks: Clocks = systemClocks,
  ) {
    this.#isFollowed = isFollowed
    this.#connection = connection
    this.#store = store
    this.#clocks = clocks
    this.#server = store.serverId()
    this.#blocks = new UnsentBlocks(counts, store)
    this.#uses = new UnsentUses(store)
    defineUsageScripts(connection.redis)
    connection.listen({
      onAway: () => {
        this.#known = undefined
        this.#lookedAt = Number.NEGATIVE_INFINITY
      },
    })
  }

  /** Keys that were used: the file has it. */
  used(uses: readonly LastUse[]): void {
    this.#uses.add(uses)
  }

  /** Begins to send what there is, unless that is under way. Whatever hinders it is tried again at a later call. */
  send(): void {
    if (this.#sending !== undefined || this.#connection.run === undefined || !this.#isFollowed()) return
    this.#sending = this.#sendAll()
      .catch(() => {
        this.#known = undefined
      })
      .finally(() => {
        this.#sending = undefined
      })
  }

  /** Sends the last of it, if that can be done within so long. The file holds it in any case. */
  async close(msMax: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, msMax)
    })
    await Promise.race([this.#finish(), late])
    clearTimeout(timer)
  }

  async #finish(): Promise<void> {
    await this.#sending
    this.send()
    await this.#sending
  }

  async #sendAll(): Promise<void> {
    const id = copiedId(this.#store, this.#connection)
    if (this.#clocks.steady() - this.#lookedAt >= sentLookMs) await this.#sendPiece(id, [])
    this.#blocks.look(this.#today())
    while (this.#known !== undefined && !(this.#blocks.isEmpty && this.#lacksFrom === undefined)) {
        await this.#sendPiece(id, this.#blocks.take(blocksAtOnce, this.#today()))
    }
    while (this.#known !== undefined && !this.#uses.isEmpty) await this.#uses.sendSome(this.#connection, id)
  }

  /** One of no blocks asks whether the store is as it was. */
  async #sendPiece(id: string, blocks: readonly UnsentBlock[]): Promise<void> {
    this.#lookedAt = this.#clocks.steady()
    const known = this.#known ?? ''
    const isLast = this.#lacksFrom !== undefined && this.#blocks.isEmpty
    const isNew = this.#known !== undefined && (blocks.length > 0 || isLast)
    const stamp = isNew ? this.#newStamp(isLast ? undefined : this.#lacksFrom) : known
    const names = blocks.map(({ day, block }) => nameIn(id, usageName(monthOf(dateOfDay(day)), block)))
    const values = blocks.flatMap(({ day, counts }) => {
      const date = dateOfDay(day)
      return [fieldOf(date, this.#server), Buffer.from(counts), endOfMonthKept(monthOf(date))]
    })
    try {
      if (isNew) this.#tried = stamp
      const keys = [storeName, nameIn(id, sentName), ...names]
      const found = await this.#connection.ask((redis) =>
        redis.sendUsage(keys.length, ...keys, id, this.#server, known, stamp, ...values),
      )
      if (found !== stamp || this.#known === undefined) {
        this.#blocks.putBack(blocks)
        this.#heard(found)
      } else if (isNew) {
        this.#known = stamp
        this.#taken = stamp
        if (isLast) this.#lacksFrom = undefined
      }
    } catch (error) {
      this.#blocks.putBack(blocks)
      throw error
    }
  }

  /** What the store holds, by its stamp. */
  #heard(found: string): void {
    this.#known = found
    if (found === this.#taken || found === this.#tried) return
    const today = this.#today()
    // Of a clock that was wrong then, or of none.
    const day = Math.min(found === '' ? 0 : Number.parseInt(found, 10), today)
    this.#lacksFrom = day
    this.#blocks.catchUp(Math.max(day - 1, 0))
    this.#uses.catchUp()
  }

  /** @param day the first one that the store may lack, and the one before it */
  #newStamp(day = this.#today()): string {
    return `${day} ${this.#run} ${++this.#pieces}`
  }

  #today(): number {
    return dayOfMs(this.#clocks.wall())
  }
}
