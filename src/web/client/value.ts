/**
 * Values a list in the page that has its form: a browser keeps the form of a page that it leads to, and so the list. A choice of a
 * card updates the total, and the CSV is made of what the page shows, so the list is not sent again.
 */
import { numberText } from './figures.ts'

const main = document.querySelector('main')

async function value(form: HTMLFormElement, place: HTMLElement): Promise<void> {
  const button = form.querySelector<HTMLButtonElement>('.primary')
  if (button?.disabled === true) return
  const body = new FormData(form)
  if (button !== null) button.disabled = true
  const reply = await fetch(form.action, { method: 'POST', body })
  // The session has ended.
  if (reply.redirected) return location.assign(reply.url)
  const shown = new DOMParser().parseFromString(await reply.text(), 'text/html').querySelector('main')
  if (shown === null) throw new Error('not a page of this service')
  place.replaceChildren(...shown.childNodes)
  for (const data of place.querySelectorAll('data')) data.textContent = numberText(data.value)
  setUp(place)
  const result = place.querySelector<HTMLElement>('#total') ?? place.querySelector<HTMLElement>('[aria-invalid]')
  result?.focus()
}

/** The list stays in its field. */
function refuse(form: HTMLFormElement): void {
  const note = form.querySelector('.wrong') ?? document.createElement('p')
  note.className = 'wrong'
  note.role = 'alert'
  note.textContent = 'The server could not be reached. Your list is still here: try again.'
  form.prepend(note)
  const button = form.querySelector<HTMLButtonElement>('.primary')
  if (button !== null) button.disabled = false
}

function setUp(place: HTMLElement): void {
  const form = place.querySelector<HTMLFormElement>('form.valued')
  if (form === null) return
  const update = form.querySelector<HTMLButtonElement>('.update')
  if (update !== null) update.hidden = true
  for (const select of form.querySelectorAll('select')) {
    select.addEventListener('change', () => {
      choose(select)
      sumUp(form)
    })
    choose(select)
  }
  sumUp(form)
  form.querySelector('.download')?.addEventListener('click', (event) => {
    event.preventDefault()
    download(form)
  })
}

const priceText = (cents: string): string => (cents === '' ? 'unknown' : numberText((Number(cents) / 100).toFixed(2)))

function choose(select: HTMLSelectElement): void {
  const option = select.selectedOptions[0]
  const { unit, cents } = option?.dataset ?? {}
  const row = select.closest('tr')
  const [unitCell, amountCell] = ['span[data-unit]', 'span[data-cents]'].map((name) =>
    row?.querySelector<HTMLElement>(name),
  )
  if (unitCell) unitCell.textContent = unit === undefined ? '–' : priceText(unit)
  if (amountCell) {
    amountCell.textContent = cents === undefined ? '–' : priceText(cents)
    amountCell.dataset['cents'] = cents ?? ''
  }
}

function sumUp(form: HTMLFormElement): void {
  const counts = { priced: 0, unpriced: 0, ambiguous: 0 }
  let sum = 0
  for (const cell of form.querySelectorAll<HTMLElement>('span[data-cents]')) {
    const { cents = '' } = cell.dataset
    const select = cell.closest('tr')?.querySelector('select')
    if (select?.value === '') counts.ambiguous++
    else counts[cents === '' ? 'unpriced' : 'priced']++
    sum += Number(cents)
  }
  const total = form.querySelector('[data-total] data')
  if (total !== null) total.textContent = priceText(String(sum))
  for (const [name, count] of Object.entries(counts)) {
    const shown = form.querySelector(`[data-count="${name}"] data`)
    if (shown !== null) shown.textContent = numberText(String(count))
  }
}

function download(form: HTMLFormElement): void {
  const rows = [...form.querySelectorAll<HTMLElement>('[data-csv]:not(form, option)')].map((row) => {
    const chosen = row.querySelector<HTMLOptionElement>('option[data-csv]:checked')
    return (chosen ?? row).dataset['csv'] ?? ''
  })
  const lineOf = (row: string): number => Number.parseInt(row, 10)
  const text = [form.dataset['csv'] ?? '', ...rows.sort((a, b) => lineOf(a) - lineOf(b)), ''].join('\r\n')
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  Object.assign(document.createElement('a'), { href: address, download: 'list.csv' }).click()
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

// The list may have been sent, and cards chosen, before this script was there.
if (main !== null) setUp(main)

main?.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || !form.matches('.value form')) return
  event.preventDefault()
  value(form, main).catch(() => refuse(form))
})
