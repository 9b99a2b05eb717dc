/** Finds the cards that a price guide names by game, set, number and name. */
import { foldCase, foldCode, foldName, shortSetName } from '../../../src/names/fold.ts'
import { identityOf, identityOfCard, type Mark, markOf } from '../../../src/names/identity.ts'
import { foldNumber, withoutNumber } from '../../../src/names/numbers.ts'
import { Printings } from '../../../src/names/printings.ts'
import type { ComposedCard, NamedPrices } from '../source-catalog.ts'

type Named = Omit<NamedPrices, 'prices'>

/** A card that a row may mean. */
interface Candidate {
  readonly card: ComposedCard
  readonly mark: Mark
  /** Folded; '' if unknown. */
  readonly printing: string
}

export interface NamedCard {
  readonly cards: readonly ComposedCard[]
  /** True if brackets name the printing. */
  readonly isPrintingNamed: boolean
}

export class NamedCards {
  /** The key is game, number, and name, short name or code of the set. */
  readonly #byPlace: ReadonlyMap<string, readonly { readonly card: ComposedCard }[]>

  constructor(cards: readonly ComposedCard[]) {
    const places = cards.flatMap((card) => {
      const { game, setCode, setName, number } = card
      if (number === null) return []
      return [...setPlaces(game, setName, setCode)].map((place) => ({ card, key: `${place}\n${foldNumber(number)}` }))
    })
    this.#byPlace = Map.groupBy(places, ({ key }) => key)
  }

  /** Several cards if the row does not say which. All that the row says is true of each. */
  find({ game, setName, number, name }: Named): NamedCard {
    const { key, signs, markers } = identityOf(withoutNumber(name, number))
    const cards = new Set<ComposedCard>()
    for (const place of [namePlace(game, setName), codePlace(game, setName)])
      for (const { card } of this.#byPlace.get(`${place}\n${foldNumber(number)}`) ?? []) cards.add(card)
    const candidates: Candidate[] = []
    for (const card of cards) {
      const own = identityOfCard(card)
      const mark = markOf(own.mark)
      const fits = own.key === key && (signs === '' || signs === mark.signs)
      if (!fits || mark.markers.some((marker) => !markers.includes(marker))) continue
      candidates.push({ card, mark, printing: foldCase(card.printing ?? mark.printing) })
    }
    if (candidates.length === 0) return { cards: [], isPrintingNamed: false }
    const printings = new Printings([...new Set(candidates.map(({ printing }) => printing))])
    const groups = Map.groupBy(candidates, ({ card, mark }) => {
      const product = card.mtgjsonId ?? card.scryfallId ?? card.tcgplayerId
      return [card.setCode, card.rarity, product, mark.signs, ...mark.markers].join('\n')
    })
    const printingOf = ({ printing }: Candidate) => printings.find(printing).same
    const textsOf = ({ mark }: Candidate) => markers.filter((marker) => !mark.markers.includes(marker))
    const asked = (one: Candidate) => textsOf(one).map((text) => printings.find(text))
    const { found } = printings.meant(groups.values(), printingOf, asked)
    const isPrintingNamed = found.some((one) => textsOf(one).length > 0)
    if (isPrintingNamed) return { cards: found.map(({ card }) => card), isPrintingNamed }
    // If a name says no printing, it means `Normal`.
    const unnamed = [...groups.values()].flatMap((group) => {
      const normal = group.filter((one) => printings.unusualness[printingOf(one)] === 0)
      return (normal.length > 0 ? normal : group).filter((one) => found.includes(one))
    })
    return { cards: unnamed.map(({ card }) => card), isPrintingNamed }
  }
}

const namePlace = (game: string, set: string): string => `${game}\nname ${foldName(set)}`
const codePlace = (game: string, set: string): string => `${game}\ncode ${foldCode(set)}`

const setPlaces = (game: string, name: string, code: string): ReadonlySet<string> =>
  new Set([namePlace(game, name), namePlace(game, shortSetName(name) ?? name), codePlace(game, code)])
