/**
 * Unpacked archive days: only prices, of cards with an id.
 *
 *   DIR/2024-02-08/{category}/{group}/prices        or DIR is such a day
 *
 *   a thread:     read, find the cards ─▶ columns of a day ─┐
 *   the importer:                   the day's rows as text ◀─┘ ─▶ compressed by zlib's threads ─▶ staged
 */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { startThread } from '../../../../src/platform/start-thread.ts'
import { compareTexts } from '../../../../src/text-order.ts'
import type { DayPrices } from '../../catalog.ts'
import { gameOf } from '../../ids.ts'
import type { Import, Reading } from '../source.ts'
import { dayOfText } from '../values.ts'
import { type ArchiveDay, ArchiveReader, type ArchiveTask } from './archive-reader.ts'
import { columnsOf } from './known-cards.ts'
import { gamesByCategory } from './mirror.ts'

/** Fewer days are read before a thread has started. */
const threadDaysMin = 4
/** Days that are being read while one is written. */
const daysAhead = 2

export async function readArchive(task: Import): Promise<Reading> {
  const { options, errors, ids } = task
  if (ids.tcgplayerCards().size === 0) {
    errors.add(options.out, '', 'has no cards of TCGplayer yet, whose history this would be: import a mirror first')
  }
  const days = options.paths.flatMap((dir) => daysOf(dir, task)).sort((a, b) => compareTexts(a.day, b.day))
  for (let i = 1; i < days.length; i++) {
    if (days[i]!.day === days[i - 1]!.day) errors.add(days[i]!.folder, '', `is the same day as ${days[i - 1]!.folder}`)
  }
  errors.check()
  const cards = columnsOf(ids.tcgplayerCards())
  return {
    date: days.at(-1)?.day ?? null,
    history: {
      ids: () => cards.ids,
      days: () => readDays(days, { games: [...options.games], partial: options.partial, cards: cards.columns }, task),
      isKept: options.games.size === gamesByCategory.length ? null : (id) => !options.games.has(gameOf(id)),
    },
  }
}

async function* readDays(
  days: readonly ArchiveDay[],
  archive: ArchiveTask,
  { errors, report }: Import,
): AsyncGenerator<DayPrices> {
  const thread = days.length < threadDaysMin ? undefined : new ArchiveThread(archive)
  const reader = thread ?? new ArchiveReader(archive)
  const reading: Promise<DayPrices | undefined>[] = []
  const start = (day: ArchiveDay): void => {
    const read = reader.readDay(day)
    // The error is thrown where `read` is awaited.
    read.catch(() => {})
    reading.push(read)
  }
  try {
    let next = 0
    while (next < days.length || reading.length > 0) {
      while (next < days.length && reading.length <= (thread === undefined ? 0 : daysAhead)) start(days[next++]!)
      const day = await reading.shift()!
      if (day === undefined) break
      yield day
    }
    const end = await reader.end()
    errors.append(end.errors)
    report.merge(end.report)
  } finally {
    await thread?.close()
  }
}

function daysOf(dir: string, { errors, options }: Import): ArchiveDay[] {
  if (!existsSync(dir)) {
    errors.add(dir, '', 'does not exist')
    return []
  }
  const own = dayOfText(basename(dir).length === 'YYYY-MM-DD'.length ? basename(dir) : null) ?? options.date
  if (own !== undefined) return [{ day: own, folder: dir }]
  if (!statSync(dir).isDirectory()) {
    errors.add(dir, '', 'must be a folder')
    return []
  }
  const days = readdirSync(dir, { withFileTypes: true })
    .filter((entry) => !entry.isFile() && entry.name.length === 'YYYY-MM-DD'.length && dayOfText(entry.name) !== null)
    .map((entry) => ({ day: entry.name, folder: join(dir, entry.name) }))
  if (days.length === 0) errors.add(dir, '', 'is not an archive day (YYYY-MM-DD) and contains none')
  return days
}

export type Message = ArchiveDay | 'end'
export type Reply = DayPrices | undefined | ReturnType<ArchiveReader['end']>

interface Waiting {
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: Error) => void
}

/** Reads days as ArchiveReader does, in a thread of its own. */
class ArchiveThread {
  readonly #worker: Worker
  /** Replies come in the order of messages. */
  readonly #waiting: Waiting[] = []

  constructor(task: ArchiveTask) {
    this.#worker = startThread('./archive-worker', import.meta.url, { workerData: task })
    this.#worker.on('message', (reply: Reply) => this.#waiting.shift()!.resolve(reply))
    this.#worker.on('error', (error: Error) => {
      for (const { reject } of this.#waiting.splice(0)) reject(error)
    })
  }

  readDay(day: ArchiveDay): Promise<DayPrices | undefined> {
    return this.#ask(day) as Promise<DayPrices | undefined>
  }

  end(): Promise<ReturnType<ArchiveReader['end']>> {
    return this.#ask('end') as Promise<ReturnType<ArchiveReader['end']>>
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #ask(message: Message): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#worker.postMessage(message)
    })
  }
}
