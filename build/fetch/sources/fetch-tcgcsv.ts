/**
 * TCGCSV. The mirror gets the layout that imports read.
 *
 *   last-updated.txt ─ new stamp ─▶ groups of each game ─▶ each group's products, if they changed, and prices
 *          ▲                                                                     │
 *          └── changed meanwhile? The prices are then of two days: start again ──┘
 */

import type { GameSlug } from '../../../src/games.ts'
import { Report } from '../../import/import-report.ts'
import { categoryOf, gamesByCategory } from '../../import/sources/tcgcsv/mirror.ts'
import { readResults } from '../../import/sources/tcgcsv/results.ts'
import { type Group, groupSchema } from '../../import/sources/tcgcsv/tcgcsv-schemas.ts'
import { conditionsOf, download, tagsOf } from '../download.ts'
import { excerpt, FetchError } from '../fetch-errors.ts'
import { sourceRoundsMax, tcgcsvBytesMax, tcgcsvPauseMs } from '../fetch-limits.ts'
import { checkReadable, type FetchedSource, type Fetching, hourMs } from './fetched-source.ts'

const stampName = 'last-updated.txt'
const stampPath = `/${stampName}`
const stampForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:?\d{2})?$/

export const tcgcsv: FetchedSource = {
  address: 'https://tcgcsv.com',
  domains: ['tcgcsv.com'],
  pauseMs: tcgcsvPauseMs,
  intervalMs: 24 * hourMs,
  games: gamesByCategory,
  terms:
    "TCGCSV: TCGplayer's products and prices, published without a licence; one pull in 24 hours, fewer than 10,000 requests.",
  fetch: async (fetching) => new TcgcsvRun(fetching).run(),
  imports: ({ stamp, games }) => [{ names: [], games, revision: `${stamp} ${games.join(',')}`, date: undefined }],
}

class TcgcsvRun {
  readonly #fetching: Fetching
  readonly #games: readonly GameSlug[]

  constructor(fetching: Fetching) {
    this.#fetching = fetching
    this.#games = gamesByCategory(fetching.folder).filter((game) => fetching.games.includes(game))
  }

  async run(): Promise<boolean> {
    const { mirror, host, isUnfinished } = this.#fetching
    const { state } = mirror
    const hasAll = !isUnfinished && this.#games.every((game) => state.games.includes(game)) && this.#isWhole()
    let stamp = await this.#stamp(hasAll)
    if (stamp === undefined || (hasAll && stamp === state.stamp)) {
      await this.#categories(state.stamp!)
      return false
    }
    for (let round = 0; round < sourceRoundsMax; round++) {
      mirror.begin(stamp, this.#games)
      await this.#categories(stamp)
      await this.#fetchAll(stamp)
      const now: string | undefined = await this.#stamp(true)
      if (now === undefined || now === stamp) {
        // This file is written last, because imports take the day of all prices from it.
        mirror.put(stampName, `${stamp}\n`, stamp)
        return true
      }
      stamp = now
    }
    throw new FetchError(host.shown(stampPath), 'changes while its prices are fetched', 'run it again later')
  }

  /** True if no recorded file is missing. */
  #isWhole(): boolean {
    const { mirror } = this.#fetching
    return Object.keys(mirror.state.files).every((name) => mirror.file(name) !== undefined)
  }

  /** The publisher's stamp; undefined if the known stamp is current. */
  async #stamp(isKnown: boolean): Promise<string | undefined> {
    const { mirror, host } = this.#fetching
    const { state } = mirror
    const response = await host.text(stampPath, isKnown ? conditionsOf(state) : {})
    if (response === undefined) return undefined
    const stamp = response.text.trim()
    if (!stampForm.test(stamp)) {
      throw new FetchError(host.shown(stampPath), `is no time (${excerpt(stamp)})`, 'look at the address yourself')
    }
    Object.assign(state, tagsOf(response.headers))
    return stamp
  }

  /**
   * Downloads the list of all games, in which `card-prices games add` looks a game up. A copy of the publisher's files
   * may lack this list.
   */
  async #categories(stamp: string): Promise<void> {
    try {
      await this.#file('categories', stamp)
    } catch (error) {
      if (!(error instanceof FetchError) || error.status !== 404) throw error
    }
  }

  async #fetchAll(stamp: string): Promise<void> {
    const { progress } = this.#fetching
    const all: (readonly [GameSlug, Group])[] = []
    for (const game of this.#games) {
      for (const group of await this.#groups(game, stamp)) all.push([game, group])
    }
    this.#sayHowLong(all)
    progress.begin('groups', all.length)
    for (const [game, group] of all) {
      await this.#fetchGroup(game, group, stamp)
      progress.step()
    }
  }

  /**
   * Before the first fetch of a game, prints how many requests it takes, and how long. Such a fetch requests all
   * products and prices.
   */
  #sayHowLong(all: readonly (readonly [GameSlug, Group])[]): void {
    const { mirror, folder, progress } = this.#fetching
    const groups = Map.groupBy(all, ([game]) => game)
    const first = [...groups].filter(([game, own]) =>
      own.every(([, { groupId }]) => mirror.file(`${categoryOf(folder, game)}/${groupId}/products`) === undefined),
    )
    if (first.length === 0) return
    const requests = 2 * first.reduce((sum, [, own]) => sum + own.length, 0)
    const seconds = Math.ceil((requests * tcgcsvPauseMs) / 1000)
    const time = seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`
    const names = first.map(([game]) => folder.row(game)!.name).join(', ')
    progress.say(`first fetch of ${names}: ${requests.toLocaleString('en')} requests, with pauses ${time} or more`)
  }

  async #fetchGroup(game: GameSlug, { groupId, modifiedOn }: Group, stamp: string): Promise<void> {
    const folder = `${categoryOf(this.#fetching.folder, game)}/${groupId}`
    try {
      await this.#file(`${folder}/products`, modifiedOn ?? stamp)
      await this.#file(`${folder}/prices`, stamp)
    } catch (error) {
      // A group can be removed while its game is fetched.
      if (!(error instanceof FetchError) || error.status !== 404) throw error
      const groups = await this.#groups(game, stamp, true)
      if (groups.some((group) => group.groupId === groupId)) throw error
    }
  }

  async #groups(game: GameSlug, stamp: string, isAgain = false): Promise<readonly Group[]> {
    const name = `${categoryOf(this.#fetching.folder, game)}/groups`
    if (isAgain) delete this.#fetching.mirror.state.files[name]
    await this.#file(name, stamp)
    return groupsIn(this.#fetching.mirror.path(name), game)
  }

  async #file(name: string, of: string): Promise<void> {
    if (this.#fetching.mirror.has(name, of)) return
    const path = `/tcgplayer/${name}`
    await download({ name, path, of, bytesMax: tcgcsvBytesMax, check: checkResults }, this.#fetching)
  }
}

/** Throws WrongContent unless the file is valid JSON, says that it is a success, and has a list of results. */
const checkResults = (path: string): Promise<void> => resultsIn(path, null, () => {})

async function groupsIn(path: string, game: GameSlug): Promise<readonly Group[]> {
  const groups = new Map<number, Group>()
  await resultsIn(path, game, (group) => groups.set(group.groupId, group))
  return [...groups.values()]
}

/** @param onGroup gets each record that is a group */
const resultsIn = (path: string, game: GameSlug | null, onGroup: (group: Group) => void): Promise<void> =>
  checkReadable(path, ['data', 'is wrong'], (file, errors) =>
    readResults(file, game, { errors, report: new Report() }, (record, place, records) => {
      const group = game === null ? undefined : records.check(groupSchema, record, place)
      if (group !== undefined) onGroup(group)
    }),
  )
