/** Files of sources with prices at other markets, and a folder with the cards of a mirror, for tests of several imports. */
import { temporaryFolder } from '../support/command.ts'
import { file as fileOf, importInto } from '../support/import.ts'
import { writeMirror } from '../support/mirror.ts'
import { meta, scryfallCard, uuid } from './magic.ts'

export const file = (content: string | Buffer, name = 'own.csv'): string => fileOf(name, content)
export const bulkOf = (...cards: object[]) =>
  file(cards.map((card) => `${JSON.stringify(card)}\n`).join(''), 'bulk.jsonl')
export const market = (name: string, currency: string, price: number | null, more: object = {}) => ({
  market: name,
  currency,
  price,
  low: null,
  buylist: null,
  updatedAt: '2026-11-20',
  ...more,
})
export const day = { date: '2026-11-20' }
export const tcgcsv = temporaryFolder()
await importInto(tcgcsv, 'tcgcsv', [writeMirror()])

export const command = scryfallCard(1, "Urza's Command", '70', {
  tcgplayer_id: 452001,
  cardmarket_id: 680001,
  finishes: ['nonfoil', 'foil', 'etched'],
  prices: { usd: '1.00', usd_foil: null, eur: '0.80', eur_foil: '1.20', eur_etched: '9.99', tix: '1' },
})
export const pricesOf = (paper: object, number = 1) =>
  file(JSON.stringify({ meta, data: { [uuid(number)]: { paper } } }), 'prices.json')
