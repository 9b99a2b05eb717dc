/** Reads a snapshot's sets and cards, checks them, and renders each card's texts. */
import { dayOfDate, noDay } from '../../src/calendar.ts'
import type { CardTexts } from '../../src/indexes/cards-file.ts'
import type { FolderGames } from '../games/folder-games.ts'
import { type SnapshotFile, snapshotFiles } from '../read/files.ts'
import { readRecords } from '../read/ndjson.ts'
import { type Problems, shown } from '../read/snapshot-problems.ts'
import { type CardRecord, cardSchemaOf, checked, type SetRecord, setSchemaOf } from '../read/snapshot-schema.ts'
import { csvLine, details, extras, item, type ShownOfCard, summary } from './card-answers.ts'
import { orderSets, setKey } from './order.ts'

/** A card's fields that lists and search need, and its texts. */
export interface Card
  extends Pick<
    CardRecord,
    | ('id' | 'name' | 'game' | 'number' | 'rarity' | 'printing')
    | ('tcgplayerId' | 'scryfallId' | 'mtgjsonId' | 'cardmarketId')
  > {
  /** The index of its set in list order. */
  readonly setNumber: number
  /** Cents, null if unknown. */
  readonly market: number | null
  /** The day of its `updatedAt`, `noDay` if unknown. */
  readonly updated: number
  readonly texts: CardTexts
}

/**
 * Reads the sets in list order, and the cards in the order of files and lines. Adds each problem to `problems`.
 * @param currency the currency of all prices, null if unknown
 */
export async function readCardsAndSets(
  snapshots: string,
  games: FolderGames,
  currency: string | null,
  problems: Problems,
) {
  const setFiles = await snapshotFiles(snapshots, 'sets', 'ndjson', problems)
  const cardFiles = await snapshotFiles(snapshots, 'cards', 'ndjson', problems)
  const sets = await readSets(setFiles, games, problems)
  const cardSchema = cardSchemaOf(games)
  const numbers = new Map(sets.map((set, number) => [setKey(set.game, set.code), number]))
  const places = new Map<string, string>()
  const cards: Card[] = []
  for (const file of cardFiles) {
    await readRecords(file, problems, (record, line) => {
      const place = `${file.name}:${line}`
      const card = checked(cardSchema, record, place, problems)
      if (card === undefined) return
      const setNumber = numbers.get(setKey(card.game, card.setCode)) ?? -1
      // If the snapshot has no sets at all, that is the only problem, so no card is reported.
      if (setNumber === -1 && sets.length > 0) {
        problems.add(place, 'setCode', 'must be the code of a set of its game', shown(card.setCode))
      }
      const earlier = placeBefore(places, card.id, place)
      if (earlier !== undefined) problems.add(place, 'id', `must be unique, is also at ${earlier}`, shown(card.id))
      else
        cards.push(
          compiled(card, setNumber, { game: games.slugs[card.game]!, set: sets[setNumber]?.name ?? '', currency }),
        )
    })
  }
  return { sets, cards }
}

/** The sets in list order. */
async function readSets(files: readonly SnapshotFile[], games: FolderGames, problems: Problems): Promise<SetRecord[]> {
  const setSchema = setSchemaOf(games)
  const sets: SetRecord[] = []
  const places = new Map<string, string>()
  for (const file of files) {
    await readRecords(file, problems, (record, line) => {
      const place = `${file.name}:${line}`
      const set = checked(setSchema, record, place, problems)
      if (set === undefined) return
      const earlier = placeBefore(places, setKey(set.game, set.code), place)
      if (earlier === undefined) sets.push(set)
      else problems.add(place, 'code', `must be unique in its game, is also at ${earlier}`, shown(set.code))
    })
  }
  return orderSets(sets)
}

/**
 * Returns the place of an earlier record with the same key. If there is none, remembers `place` for the key, and
 * returns undefined.
 */
function placeBefore(places: Map<string, string>, key: string, place: string): string | undefined {
  const earlier = places.get(key)
  if (earlier === undefined) places.set(key, place)
  return earlier
}

function compiled(card: CardRecord, setNumber: number, shown: ShownOfCard): Card {
  const { id, name, game, number, rarity, printing, tcgplayerId, scryfallId, mtgjsonId, cardmarketId } = card
  return {
    id,
    name,
    game,
    number,
    rarity,
    printing,
    tcgplayerId,
    scryfallId,
    mtgjsonId,
    cardmarketId,
    setNumber,
    market: card.prices.market,
    updated: card.updatedAt === null ? noDay : dayOfDate(card.updatedAt.slice(0, 'YYYY-MM-DD'.length)),
    texts: {
      details: Buffer.from(details(card, shown)),
      items: Buffer.from(item(card, shown)),
      summaries: Buffer.from(summary(card, shown)),
      extras: Buffer.from(extras(card, shown)),
      rows: Buffer.from(csvLine(card, shown)),
    },
  }
}
