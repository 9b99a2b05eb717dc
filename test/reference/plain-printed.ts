/** Cards by what is printed on them, the plain way: each is compared with the query. */
import { label } from './plain-printings.ts'
import { plainNumber, plainTotal, plainWords } from './plain-words.ts'

interface PrintedCard {
  readonly number?: string | null
  readonly setNumber: number
}

interface PrintedSet {
  readonly code: string
  readonly name: string
  readonly printedTotal?: number | null
}

const languages = ['en', 'ae', 'de', 'fr', 'it', 'sp', 'es', 'pt', 'jp', 'ja', 'kr', 'ko', 'tc', 'sc', 'e']

/** 0 for the number as typed, 1 for one with other letters of a language, null for another. */
function numberRank(asked: string, number: string): number | null {
  if (plainNumber(asked) === plainNumber(number)) return 0
  const partsOf = (text: string) => /^(.*-)(\p{L}*)(\p{N}.*)$/u.exec(plainNumber(text))
  const [mine, other] = [partsOf(asked), partsOf(number)]
  if (mine === null || other === null || mine[1] !== other[1] || mine[3] !== other[3]) return null
  const language = languages.find((one) => mine[2]!.startsWith(one)) ?? ''
  const letters = mine[2]!.slice(language.length)
  return other[2] === letters || languages.some((one) => other[2] === one + letters) ? 1 : null
}

/** Those with the number that the query is, or with the code and the number that it is, or of the set whose name or code it is. */
export function plainPrinted(
  query: string,
  inScope: readonly number[],
  cards: readonly PrintedCard[],
  sets: readonly PrintedSet[],
): number[] {
  const tokens = query
    .normalize('NFKC')
    .replace(/(\p{N})\s*\/\s*(?=\p{L}*\p{N})/gu, '$1/')
    .trim()
    .split(/\s+/u)
    .map((token) => token.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
  const codeOf = (card: PrintedCard) => plainWords(sets[card.setNumber]!.code).join('')
  const isOfCode = (card: PrintedCard, text: string) => text !== '' && codeOf(card) === plainWords(text).join('')
  const isPrinted = (text: string) => (text.match(/\p{L}/gu)?.length ?? 0) > 1 || /[^\p{L}\p{N}]/u.test(text)
  const isTotal = (card: PrintedCard, text: string) => {
    const [total, own] = [plainTotal(text), plainTotal(card.number!)]
    if (total === undefined || (own ?? '') !== '') return total === undefined || total === own
    const count = cards.filter(({ setNumber }) => setNumber === card.setNumber).length
    return !/^\d+$/.test(total) || Number(total) === (sets[card.setNumber]!.printedTotal ?? count)
  }
  const rankOf = (card: PrintedCard): number | null => {
    const ranks = (card.number == null ? [] : tokens).flatMap((token, at) => {
      const rank = numberRank(token, card.number!)
      const other = tokens[1 - at]
      const isAsked = tokens.length === 1 ? isPrinted(token) : tokens.length === 2 && isOfCode(card, other!)
      if (rank === null || !isAsked) return []
      return isTotal(card, token) ? [rank] : tokens.length === 2 ? [2] : []
    })
    const { name } = sets[card.setNumber]!
    const short = /^[A-Z0-9&-]{1,8}(?:: | - )(.*\S.*)$/.exec(name)?.[1]
    const isSet = [name, short].some((one) => one !== undefined && label(one) === label(query))
    if (isSet || isOfCode(card, query)) ranks.push(3)
    return ranks.length === 0 ? null : Math.min(...ranks)
  }
  const hits = inScope.flatMap((card) => {
    const rank = rankOf(cards[card]!)
    return rank === null ? [] : [{ card, rank }]
  })
  return hits.sort((a, b) => a.rank - b.rank || a.card - b.card).map(({ card }) => card)
}
