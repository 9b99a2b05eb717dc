/**
 * TCGCSV, in the layout that import reads.
 *
 *   last-updated.txt ─ new stamp ─▶ groups of each game ─▶ each group's products, if they changed, and prices
 *          ▲                                                                     │
 *          └── changed meanwhile? then prices are of two days: start again ──────┘
 */
import type { GameSlug } from '../../../src/games.ts'
import { ImportErrors } from '../../import/import-errors.ts'
import { Report } from '../../import/import-report.ts'
import { firstByte } from '../../import/read/lines.ts'
import { inputFile } from '../../import/read/open.ts'
import { categoryOf, gamesByCategory } from '../../import/sources/tcgcsv/mirror.ts'
import { readResults } from '../../import/sources/tcgcsv/results.ts'
import { type Group, groupSchema } from '../../import/sources/tcgcsv/tcgcsv-schemas.ts'
import { conditionsOf, download, tagsOf } from '../download.ts'
import { excerpt, FetchError, WrongContent } from '../errors.ts'
import { sourceRoundsMax, tcgcsvBytesMax } from '../fetch-limits.ts'
import type { Fetching, SourceFetch } from './source.ts'

const stampName = 'last-updated.txt'
const stampPath = `/${stampName}`
const lessThan = 0x3c
const stampForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:?\d{2})?$/

export const tcgcsv: SourceFetch = {
  fetch: async (fetching) => new TcgcsvRun(fetching).run(),
  imports: ({ stamp, games }) => [{ names: [], games, revision: `${stamp} ${games.join(',')}`, date: undefined }],
}

interface GroupOfGame {
  readonly game: GameSlug
  readonly group: Group
}

class TcgcsvRun {
  readonly #fetching: Fetching
  readonly #games: readonly GameSlug[]

  constructor(fetching: Fetching) {
    this.#fetching = fetching
    this.#games = gamesByCategory.filter((game) => fetching.games.includes(game))
  }

  async run(): Promise<boolean> {
    const { mirror, host, isUnfinished } = this.#fetching
    const { state } = mirror
    const hasAll = !isUnfinished && this.#games.every((game) => state.games.includes(game)) && this.#isWhole()
    let stamp = await this.#stamp(hasAll)
    if (stamp === undefined || (hasAll && stamp === state.stamp)) return false
    for (let round = 0; round < sourceRoundsMax; round++) {
      mirror.begin(stamp, this.#games)
      await this.#fetchAll(stamp)
      const now: string | undefined = await this.#stamp(true)
      if (now === undefined || now === stamp) {
        // The mirror's last file.
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

  /** Undefined if the known stamp is current. */
  async #stamp(isKnown: boolean): Promise<string | undefined> {
    const { mirror, host } = this.#fetching
    const { state } = mirror
    const response = await host.text(stampPath, isKnown ? conditionsOf(state) : {})
    if (response === undefined) return undefined
    const stamp = response.text.trim()
    if (!stampForm.test(stamp)) {
      throw new FetchError(host.shown(stampPath), `is no time (${excerpt(stamp)})`, 'look at the address yourself')
    }
    const { etag, lastModified } = tagsOf(response.headers)
    Object.assign(state, { etag, lastModified })
    return stamp
  }

  async #fetchAll(stamp: string): Promise<void> {
    const { progress } = this.#fetching
    const all: GroupOfGame[] = []
    for (const game of this.#games) {
      for (const group of await this.#groups(game, stamp)) all.push({ game, group })
    }
    progress.begin('groups', all.length)
    for (const { game, group } of all) {
      await this.#fetchGroup(game, group, stamp)
      progress.step()
    }
  }

  async #fetchGroup(game: GameSlug, { groupId, modifiedOn }: Group, stamp: string): Promise<void> {
    const folder = `${categoryOf[game]}/${groupId}`
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
    const name = `${categoryOf[game]}/groups`
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

/** Throws WrongContent unless it is valid JSON, a success, and its results a list. */
async function checkResults(path: string): Promise<void> {
  await resultsIn(path, null, () => {})
}

async function groupsIn(path: string, game: GameSlug): Promise<readonly Group[]> {
  const groups = new Map<number, Group>()
  await resultsIn(path, game, (group) => groups.set(group.groupId, group))
  return [...groups.values()]
}

/** @param onGroup gets each record that is a group */
async function resultsIn(path: string, game: GameSlug | null, onGroup: (group: Group) => void): Promise<void> {
  const errors = new ImportErrors()
  const file = inputFile(path, errors)
  if (file !== undefined) {
    if ((await firstByte(file, errors)) === lessThan) throw new WrongContent('is a web page instead of data')
    await readResults(file, game, { errors, report: new Report() }, (record, place, records) => {
      const group = game === null ? undefined : records.check(groupSchema, record, place)
      if (group !== undefined) onGroup(group)
    })
  }
  const first = errors.first
  if (first !== undefined) throw new WrongContent(`is wrong (${first.replace(`${path}: `, '')})`)
}
