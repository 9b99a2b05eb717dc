/** PriceCharting's price guides: a CSV file for each of the chosen games, ten minutes apart. */

import type { GameSlug } from '../../../src/games.ts'
import type { FolderGames } from '../../games/folder-games.ts'
import { Report } from '../../import/import-report.ts'
import { readCsv } from '../../import/read/csv-file.ts'
import { FileRecords } from '../../import/read/file-records.ts'
import { dayOfTime } from '../../import/source-values.ts'
import { downloadDay } from '../download.ts'
import { WrongContent } from '../fetch-errors.ts'
import { pricechartingPauseMs, sourceBytesMax } from '../fetch-limits.ts'
import { checkReadable, type FetchedSource, type Fetching, hourMs } from './fetched-source.ts'

interface Category {
  readonly slug: string
  readonly games: readonly GameSlug[]
  /**
   * Matches the names of the category's consoles. Undefined for `other-tcg-cards`, which has all consoles that no other
   * category has.
   */
  readonly consoles: RegExp | undefined
}

const otherGames = 'other-tcg-cards'

function categoriesOf({ rows }: FolderGames): readonly Category[] {
  const known = rows.flatMap(({ id, pricecharting }) => (pricecharting === undefined ? [] : [{ id, ...pricecharting }]))
  return [...Map.groupBy(known, ({ category }) => category)].map(([slug, games]) => ({
    slug,
    games: games.map(({ id }) => id),
    consoles: slug === otherGames ? undefined : beginningWith(games.flatMap(({ consoles }) => consoles)),
  }))
}

function beginningWith(names: readonly string[]): RegExp {
  return new RegExp(`^(?:${names.map((name) => name.replace(/[^\w\s]/g, '\\$&')).join('|')})(?!\\w)`, 'i')
}

const columns = ['id', 'console-name', 'product-name', 'loose-price']
/** If a larger share of the rows belongs to other categories, the file is rejected as the guide of another category. */
const foreignShareMax = 0.05

export const pricecharting: FetchedSource = {
  address: 'https://www.pricecharting.com',
  domains: ['pricecharting.com'],
  pauseMs: pricechartingPauseMs,
  intervalMs: 24 * hourMs,
  games: (folder) => categoriesOf(folder).flatMap(({ games }) => games),
  tokenSetting: 'PRICECHARTING_TOKEN',
  terms: "PriceCharting's price guides, by your own subscription and under its terms; a file every ten minutes.",
  fetch: fetchGuides,
  imports: ({ files, games }, folder) =>
    chosenOf(folder, games).flatMap((category) => {
      const name = nameOf(category)
      const file = files[name]
      if (file === undefined) return []
      const both = category.games.filter((game) => games.includes(game))
      return [{ names: [name], games: both, revision: `${file.sha256}`, date: file.of }]
    }),
}

const nameOf = ({ slug }: Category): string => `${slug}.csv`

const chosenOf = (folder: FolderGames, games: readonly GameSlug[]): readonly Category[] =>
  categoriesOf(folder).filter((category) => category.games.some((game) => games.includes(game)))

function fetchGuides(fetching: Fetching): Promise<boolean> {
  const { games, folder, progress, clock, token } = fetching
  const files = chosenOf(folder, games).map((category) => ({
    name: nameOf(category),
    path: `/price-guide/download-custom?${new URLSearchParams({ t: token!, category: category.slug })}`,
    bytesMax: sourceBytesMax,
    madeAt: new Date(clock.now()),
    check: async (file: string): Promise<void> => {
      await checkGuide(file, category, categoriesOf(folder))
      progress.step()
    },
  }))
  progress.begin('files', files.length)
  return downloadDay(files, dayOfTime(clock.now()), fetching)
}

/** Throws WrongContent if the file is not a price guide, or is the guide of another category. */
async function checkGuide(path: string, { slug, consoles }: Category, categories: readonly Category[]): Promise<void> {
  let rows = 0
  let foreign = 0
  const others = categories.flatMap((category) => category.consoles ?? [])
  const onRow = (field: (column: string) => string): void => {
    rows++
    const name = field('console-name').trim()
    const isOwn = consoles === undefined ? !others.some((other) => other.test(name)) : consoles.test(name)
    if (!isOwn) foreign++
  }
  await checkReadable(path, ['a price guide', 'is no price guide'], (file, errors) =>
    readCsv(file, new FileRecords(path, null, { errors, report: new Report() }), { required: columns, onRow }),
  )
  if (rows === 0) throw new WrongContent('is a price guide without a row')
  if (foreign > rows * foreignShareMax) {
    throw new WrongContent(`is not of ${slug}: ${foreign} of ${rows} rows are of other categories`)
  }
}
