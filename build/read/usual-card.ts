/**
 * Most cards are right and as usual: they are taken by plain comparisons, in a fifth of the schema's time. All others are the
 * schema's (schema.ts), which alone decides and explains. What is taken here it would take, too, and give the same record.
 */
import { conditions } from '../../src/api/shapes.ts'
import { gameSlugs } from '../../src/games.ts'
import { idCharsMax } from '../../src/limits.ts'
import type { CardRecord } from './records.ts'
import { centsOfNumber, gradeForm, idForm, isCount, isUtcTimestamp, isWebAddress } from './schema.ts'

type Fields = Readonly<Record<string, unknown>>
type Prices = CardRecord['prices']

/** What a field that is not as usual comes to. */
const unusual = Symbol()
const gameNumbers = new Map<unknown, number>(gameSlugs.map((slug, number) => [slug, number]))

/** The record of a card, undefined if the schema must see it. */
export function usualCard(card: object): CardRecord | undefined {
  const { id, game: slug, name, setCode, tcgplayerId = null } = card as Fields
  const game = gameNumbers.get(slug)
  if (game === undefined || !isText(name) || !isText(setCode)) return undefined
  if (typeof id !== 'string' || id.length > idCharsMax || !idForm.test(id)) return undefined
  if (!id.startsWith(slug as string) || id[(slug as string).length] !== '-') return undefined
  const number = textOrNull((card as Fields)['number'])
  const rarity = textOrNull((card as Fields)['rarity'])
  const image = known((card as Fields)['image'], images)
  const updatedAt = known((card as Fields)['updatedAt'], times)
  const sources = (card as Fields)['sources'] ?? []
  if (number === unusual || rarity === unusual || image === unusual || updatedAt === unusual) return undefined
  if (!Array.isArray(sources) || !sources.every(isText)) return undefined
  if (tcgplayerId !== null && !(typeof tcgplayerId === 'number' && isCount(tcgplayerId))) return undefined
  const prices = usualPrices((card as Fields)['prices'] ?? {})
  if (prices === undefined) return undefined
  return { id, game, name, setCode, number, rarity, image, prices, sources, updatedAt, tcgplayerId }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

const isPlain = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function textOrNull(value: unknown): string | null | typeof unusual {
  if (value === undefined || value === null || value === '') return null
  return typeof value === 'string' ? value : unusual
}

/** Texts that are right if they begin as one before them did. */
interface Known {
  readonly isRight: (text: string) => boolean
  /** How much of a text decides: whatever follows, it is right. */
  readonly decides: (text: string) => number
  beginning: string
}

/** What follows the host of an address can be anything. */
const images: Known = {
  isRight: isWebAddress,
  decides: (text) => 1 + text.indexOf('/', 'https://'.length),
  beginning: '',
}
const times: Known = { isRight: isUtcTimestamp, decides: (text) => text.length, beginning: '' }

function known(value: unknown, texts: Known): string | null | typeof unusual {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') return unusual
  const end = texts.decides(value)
  if (end > 0 && end === texts.beginning.length && value.startsWith(texts.beginning)) return value
  const beginning = value.slice(0, end)
  if (!texts.isRight(beginning)) return unusual
  texts.beginning = beginning
  return value
}

function usualPrices(prices: unknown): Prices | undefined {
  if (!isPlain(prices)) return undefined
  const market = usualPrice(prices['market'])
  const low = usualPrice(prices['low'])
  const mid = usualPrice(prices['mid'])
  const high = usualPrice(prices['high'])
  if (market === unusual || low === unusual || mid === unusual || high === unusual) return undefined
  const byCondition = prices['conditions'] ?? {}
  const byGrade = prices['graded'] ?? {}
  if (!isPlain(byCondition) || !isPlain(byGrade)) return undefined
  const ofConditions: [(typeof conditions)[number], number][] = []
  for (const condition of conditions) {
    const cents = usualPrice(byCondition[condition])
    if (cents === unusual) return undefined
    if (cents !== null) ofConditions.push([condition, cents])
  }
  const graded: [string, number][] = []
  for (const grade of Object.keys(byGrade)) {
    const cents = usualPrice(byGrade[grade])
    if (cents === unusual || !gradeForm.test(grade)) return undefined
    if (cents !== null) graded.push([grade, cents])
  }
  return { market, low, mid, high, conditions: ofConditions, graded }
}

function usualPrice(value: unknown): number | null | typeof unusual {
  if (value === undefined || value === null) return null
  if (typeof value !== 'number') return unusual
  const cents = centsOfNumber(value)
  return typeof cents === 'number' ? cents : unusual
}
