/** Any values for the parameters that narrow, sort and show: drawn, and judged by rules that are written down anew here. */
import { drawBelow, drawFrom, type Random } from '../support/random.ts'

/** A parameter's allowed values, decoded, and the text of its refusal. */
export interface ParameterRule {
  readonly name: string
  /** An address that is right but for it. */
  readonly path: string
  readonly isRight: (text: string) => boolean
  readonly allowed: RegExp
}

const oneOf =
  (...words: string[]) =>
  (text: string) =>
    words.includes(text)
const charsOf = (text: string) => [...text].length
const sorts = ['price', '-price', 'name', 'newest', 'change', '-change']
const cards = '/v1/cards?game=pokemon'
const search = '/v1/search?q=charizard'
const movers = '/v1/movers?x=1'
const isPrice = (text: string) => /^[0-9]+(\.[0-9][0-9]?)?$/.test(text)
const isNumber = (text: string) => charsOf(text) >= 1 && charsOf(text) <= 32
const price = /an amount of 0 or more with at most two decimals/
const number = /a collector’s number of 1 to 32 characters/
const view = /one of summary, full, extended/

export const parameterRules: readonly ParameterRule[] = [
  { name: 'number', path: search, isRight: isNumber, allowed: number },
  { name: 'number', path: cards, isRight: isNumber, allowed: number },
  { name: 'min_price', path: search, isRight: isPrice, allowed: price },
  { name: 'min_price', path: cards, isRight: isPrice, allowed: price },
  { name: 'max_price', path: search, isRight: isPrice, allowed: price },
  { name: 'max_price', path: cards, isRight: isPrice, allowed: price },
  {
    name: 'sort',
    path: search,
    isRight: oneOf('relevance', ...sorts),
    allowed: /one of relevance, price, -price, name, newest, change, -change/,
  },
  { name: 'view', path: search, isRight: oneOf('summary', 'full', 'extended'), allowed: view },
  { name: 'view', path: cards, isRight: oneOf('summary', 'full', 'extended'), allowed: view },
  {
    name: 'sort',
    path: cards,
    isRight: oneOf(...sorts),
    allowed: /one of price, -price, name, newest, change, -change/,
  },
  { name: 'min_price', path: movers, isRight: isPrice, allowed: price },
  {
    name: 'period',
    path: movers,
    isRight: oneOf('1d', '7d', '30d', '90d', '1y'),
    allowed: /one of 1d, 7d, 30d, 90d, 1y/,
  },
  { name: 'direction', path: movers, isRight: oneOf('up', 'down'), allowed: /one of up, down/ },
  { name: 'by', path: movers, isRight: oneOf('percent', 'amount'), allowed: /one of percent, amount/ },
  {
    name: 'tcgplayer_id',
    path: '/v1/cards?x=1',
    isRight: (text) => /^[0-9]*[1-9][0-9]*$/.test(text),
    allowed: /a whole number of 1 or more/,
  },
  {
    name: 'limit',
    path: '/v1/suggest?q=charizard',
    isRight: (text) => /^[0-9]*[1-9][0-9]*$/.test(text),
    allowed: /a whole number of 1 or more/,
  },
  {
    name: 'q',
    path: '/v1/suggest?x=1',
    isRight: (text) => /\S/.test(text) && charsOf(text) <= 200,
    allowed: /a card name of 1 to 200 characters/,
  },
]

const pieces = [
  ...[
    '0',
    '1',
    '9',
    '00',
    '.',
    '..',
    '-',
    '+',
    ',',
    'e',
    'x',
    'E5',
    '.5',
    '.50',
    '.505',
    ' ',
    '\t',
    '\0',
    '\n',
    '/',
    '%',
  ],
  ...[
    'price',
    'name',
    'newest',
    'relevance',
    'full',
    'summary',
    '-price',
    'PRICE',
    'NaN',
    'Infinity',
    'null',
    '[]',
    '{}',
  ],
  ...[
    'SV001',
    '4/102',
    '９',
    '٣',
    '½',
    '😀',
    '\u0301',
    'リ',
    '__proto__',
    'constructor',
    "'",
    '"',
    '<',
    '&',
    '=',
    ';',
    '\\',
  ],
  ...['9'.repeat(20), '9'.repeat(330), 'x'.repeat(31), '😀'.repeat(16), '18446744073709551616', '9007199254740993'],
]
/** As they are sent, and no UTF-8 or no escapes. */
const notText = ['%', '%z', '%zz', '%ff', '%c3%28', '%e3%83', '%ed%a0%80', '%u0041']

export interface DrawnValue {
  /** As it is sent. */
  readonly sent: string
  /** Undefined if it is none. */
  readonly text: string | undefined
}

export function drawValue(random: Random): DrawnValue {
  if (drawBelow(random, 12) === 0) {
    const sent = drawFrom(random, ['', '1', 'a']) + drawFrom(random, notText)
    return { sent, text: undefined }
  }
  let text = ''
  for (let more = drawBelow(random, 4); more > 0; more--) text += drawFrom(random, pieces)
  if (drawBelow(random, 4) === 0) text = String(drawBelow(random, 100_000) / drawFrom(random, [1, 10, 100, 1000]))
  return { sent: encodeURIComponent(text), text }
}
