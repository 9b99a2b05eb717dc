/**
 * Lines of a typed list that are no cards. A line is passed over only by what it is: a comment, a known word of
 * sections, a program's own line, or a sum. Everything else is a line.
 */
import { folded } from './words.ts'

/** In the languages that deck builders write, folded. */
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

/** The count of a section: `: 12`, ` (12)`, ` - 12`. */
const count = /[\s:([–-]*\d*\s*(?:cards?|karten|cartes|cartas|carte|枚)?[)\]\s:–-]*$/iu

const cardCount = /^\d+ (?:cards?|karten|cartes|cartas|carte)(?: total)?$/i
/** Words of sections are shorter, with their counts. */
const sectionCharsMax = 40

/** Sums, and programs' own lines. */
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

/** What a deck says of itself, above its first card. A hero is a card. */
const aboutDeck = /^(?:(?:name|format|class|title|author|event|player|date|archetype|deck(?: name| code)?): |name )/i

/** @param isFirst no card was read yet */
export function isHeading(text: string, isFirst: boolean): boolean {
  // Rules; comments. A `#` before a number is a card's, and `_____` is a card.
  if (/^[-=*~#./|:–—\s]+$/.test(text) || /^(?:\/\/|#(?!\S*\d))/.test(text)) return true
  if (/^\d/.test(text)) return cardCount.test(text)
  return (
    (text.length <= sectionCharsMax && isSection(text)) ||
    ownLines.some((line) => line.test(text)) ||
    (isFirst && aboutDeck.test(text))
  )
}

const isSection = (text: string): boolean => sections.has(folded(text)) || sections.has(folded(text.replace(count, '')))

/** The card behind the word of a section: `COMMANDER: 1 Griselbrand`. */
export function behindSection(text: string): string {
  const [, word = '', card = ''] = /^([^:]{1,24}): ?(\d+ .+|.*\p{L}.*)$/u.exec(text) ?? []
  return card !== '' && word !== '' && sections.has(folded(word)) ? card : text
}

/** Headings whose lines are tokens, and those whose lines are the passcodes of a .ydk file. */
export const tokenHeading = /^[#/ ]*tokens?\b/i
export const passcodeHeading = /^(?:#(?:main|extra)|!side)$/i
export const passcode = /^\d{1,10}$/
