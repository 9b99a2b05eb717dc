/**
 * A mirror of TCGCSV.
 *
 *   mirror-reader.ts, of a large mirror in a thread:  files ─▶ groups, products, prices ─┐
 *   meanwhile what is remembered is read                                                 └─▶ sets, cards ─▶ today's history
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { startThread } from '../../../../src/process/start-thread.ts'
import { plainText } from '../names.ts'
import type { Import, ImportOptions, Reading, SourceCard, SourceSet, Started } from '../source.ts'
import { dayOfText } from '../values.ts'
import { cardsOfGroup } from './cards.ts'
import { dayHistory } from './history.ts'
import { categoryOf, gamesByCategory, mirrorRoot, numberedFolders } from './mirror.ts'
import { type MirrorGroup, type MirrorSummary, type MirrorTask, readMirrorFiles } from './mirror-reader.ts'

/** Fewer groups are read before a thread would have started. */
const threadGroupsMin = 200

export function startMirror({ paths, games, partial, imageBase, date }: ImportOptions): Started {
  const task = { dir: paths[0]!, games: [...games], partial, imageBase, date }
  const thread = isLarge(task) ? new MirrorThread(task) : undefined
  return {
    read: async (importing) => {
      const [mirror, groups] = await (thread?.mirror ?? readHere(task))
      return cardsOfMirror(importing, mirror, groups)
    },
    close: async () => thread?.close(),
  }
}

function isLarge({ dir, games }: MirrorTask): boolean {
  const folders = games
    .map((game) => join(mirrorRoot(dir), `${categoryOf[game]}`))
    .filter((folder) => existsSync(folder))
  return folders.reduce((sum, folder) => sum + numberedFolders(folder).length, 0) >= threadGroupsMin
}

type MirrorAndGroups = readonly [MirrorSummary, readonly MirrorGroup[]]

async function readHere(task: MirrorTask): Promise<MirrorAndGroups> {
  const groups: MirrorGroup[] = []
  return [await readMirrorFiles(task, (group) => groups.push(group)), groups]
}

class MirrorThread {
  readonly mirror: Promise<MirrorAndGroups>
  readonly #worker: Worker

  constructor(task: MirrorTask) {
    this.#worker = startThread('./mirror-worker', import.meta.url, { workerData: task })
    const groups: MirrorGroup[] = []
    this.mirror = new Promise((resolve, reject) => {
      this.#worker.on('message', (read: MirrorGroup[] | MirrorSummary) => {
        if (Array.isArray(read)) groups.push(...read)
        else resolve([read, groups])
      })
      this.#worker.once('error', reject)
    })
    // A failure is thrown where it is awaited.
    this.mirror.catch(() => {})
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }
}

function cardsOfMirror(task: Import, mirror: MirrorSummary, groups: readonly MirrorGroup[]): Reading {
  const { options, errors, report, before, ids } = task
  errors.merge(mirror.errors)
  report.merge(mirror.report)
  const games = new Set(mirror.games)
  if (errors.count === 0 && !options.partial) {
    for (const game of gamesByCategory) {
      if (games.has(game) || !options.games.has(game) || !before.sets.some((set) => set.game === game)) continue
      const path = join(mirrorRoot(options.paths[0]!), `${categoryOf[game]}`, 'groups')
      errors.add(path, '', `is missing, and cards of ${game} were imported before; --games names what a mirror has`)
    }
  }
  errors.check()

  const { day } = mirror
  /** Groups without files. */
  const absent = new Set(groups.filter(({ records }) => records === null).map(keyOf))
  const staying = before.cards.filter(({ game, set }) => !games.has(game) || absent.has(set))
  const taken = new Set(staying.map(({ product }) => product!))
  const cards: SourceCard[] = []
  for (const found of groups) {
    if (found.records === null) continue
    const place = { game: found.game, set: keyOf(found), day }
    for (const card of cardsOfGroup(found.records, place, taken, ids, report)) cards.push(card)
  }
  const stayingSets = before.sets.filter(({ game }) => !games.has(game))
  return {
    catalog: { sets: [...stayingSets, ...groups.map(setOf)], cards: [...staying, ...cards] },
    history: dayHistory(day, cards, staying.length),
    date: day,
    isDateGuessed: !mirror.isDayKnown,
  }
}

const keyOf = ({ group }: MirrorGroup): string => `${group.groupId}`

const setOf = ({ game, group }: MirrorGroup): SourceSet => ({
  key: `${group.groupId}`,
  game,
  abbreviation: plainText(group.abbreviation ?? ''),
  name: plainText(group.name) || group.name,
  // A time with a zone is that of the fetch: the group has no date.
  releaseDate: group.publishedOn === null || /[zZ]$/.test(group.publishedOn) ? null : dayOfText(group.publishedOn),
  group: group.groupId,
})
