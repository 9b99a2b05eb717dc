/**
 * Finds the cards that a price guide names by game, set, number and name. The guide may have another name for a set
 * than the snapshot. Each of these tests is tried only if the tests above it find no card:
 *
 *   the guide's name              the snapshot's name            the set is found
 *   Obsidian Flames, SV03         SV03: Obsidian Flames          without its publisher's prefix, or by its code
 *   First Chapter                 The First Chapter              without articles
 *   Promo, Scarlet & Violet Promo SV: Scarlet & Violet Promos    as a promo set that has all other words, too
 *   Crown Zenith                  Crown Zenith: Galarian Gallery as the set's gallery, vault or collection
 */
import { fold, foldCase, foldCode, foldName, shortSetName } from '../../../src/names/fold.ts'
import { identityOf, identityOfCard, type Mark, markOf } from '../../../src/names/identity.ts'
import { foldNumber, withoutNumber } from '../../../src/names/numbers.ts'
import { Printings } from '../../../src/names/printings.ts'
import type { ComposedCard, NamedPrices } from '../source-catalog.ts'

type Named = Omit<NamedPrices, 'prices'>

/** A card that a row may mean. */
interface Candidate {
  readonly card: ComposedCard
  readonly mark: Mark
  /** The card's printing, folded; '' if it is unknown. */
  readonly printing: string
}

export interface NamedCard {
  readonly cards: readonly ComposedCard[]
  /** True if brackets in the row's name name the printing. */
  readonly isPrintingNamed: boolean
}

export class NamedCards {
  /** The key is game and number. */
  readonly #byNumber: ReadonlyMap<string, readonly Numbered[]>
  readonly #sets: readonly SetNames[]
  /** For each set name of a guide, the sets that each test finds. A guide has few set names. */
  readonly #meant = new Map<string, readonly ReadonlySet<SetNames>[]>()

  constructor(cards: readonly ComposedCard[]) {
    const sets = new Map<string, SetNames>()
    const numbered = cards.flatMap((card): Numbered[] => {
      const { game, setCode, setName, number } = card
      if (number === null) return []
      const names = sets.get(`${setCode}\n${setName}`) ?? setNames(setName, setCode)
      sets.set(`${setCode}\n${setName}`, names)
      return [{ card, names, key: numberKey(game, number) }]
    })
    this.#byNumber = Map.groupBy(numbered, ({ key }) => key)
    this.#sets = [...sets.values()]
  }

  #setsOf(name: string): readonly ReadonlySet<SetNames>[] {
    let meant = this.#meant.get(name)
    if (meant === undefined) {
      meant = setTests(name).map((isMeant) => new Set(this.#sets.filter(isMeant)))
      this.#meant.set(name, meant)
    }
    return meant
  }

  /** Finds the cards that fit everything that a row says. If these are several, the row does not identify one card. */
  find(row: Named): NamedCard {
    const { game, setName, number, name } = row
    const numbered = this.#byNumber.get(numberKey(game, number)) ?? []
    for (const sets of this.#setsOf(setName)) {
      const cards = sets.size === 0 ? [] : numbered.flatMap(({ card, names }) => (sets.has(names) ? [card] : []))
      const found = cards.length === 0 ? undefined : this.#findAmong(cards, withoutNumber(name, number))
      if (found !== undefined) return found
    }
    return { cards: [], isPrintingNamed: false }
  }

  /** Undefined if no card has the name. */
  #findAmong(cards: readonly ComposedCard[], name: string): NamedCard | undefined {
    const { key, signs, markers: printed } = identityOf(name)
    const markers = printed.map(plainMarker)
    const candidates: Candidate[] = []
    for (const card of cards) {
      const own = identityOfCard(card)
      const mark = withPlainMarkers(markOf(own.mark))
      const fits = own.key === key && (signs === '' || signs === mark.signs)
      if (!fits || mark.markers.some((marker) => !markers.includes(marker))) continue
      candidates.push({ card, mark, printing: plainMarker(foldCase(card.printing ?? mark.printing)) })
    }
    if (candidates.length === 0) return undefined
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
    // A name without a printing means the printing `Normal`.
    const unnamed = [...groups.values()].flatMap((group) => {
      const normal = group.filter((one) => printings.unusualness[printingOf(one)] === 0)
      return (normal.length > 0 ? normal : group).filter((one) => found.includes(one))
    })
    return { cards: unnamed.map(({ card }) => card), isPrintingNamed }
  }
}

interface Numbered {
  readonly card: ComposedCard
  readonly names: SetNames
  readonly key: string
}

const numberKey = (game: string, number: string): string => `${game}\n${foldNumber(number)}`

/** Guides often leave out the word behind a marker: `Master Ball` is `Master Ball Pattern`. */
const plainMarker = (marker: string): string => marker.replace(/ pattern$/, '')

const withPlainMarkers = (mark: Mark): Mark => ({ ...mark, markers: mark.markers.map(plainMarker) })

/** A set's names, folded. */
interface SetNames {
  /** The set's name, and the name without the publisher's prefix. */
  readonly names: readonly string[]
  readonly code: string
  /** The words of each name without articles. */
  readonly words: readonly (readonly string[])[]
}

function setNames(name: string, code: string): SetNames {
  const names = [...new Set([name, shortSetName(name) ?? name])]
  return { names: names.map(foldName), code: foldCode(code), words: names.map(wordsOf) }
}

const articles = new Set(['a', 'an', 'the'])
const wordsOf = (name: string): readonly string[] => fold(name).filter((word) => !articles.has(word))
const promoWord = /^promo(?:s|tion|tions|tional)?$/
/** The name of a set within another set ends with one of these words. */
const innerSet = new Set(['gallery', 'vault', 'collection'])

type IsMeant = (set: SetNames) => boolean

/**
 * The tests whether a guide's name means a set. There is one for each row of the table above, but the last two rows
 * share one.
 */
function setTests(name: string): readonly IsMeant[] {
  const [asName, asCode, own] = [foldName(name), foldCode(name), wordsOf(name)]
  const whole = own.join(' ')
  const isPromo = promoWord.test(own.at(-1) ?? '')
  const others = own.filter((word) => !promoWord.test(word))
  const isPromoSet: IsMeant = ({ words: [words = []] }) =>
    words.some((word) => promoWord.test(word)) && others.every((word) => words.includes(word))
  const isWithin: IsMeant = ({ words }) =>
    words.some((all) => innerSet.has(all.at(-1)!) && all.length > own.length && own.every((word, i) => word === all[i]))
  return [
    ({ names, code }) => names.includes(asName) || (asCode !== '' && code === asCode),
    ({ words }) => whole !== '' && words.some((all) => all.join(' ') === whole),
    isPromo ? isPromoSet : isWithin,
  ]
}
