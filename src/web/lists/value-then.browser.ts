/**
 * Shows what the lines of a list were worth earlier, beside what they are worth now. The server writes this for our own
 * CSV. For a list that the browser keeps, this script adds it.
 */
import { numberText } from '../shared/figures.browser.ts'

/** What each line was worth on a day. */
export interface Amounts {
  readonly day: string
  /** Cents by the lines' keys. */
  readonly cents: ReadonlyMap<string, number>
}

/** Returns the key of a line, which the server and kept lists use. */
export const keyOf = (line: HTMLElement): string =>
  line.querySelector('select')?.name.slice('card-'.length) ??
  line.dataset['key'] ??
  String(Number.parseInt(csvStart(line), 10))

const csvStart = ({ dataset }: HTMLElement): string => dataset['csv'] ?? dataset['line'] ?? ''

/** Returns the lines of a result. Each is a row of a table, or an item. */
export const linesIn = (result: ParentNode): HTMLElement[] => [
  ...result.querySelectorAll<HTMLElement>(':is(tr, li):is([data-csv], [data-line])'),
]

/** Adds the amounts to a result that is not set up yet. */
export function addAmounts(result: HTMLElement, { day, cents }: Amounts): void {
  const hasColumns = result.dataset['then'] !== undefined
  result.dataset['then'] = day
  for (const line of linesIn(result)) {
    const own = cents.get(keyOf(line))
    if (own === undefined) delete line.dataset['then']
    else line.dataset['then'] = String(own)
  }
  for (const table of result.querySelectorAll<HTMLTableElement>('table:has([data-csv], [data-line])')) {
    if (!hasColumns) addColumns(table)
    for (const row of rowsOf(table)) {
      const cell = thenCell(row)
      cell.textContent = centsText(row.dataset['then'])
      // The table is sorted by this value.
      cell.dataset['value'] = row.dataset['then'] ?? ''
    }
  }
  if (result.querySelector('.since') === null) {
    const said = Object.assign(document.createElement('p'), { className: 'since' })
    result.querySelector('[aria-labelledby="total"] .counts')?.before(said)
  }
}

/** Adds the same sentence as `notComparedText` in result-view.ts. */
export function addNotCompared(result: HTMLElement, then: string): void {
  const inWords = (currency: string) => (currency === '' ? 'without a currency' : `in ${currency}`)
  const said = Object.assign(document.createElement('p'), {
    className: 'hint',
    textContent: `Then and now are not compared: the amounts of then are ${inWords(then)}, and those of now ${inWords(result.dataset['currency'] ?? '')}.`,
  })
  result.querySelector('[aria-labelledby="total"] .counts')?.before(said)
}

function addColumns(table: HTMLTableElement): void {
  const amount = table.querySelector<HTMLElement>('thead > tr > :last-child')!
  const labels = ['Then', 'Change']
  for (const label of labels) {
    amount.before(
      Object.assign(document.createElement('th'), { scope: 'col', className: 'figure', textContent: label }),
    )
  }
  amount.textContent = amount.textContent!.replace('Amount', 'Now')
  for (const row of rowsOf(table)) {
    const last = row.cells[row.cells.length - 1]!
    for (const label of labels) {
      const cell = Object.assign(document.createElement('td'), { className: 'figure', textContent: '–' })
      if (last.dataset['label'] !== undefined) cell.dataset['label'] = label
      last.before(cell)
    }
  }
}

const rowsOf = (table: HTMLTableElement) => table.querySelectorAll<HTMLTableRowElement>('tbody > tr')

const thenCell = ({ cells }: HTMLTableRowElement): HTMLElement => cells[cells.length - 3]!

const centsText = (cents: string | undefined): string =>
  cents === undefined || cents === '' ? '–' : numberText((Number(cents) / 100).toFixed(2))

/** Shows how the amount of a row has changed. @param now in cents, empty if the price is unknown */
export function showChange(row: HTMLTableRowElement, now: string): void {
  const { then } = row.dataset
  const cell = row.cells[row.cells.length - 2]!
  cell.dataset['value'] = then === undefined || now === '' ? '' : String(Number(now) - Number(then))
  if (then === undefined || now === '') cell.textContent = '–'
  else cell.replaceChildren(...changeNodes(Number(then), Number(now)))
}

/** Makes the same markup as `changeText` in page-figures.ts. @param then in cents, as `now` */
export function changeNodes(then: number, now: number): Node[] {
  const moved = document.createElement('span')
  moved.className = 'moved'
  if (then === now) {
    moved.textContent = 'unchanged'
    return [moved]
  }
  const [way, arrow] = now > then ? ['up', '▲'] : ['down', '▼']
  moved.classList.add(way)
  const sign = now > then ? '+' : ''
  const share = then === 0 ? '' : ` (${numberText(sign + (((now - then) / then) * 100).toFixed(1))}%)`
  const said = Object.assign(document.createElement('span'), { className: 'unseen', textContent: way })
  const shown = Object.assign(document.createElement('span'), { textContent: arrow, ariaHidden: 'true' })
  moved.append(shown, ' ', said, ` ${numberText(sign + ((now - then) / 100).toFixed(2))}${share}`)
  return [moved]
}

/**
 * The number of lines with both an earlier and a new amount, and the sums of both. `leftOut` counts the lines with only
 * one of the two.
 */
export interface Since {
  lines: number
  was: number
  now: number
  leftOut: number
}

export function addSince(since: Since, then: string | undefined, now: string): void {
  if (then !== undefined && now !== '') {
    since.lines++
    since.was += Number(then)
    since.now += Number(now)
  } else if (then !== undefined || now !== '') since.leftOut++
}

/** Writes the same sentence as `sinceText` in result-view.ts. */
export function showSince(result: HTMLElement, { lines, was, now, leftOut }: Since): void {
  const place = result.querySelector('.since')
  if (place === null) return
  const day = result.dataset['then'] ?? ''
  const has = lines === 1 ? 'line has' : 'lines have'
  const other = leftOut === 1 ? 'other has' : 'others have'
  const hint = Object.assign(document.createElement('span'), {
    className: 'hint',
    textContent: leftOut === 0 ? '' : ` ${numberText(String(leftOut))} ${other} only one of both.`,
  })
  place.replaceChildren(
    `${day === '' ? '' : `Since ${day}: `}${numberText(String(lines))} ${has} a price then and now: ${centsText(String(was))} then, ${centsText(String(now))} now, `,
    ...changeNodes(was, now),
    '.',
    hint,
  )
}
