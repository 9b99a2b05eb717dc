/** Pricing files as sellers at TCGplayer export them. */
import { file } from '../support/import.ts'

export const pricingColumns = [
  'TCGplayer Id',
  'Product Line',
  'Set Name',
  'Product Name',
  'Title',
  'Number',
  'Rarity',
  'Condition',
  'TCG Market Price',
  'TCG Direct Low',
  'TCG Low Price With Shipping',
  'TCG Low Price',
  'Total Quantity',
  'Add to Quantity',
  'TCG Marketplace Price',
  'Photo URL',
]
export type PricingRow = Readonly<Record<string, string>>
let sku = 1000
export const pricingRow = (
  line: string,
  set: string,
  name: string,
  number: string,
  condition: string,
  price: string,
): PricingRow => ({
  'TCGplayer Id': `${++sku}`,
  'Product Line': line,
  'Set Name': set,
  'Product Name': name,
  Number: number,
  Condition: condition,
  'TCG Market Price': price,
  'TCG Low Price': '0.01',
  Title: '',
  Rarity: 'R',
})
export function pricingFile(rows: readonly PricingRow[], columns = pricingColumns, ending = '\r\n'): string {
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))]
  return file('pricing.csv', lines.map((cells) => cells.map(quoted).join(',') + ending).join(''))
}
