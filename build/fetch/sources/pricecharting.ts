/** PriceCharting's price guides: a CSV file for each of the chosen games, ten minutes apart. */
import type { GameSlug } from '../../../src/games.ts'
import { ImportErrors } from '../../import/import-errors.ts'
import { Report } from '../../import/import-report.ts'
import { readCsv } from '../../import/read/csv-file.ts'
import { FileRecords } from '../../import/read/file-records.ts'
import { firstByte } from '../../import/read/lines.ts'
import { inputFile } from '../../import/read/open.ts'
import { dayOfTime } from '../../import/sources/values.ts'
import { download } from '../download.ts'
import { WrongContent } from '../errors.ts'
import { sourceBytesMax } from '../fetch-limits.ts'
import type { Fetching, SourceFetch } from './source.ts'

interface Category {
  readonly slug: string
  readonly games: readonly GameSlug[]
  /** Matches the names of its consoles; undefined: all that no other category has. */
  readonly consoles: RegExp | undefined
}

const categories: readonly Category[] = [
  { slug: 'pokemon-cards', games: ['pokemon', 'pokemonjp'], consoles: /^pokemon\b/i },
  { slug: 'magic-cards', games: ['mtg'], consoles: /^magic\b/i },
  { slug: 'yugioh-cards', games: ['yugioh'], consoles: /^yu-?gi-?oh/i },
  { slug: 'one-piece-cards', games: ['onepiece'], consoles: /^one piece\b/i },
  { slug: 'lorcana-cards', games: ['lorcana'], consoles: /^(disney )?lorcana\b/i },
  { slug: 'other-tcg-cards', games: ['swu', 'fab'], consoles: undefined },
]
const lessThan = 0x3c
const columns = ['id', 'console-name', 'product-name', 'loose-price']
/** More rows of other categories mean that it is another category's file. */
const foreignShareMax = 0.05

export const pricecharting: SourceFetch = {
  fetch: fetchGuides,
  imports: ({ files, games }) =>
    chosenOf(games).flatMap((category) => {
      const name = nameOf(category)
      const file = files[name]
      if (file === undefined) return []
      const both = category.games.filter((game) => games.includes(game))
      return [{ names: [name], games: both, revision: `${file.sha256}`, date: file.of }]
    }),
}

const nameOf = ({ slug }: Category): string => `${slug}.csv`

const chosenOf = (games: readonly GameSlug[]): readonly Category[] =>
  categories.filter((category) => category.games.some((game) => games.includes(game)))

async function fetchGuides(fetching: Fetching): Promise<boolean> {
  const { mirror, games, progress, clock, token, isUnfinished } = fetching
  const today = dayOfTime(clock.now())
  const chosen = chosenOf(games)
  let isNew = isUnfinished
  progress.begin('files', chosen.length)
  for (const category of chosen) {
    const name = nameOf(category)
    const path = `/price-guide/download-custom?${new URLSearchParams({ t: token!, category: category.slug })}`
    const check = async (file: string): Promise<void> => {
      await checkGuide(file, category)
      // From here on, the mirror's files are of different days.
      mirror.begin(today, games)
    }
    const madeAt = new Date(clock.now())
    const wanted = { name, path, of: today, bytesMax: sourceBytesMax, keepsSum: true, madeAt, check }
    const isFetched = isUnfinished && mirror.has(name, today)
    if (!isFetched && (await download(wanted, fetching))) isNew = true
    progress.step()
  }
  if (isNew) mirror.begin(today, games)
  return isNew
}

/** Throws WrongContent if it is no guide, or another category's. */
async function checkGuide(path: string, { slug, consoles }: Category): Promise<void> {
  const errors = new ImportErrors()
  const file = inputFile(path, errors)!
  if ((await firstByte(file, errors)) === lessThan) throw new WrongContent('is a web page instead of a price guide')
  const records = new FileRecords(path, null, { errors, report: new Report() })
  let rows = 0
  let foreign = 0
  const others = categories.flatMap((category) => category.consoles ?? [])
  const onRow = (field: (column: string) => string): void => {
    rows++
    const name = field('console-name').trim()
    const isOwn = consoles === undefined ? !others.some((other) => other.test(name)) : consoles.test(name)
    if (!isOwn) foreign++
  }
  await readCsv(file, records, { required: columns, onRow })
  const first = errors.first
  if (first !== undefined) throw new WrongContent(`is no price guide (${first.replace(`${path}: `, '')})`)
  if (rows === 0) throw new WrongContent('is a price guide without a row')
  if (foreign > rows * foreignShareMax) {
    throw new WrongContent(`is not of ${slug}: ${foreign} of ${rows} rows are of other categories`)
  }
}
