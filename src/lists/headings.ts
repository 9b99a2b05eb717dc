/**
 * Recognizes the lines of a typed list that are no cards: comments, known headings of sections, sums, details of the
 * deck, and lines that programs add. All other lines are read as cards.
 */
import { folded } from './words.ts'

/** Headings of sections in the languages of deck builders, folded. */
const sections = new Set(
  `deck decks decklist main maindeck mainboard hauptdeck side sideboard sidedeck sideboards maybeboard maybe considering
  commander commanders companion companions extra extradeck stickers attractions token tokens leader leaders base bases
  creature creatures land lands instant instants sorcery sorceries artifact artifacts enchantment enchantments
  planeswalker planeswalkers battle battles spell spells otherspells other others pokemon trainer trainers energy energies
  supporter supporters item items stadium stadiums tool tools monsters traps trapcards spellcards monstercards character
  characters event events stage stages hero heroes weapon weapons equipment actions arenacards deckcards collection
  inventory cards binder lands basiclands want wants wantlist wishlist proxies proxy tradelist haves playtest
  kreaturen lander spontanzauber hexereien artefakte verzauberungen energie energien basisenergie zauber sonstige
  pokemonkarten trainerkarten energiekarten wunschliste suchliste sammlung
  energies dresseur dresseurs creatures terrains ephemeres rituels artefacts enchantements autres reserve
  entrenador entrenadores energia energias criaturas tierras instantaneos conjuros artefactos encantamientos mazo banquillo otros
  allenatore allenatori creature terre istantanei stregonerie artefatti incantesimi mazzo altri
  treinador treinadores terrenos magicasinstantaneas feiticos artefatos encantamentos baralho reserva outros
  ポケモン トレーナー トレーナース トレーナーズ クッス グッズ サポート スタジアム エネルギー テッキ デッキ メインデッキ サイドボード クリーチャー 土地 モンスター 魔法 罠 リーダー キャラクター イベント ステージ`
    .split(/\s+/)
    .map((word) => folded(word)),
)

/** The count after a heading: `: 12`, ` (12)`, ` - 12`. */
const count = /[\s:([–-]*\d*\s*(?:cards?|karten|cartes|cartas|carte|枚)?[)\]\s:–-]*$/iu

const cardCount = /^\d+ (?:cards?|karten|cartes|cartas|carte)(?: total)?$/i
/** The most characters of a section's heading with its count. */
const sectionCharsMax = 40

/** Sums, and lines that programs add. */
export const ownLines: readonly RegExp[] = [
  // TOTAL: 3 cards - $41.00
  /^(?:grand |sub)?(?:total|sum|summe|gesamt|somme|totale|suma|soma|合計)(?: (?:cards?|price|value|quantity|deck))?\s?(?:[:=–-]\s?|\s)\p{Sc}?\d[\d.,]*(?: ?\p{Sc})?(?: (?:cards?|karten|cartes|cartas|carte))?(?: [–-] .*\d.*)?$/iu,
  // 60 cards
  cardCount,
  // Prices from Market Price on 11/20/2026 and are subject to change.
  /^prices from .+ subject to change\.?$/i,
  // ****** Pokémon Trading Card Game Deck List ******
  /^\*{3,}.*\*{3,}$/,
  // Made with love at the FaBrary
  /^made with love at /i,
  // See the full deck @ https://fabrary.net/decks/1
  /^see the full deck |^https?:\/\/\S+$/i,
  // About
  /^about$/i,
  // !side
  /^!side$/,
]

/** Details of a deck above its first card. `Hero:` is not among them, because a hero is a card. */
const aboutDeck = /^(?:(?:name|format|class|title|author|event|player|date|archetype|deck(?: name| code)?): |name )/i

/** True if the line is no card. @param isFirst true until the first card is read */
export function isHeading(text: string, isFirst: boolean): boolean {
  // Horizontal rules and comments. A `#` before a number belongs to a card, and `_____` is the name of a card.
  if (/^[-=*~#./|:–—\s]+$/.test(text) || /^(?:\/\/|#(?!\S*\d))/.test(text)) return true
  if (/^\d/.test(text)) return cardCount.test(text)
  return (
    (text.length <= sectionCharsMax && isSection(text)) ||
    ownLines.some((line) => line.test(text)) ||
    (isFirst && aboutDeck.test(text))
  )
}

const isSection = (text: string): boolean => sections.has(folded(text)) || sections.has(folded(text.replace(count, '')))

/** Returns the card after a section's heading, as in `COMMANDER: 1 Griselbrand`. Returns any other text unchanged. */
export function behindSection(text: string): string {
  const [, word = '', card = ''] = /^([^:]{1,24}): ?(\d+ .+|.*\p{L}.*)$/u.exec(text) ?? []
  return card !== '' && word !== '' && sections.has(folded(word)) ? card : text
}

/** The heading of a section of tokens. */
export const tokenHeading = /^[#/ ]*tokens?\b/i
/** The heading of a section of passcodes in a .ydk file. */
export const passcodeHeading = /^(?:#(?:main|extra)|!side)$/i
export const passcode = /^\d{1,10}$/
