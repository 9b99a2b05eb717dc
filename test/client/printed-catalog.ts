/**
 * A snapshot folder whose cards have printings and ids of others, as imports write them: made of any snapshot
 * folder's cards, which may have none, by a seed.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Game } from '../../clients/typescript/src/types.ts'
import { drawBelow, type Random, randomFrom } from '../support/random.ts'
import { snapshotOf } from '../support/snapshot.ts'

interface Prices {
  readonly market?: number | null
  readonly conditions?: Readonly<Record<string, number>>
  readonly graded?: Readonly<Record<string, number>>
}

export interface Printed {
  readonly id: string
  readonly game: Game
  readonly name: string
  readonly setCode: string
  readonly number: string | null
  readonly rarity: string | null
  readonly printing: string
  readonly scryfallId: string | null
  readonly mtgjsonId: string | null
  readonly tcgplayerId: number
  readonly cardmarketId: number
  readonly prices: Prices
}

/** The printings of one card. */
export interface Product {
  readonly set: string
  readonly printings: readonly Printed[]
}

export interface PrintedCatalog {
  readonly snapshots: string
  readonly products: ReadonlyMap<Game, readonly Product[]>
}

const isHolo = /holo|ex\b|\bv\b|vmax|gx|star|rainbow|ultra|secret|double rare|illustration|shiny/i
const oldSets = /^(?:base[1-5]|gym|neo)/

/** The printings that a card of the game has, by chance. */
function printingsOf(
  game: string,
  card: { readonly rarity: string | null; readonly setCode: string },
  random: Random,
): string[] {
  const chance = random()
  switch (game) {
    case 'mtg':
      return chance < 0.1
        ? ['Normal', 'Foil', 'Etched']
        : chance < 0.15
          ? ['Foil']
          : chance < 0.2
            ? ['Normal']
            : ['Normal', 'Foil']
    case 'pokemon':
    case 'pokemonjp': {
      const holo = isHolo.test(card.rarity ?? '')
      if (oldSets.test(card.setCode))
        return holo ? ['1st Edition Holofoil', 'Unlimited Holofoil'] : ['1st Edition', 'Unlimited']
      return holo ? (chance < 0.5 ? ['Holofoil'] : ['Holofoil', 'Reverse Holofoil']) : ['Normal', 'Reverse Holofoil']
    }
    case 'yugioh':
      return chance < 0.7 ? ['1st Edition', 'Unlimited'] : chance < 0.85 ? ['Limited'] : ['1st Edition']
    case 'lorcana':
      return chance < 0.1 ? ['Holofoil'] : ['Normal', 'Cold Foil']
    case 'fab':
      return chance < 0.6
        ? ['Normal', 'Rainbow Foil']
        : chance < 0.8
          ? ['Normal', 'Rainbow Foil', 'Cold Foil']
          : ['Normal']
    case 'onepiece':
      return chance < 0.7 ? ['Normal'] : ['Foil']
    default:
      return ['Normal', 'Foil']
  }
}

const uuidOf = (place: number, kind: number): string =>
  `${place.toString(16).padStart(8, '0')}-7b35-4ed3-b44c-${kind.toString(16).padStart(12, '0')}`

type Row = Readonly<Record<string, unknown>>

function rowsIn(folder: string): Row[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ndjson'))
    .flatMap(({ name }) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** @param folder the snapshot folder that the cards are of */
export function printedCatalog(folder: string): PrintedCatalog {
  const random = randomFrom('printings')
  const sets = rowsIn(join(folder, 'sets'))
  const nameOf = new Map(sets.map((set) => [`${set['game']} ${set['code']}`, String(set['name'])]))
  const products = new Map<Game, Product[]>()
  const cards: Row[] = []
  const seen = new Set<string>()
  for (const [place, row] of rowsIn(join(folder, 'cards')).entries()) {
    const card = row as unknown as Printed
    const isMagic = card.game === 'mtg'
    // A catalog without printings has a card for each of them, which only Yu-Gi-Oh! tells apart by rarity.
    const same = [card.game, card.setCode, card.number, card.name, card.game === 'yugioh' ? card.rarity : ''].join('|')
    if (seen.has(same)) continue
    seen.add(same)
    const printings = printingsOf(card.game, card, random).map((printing, i): Printed => {
      const factor = 1 + i * (1 + drawBelow(random, 8))
      const timed = (price: number) => Math.round(price * factor * 100) / 100
      const timedAll = (prices: Readonly<Record<string, number>> | null | undefined) =>
        Object.fromEntries(Object.entries(prices ?? {}).map(([key, price]) => [key, timed(price)]))
      const { market, conditions, graded } = card.prices ?? {}
      return {
        id: i === 0 ? card.id : `${card.id}-${printing.toLowerCase().replaceAll(' ', '-')}`,
        game: card.game,
        name: card.name,
        setCode: card.setCode,
        number: card.number,
        rarity: card.rarity,
        printing,
        scryfallId: isMagic ? uuidOf(place, 1) : null,
        mtgjsonId: isMagic ? uuidOf(place, 2) : null,
        tcgplayerId: 100_000 + place,
        cardmarketId: 700_000 + place,
        prices: {
          market: market == null ? null : timed(market),
          conditions: timedAll(conditions),
          graded: timedAll(graded),
        },
      }
    })
    for (const printed of printings) cards.push(printed as unknown as Row)
    const set = nameOf.get(`${card.game} ${card.setCode}`) ?? card.setCode
    const ofGame = products.get(card.game)
    if (ofGame === undefined) products.set(card.game, [{ set, printings }])
    else ofGame.push({ set, printings })
  }
  const files = { 'sets/sets.ndjson': sets, 'cards/cards.ndjson': cards, 'about.json': '{"currency":"USD"}' }
  return { snapshots: snapshotOf(files), products }
}
