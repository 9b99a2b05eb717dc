/** A valued list as the lines of a CSV (RFC 4180), which a spreadsheet opens without running anything in it. */
import type { ValuedLine } from '../../clients/typescript/src/valuation.ts'
import { csvField } from '../catalog/card-fields.ts'

/** With a byte order mark: without one, Excel takes UTF-8 for the Windows encoding. */
export const csvHead = '\ufeffline,quantity,name,set,number,printing,condition,unit price,amount,currency,match,id,text'

export function csvRow({ line, quantity, card, condition, unitPrice, amount, match, text }: ValuedLine): string {
  const cells = [
    `${line}`,
    `${quantity}`,
    ...[card?.name, card?.set, card?.number, card?.printing, condition].map(textCell),
    unitPrice?.toFixed(2) ?? '',
    amount?.toFixed(2) ?? '',
    ...[card?.currency, match, card?.id, text].map(textCell),
  ]
  return cells.join(',')
}

const textCell = (text: string | null | undefined): string => csvField(text ?? '')
