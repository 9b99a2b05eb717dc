/**
 * Lists as programs export them and people write them. Each file of `lists/` is one form. A line with placeholders
 * `{…}` is a template: the test makes a line of it for each card that it draws. It copies all other lines. A
 * placeholder names a field of the drawn card. It may also list the form's words for the field's values:
 *
 *   {name} {set} {CODE} {q}          a field of the drawn line
 *   {finish normal|foil|etched}      the word of its printing; a form without a third word has no etched cards
 *   {cond NM|LP|MP|HP|DMG}           the word of its condition, of the API's scale; {scale …} of Cardmarket's
 *   {lang English|German|French}     the first one, or seldom another one: then the line must not be priced
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import type { Game } from '../../clients/typescript/src/types.ts'
import { setOfList } from '../../src/lists/deck-forms.ts'
import { drawBelow, drawFrom, type Random } from '../support/random.ts'
import type { Printed, PrintedCatalog, Product } from './printed-catalog.ts'

const conditions = ['near_mint', 'lightly_played', 'moderately_played', 'heavily_played', 'damaged'] as const
/** What the seven words of Cardmarket's scale are equal to. */
const scale = ['near_mint', 'near_mint', null, null, null, null, 'damaged'] as const
const games: readonly Game[] = ['pokemon', 'mtg', 'yugioh', 'lorcana', 'onepiece', 'swu', 'fab']
const lines: Readonly<Record<string, string>> = {
  pokemon: 'Pokemon',
  mtg: 'Magic',
  yugioh: 'YuGiOh',
  lorcana: 'Lorcana TCG',
  onepiece: 'One Piece Card Game',
  swu: 'Star Wars Unlimited',
  fab: 'Flesh and Blood TCG',
}
/** Plain, foil, etched: what words of finishes tell apart. */
const finishes = [['Normal'], ['Foil', 'Cold Foil', 'Holofoil'], ['Etched']]
/** One line of so many says something special: another language, a proxy, a list of wants. */
const special = 25

export interface Fixture {
  readonly name: string
  readonly game: Game | undefined
  readonly extension: string
  readonly head: readonly string[]
  readonly templates: readonly string[]
  readonly tail: readonly string[]
}

/** What a line means. */
export interface Meaning {
  /** Its copies: of one printing, or of several where a row has two counts. */
  readonly copies: readonly { readonly card: Printed; readonly quantity: number }[]
  readonly product: Product
  readonly condition: string | null
  readonly namesCondition: boolean
  readonly grade: string | undefined
  /** It must not be priced. */
  readonly isForeign: boolean
  readonly isExcluded: boolean
  readonly states: Readonly<Record<'name' | 'game' | 'set' | 'number' | 'printing' | 'rarity' | 'id', boolean>>
}

export function fixturesIn(folder: string): Fixture[] {
  return readdirSync(folder)
    .sort()
    .map((file) => {
      const rows = readFileSync(join(folder, file), 'utf8').trimEnd().split('\n')
      const isTemplate = (row: string) => /\{(?:q|plain|cardmarketId|name|piped|id|escaped)\b/.test(row)
      const first = rows.findIndex(isTemplate)
      const last = rows.findLastIndex(isTemplate)
      const name = basename(file, extname(file))
      const game = games.find((one) => name.startsWith(`${one}-`))
      const templates = rows.slice(first, last + 1)
      const between = templates.filter((row) => !isTemplate(row))
      return {
        name: file,
        game,
        extension: extname(file),
        head: [...rows.slice(0, first), ...between],
        templates: templates.filter(isTemplate),
        tail: rows.slice(last + 1),
      }
    })
}

const slots = /\{([a-z]+)(?: ([^{}]*))?\}/gi
/** Codes of TCG Live and PTCGO by the names of sets, and by our codes of promos. */
const codesOfLive = new Map(
  'BLW EPO NVI NXD DEX DRX BCR PLS PLF PLB XY FLF FFI PHF PRC ROS AOR BKT BKP FCO STS SUM GRI BUS CIN UPR FLI CES LOT TEU UNB UNM CEC SSH RCL DAA VIV SHF BST CRE EVS FST BRS ASR LOR SIT CRZ SVI PAL OBF MEW PAR PAF TEF TWM SFA SCR SSP PRE JTG DRI PR-SV PR-SM PR-XY PR-BLW CRZ-GG BRS-TG ASR-TG LOR-TG SIT-TG'
    .split(' ')
    .map((code) => [setOfList(code, undefined)?.set ?? code, code]),
).set('SWSH Black Star Promos', 'PR-SW')
const numbersOfSets = new Map(
  Array.from({ length: 20 }, (_, i) => String(i + 1).padStart(3, '0')).flatMap((code) => {
    const set = setOfList(code, undefined)?.set
    return set === undefined ? [] : [[set, code] as const]
  }),
)

/** A line of the fixture, and what it means. @param attempts until a card is drawn that the form can say */
export function drawLine(
  fixture: Fixture,
  catalog: PrintedCatalog,
  random: Random,
): { readonly text: string; readonly meaning: Meaning } {
  for (;;) {
    const drawn = tryLine(fixture, catalog, random)
    if (drawn !== undefined) return drawn
  }
}

function tryLine({ game, templates, extension }: Fixture, catalog: PrintedCatalog, random: Random) {
  const product = drawFrom(random, catalog.products.get(game ?? drawFrom(random, games))!)
  const card = drawFrom(random, product.printings)
  const template = drawFrom(random, templates)
  const places = new Map([...template.matchAll(slots)].map(([, name, words]) => [name!, words?.split('|') ?? []]))
  const place = (name: string) => places.get(name)
  const plainCard = product.printings.find(({ printing }) => printing === 'Normal')
  const foilCard = product.printings.find(({ printing }) => printing === 'Foil' || printing === 'Cold Foil')
  const hasCounts = places.has('foils')
  if (hasCounts && (plainCard === undefined || foilCard === undefined)) return undefined
  const condition = conditions.map((_, i) => i).filter((i) => (place('cond')?.[i] ?? 'x') !== '')
  const at = {
    finish: finishes.findIndex((some) => some.includes(card.printing)),
    reverse: card.printing === 'Reverse Holofoil' ? 1 : 0,
    cond: drawFrom(random, condition),
    scale: drawBelow(random, scale.length),
    lang: drawBelow(random, special) === 0 ? 1 + drawBelow(random, 2) : 0,
    proxy: drawBelow(random, special) === 0 ? 1 : 0,
    binder: drawBelow(random, special) === 0 ? 2 : drawBelow(random, 2),
    type: drawBelow(random, special) === 0 ? 2 : drawBelow(random, 2),
    status: drawBelow(random, special) === 0 ? 2 : drawBelow(random, 2),
  }
  const finish = place('finish')
  if (finish !== undefined && finish[at.finish] === undefined) return undefined
  if (place('reverse') !== undefined && !['Normal', 'Holofoil', 'Reverse Holofoil'].includes(card.printing))
    return undefined
  const { number, name, setCode } = card
  if (number === null && ['number', 'bare'].some((one) => places.has(one))) return undefined
  const bare = number?.replace(/^0+(?=\d)/, '')
  if (template.includes('{bare}/') && !/^\d+$/.test(bare ?? '')) return undefined
  const live = codesOfLive.get(product.set) ?? codesOfLive.get(setCode)
  const isLive = template.includes('{name} {CODE} {bare}')
  if (isLive && live === undefined && codesOfLive.has('Obsidian Flames') && game === 'pokemon') return undefined
  const setNumber = numbersOfSets.get(product.set)
  if (places.has('setNumber') && setNumber === undefined) return undefined
  const q = 1 + drawBelow(random, 9)
  const [plain, foils] = [drawBelow(random, 4), 1 + drawBelow(random, 3)]
  const grades = Object.keys(card.prices.graded ?? {})
  const grade =
    places.has('grade') && random() < 0.3
      ? grades.length > 0 && random() < 0.8
        ? drawFrom(random, grades)
        : 'psa_7'
      : undefined
  const { printing } = card
  const statesPrinting =
    ['finish', 'printing', 'reverse', 'printed', 'finishBehind'].some((one) => places.has(one)) || hasCounts
  const values: Readonly<Record<string, string>> = {
    name,
    q: String(q),
    plain: String(plain),
    foils: String(foils),
    both: String(plain + foils),
    comma: `${q},0`,
    set: product.set,
    code: setCode,
    CODE: isLive && live !== undefined ? live : setCode.toUpperCase(),
    number: number ?? '',
    bare: isLive && live?.includes('-') ? (bare ?? '').replace(/^\D+0*/, '') : (bare ?? ''),
    rarity: card.rarity ?? '',
    printing,
    printed: printing === 'Normal' ? '' : ` ${printing.replace('Reverse Holofoil', 'Reverse Holo')}`,
    finishBehind: printing === 'Normal' ? '' : ` ${printing}`,
    condShort: ` ${['NM', 'LP', 'MP', 'HP', 'DMG'][at.cond]}`,
    grade: grade === undefined ? 'Ungraded' : spelt(grade),
    id: card.id,
    scryfallId: card.scryfallId ?? '',
    tcgplayerId: String(card.tcgplayerId),
    cardmarketId: String(card.cardmarketId),
    sku: String(4_000_000 + drawBelow(random, 900_000)),
    line: lines[card.game]!,
    simple: name.replace(/ [([][^([]*$/, ''),
    half: name.replace(' // ', '/'),
    escaped: name
      .replaceAll('&', '&amp;')
      .replaceAll("'", '&#39;')
      .replaceAll('é', '&eacute;')
      .replaceAll('"', '&quot;'),
    xml: name.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
    pitch: name.replace(/\((Red|Yellow|Blue)\)$/, (color) => color.toLowerCase()),
    piped: name.replace(' - ', ' | '),
    setNumber: setNumber ?? '',
    price: (0.05 + random() * 40).toFixed(2),
  }
  const fill = (text: string): string =>
    text.replaceAll(slots, (whole, name: string, words?: string) =>
      words === undefined ? (values[name] ?? whole) : words.split('|')[at[name as keyof typeof at]]!,
    )
  const namesCondition = place('cond') !== undefined || place('scale') !== undefined || places.has('condShort')
  const meaning: Meaning = {
    copies: hasCounts
      ? [
          { card: plainCard!, quantity: plain },
          { card: foilCard!, quantity: foils },
        ].filter(({ quantity }) => quantity > 0)
      : [{ card, quantity: places.has('q') || places.has('comma') ? q : 1 }],
    product,
    condition: place('scale') !== undefined ? scale[at.scale]! : namesCondition ? conditions[at.cond]! : null,
    namesCondition,
    grade,
    isForeign: place('lang') !== undefined && at.lang > 0,
    isExcluded:
      (place('proxy') !== undefined && at.proxy === 1) ||
      (place('binder') !== undefined && at.binder === 2) ||
      (place('type') !== undefined && at.type === 2) ||
      (place('status') !== undefined && at.status === 2),
    states: {
      name: ['name', 'half', 'escaped', 'xml', 'pitch', 'piped'].some((one) => places.has(one)),
      set: ['set', 'code', 'CODE', 'setNumber'].some((one) => places.has(one)),
      number: places.has('number') || places.has('bare'),
      printing: statesPrinting || places.has('id'),
      rarity: places.has('rarity'),
      game: places.has('line'),
      id: ['id', 'scryfallId', 'tcgplayerId', 'cardmarketId'].some((one) => places.has(one)),
    },
  }
  const delimiter = extension === '.csv' ? (/^[^"]*;|";"/.test(template) ? ';' : ',') : undefined
  return { text: delimiter === undefined ? fill(template).trim() : csvRow(template, delimiter, fill), meaning }
}

/** `psa_10` as a program writes it. */
function spelt(grade: string): string {
  const [company = '', number = '', half] = grade.split('_')
  return `${company.toUpperCase()} ${number}${half === undefined ? '.0 GEM - MT' : '.5'}`
}

/** Cells have the quotes that the template has, and those that they need. */
function csvRow(template: string, delimiter: string, fill: (text: string) => string): string {
  const cells = template.match(new RegExp(`(?:"[^"]*"|[^${delimiter}"])+|(?<=${delimiter}|^)(?=${delimiter}|$)`, 'g'))!
  return cells
    .map((cell) => {
      const spaces = /^ */.exec(cell)![0]
      const trimmed = cell.trim()
      const isQuoted = /^"[^"]*"$/.test(trimmed)
      const value = fill(isQuoted ? trimmed.slice(1, -1) : trimmed)
      const needs = isQuoted || value.includes(delimiter) || value.includes('"') || value.includes('\n')
      return spaces + (needs ? `"${value.replaceAll('"', '""')}"` : value)
    })
    .join(delimiter)
}
