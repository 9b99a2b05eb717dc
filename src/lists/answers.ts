/** Compares an answer of `match` with everything its line says, and chooses the line's next question. */
import { candidatesMax, type ListCard, type Match, type Question } from './cards.ts'
import type { KnownGames } from './known-games.ts'
import { isVariantNumber, type ListLine, type Said } from './match-questions.ts'
import { hasPrinting } from './printings.ts'
import { folded } from './words.ts'

export interface Asked {
  /** Index of the line. */
  readonly line: number
  readonly question: Question
  /** Index among the line's questions. */
  readonly round: number
}

/** What a line says, and the games whose languages are known. */
interface Judged extends Said {
  readonly games: KnownGames
}

/**
 * Returns the answer after a comparison with what the line says. A card that contradicts the line becomes a candidate.
 * A candidate becomes the card if it is the only one that fits the line.
 */
export function judged<Card extends ListCard>(
  match: Match<Card>,
  all: Said,
  question: Question,
  games: KnownGames,
): Match<Card> {
  const said = { ...all, games }
  return withRarity(withoutFoils(checkedMatch(match, said, question), said, question), said, question)
}

/**
 * Returns the next question, if `match` found nothing, only cards of another printing, or a card with a typo. Returns
 * the same question with a rarity, if the line's rarity tells the candidates apart. Otherwise returns undefined.
 */
export function furtherQuestion(
  { questions, said }: ListLine,
  { line, question, round }: Asked,
  answer: Match | undefined,
): Asked | undefined {
  const next = questions[round + 1]
  const rank = answer === undefined ? ranks.none : rankOf(answer, question)
  // The next question reads the text in brackets as a set, which may tell the candidates apart.
  const isNarrower =
    rank === ranks.ambiguous && next?.set !== undefined && question.set === undefined && question.name != null
  if (answer === undefined || furtherRanks.has(rank) || isNarrower) {
    return next === undefined ? undefined : { line, question: next, round: round + 1 }
  }
  if (answer.match !== 'ambiguous' || said.rarity === undefined || question.rarity !== undefined) return undefined
  const candidates = answer.candidates.slice(0, candidatesMax)
  const same = candidates.filter(({ rarity }) => isRarity(rarity, said.rarity!))
  if (same.length === 0 || (same.length === candidates.length && candidates.length < candidatesMax)) return undefined
  return { line, question: { ...question, rarity: same[0]!.rarity! }, round }
}

const ranks = { none: 0, otherPrinting: 1, ambiguous: 2, typo: 3, found: 4 } as const
/** After an answer of one of these ranks, the next question may find the line's card. */
const furtherRanks = new Set<number>([ranks.none, ranks.otherPrinting, ranks.typo])

/** Returns how well an answer fits its question, as one of `ranks`. */
export function rankOf({ match, card, candidates }: Match, { name, printing }: Question): number {
  if (card === null) {
    if (match !== 'ambiguous') return ranks.none
    return candidates.some((one) => hasPrinting(one, printing)) ? ranks.ambiguous : ranks.otherPrinting
  }
  const isOwn = match === 'exact' || name == null || isNamed(card.name, name)
  return isOwn ? ranks.found : ranks.typo
}

/** True if the name is the card's or that of one of its faces. Brackets at the end of either are ignored. */
function isNamed(own: string, name: string): boolean {
  const asked = folded(withoutBrackets(name))
  return [own, ...own.split('//')].some(
    (part) => folded(withoutBrackets(part)) === asked || folded(part) === folded(name),
  )
}

/** Returns the name up to its first bracket, if it ends with a bracket. */
const withoutBrackets = (name: string): string => {
  const at = name.search(/[([]/)
  return at > 0 && /[)\]]$/.test(name.trimEnd()) ? name.slice(0, at) : name
}

/** Chooses the only candidate that is no foil, if the line says so and all candidates are known. */
function withoutFoils<Card extends ListCard>(match: Match<Card>, said: Judged, question: Question): Match<Card> {
  if (said.not === undefined || !isWhole(match)) return match
  const plain = match.candidates.filter((card) => isPlain(card, said.not))
  return plain.length === match.candidates.length ? match : theOnly(match, plain, said, question)
}

/** True if there are several candidates, but fewer than `candidatesMax`, so `match` has left none out. */
const isWhole = ({ match, candidates }: Match): boolean =>
  match === 'ambiguous' && candidates.length > 1 && candidates.length < candidatesMax

/**
 * If there is exactly one card, and it fits the line, has the question's printing and has the markers of the question's
 * name, returns it as the answer. Otherwise returns `match`.
 */
function theOnly<Card extends ListCard>(
  match: Match<Card>,
  [card, other]: readonly Card[],
  said: Judged,
  { name, printing }: Question,
): Match<Card> {
  if (card === undefined || other !== undefined || !fits(card, said) || !hasPrinting(card, printing)) return match
  const markers = name?.slice(withoutBrackets(name).length) ?? ''
  return folded(card.name + card.printing).includes(folded(markers)) ? { match: 'likely', card, candidates: [] } : match
}

/** Chooses the only candidate with the line's rarity, if all candidates are known. */
function withRarity<Card extends ListCard>(match: Match<Card>, said: Judged, question: Question): Match<Card> {
  const { rarity } = said
  if (rarity === undefined || !isWhole(match)) return match
  const same = match.candidates.filter((card) => isRarity(card.rarity, rarity))
  return theOnly(match, same, said, question)
}

/** True if the rarities are equal. Programs write `Super Rare`, `super rare`, or `SR`. */
function isRarity(own: string | null, rarity: string): boolean {
  if (own === null) return false
  const initials = own.split(/[^\p{L}\p{N}]+/u).map((word) => word.slice(0, 1))
  return [folded(own), folded(initials.join(''))].includes(folded(rarity))
}

/**
 * Turns a card into a candidate if it differs from the line in something that `match` did not compare. The set is
 * compared only if the question has a name: after an id, the list may call the card's set by another name.
 */
function checkedMatch<Card extends ListCard>(match: Match<Card>, all: Judged, { name, number }: Question): Match<Card> {
  // An id means one card, and a number with the parallel's suffix means the parallel. Neither needs the check.
  const asked = number ?? name
  const said = { ...all, isVariant: all.isVariant === true && asked != null && !isVariantNumber(asked) }
  const compared = name == null ? { ...said, set: undefined } : said
  if (match.card === null || fits(match.card, compared)) return match
  return { match: 'ambiguous', card: null, candidates: [match.card] }
}

/** The printing in the name of a card whose printing is unknown. */
const foilInName = /[([]([^()[\]]*(?:foil|etched))[)\]]$/i

function fits(
  card: ListCard,
  { scryfallId, tcgplayerId, set, setCode, language, not, isVariant, games }: Judged,
): boolean {
  if (scryfallId !== undefined && card.scryfallId != null && card.scryfallId !== scryfallId) return false
  if (tcgplayerId !== undefined && card.tcgplayerId != null && String(card.tcgplayerId) !== tcgplayerId) return false
  if (isVariant === true && !/[)\]]$/.test(card.name)) return false
  if (language !== undefined && !games.isLanguageOf(language, card.game)) return false
  if (set !== undefined && setCode !== undefined && !isSet(card, set, setCode)) return false
  return isPlain(card, not)
}

function isPlain(card: ListCard, not: Said['not']): boolean {
  const printing = (card.printing ?? foilInName.exec(card.name)?.[1] ?? 'normal').toLowerCase()
  if (not === 'normal') return printing === 'normal'
  return not === undefined || !/foil|etched/.test(printing) || /^(?:1st edition |unlimited )?holofoil$/.test(printing)
}

/** True if the card's set has the line's code, or its name with or without a publisher's prefix. */
function isSet(card: ListCard, set: string, setCode: string): boolean {
  const [own, named] = [folded(card.set), folded(set)]
  return folded(card.setCode) === folded(setCode) || own.endsWith(named) || named.endsWith(own)
}
