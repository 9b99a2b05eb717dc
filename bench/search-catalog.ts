/** A snapshot's catalog as search needs it, compiled in memory, and what its pages are made of. */

import { setImmediate as pause } from 'node:timers/promises'
import { catalogFiles, readCatalog } from '../build/catalog.ts'
import { compileCards } from '../build/compile/cards.ts'
import { setKey } from '../build/compile/order.ts'
import { compileSearch } from '../build/compile/search.ts'
import { Problems } from '../build/problems.ts'
import { PageBuffer } from '../src/catalog/page.ts'
import { type CardsPart, readCardsPart } from '../src/indexes/cards-file.ts'
import { readSearchFile } from '../src/indexes/search-file.ts'
import { partCards, partCardsShift } from '../src/limits.ts'
import { type Page, Search } from '../src/search/search.ts'
import type { ScanCard, ScanSet } from './search-scan.ts'

export interface SearchCatalog {
  /** By card number. */
  readonly cards: readonly ScanCard[]
  /** By set number. */
  readonly sets: readonly ScanSet[]
  /** The search file, in memory that threads could share. */
  readonly searchBytes: Uint8Array
  readonly pages: Pages
}

/** Throws SnapshotError. */
export async function loadSearchCatalog(snapshots: string): Promise<SearchCatalog> {
  const problems = new Problems()
  const records = await readCatalog(await catalogFiles(snapshots), problems)
  problems.check()
  const setNumbers = new Map(records.sets.map((set, number) => [setKey(set.game, set.code), number]))
  const cards = records.cards.map(({ name, game, setCode, rarity }) => {
    return { name, game, setNumber: setNumbers.get(setKey(game, setCode))!, rarity }
  })
  const sets = records.sets.map(({ code, name, game }) => ({ code, name, game }))
  const setName = (card: (typeof records.cards)[number]) => sets[setNumbers.get(setKey(card.game, card.setCode))!]!.name
  const parts = compileCards(records.cards, setName).map((pieces) => readCardsPart(inShared(pieces)))
  return { cards, sets, searchBytes: inShared(compileSearch({ cards, sets })), pages: new Pages(parts) }
}

/** A search of these cards, ready to be asked. */
export function searchOf(cards: readonly ScanCard[], sets: readonly ScanSet[]): Promise<Search> {
  return Search.load(readSearchFile(inShared(compileSearch({ cards, sets }))), () => pause())
}

/** Makes the bytes of answers. */
export class Pages {
  readonly #parts: readonly CardsPart[]
  readonly #buffer = new PageBuffer(64 * 1024)

  constructor(parts: readonly CardsPart[]) {
    this.#parts = parts
  }

  render({ cards, count, total }: Page, limit: number, offset: number): Uint8Array {
    this.#buffer.start('{"data":[')
    for (let i = 0; i < count; i++) {
      const card = cards[i]!
      this.#buffer.addItem(this.#parts[card >>> partCardsShift]!.summaries, card & (partCards - 1), i === 0)
    }
    return this.#buffer.finish(`],"total":${total},"limit":${limit},"offset":${offset}}`)
  }
}

function inShared(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = Buffer.concat(pieces)
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  shared.set(bytes)
  return shared
}
