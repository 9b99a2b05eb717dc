/**
 * Lists of each form of lists/ over the real server: each line is right or asked about, and the total is the sum of
 * what the lines mean. LISTS_SNAPSHOTS names another snapshot folder than the sample, LISTS_LINES the lines of each
 * form; then it prints a table.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { CardPrices, type Field, type ValuedLine, type ValuedList } from '../../clients/typescript/src/value.ts'
import { amount } from '../support/amount.ts'
import { accounts, build, projectDir } from '../support/command.ts'
import { randomFrom } from '../support/random.ts'
import { servePages } from '../web/service-here.ts'
import { drawLine, fixturesIn, type Meaning } from './list-fixtures.ts'
import { type Printed, type Product, printedCatalog } from './printed-catalog.ts'

const { LISTS_SNAPSHOTS = join(projectDir, 'snapshots'), LISTS_LINES } = process.env
/** Of the lines that tell their card from all others, so many are priced without a question. */
const toldShareMin = 0.95
const lineCount = LISTS_LINES === undefined ? amount(40, 200) : Number(LISTS_LINES)

const folded = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

const usual = ['Normal', 'Holofoil', 'Foil']

/** True if the found card is what the line says: itself, or one that equals it in all that the line says. */
function isMeant(found: NonNullable<ValuedLine['card']>, card: Printed, { states, product }: Meaning): boolean {
  if (found.id === card.id) return true
  if (folded(found.name) !== folded(card.name) || found.game !== card.game) return false
  if (states.id && !product.printings.some(({ id }) => id === found.id)) return false
  if (states.set && found.setCode !== card.setCode) return false
  if (states.number && found.number !== card.number) return false
  return states.printing ? found.printing === card.printing : usual.includes(found.printing ?? '')
}

/**
 * True if a line says enough to tell its cards from all others. Without a printing it means the usual one, if there is
 * one. @param alike products of its name, or of its set and number
 */
function isTold({ copies, product, states }: Meaning, alike: readonly Product[]): boolean {
  const own = product.printings
  if (!states.printing && own.length > 1 && !own.some(({ printing }) => usual.includes(printing))) return false
  if (states.id) return true
  const said = (['game', 'number', 'rarity'] as const).filter((field) => states[field])
  return !alike.some(({ printings }) => {
    const [other] = printings
    if (printings === own || said.some((field) => other![field] !== own[0]![field])) return false
    if (states.set && other!.setCode !== own[0]!.setCode) return false
    return !states.printing || copies.some(({ card }) => printings.some(({ printing }) => printing === card.printing))
  })
}

const percent = (part: number, whole: number) => Math.round((1000 * part) / whole) / 10

/** In cents; null if the price is unknown. */
function unitCents(card: Pick<Printed, 'prices'>, { condition, grade }: Meaning): number | null {
  const { market, conditions = {}, graded = {} } = card.prices
  const price =
    grade !== undefined ? graded[grade] : ((condition === null ? undefined : conditions[condition]) ?? market)
  return price == null ? null : Math.round(price * 100)
}

describe('The lists of programs', () => {
  const catalog = printedCatalog(LISTS_SNAPSHOTS)
  const service = servePages((indexDir) => build(catalog.snapshots, indexDir))
  let prices: CardPrices
  before(async () => {
    const { key } = await accounts(service.storeDir, 'create', 'lists', '--plan', 'business')
    prices = new CardPrices({ baseUrl: service.address, apiKey: key, timeoutMs: 60_000 })
  })
  const nameKey = ({ printings: [card] }: Product) => folded(card!.name)
  const numberKey = ({ printings: [card] }: Product) => `${card!.setCode} ${card!.number}`
  const products = [...catalog.products.values()].flat()
  const byName = Map.groupBy(products, nameKey)
  const byNumber = Map.groupBy(products, numberKey)
  const tells = (meaning: Meaning): boolean =>
    isTold(
      meaning,
      meaning.states.name ? byName.get(nameKey(meaning.product))! : byNumber.get(numberKey(meaning.product))!,
    )
  const report: Record<string, object> = {}
  after(() => {
    if (LISTS_LINES !== undefined) console.table(report)
  })

  for (const fixture of fixturesIn(join(import.meta.dirname, 'lists')).filter(({ name }) =>
    name.includes(process.env['LISTS_FORM'] ?? ''),
  )) {
    it(`Each line of a list of the form ${fixture.name} gets the right card and amount, or none`, async () => {
      const random = randomFrom(fixture.name)
      const drawn = Array.from({ length: lineCount }, () => drawLine(fixture, catalog, random))
      const end = ['\n', '\r\n', '\r'][Math.floor(random() * 3)]!
      const text = [...fixture.head, ...drawn.map(({ text }) => text), ...fixture.tail, ''].join(end)
      let valued = await prices.value(text)
      const unsure = valued.columns.filter(({ sure }) => !sure)
      if (unsure.length > 0) {
        assert.equal(valued.total, null)
        const columns = Object.fromEntries(unsure.map(({ column, field }): [string, Field | null] => [column, field]))
        valued = await prices.value(text, { columns })
      }
      const first = fixture.head.length + 1
      const byLine = Map.groupBy(valued.lines, ({ line }) => line)
      const verdicts = drawn.map(({ meaning, text }, i) => verdictOf(meaning, byLine.get(first + i) ?? [], text))
      const wrong = verdicts.flatMap(({ wrong }) => wrong)
      assert.deepEqual(wrong.slice(0, 5), [], `${wrong.length} wrong`)
      const cents = verdicts.reduce((sum, { cents }) => sum + cents, 0)
      const others = valued.lines.filter(
        ({ line, card }) => card !== null && (line < first || line >= first + drawn.length),
      )
      const totalCents =
        Math.round(valued.total! * 100) - others.reduce((sum, { amount }) => sum + Math.round((amount ?? 0) * 100), 0)
      assert.equal(totalCents, cents)
      checkCounts(valued)
      const priceable = verdicts.filter(({ meaning }) => !meaning.isForeign && !meaning.isExcluded)
      const told = priceable.filter(({ meaning }) => tells(meaning))
      const right = priceable.filter(({ isRight }) => isRight).length
      const rightOfTold = told.filter(({ isRight }) => isRight).length
      const asked = told.flatMap(({ asked }) => asked)
      assert.ok(rightOfTold >= told.length * toldShareMin, `asked about ${asked.join('; ')}`)
      report[fixture.name] = {
        lines: verdicts.length,
        priceable: priceable.length,
        right,
        'right %': percent(right, priceable.length),
        told: told.length,
        'right of told %': percent(rightOfTold, told.length),
        ambiguous: valued.ambiguous,
        unmatched: valued.unmatched,
        excluded: valued.excluded,
        atMarket: valued.atMarket,
        unsure: unsure.map(({ column }) => column).join(' '),
        asked: asked
          .slice(0, Number(process.env['LISTS_ASKED'] ?? 1))
          .join('\n')
          .slice(0, 4000),
      }
    })
  }

  function verdictOf(meaning: Meaning, lines: readonly ValuedLine[], text: string) {
    const wrong: unknown[] = []
    const asked: string[] = []
    let cents = 0
    let right = 0
    const { copies, isForeign, isExcluded, grade } = meaning
    if (lines.length !== copies.length && !isExcluded) wrong.push([text, `${lines.length} lines`])
    for (const [i, line] of lines.entries()) {
      const { card, quantity } = copies[Math.min(i, copies.length - 1)]!
      const mistake = (what: string) =>
        wrong.push([what, text, card.id, line.card?.id, line.match, line.quantity, line.amount])
      if (isExcluded) {
        if (line.match !== 'excluded' || line.card !== null) mistake('excluded')
        continue
      }
      if (line.card === null) {
        if (line.amount !== null) mistake('amount')
        asked.push(`${line.match}: ${text}`)
        continue
      }
      if (isForeign) mistake('language')
      else if (!isMeant(line.card, card, meaning)) mistake('card')
      else if (line.quantity !== quantity) mistake('quantity')
      else if ((line.grade ?? undefined) !== grade) mistake('grade')
      else {
        const unit = unitCents(line.card as unknown as Printed, meaning)
        const own =
          meaning.condition !== null && line.card.prices.conditions[meaning.condition as 'near_mint'] !== undefined
        if ((line.unitPrice === null ? null : Math.round(line.unitPrice * 100)) !== unit) mistake('price')
        if (grade === undefined && line.condition !== (own ? meaning.condition : null)) mistake('condition')
        if (line.atMarket !== (grade === undefined && meaning.namesCondition && !own && unit !== null))
          mistake('at market')
        cents += (unit ?? 0) * quantity
        right++
      }
    }
    return { meaning, wrong, asked, cents, isRight: right === copies.length }
  }

  function checkCounts({ lines, priced, unpriced, ambiguous, unmatched, excluded, atMarket }: ValuedList): void {
    const count = (isOne: (line: ValuedLine) => boolean) => lines.filter(isOne).length
    assert.equal(
      priced,
      count(({ amount }) => amount !== null),
    )
    assert.equal(
      unpriced,
      count(({ card, amount }) => card !== null && amount === null),
    )
    assert.equal(
      ambiguous,
      count(({ match }) => match === 'ambiguous'),
    )
    assert.equal(
      unmatched,
      count(({ match }) => match === 'none' || match === 'unreadable'),
    )
    assert.equal(
      excluded,
      count(({ match }) => match === 'excluded'),
    )
    assert.equal(
      atMarket,
      count((line) => line.atMarket),
    )
  }
})
