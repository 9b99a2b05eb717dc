/** Reads all files of a mirror: groups, products and prices. Finds the day of the prices. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { GameSlug } from '../../../../src/games.ts'
import { shown } from '../../../read/snapshot-problems.ts'
import { isUtcTimestamp } from '../../../read/snapshot-schema.ts'
import { ExpectedFields } from '../../read/file-records.ts'
import { inputFile, readWhole } from '../../read/open.ts'
import { dayOfText, dayOfTime } from '../../source-values.ts'
import type { Import } from '../source.ts'
import { readGroup } from './group.ts'
import { categoryOf, findFile, gamesByCategory, groupFiles, mirrorRoot, numberedFolders } from './mirror.ts'
import { PriceFields, readResults } from './results.ts'
import type { GroupRecords } from './tcgcsv-cards.ts'
import { categorySchema, type Group, groupSchema } from './tcgcsv-schemas.ts'

export interface MirrorGroup {
  readonly game: GameSlug
  readonly group: Group
  /** Null if the group has no files, which --partial accepts. */
  readonly records: GroupRecords | null
}

export interface Mirror {
  readonly groups: readonly MirrorGroup[]
  /** The games of the mirror, in the order of their categories. */
  readonly games: readonly GameSlug[]
  /**
   * The day of the prices. It is the operator's or the publisher's day, else the newest `modifiedOn`, else the day of
   * the newest file.
   */
  readonly day: string
  /** The publisher's time on that day, `2026-07-23T20:05:33Z`. If the time is unknown, this is the day. */
  readonly time: string
  /**
   * False if `day` may be older than the prices: `modifiedOn` is a time of products, which change less often than
   * prices.
   */
  readonly isDayKnown: boolean
}

const utcStamp = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(?:Z|\+00:?00)$/

export class MirrorReader {
  readonly #task: Import
  readonly #root: string
  readonly #fields = {
    price: new PriceFields(),
    /** Without this field, every product would look sealed. */
    product: new ExpectedFields(['extendedData']),
  }
  /**
   * A mirror that does not name its day gets the day of its newest `modifiedOn`, else the day of its newest file.
   */
  #newestModified = ''
  #newestFileMs = 0

  constructor(task: Import) {
    this.#task = task
    this.#root = mirrorRoot(task.options.paths[0]!)
  }

  async read(): Promise<Mirror> {
    const { options, errors } = this.#task
    const games: GameSlug[] = []
    const groups: MirrorGroup[] = []
    if (existsSync(this.#root)) {
      // Games are found by the numbers of their categories, so the list of categories is only checked.
      const categories = findFile(this.#root, 'categories', errors)
      if (categories !== undefined)
        await readResults(categories, null, this.#task, (record, place, records) => {
          records.check(categorySchema, record, place)
        })
      for (const game of gamesByCategory(this.#task.folder)) {
        const own = options.games.has(game) ? await this.#groups(game) : undefined
        if (own === undefined) continue
        games.push(game)
        for (const group of own) groups.push({ game, group, records: await this.#group(game, group) })
      }
      this.#checkExpectedFields(games)
    } else errors.add(this.#root, '', 'does not exist')
    const known = options.date ?? this.#lastUpdated()
    const time = known ?? (this.#newestModified || dayOfTime(this.#newestFileMs))
    return { groups, games, day: time.slice(0, 'YYYY-MM-DD'.length), time, isDayKnown: known !== undefined }
  }

  /**
   * The publisher's time of the whole mirror, `2026-07-23T20:05:33+0000`, in UTC. If the time has another form, only
   * its day.
   */
  #lastUpdated(): string | undefined {
    const { options, errors } = this.#task
    const [file] = [this.#root, options.paths[0]!].flatMap(
      (folder) => inputFile(join(folder, 'last-updated.txt'), errors) ?? [],
    )
    const text = file && readWhole(file, errors)?.toString('utf8').trim()
    if (file === undefined || text === undefined) return undefined
    const day = dayOfText(text)
    if (day === null) errors.add(file.path, 'line 1', 'must begin with a date, YYYY-MM-DD', shown(text))
    const [, time] = utcStamp.exec(text) ?? []
    return time !== undefined && isUtcTimestamp(`${time}Z`) ? `${time}Z` : (day ?? undefined)
  }

  #checkExpectedFields(games: readonly GameSlug[]): void {
    const { options, errors, folder } = this.#task
    if (!statSync(this.#root).isDirectory()) errors.add(this.#root, '', 'must be a folder, and is a file')
    else if (games.length === 0) {
      const chosen = [...options.games].filter((game) => gamesByCategory(folder).includes(game))
      const sought = chosen.map((game) => join(`${categoryOf(folder, game)}`, 'groups')).join(', ')
      errors.add(this.#root, '', `is not a mirror: it has none of ${sought}`)
    }
    this.#fields.price.check('price of the mirror', 'results', errors)
    this.#fields.product.check('product of the mirror', 'results', errors)
  }

  /** The groups in the order of their numbers; undefined if the mirror has no folder of the game. */
  async #groups(game: GameSlug): Promise<Group[] | undefined> {
    const { errors, report } = this.#task
    const category = categoryOf(this.#task.folder, game)
    const folder = join(this.#root, `${category}`)
    if (!existsSync(folder)) return undefined
    const errorsBefore = errors.count
    const file = findFile(folder, 'groups', errors)
    if (file === undefined) {
      if (errors.count === errorsBefore) errors.add(join(folder, 'groups'), '', 'is missing')
      return undefined
    }
    this.#newestFileMs = Math.max(this.#newestFileMs, file.mtimeMs)
    const groups = new Map<number, Group>()
    await readResults(file, game, this.#task, (record, place, records) => {
      const group = records.check(groupSchema, record, place)
      if (group === undefined) return
      if (group.categoryId !== null && group.categoryId !== category) {
        records.wrong(`${place}.categoryId`, `must be ${category}, its folder`, `${group.categoryId}`)
      } else if (groups.has(group.groupId)) records.wrong(`${place}.groupId`, 'is there twice', `${group.groupId}`)
      else {
        groups.set(group.groupId, group)
        this.#modified(group.modifiedOn)
      }
    })
    for (const group of numberedFolders(folder)) {
      const noGroup = { game, file: join(folder, `${group}`), reason: 'folder of no group', record: `${group}` }
      if (!groups.has(group)) report.leftOut(noGroup)
    }
    return [...groups.values()].sort((a, b) => a.groupId - b.groupId)
  }

  /** Reads the files of a group. Returns null if the group has no files. */
  async #group(game: GameSlug, { groupId, name }: Group): Promise<GroupRecords | null> {
    const { options, errors, report } = this.#task
    const errorsBefore = errors.count
    const files = groupFiles(this.#root, categoryOf(this.#task.folder, game), groupId, errors)
    if (typeof files === 'string') {
      const reason = 'is missing: the folder keeps its cards of the group'
      if (options.partial) report.doubtful({ game, file: files, reason, record: name })
      else if (errors.count === errorsBefore)
        errors.add(files, '', `is missing, though groups lists ${name}; --partial keeps the folder's cards of it`)
      return null
    }
    this.#newestFileMs = Math.max(this.#newestFileMs, ...Object.values(files).map(({ mtimeMs }) => mtimeMs))
    const records = await readGroup(files, {
      game,
      group: groupId,
      task: this.#task,
      fields: this.#fields,
      modified: (text) => this.#modified(text),
    })
    const { prices, products, pricesFile } = records
    if (prices.size > 0 && products.length > 0 && !products.some(({ productId }) => prices.has(productId))) {
      errors.add(pricesFile, '', "has prices of none of its group's products")
    }
    return records
  }

  #modified(text: string | null): void {
    const day = dayOfText(text)
    if (day !== null && day > this.#newestModified) this.#newestModified = day
  }
}
