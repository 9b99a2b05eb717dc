/**
 * Values the lines of a list by the answers of `match`. Nothing is guessed: a line gets no amount from a card that does
 * not fit it.
 *
 *   lines ─► first questions ─► answers, judged ─► further questions ─► … ─► values
 */
import { type Asked, furtherQuestion, judged, rankOf } from './answers.ts'
import type { ListCard, Match, Question } from './cards.ts'
import { type KnownGames, onlyFirstGames } from './known-games.ts'
import type { ListLine } from './match-questions.ts'
import { type Price, priceOf } from './prices.ts'

export interface ValuedLine<Card extends ListCard = ListCard> extends Price {
  /** The line's number, from 1. */
  readonly line: number
  readonly text: string
  readonly quantity: number
  /**
   * `unreadable`: the line does not name a card, or its quantity is not a number. `excluded`: a proxy, a want, or the
   * second face of a card.
   */
  readonly match: Match['match'] | 'unreadable' | 'excluded'
  readonly card: Card | null
  /** Cards that the line may mean, if it is ambiguous. */
  readonly candidates: readonly Card[]
}

/** Sends questions to `match`. If it throws an error with an array `found`, the array has the answers so far. */
export type Ask<Card extends ListCard> = (questions: readonly Question[]) => Promise<readonly Match<Card>[]>

export interface AskOptions {
  /** Returns the games of the data. It is called after each answer of `ask`, which may have learned of more games. */
  readonly games?: () => KnownGames
  /** How many lines are valued together, before the next ones are begun. By default, all of them. */
  readonly linesAtOnce?: number
  /** Called with the number of lines that need no further question. */
  readonly onDone?: (done: number) => void
}

/** The most questions in one call of `ask`. The client sends them as four concurrent requests of 20 questions. */
const askedAtOnce = 80

/**
 * Yields the valued lines in their order, `linesAtOnce` at a time. Lines that are valued together share requests. If
 * `ask` throws an error, this function throws it, too. Its `found` then has the lines valued since the last yield.
 */
export async function* valuesOf<Card extends ListCard>(
  lines: readonly ListLine[],
  ask: Ask<Card>,
  { linesAtOnce = Number.POSITIVE_INFINITY, onDone, games = () => onlyFirstGames }: AskOptions = {},
): AsyncGenerator<readonly ValuedLine<Card>[], void, undefined> {
  const withoutFaces = otherFacesOut<Card>(lines)
  for (let from = 0; from < lines.length; from += linesAtOnce) {
    const some = lines.slice(from, from + linesAtOnce)
    const valued = await valuedTogether(some, ask, { games, onDone: (done) => onDone?.(from + done) }, withoutFaces)
    yield withoutFaces(valued) as ValuedLine<Card>[]
  }
}

/** The values of lines. A line is undefined until its first question is answered. */
type Known<Card extends ListCard> = (ValuedLine<Card> | undefined)[]

async function valuedTogether<Card extends ListCard>(
  lines: readonly ListLine[],
  ask: Ask<Card>,
  { games, onDone }: Required<Pick<AskOptions, 'games' | 'onDone'>>,
  withoutFaces: (known: Known<Card>) => Known<Card>,
): Promise<Known<Card>> {
  const answers = new Array<Match<Card> | undefined>(lines.length)
  const known: Known<Card> = lines.map((line) =>
    line.questions.length === 0 ? valuedLine<Card>(line, undefined, line.quantity) : undefined,
  )
  const take = ({ line: i, question, round }: Asked, match: Match<Card>): void => {
    const line = lines[i]!
    const answer = judged(match, line.said, question, games())
    const before = answers[i]
    if (before !== undefined && rankOf(answer, question) <= rankOf(before, line.questions[0]!)) return
    answers[i] = answer
    known[i] = valuedLine(line, answer, round < line.counted ? line.quantity : 1)
  }
  let open: Asked[] = lines.flatMap(({ questions: [question] }, line) =>
    question === undefined ? [] : [{ line, question, round: 0 }],
  )
  while (open.length > 0) {
    const next: Asked[] = []
    for (let from = 0; from < open.length; from += askedAtOnce) {
      const asked = open.slice(from, from + askedAtOnce)
      const takeAll = (found: readonly (Match<Card> | undefined)[]) => {
        for (const [i, match] of found.entries()) if (match !== undefined) take(asked[i]!, match)
      }
      try {
        takeAll(await ask(asked.map(({ question }) => question)))
      } catch (error) {
        const failed = error as { found?: unknown }
        if (Array.isArray(failed.found)) takeAll(failed.found)
        if (error instanceof Error) failed.found = withoutFaces(known).filter((one) => one !== undefined)
        throw error
      }
      for (const one of asked) {
        const further = furtherQuestion(lines[one.line]!, one, answers[one.line])
        if (further !== undefined) next.push(further)
      }
      onDone(lines.length - next.length - Math.max(0, open.length - from - askedAtOnce))
    }
    open = next
  }
  return known
}

/**
 * Returns a function that excludes second faces. If a list has a row for each face of a card, both rows match the same
 * card, which must be valued once. So a line is excluded if `besides` is a line with the same card that is not excluded
 * itself. The function must get the values of all lines in their order; it may be called several times.
 */
function otherFacesOut<Card extends ListCard>(lines: readonly ListLine[]): (known: Known<Card>) => Known<Card> {
  /** By line: the id of its card. Undefined if the line has no card or is excluded. */
  const counted: (string | undefined)[] = []
  return (known) =>
    known.map((value) => {
      const { besides } = lines[counted.length]!
      const id = value?.card?.id
      const isOtherFace = id !== undefined && besides !== undefined && counted[besides] === id
      counted.push(isOtherFace ? undefined : id)
      return isOtherFace ? otherFace(value!) : value
    })
}

const otherFace = <Card extends ListCard>(line: ValuedLine<Card>): ValuedLine<Card> => ({
  ...line,
  condition: null,
  atMarket: false,
  unitPrice: null,
  amount: null,
  match: 'excluded',
  card: null,
  candidates: [],
})

function valuedLine<Card extends ListCard>(
  listed: ListLine,
  match: Match<Card> | undefined,
  quantity: number,
): ValuedLine<Card> {
  const { line, text, questions, isExcluded } = listed
  const card = match?.card ?? null
  return {
    line,
    text,
    quantity,
    match: isExcluded ? 'excluded' : questions.length === 0 ? 'unreadable' : match!.match,
    card,
    ...priceOf(card, listed, quantity),
    candidates: match?.candidates ?? [],
  }
}
