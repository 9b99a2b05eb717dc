/**
 * The sample's cards: real games, sets, names, numbers and rarities. Each game's table reads
 *
 *     # set code | set name | release date        "-": unknown
 *     number | card name | rarity | price         the price only where the rarity says too little
 *
 * An id is `game-setcode-number` in lower case with "-" for every other sign, and `-v2` behind it for the second
 * card of a number in a set. The prices in the tables are rough and made up, as everything that follows from them.
 */
import assert from 'node:assert/strict'
import { fab } from './fab.ts'
import { lorcana } from './lorcana.ts'
import { mtg } from './mtg.ts'
import { onepiece } from './onepiece.ts'
import { pokemon } from './pokemon.ts'
import { pokemonjp } from './pokemonjp.ts'
import { swu } from './swu.ts'
import { yugioh } from './yugioh.ts'

export interface SampleSet {
  readonly game: string
  readonly code: string
  readonly name: string
  /** YYYY-MM-DD */
  readonly releaseDate: string | null
}

export interface SampleCard {
  readonly id: string
  readonly game: string
  readonly name: string
  readonly setCode: string
  readonly number: string
  readonly rarity: string
  /** About what the card costs, in whole units of the currency; null: what a card of its rarity usually costs. */
  readonly about: number | null
}

const tables = { pokemon, pokemonjp, mtg, yugioh, lorcana, onepiece, swu, fab }

/** All sets and cards, in the order of the tables. */
export function sampleCatalog(): { sets: SampleSet[]; cards: SampleCard[] } {
  const sets: SampleSet[] = []
  const cards: SampleCard[] = []
  for (const [game, table] of Object.entries(tables)) {
    for (const line of table.split('\n').filter((line) => line !== '')) {
      if (line.startsWith('# ')) sets.push(setOf(game, line))
      else cards.push(cardOf(sets.at(-1)!, line, cards))
    }
  }
  return { sets, cards }
}

function setOf(game: string, line: string): SampleSet {
  const [code, name, releaseDate] = line.slice('# '.length).split(' | ')
  assert(code && name && releaseDate, line)
  return { game, code, name, releaseDate: releaseDate === '-' ? null : releaseDate }
}

function cardOf(set: SampleSet, line: string, before: readonly SampleCard[]): SampleCard {
  const [number, name, rarity, about] = line.split(' | ')
  assert(number && name && rarity, line)
  const { game, code: setCode } = set
  const references = before.filter((card) => card.game === game && card.setCode === setCode && card.number === number)
  const place = `${game}-${setCode}-${number}`.toLowerCase().replace(/[^a-z0-9]/g, '-')
  const id = references.length === 0 ? place : `${place}-v${references.length + 1}`
  return { id, game, name, setCode, number, rarity, about: about === undefined ? null : Number(about) }
}
