/** The names of columns in exports, and the values in them: conditions, printings, games, languages. */
import type { Card, Game } from './types.ts'

export type Condition = keyof Card['prices']['conditions']

/** The meanings of columns. */
export const fieldNames = [
  'quantity',
  /** Copies that are foils; `quantity` beside it counts the others. */
  'foilQuantity',
  /** Of both. */
  'totalQuantity',
  'id',
  'scryfallId',
  'mtgjsonId',
  'tcgplayerId',
  'cardmarketId',
  'name',
  'set',
  'setCode',
  'number',
  'printing',
  /** A flag. */
  'foil',
  'condition',
  'grade',
  'language',
  'rarity',
  'game',
  /** A flag: proxies and wants. */
  'exclude',
] as const
export type Field = (typeof fieldNames)[number]

/** Folded names of columns. Of two for a field, the first here counts. */
const names: Readonly<Partial<Record<Field, readonly string[]>>> = {
  quantity: ['quantity', 'qty', 'quantityx', 'count', 'copies', 'amount', 'stock', 'totalquantity'],
  id: ['id', 'cardid'],
  scryfallId: ['scryfallid', 'scryfall'],
  tcgplayerId: ['tcgplayerid', 'tcgplayerproductid', 'productid'],
  name: ['name', 'cardname', 'productname', 'card', 'product', 'title'],
  number: ['number', 'cardnumber', 'collectornumber', 'collectorsnumber', 'collectornum', 'collector', 'no', 'nr'],
  setCode: ['setcode', 'editioncode', 'expansioncode'],
  set: ['setname', 'editionname', 'set', 'edition', 'expansion'],
  game: ['game', 'productline'],
  printing: ['printing', 'finish'],
  foil: ['foil', 'isfoil', 'premium'],
  condition: ['condition'],
  language: ['language', 'lang'],
}

export const folded = (text: string): string =>
  text === '#'
    ? 'number'
    : text
        .normalize('NFD')
        .toLowerCase()
        .replace(/[^a-z]/g, '')

export interface Header {
  /** By column. */
  readonly fields: readonly (Field | undefined)[]
  readonly ignored: readonly string[]
  /** Of TCGplayer's pricing file, whose `TCGplayer Id` is a SKU. */
  readonly isPricing: boolean
}

/** Undefined if no column names a card. */
export function headerOf(cells: readonly string[]): Header | undefined {
  const columns = cells.map(folded)
  const fields = new Array<Field | undefined>(cells.length)
  for (const field of fieldNames) {
    const column = (names[field] ?? [])
      .map((name) => columns.indexOf(name))
      .find((at) => at !== -1 && fields[at] === undefined)
    if (column !== undefined && !isOtherId(field, columns)) fields[column] = field
  }
  // TCGplayer's name without signs, beside its name.
  const simple = columns.indexOf('simplename')
  if (simple !== -1) fields[simple] = 'name'
  const identifies = (['id', 'scryfallId', 'tcgplayerId', 'name'] as const).some((one) => fields.includes(one))
  if (!identifies) return undefined
  const ignored = cells.filter((name, i) => name !== '' && fields[i] === undefined)
  return { fields, ignored, isPricing: isPricing(columns) }
}

const isPricing = (columns: readonly string[]): boolean =>
  ['tcgplayerid', 'productline', 'condition'].every((name) => columns.includes(name))

/** Other shops have products of their own. */
function isOtherId(field: Field, columns: readonly string[]): boolean {
  if (field !== 'tcgplayerId') return false
  if (columns.includes('tcgplayerid')) return isPricing(columns)
  return !columns.includes('tcgplayerproductid') && !columns.includes('sku') && !columns.includes('simplename')
}

/** Grades that only some scales have (`excellent`, `good`, `played`) are none of these. */
const conditions: readonly (readonly [pattern: string, condition: Condition])[] = [
  ['near ?mint|mint|nm|m|nm ?/ ?m', 'near_mint'],
  ['good \\(lightly played\\)|lightly ?played|light ?play(?:ed)?|slightly ?played|lp|sp', 'lightly_played'],
  ['moderate(?:ly)? ?play(?:ed)?|mp', 'moderately_played'],
  ['heav(?:il)?y ?play(?:ed)?|hp', 'heavily_played'],
  ['damaged|dmg|dm', 'damaged'],
]
const conditionPatterns = conditions.map(
  ([pattern, condition]) => [new RegExp(`^(?:${pattern})(?: (.+?))?(?: - (.+))?$`, 'i'), condition] as const,
)

interface ReadCondition {
  readonly condition: Condition
  /** Both as in `Near Mint Reverse Holofoil - Japanese`. */
  readonly printing: string | undefined
  readonly language: string | undefined
}

export function conditionOf(text: string): ReadCondition | undefined {
  const spaced = text.replace(/[_\s]+/g, ' ').trim()
  for (const [pattern, condition] of conditionPatterns) {
    const found = pattern.exec(spaced)
    if (found !== null) return { condition, printing: found[1], language: found[2] }
  }
  return undefined
}

export interface Finish {
  readonly printing?: string | undefined
  /**
   * The line says that the card is not a foil. A card whose printing is unknown may be meant, which `match` would rule out, so
   * the card's printing is compared afterwards: `normal` allows Normal alone, `plain` also a card that exists as Holofoil.
   */
  readonly not?: 'normal' | 'plain' | undefined
}

const foilWords = /^(?:\*?f\*?|foil|true|yes|y|1|premium)$/i
const etchedWords = /^(?:\*?e\*?|etched|foil[ -]?etched|etched[ -]?foil|f-etch)$/i
const plainWords = /^(?:normal|regular|non[ -]?foil|nonholo|false|no|n|0)$/i

/** @param isFlag a column that says whether the card is a foil; else blank means unknown */
export function finishOf(text: string, isFlag = false): Finish {
  // `ReverseHolofoil`, `1stEdition`
  const word = text.trim().replace(/([a-z])([A-Z])/g, '$1 $2')
  if (word === '') return isFlag ? { not: 'plain' } : {}
  if (foilWords.test(word)) return { printing: 'Foil' }
  if (etchedWords.test(word)) return { printing: 'Etched' }
  if (plainWords.test(word)) return { not: isFlag ? 'plain' : 'normal' }
  return { printing: word }
}

const games: Readonly<Record<string, Game>> = {
  ...{ pokemon: 'pokemon', pokemontcg: 'pokemon', pokemonjapan: 'pokemonjp', pokemonjp: 'pokemonjp' },
  ...{ mtg: 'mtg', magic: 'mtg', magicthegathering: 'mtg', yugioh: 'yugioh', yugiohtcg: 'yugioh' },
  ...{ lorcana: 'lorcana', lorcanatcg: 'lorcana', disneylorcana: 'lorcana', swu: 'swu', starwarsunlimited: 'swu' },
  ...{ onepiece: 'onepiece', onepiececardgame: 'onepiece' },
  ...{ fab: 'fab', fleshandblood: 'fab', fleshbloodtcg: 'fab', fleshandbloodtcg: 'fab' },
}

/** An unknown one stays as it is, and matches nothing. */
export const gameOf = (text: string): string => games[folded(text)] ?? text

/** False for a language that the game's cards, and so their prices, are not in. */
export function isLanguageOf(language: string, game: Game): boolean {
  return game === 'pokemonjp'
    ? /^(?:ja|jp|jpn|japanese|日本語)$/i.test(language)
    : /^en(?:g|glish)?(?:[-_]\w+)?$/i.test(language)
}
