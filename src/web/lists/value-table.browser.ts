/**
 * Sorts and filters the lines of a valued list. On a phone, where a table has no headings, a field sorts the lines.
 *
 *   Show  [All] [Priced] [Price unknown] [Ambiguous] [Not found]      Sort  [As in the list ▾]
 */
import { numberText } from '../shared/figures.browser.ts'

/**
 * How many lines of a table are shown at first, because a browser takes long to lay out thousands of lines. The style
 * sheet contains the same number.
 */
const linesShown = 500

const states = { priced: 'Priced', unpriced: 'Price unknown', ambiguous: 'Ambiguous', unmatched: 'Not found' } as const
type State = keyof typeof states

interface Lines {
  /** The table's body, or a list. */
  readonly place: HTMLElement
  readonly panel: HTMLElement
  /** In the order of the list. */
  readonly all: readonly HTMLElement[]
  /** The shown order. */
  order: readonly HTMLElement[]
}

export function setUpTable(result: HTMLElement): void {
  const lists = [...result.querySelectorAll<HTMLElement>('tbody:has([data-csv], [data-line]), .missing')].map(
    (place): Lines => {
      const all = [...place.children] as HTMLElement[]
      return { place, panel: place.closest<HTMLElement>('.panel')!, all, order: all }
    },
  )
  let shown: State | undefined
  const show = (lists: readonly Lines[]) => {
    for (const list of lists) {
      const rows = shown === undefined ? list.order : list.order.filter((row) => stateOf(row, list) === shown)
      list.panel.hidden = rows.length === 0
      list.place.replaceChildren(...rows)
      showSome(list.place)
    }
  }
  for (const { place } of lists) showSome(place)
  const tables = lists.filter(({ place }) => place.localName === 'tbody')
  const sort = (list: Lines, column: number, isReverse: boolean) => {
    list.order = column === -1 ? list.all : sorted(list.all, column, isReverse)
    show([list])
  }
  const tools = document.createElement('div')
  tools.className = 'tools'
  const buttons = filterButtons((state) => {
    shown = state
    show(lists)
  })
  tools.append(buttons, ...tables.map((list) => sortField(list, sort)))
  const last = result.querySelector('[aria-labelledby="total"] .counts')
  last?.after(tools)
  for (const list of tables) sortByHeads(list, sort)
}

function stateOf(row: HTMLElement, { panel }: Lines): State | undefined {
  if (row.localName !== 'tr') return panel.getAttribute('aria-labelledby') === 'missing' ? 'unmatched' : undefined
  const select = row.querySelector('select')
  if (select?.value === '') return 'ambiguous'
  const { cents } = select?.selectedOptions[0]?.dataset ?? row.dataset
  return cents === '' ? 'unpriced' : 'priced'
}

function filterButtons(choose: (state: State | undefined) => void): HTMLElement {
  const group = document.createElement('div')
  group.className = 'choice'
  group.role = 'group'
  group.ariaLabel = 'Show lines'
  const all: HTMLButtonElement[] = []
  for (const [state, label] of [[undefined, 'All'], ...Object.entries(states)] as [State | undefined, string][]) {
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: label })
    button.ariaPressed = String(state === undefined)
    button.addEventListener('click', () => {
      for (const one of all) one.ariaPressed = String(one === button)
      choose(state)
    })
    all.push(button)
  }
  group.append(...all)
  return group
}

type Sort = (list: Lines, column: number, isReverse: boolean) => void

/** Turns each heading into a button that sorts ascending, then descending, then in the order of the list. */
function sortByHeads(list: Lines, sort: Sort): void {
  const heads = headsOf(list)
  for (const [column, head] of heads.entries()) {
    if (head.localName !== 'th') continue
    const button = document.createElement('button')
    button.type = 'button'
    button.append(...head.childNodes)
    head.append(button)
    button.addEventListener('click', () => {
      const before = head.ariaSort
      for (const one of heads) one.ariaSort = null
      if (before !== 'descending') head.ariaSort = before === 'ascending' ? 'descending' : 'ascending'
      sort(list, before === 'descending' ? -1 : column, before === 'ascending')
    })
  }
}

const headsOf = ({ place }: Lines): HTMLElement[] => [
  ...place.closest('table')!.querySelectorAll<HTMLElement>('thead > tr > *'),
]

/** Makes a field that sorts the table, for phones. */
function sortField(list: Lines, sort: Sort): HTMLElement {
  const table = list.place.closest('table')!
  const select = document.createElement('select')
  const add = (textContent: string, value: string) =>
    select.append(Object.assign(document.createElement('option'), { textContent, value }))
  add('As in the list', '-1 ')
  for (const [column, head] of headsOf(list).entries()) {
    const label = head.textContent!.trim()
    if (label === '') continue
    add(`${label} ▲`, `${column} `)
    add(`${label} ▼`, `${column} -`)
  }
  select.addEventListener('change', () => {
    const [column, reverse] = select.value.split(' ')
    sort(list, Number(column), reverse === '-')
  })
  const label = document.createElement('label')
  label.className = 'narrow'
  label.append(`Sort ${table.querySelector('caption')!.textContent!.toLowerCase()} `, select)
  return label
}

/** Sorts figures by their value, and texts by the reader's language. Cells without a value come last. */
function sorted(rows: readonly HTMLElement[], column: number, isReverse: boolean): readonly HTMLElement[] {
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })
  const keys = new Map(rows.map((row) => [row, keyIn((row as HTMLTableRowElement).cells[column]!)]))
  const compare = (a: number | string, b: number | string) =>
    typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b))
  return [...rows].sort((one, other) => {
    const [a, b] = [keys.get(one), keys.get(other)]
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
    return isReverse ? compare(b, a) : compare(a, b)
  })
}

function keyIn(cell: HTMLElement): number | string | undefined {
  const own = cell.dataset['value'] ?? cell.querySelector('data')?.value
  if (own !== undefined) return own === '' ? undefined : Number(own)
  const text = cell.querySelector('select')?.selectedOptions[0]?.textContent ?? cell.textContent!.trim()
  return text === '' || text === '–' || cell.querySelector('.unknown') !== null ? undefined : text
}

/** Shows the first lines of a long list. The style sheet hides the others until a button is pressed. */
function showSome(list: HTMLElement): void {
  const below = list.closest('table') ?? list
  if (below.nextElementSibling?.classList.contains('more')) below.nextElementSibling.remove()
  const { children } = list
  const hidden = children.length - linesShown
  list.classList.toggle('some', hidden > 0)
  if (hidden <= 0) return
  const button = Object.assign(document.createElement('button'), {
    type: 'button',
    className: 'more',
    textContent: `Show ${numberText(String(hidden))} more lines`,
  })
  button.addEventListener('click', () => {
    list.classList.remove('some')
    button.remove()
    children[linesShown]?.querySelector<HTMLElement>('a, select')?.focus()
  })
  below.after(button)
}
