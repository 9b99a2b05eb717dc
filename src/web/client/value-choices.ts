/** The result of a valued list. Each choice of a card updates the total. The CSV is made from what the page shows. */
import { numberText } from './figures.ts'

/**
 * How many lines of a table are shown at first. The style has the same number. A browser takes long to lay out
 * thousands of lines.
 */
const linesShown = 500

/** A line that may be several cards. */
interface Choice {
  readonly select: HTMLSelectElement
  readonly unit: HTMLElement
  readonly amount: HTMLElement
}

const priceText = (cents: string): string => (cents === '' ? 'unknown' : numberText((Number(cents) / 100).toFixed(2)))

/** Sets up a result. It applies choices at once, since a person may have made some before this script was loaded. */
export function setUp(place: ParentNode): void {
  const result = place.querySelector<HTMLElement>('.valued')
  if (result === null) return
  const lines = [...result.querySelectorAll<HTMLElement>(':is(tr, li):is([data-csv], [data-line])')]
  const choices = [...result.querySelectorAll<HTMLTableRowElement>('tr[data-line]')].map(
    (row): Choice => ({
      select: row.querySelector('select')!,
      unit: row.cells[row.cells.length - 2]!,
      amount: row.cells[row.cells.length - 1]!,
    }),
  )
  const update = result.querySelector<HTMLButtonElement>('.update')
  if (update !== null) update.hidden = true
  for (const list of result.querySelectorAll<HTMLElement>('tbody, .missing')) showSome(list)
  inReadersWay(result)
  const sumUp = sumOf(result, lines, choices)
  for (const choice of choices) choose(choice)
  sumUp()
  const byName = new Map(choices.map((choice) => [choice.select.name, choice]))
  result.addEventListener('change', ({ target }) => {
    const choice = byName.get((target as HTMLSelectElement).name)
    if (choice === undefined) return
    choose(choice)
    sumUp()
  })
  setUpPicks(result, choices, sumUp)
  result.querySelector('.download')?.addEventListener('click', (event) => {
    event.preventDefault()
    download(csvOf(result, lines))
  })
}

function inReadersWay(place: ParentNode): void {
  for (const data of place.querySelectorAll('data')) data.textContent = numberText(data.value)
}

/** Shows the first lines of a long list. The style hides all others until a button is pressed. */
function showSome(list: HTMLElement): void {
  const { children } = list
  const hidden = children.length - linesShown
  if (hidden <= 0) return
  list.classList.add('some')
  const button = Object.assign(document.createElement('button'), {
    type: 'button',
    textContent: `Show ${numberText(String(hidden))} more lines`,
  })
  button.addEventListener('click', () => {
    list.classList.remove('some')
    button.remove()
    children[linesShown]?.querySelector<HTMLElement>('a, select')?.focus()
  })
  ;(list.closest('table') ?? list).after(button)
}

/** Returns a function that adds up what is shown. The lines without a choice are added up only once. */
function sumOf(result: HTMLElement, lines: readonly HTMLElement[], choices: readonly Choice[]): () => void {
  const fixed = { priced: 0, unpriced: 0, atMarket: 0, cents: 0 }
  const add = (to: typeof fixed, { cents = '', atMarket }: DOMStringMap) => {
    to[cents === '' ? 'unpriced' : 'priced']++
    if (atMarket !== undefined) to.atMarket++
    to.cents += Number(cents)
  }
  for (const { dataset } of lines) if (dataset['cents'] !== undefined) add(fixed, dataset)
  const total = result.querySelector('[data-total] data')
  const note = result.querySelector<HTMLElement>('[data-at-market-note]')
  const shown = new Map(
    [...result.querySelectorAll<HTMLElement>('[data-count]')].map((at) => [at.dataset['count'], at]),
  )
  return () => {
    const sum = { ...fixed }
    let ambiguous = 0
    for (const { select } of choices) {
      if (select.value === '') ambiguous++
      else add(sum, select.selectedOptions[0]!.dataset)
    }
    if (total !== null) total.textContent = priceText(String(sum.cents))
    if (note !== null) {
      note.hidden = sum.atMarket === 0
      note.textContent = atMarketText(sum.atMarket)
    }
    for (const [name, count] of Object.entries({ ...sum, ambiguous })) {
      const data = shown.get(name)?.querySelector('data')
      if (data != null) data.textContent = numberText(String(count))
    }
  }
}

/** The same text as that of the server in pages/value-result.ts. */
const atMarketText = (lines: number): string =>
  `${numberText(String(lines))} ${lines === 1 ? 'line names' : 'lines name'} a condition without a price of its own: ${lines === 1 ? 'it counts' : 'they count'} at the market price.`

function choose({ select, unit, amount }: Choice): void {
  const { dataset } = select.selectedOptions[0] ?? {}
  unit.textContent = dataset?.['unit'] === undefined ? '–' : priceText(dataset['unit'])
  amount.textContent = dataset?.['cents'] === undefined ? '–' : priceText(dataset['cents'])
}

/** Sets up the buttons that choose for all lines at once. */
function setUpPicks(result: HTMLElement, choices: readonly Choice[], sumUp: () => void): void {
  const undo = result.querySelector<HTMLButtonElement>('.undo')
  const picks = [...result.querySelectorAll<HTMLButtonElement>('button[name="pick"]')]
  if (undo === null) return
  let before = choicesIn(undo.value)
  const chooseAll = (idOf: (select: HTMLSelectElement) => string) => {
    for (const choice of choices) {
      choice.select.value = idOf(choice.select)
      choose(choice)
    }
    sumUp()
  }
  for (const pick of picks) {
    pick.addEventListener('click', (event) => {
      event.preventDefault()
      // Undo restores the choices that were made one by one.
      if (undo.hidden) before = new Map(choices.map(({ select }) => [select.name, select.value]))
      const best = `option[data-${pick.value}]`
      chooseAll((select) => select.querySelector<HTMLOptionElement>(best)?.value ?? select.value)
      undo.hidden = false
    })
  }
  undo.addEventListener('click', (event) => {
    event.preventDefault()
    chooseAll((select) => before.get(select.name) ?? '')
    undo.hidden = true
    picks[0]?.focus()
  })
}

/** The choices that the server has put in the button. */
const choicesIn = (text: string): Map<string, string> =>
  new Map(
    text.split('\n').map((line) => {
      const [key = '', id = ''] = line.split(' ')
      return [`card-${key}`, id]
    }),
  )

/** The CSV of the lines, in their order. A line with a choice has the values of the chosen card. */
function csvOf(result: HTMLElement, lines: readonly HTMLElement[]): string {
  const rows = lines.map((element) => {
    const { csv, line, none, text } = element.dataset
    const chosen = element.querySelector<HTMLOptionElement>('option[data-csv]:checked')
    return csv ?? [line, chosen?.dataset['csv'] ?? none, text].join(',')
  })
  const lineOf = (row: string): number => Number.parseInt(row, 10)
  return [result.dataset['csv'] ?? '', ...rows.sort((a, b) => lineOf(a) - lineOf(b)), ''].join('\r\n')
}

function download(text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  Object.assign(document.createElement('a'), { href: address, download: 'list.csv' }).click()
  // By then, the browser has begun to read the file.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
