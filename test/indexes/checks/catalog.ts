/** The lists of games and sets, and the downloads of each game. */
import { gunzipSync } from 'node:zlib'
import type { BulkOfGame } from '../../../src/indexes/bulk-file.ts'
import type { SetsFile } from '../../../src/indexes/sets-file.ts'
import { checkOffsets, must } from './columns.ts'

/** The games with their counts, in game order. */
export const gamesOf = ({ gamesBody }: SetsFile): { id: string; cardCount: number; setCount: number }[] =>
  JSON.parse(Buffer.from(gamesBody).toString()).data.map(({ id, cardCount, setCount }: Record<string, unknown>) => {
    return { id, cardCount, setCount }
  })

/** @param cardCount and `setCount`: the version's totals */
export function checkSetsFile(file: SetsFile, cardCount: number, setCount: number): void {
  const { games, sets, setsAt, setCounts } = file
  const slugs = games.map(({ id }) => id)
  checkOffsets(file)
  must(setCounts[0] === setCount, 'the sets are as many as the manifest says')
  const entries = setCounts.reduce((sum, length) => sum + length + 1, 0)
  must(setsAt.length === entries, 'setsAt has an entry for each set, and one for the end of a list')
  const text = Buffer.from(sets)
  let first = 0
  const [all, ...byGame] = setCounts.map((length) => {
    const list = Array.from({ length }, (_, i) => text.toString('utf8', setsAt[first + i]!, setsAt[first + i + 1]!))
    first += length + 1
    must(first === entries || setsAt[first - 1] === setsAt[first], 'lists adjoin')
    must(
      list.every((set) => set.endsWith('},')),
      'a set ends with a comma',
    )
    return list.map((set) => JSON.parse(set.slice(0, -1)))
  })
  const wanted = slugs.map((game) => all!.filter((set) => set.game === game))
  must(JSON.stringify(byGame) === JSON.stringify(wanted), "a game's sets are those of all that are its own")
  const cardsIn = (list: readonly { cardCount: number }[]) => list.reduce((sum, set) => sum + set.cardCount, 0)
  const sums = slugs.map((id, i) => ({ id, cardCount: cardsIn(wanted[i]!), setCount: wanted[i]!.length }))
  must(JSON.stringify(gamesOf(file)) === JSON.stringify(sums), 'gamesBody counts the sets and their cards')
  must(cardsIn(all!) === cardCount, 'the sets have all cards')
}

/** @param cardCount how many cards the game has */
export function checkBulkFile({ gzip, cards, bytes }: BulkOfGame, cardCount: number): void {
  must(cards === cardCount, 'it has all cards of its game')
  const text = gunzipSync(gzip)
  must(text.length === bytes, 'it has its length')
  must(text.toString('latin1').split('\n').length - 1 === cards, 'it has a line for each card')
}
