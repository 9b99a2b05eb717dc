/** Parts that show a card: its name, which printing it is, its picture, and tables of cards. */
import { html } from 'hono/html'
import { withoutControls } from '../../log/printable.ts'
import { changeText, inCurrency, price } from '../shared/page-figures.ts'
import { table } from '../shared/page-parts.ts'
import { cardPath, searchPath } from '../shared/search-form.ts'
import type { Html, PageContext, Site } from '../site.ts'
import type { Card, Mover } from './card-data.ts'

const japanese = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u

/** Scripts that are written from right to left, and signs that change the direction. */
const turns = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]|\p{Cc}/u

/**
 * A name of a card or a set, marked with its language. A name with text from right to left does not turn the text
 * around it.
 */
export function nameText(name: string): Html | string {
  if (turns.test(name)) return html`<bdi>${name}</bdi>`
  return japanese.test(name) ? html`<span lang="ja">${name}</span>` : name
}

/** Isolates a name in the same way where a text can't contain elements, as in an option. */
export const isolatedName = (name: string): string => (turns.test(name) ? `\u2068${withoutControls(name)}\u2069` : name)

/** Returns the game's name; its id if the served version lacks the game, which a report may still name. */
export const gameName = ({ data }: Site, slug: string): string => data.games.row(slug)?.name ?? slug

/** A link to the cards of a set. */
export const setLink = (context: PageContext, { game, setCode, set }: Pick<Card, 'game' | 'setCode' | 'set'>): Html =>
  html`<a href="${setPath(context, game, setCode)}">${nameText(set)}</a>`

export const setPath = (context: PageContext, game: string, code: string): string =>
  `${searchPath(context)}?game=${game}&set=${encodeURIComponent(code)}`

/**
 * Returns the origins that the policy must allow for the pictures of these cards, besides our own. A picture is shown
 * if its host is ours, or if about.json names its host.
 */
export const pictureOrigins = (site: Site, cards: readonly Pick<Card, 'image'>[]): readonly string[] => [
  ...new Set(cards.filter((card) => hasPicture(site, card)).map(({ image }) => new URL(image!).origin)),
]

/** True if the page shows the card's picture. Otherwise, the page has a link to it. */
export function hasPicture({ data, url }: Site, { image }: Pick<Card, 'image'>): boolean {
  if (image === null) return false
  const { origin } = new URL(image)
  return origin === url || data.about.images?.includes(origin) === true
}

/**
 * A card's picture. Its place has the size of a card before the picture loads, so nothing moves. If the picture does
 * not load, the back of a card is shown.
 */
export const picture = ({ name, image }: Pick<Card, 'name' | 'image'>): Html =>
  html`<img class="picture" src="${image}" alt="Picture of ${name}" width="245" height="342" referrerpolicy="no-referrer">`

/**
 * A small picture of a card. It has no alternative text, since the card's name is beside it. Undefined if the card's
 * picture is not shown.
 */
export const thumbnail = (site: Site, { image }: Pick<Card, 'image'>): Html | undefined =>
  hasPicture(site, { image })
    ? html`<img class="picture" src="${image}" alt="" width="32" height="45" loading="lazy" referrerpolicy="no-referrer">`
    : undefined

/**
 * The cards of a look-up, one row for each. If two cards have the same name, the set and the number come before the
 * name.
 * @param isOneSet true if the page already names the set of all cards
 */
export function cardsTable(site: Site, context: PageContext, cards: readonly Card[], isOneSet: boolean): Html {
  const areNamesakes = new Set(cards.map(({ name }) => name)).size < cards.length
  const place = isOneSet ? 'Number' : 'Set and number'
  const hasPictures = cards.some((card) => hasPicture(site, card))
  const hasGames = cards.some(({ game }) => game !== cards[0]!.game)
  const columns = [
    hasPictures && (['Picture', 'picture'] as const),
    areNamesakes && ([place, 'text'] as const),
    ['Card', 'heading'] as const,
    !areNamesakes && ([place, 'text'] as const),
    hasGames && (['Game', 'text'] as const),
    ['Rarity', 'text'] as const,
    cards.some(({ printing }) => printing) && (['Printing', 'text'] as const),
    [inCurrency('Market price', site.data.about.currency), 'figure'] as const,
  ].filter((column) => column !== false)
  const cellOf = (card: Card): Readonly<Record<string, unknown>> => ({
    Picture: thumbnail(site, card) ?? '',
    Card: cardLink(context, card),
    Number: card.number ?? 'unknown',
    'Set and number': html`${setLink(context, card)}${card.number !== null && html` <span>${card.number}</span>`}`,
    Game: gameName(site, card.game),
    Rarity: card.rarity ?? 'unknown',
    Printing: card.printing ?? '',
  })
  return table({
    caption: 'Cards found',
    isCaptionUnseen: true,
    columns: Object.fromEntries(columns),
    narrow: 'line',
    kind: 'rows',
    rows: cards.map((card) => {
      const cells = cellOf(card)
      return columns.map(([name]) => cells[name] ?? price(card.prices.market))
    }),
  })
}

export const cardLink = (context: PageContext, { id, name }: Pick<Card, 'id' | 'name'>): Html =>
  html`<a href="${cardPath(context, id)}">${nameText(name)}</a>`

/**
 * A list of cards beside other lists. Each card has its name, or the text of `lead`. Under that is the set and the
 * number, or the text of `under`. A second column has the price.
 */
interface CardList {
  readonly caption: string
  readonly cards: readonly Card[]
  readonly lead?: (card: Card) => Html | string
  readonly under?: (card: Card) => unknown
  /** Shown instead of the market price. */
  readonly price?: (card: Card, place: number) => unknown
}

export function cardList(site: Site, context: PageContext, list: CardList): Html {
  const { caption, cards, price: priceOf = ({ prices }) => price(prices.market) } = list
  const { lead = ({ name }) => nameText(name), under = setAndNumber } = list
  const hasPictures = cards.some((card) => hasPicture(site, card))
  return table({
    caption,
    isCaptionUnseen: true,
    columns: {
      ...(hasPictures && { Picture: 'picture' as const }),
      Card: 'heading',
      [inCurrency('Price', site.data.about.currency)]: 'figure',
    },
    kind: 'rows',
    rows: cards.map((card, place) => [
      ...(hasPictures ? [thumbnail(site, card) ?? ''] : []),
      html`<a href="${cardPath(context, card.id)}">${lead(card)}</a> <span class="hint">${under(card)}</span>`,
      priceOf(card, place),
    ]),
  })
}

const setAndNumber = ({ set, number }: Card) => html`${nameText(set)}${number !== null && ` ${number}`}`

/** The movers of the week in one direction. */
export function moversList(site: Site, context: PageContext, caption: string, movers: readonly Mover[]): Html {
  if (movers.length === 0) return html`<p class="note">${caption}: none.</p>`
  const cards = movers.map(({ card }) => card)
  const priceAndChange = (_card: Card, place: number) => {
    const { to, change } = movers[place]!
    return html`${price(to)} <span class="second">${changeText(change)}</span>`
  }
  return cardList(site, context, { caption, cards, price: priceAndChange })
}
