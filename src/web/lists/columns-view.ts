/** Shows what each column of a list means, as read from its name and values, or as a person chose it. */
import { html } from 'hono/html'
import type { ReadColumn } from '../../lists/columns.ts'
import { type Field, fieldNames } from '../../lists/fields.ts'
import { type Columns, panel, table } from '../shared/page-parts.ts'
import type { Html } from '../site.ts'
import { columnField, columnName, columnsUsed } from './list-form.ts'

const labels: Readonly<Record<Field, string>> = {
  quantity: 'Quantity',
  foilQuantity: 'Quantity of foils',
  totalQuantity: 'Quantity, foils counted in',
  id: 'Card id of this service',
  scryfallId: 'Scryfall’s id',
  mtgjsonId: 'MTGJSON’s id',
  tcgplayerId: 'TCGplayer’s product',
  cardmarketId: 'Cardmarket’s product',
  name: 'Name',
  set: 'Set',
  setCode: 'Set’s code',
  number: 'Number',
  printing: 'Printing or finish',
  foil: 'Is it a foil?',
  firstEdition: 'Is it a first edition?',
  condition: 'Condition',
  grade: 'Grade',
  language: 'Language',
  rarity: 'Rarity',
  game: 'Game',
  exclude: 'Is it left out?',
}

const columns: Columns = { Column: 'heading', 'First values': 'text', 'What it is': 'text' }
const valueCharsMax = 60

const shortened = (text: string): string => (text.length > valueCharsMax ? `${text.slice(0, valueCharsMax)}…` : text)

/** @param isChosen true if a person chose the fields; the next form then uses them, too */
export function columnsSection(read: readonly ReadColumn[], isChosen: boolean): Html | '' {
  if (read.length === 0) return ''
  const rows = read.map(({ column, field, sure, values }, at) => [
    html`<span id="column-${at}">${column === '' ? `Column ${at + 1}` : shortened(column)}</span>${sure ? '' : html` <span class="tag">unsure</span>`}<input type="hidden" name="${columnName(at)}" value="${column}">`,
    values.length === 0
      ? html`<span class="unknown">empty</span>`
      : values.map((value, i) => html`${i > 0 ? ' · ' : ''}${shortened(value)}`),
    html`<select name="${columnField(at)}" aria-labelledby="column-${at}" autocomplete="off"><option value="">Changes no amount</option>${fieldNames.map(
      (name) => html`<option value="${name}"${name === field && html` selected`}>${labels[name]}</option>`,
    )}</select>`,
  ])
  const choice = html`${table({ caption: 'Columns of the list', isCaptionUnseen: true, columns, narrow: 'labelled', rows })}
${isChosen ? html`<input type="hidden" name="${columnsUsed}" value="chosen">` : ''}
<p class="choice"><button type="submit" name="${columnsUsed}" value="chosen"${read.every(({ sure }) => sure) ? '' : html` class="primary"`}>Use these columns</button></p>`
  const unsure = read.filter(({ sure }) => !sure)
  if (unsure.length === 0) return html`<details><summary>Columns</summary>\n${choice}\n</details>`
  return panel(
    { id: 'columns', title: 'Columns' },
    html`<p>${unsureText(unsure)} There is no total until you say what ${unsure.length === 1 ? 'it is' : 'they are'}. The lines below stand as the guess reads them.</p>
${choice}`,
  )
}

function unsureText(unsure: readonly ReadColumn[]): Html {
  const names = unsure.map(({ column }, i) => html`${i > 0 ? ', ' : ''}<strong>${shortened(column)}</strong>`)
  return unsure.length === 1
    ? html`The column ${names} may change the total, and its name does not say how.`
    : html`The columns ${names} may change the total, and their names do not say how.`
}
