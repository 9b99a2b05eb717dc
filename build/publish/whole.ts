/**
 * Whether a snapshot that is right line by line is right as a whole: a delivery that was cut, or came without a folder,
 * would be live at once and push good versions out.
 */
import { gameSlugs } from '../../src/games.ts'
import { IndexError } from '../../src/indexes/format.ts'
import { readFileOf } from '../../src/indexes/load.ts'
import { readCurrent, readManifest } from '../../src/indexes/manifest.ts'
import { cardsComparedMin, cardsKeptPercentMin } from '../../src/limits.ts'
import { cardCountsOf } from '../compile/catalog-files.ts'

interface Size {
  readonly sets: number
  /** By game number. */
  readonly cards: readonly number[]
}

/** What the snapshot is compared with. */
type CurrentSize = Size | { readonly unknown: string } | undefined

/** The size of the version that `current` names, undefined if it names none yet, or why it can't be known. */
export async function currentSize(indexDir: string): Promise<CurrentSize> {
  try {
    const current = await readCurrent(indexDir)
    if (current === undefined) return undefined
    const manifest = await readManifest(indexDir, current)
    return {
      sets: manifest.counts.sets,
      cards: cardCountsOf(await readFileOf(indexDir, manifest, 'catalog.msgpack')),
    }
  } catch (error) {
    const isKnown = error instanceof IndexError || (error as NodeJS.ErrnoException).syscall !== undefined
    if (!isKnown) throw error
    return { unknown: (error as Error).message }
  }
}

/**
 * One line that says why the snapshot must not be published, undefined if it may be.
 * @param force publishes whatever has cards
 */
export function wrongAsAWhole(now: Size, current: CurrentSize, force: boolean): string | undefined {
  const before = current === undefined || 'unknown' in current ? undefined : current
  const cards = sum(now.cards)
  if (cards === 0) return `${missing('cards', before && sum(before.cards))}; nothing was published`
  if (now.sets === 0) return `${missing('sets', before?.sets)}; nothing was published`
  if (before === undefined || force) return undefined
  const fallen = gameSlugs
    .map((name, game) => ({ name: name as string, now: now.cards[game]!, before: before.cards[game]! }))
    .filter((game) => game.before >= cardsComparedMin)
  fallen.push({ name: 'all games', now: cards, before: sum(before.cards) })
  const texts = fallen.filter(isTooFew).map((count) => `${count.name} ${number(count.now)} of ${number(count.before)}`)
  if (texts.length === 0) return undefined
  return `more than a tenth fewer cards than in the current version: ${texts.join(', ')}; nothing was published (--force publishes it all the same)`
}

const missing = (what: string, before: number | undefined): string =>
  `the snapshot has 0 ${what}${before === undefined ? '' : `, the current version ${number(before)}`}`

const isTooFew = (count: { now: number; before: number }): boolean =>
  100 * count.now < cardsKeptPercentMin * count.before

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)
const number = (value: number) => value.toLocaleString('en')
