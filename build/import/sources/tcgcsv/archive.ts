/**
 * Unpacked archive days: prices alone, for cards that are known already.
 *
 *   DIR/2024-02-08/{category}/{group}/prices        or DIR is such a day
 *
 *   a thread:  read, find the cards ─▶ columns of a day ─┐
 *   this one:                    the day's rows as text ◀─┘ ─▶ packed by zlib's threads ─▶ staged
 */

import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { compareTexts } from '../../../../src/text-order.ts'
import { gameOf } from '../../write/ids.ts'
import type { DayPrices, Import, Reading } from '../source.ts'
import { dayOfText } from '../values.ts'
import { type ArchiveDay, ArchiveReader, type ArchiveTask } from './archive-reader.ts'
import { ArchiveThread } from './archive-thread.ts'
import { columnsOf } from './known-cards.ts'
import { gamesByCategory } from './mirror.ts'

/** Fewer are read before a thread would have started. */
const threadDaysMin = 4
/** Days that are read while one is written. */
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
      staying: options.games.size === gamesByCategory.length ? null : (id) => !options.games.has(gameOf(id)),
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
  const asked: Promise<DayPrices | undefined>[] = []
  const ask = (day: ArchiveDay): void => {
    const read = reader.readDay(day)
    // A failure is thrown where it is awaited.
    read.catch(() => {})
    asked.push(read)
  }
  try {
    let next = 0
    while (next < days.length || asked.length > 0) {
      while (next < days.length && asked.length <= (thread === undefined ? 0 : daysAhead)) ask(days[next++]!)
      const day = await asked.shift()!
      if (day === undefined) break
      yield day
    }
    const told = await reader.end()
    errors.merge(told.errors)
    report.merge(told.report)
  } finally {
    await thread?.close()
  }
}

function daysOf(dir: string, { errors, options }: Import): ArchiveDay[] {
  if (!existsSync(dir)) {
    errors.add(dir, '', 'there is no such folder')
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
  if (days.length === 0) errors.add(dir, '', 'is no archive day, YYYY-MM-DD, and has none')
  return days
}
