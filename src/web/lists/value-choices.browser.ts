/**
 * Sets up the result of a valued list. Each choice of a card updates the total. The CSV is made from the page's rows.
 */
import { numberText } from '../shared/figures.browser.ts'
import { setUpTable } from './value-table.browser.ts'
import { addSince, linesIn, showChange, showSince } from './value-then.browser.ts'

/** A line that may be several cards. */
interface Choice {
  readonly row: HTMLTableRowElement
  readonly select: HTMLSelectElement
  readonly unit: HTMLElement
  readonly amount: HTMLElement
}

const priceText = (cents: string): string => (cents === '' ? 'unknown' : numberText((Number(cents) / 100).toFixed(2)))

/**
 * Sets up a result. Add earlier amounts before this call. It applies the choices on the page at once, because a person
 * may have made some before this script was loaded.
 */
export function setUp(place: ParentNode): void {
  const result = place.querySelector<HTMLElement>('.valued')
  if (result === null) return
  const lines = linesIn(result)
  const hasThen = result.dataset['then'] !== undefined
  const choices = [...result.querySelectorAll<HTMLTableRowElement>('tr[data-line]')].map(
    (row): Choice => ({
      row,
      select: row.querySelector('select')!,
      unit: row.cells[row.cells.length - (hasThen ? 4 : 2)]!,
      amount: row.cells[row.cells.length - 1]!,
    }),
  )
  const update = result.querySelector<HTMLButtonElement>('.update')
  if (update !== null) update.hidden = true
  inReadersWay(result)
  if (hasThen) showChanges(lines)
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
  setUpTable(result)
  result.querySelector('.download')?.addEventListener('click', (event) => {
    event.preventDefault()
    download(csvOf(result, lines), 'list.csv', 'text/csv')
  })
}

function inReadersWay(place: ParentNode): void {
  for (const data of place.querySelectorAll('data')) data.textContent = numberText(data.value)
}

function showChanges(lines: readonly HTMLElement[]): void {
  for (const line of lines) {
    const { cents } = line.dataset
    if (line instanceof HTMLTableRowElement && cents !== undefined) showChange(line, cents)
  }
}

/** Returns a function that shows the sums of all lines. The lines without a choice are added up only once. */
function sumOf(result: HTMLElement, lines: readonly HTMLElement[], choices: readonly Choice[]): () => void {
  const fixed = { priced: 0, unpriced: 0, atMarket: 0, cents: 0 }
  const add = (to: typeof fixed, { cents = '', atMarket }: DOMStringMap) => {
    to[cents === '' ? 'unpriced' : 'priced']++
    if (atMarket !== undefined) to.atMarket++
    to.cents += Number(cents)
  }
  const fixedSince = { lines: 0, was: 0, now: 0, leftOut: 0 }
  for (const { dataset } of lines) {
    if (dataset['cents'] !== undefined) add(fixed, dataset)
    if (dataset['line'] === undefined) addSince(fixedSince, dataset['then'], dataset['cents'] ?? '')
  }
  const total = result.querySelector('[data-total] data')
  const note = result.querySelector<HTMLElement>('[data-at-market-note]')
  const unseen = result.querySelector<HTMLElement>('[data-not-over-time]')
  const atFirst = new Map(choices.map(({ select }) => [select, select.querySelector('option[selected]')]))
  const shown = new Map(
    [...result.querySelectorAll<HTMLElement>('[data-count]')].map((at) => [at.dataset['count'], at]),
  )
  return () => {
    const [sum, since] = [{ ...fixed }, { ...fixedSince }]
    let ambiguous = 0
    for (const { row, select } of choices) {
      if (select.value === '') ambiguous++
      else add(sum, select.selectedOptions[0]!.dataset)
      addSince(since, row.dataset['then'], select.selectedOptions[0]?.dataset['cents'] ?? '')
    }
    showSince(result, since)
    if (total !== null) total.textContent = priceText(String(sum.cents))
    if (unseen !== null) {
      unseen.hidden = choices.every(
        ({ select }) => (select.value && select.selectedOptions[0]) === (atFirst.get(select) ?? ''),
      )
    }
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

/** Returns the same text as `summary` in result-view.ts. */
const atMarketText = (lines: number): string =>
  `${numberText(String(lines))} ${lines === 1 ? 'line names' : 'lines name'} a condition without a price of its own: ${lines === 1 ? 'it counts' : 'they count'} at the market price.`

function choose({ row, select, unit, amount }: Choice): void {
  const { dataset } = select.selectedOptions[0] ?? {}
  for (const [cell, cents] of [
    [unit, dataset?.['unit']],
    [amount, dataset?.['cents']],
  ] as const) {
    cell.textContent = cents === undefined ? '–' : priceText(cents)
    // The table is sorted by this value.
    cell.dataset['value'] = cents ?? ''
  }
  if (unit.nextElementSibling !== amount) showChange(row, dataset?.['cents'] ?? '')
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

/** Reads the choices that the server has put in the undo button. */
const choicesIn = (text: string): Map<string, string> =>
  new Map(
    text.split('\n').map((line) => {
      const [key = '', id = ''] = line.split(' ')
      return [`card-${key}`, id]
    }),
  )

/** Returns the CSV of the lines in the order of the list. A line with a choice has the values of the chosen card. */
function csvOf(result: HTMLElement, lines: readonly HTMLElement[]): string {
  const rows = lines.map((element) => {
    const { csv, line, none, text } = element.dataset
    const chosen = element.querySelector<HTMLOptionElement>('option[data-csv]:checked')
    return csv ?? [line, chosen?.dataset['csv'] ?? none, text].join(',')
  })
  const lineOf = (row: string): number => Number.parseInt(row, 10)
  return [result.dataset['csv'] ?? '', ...rows.sort((a, b) => lineOf(a) - lineOf(b)), ''].join('\r\n')
}

export function download(text: string, name: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }))
  Object.assign(document.createElement('a'), { href: address, download: name }).click()
  // By then, the browser has begun to read the file.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
