/** Shows the lists that this browser keeps, and adds a button beside a list's total, which keeps the list. */
import { numberText } from '../shared/figures.browser.ts'
import {
  dayText,
  fileOf,
  fill,
  type Kept,
  type KeptLine,
  type KeptList,
  keep,
  keptBytesMax,
  keptList,
  keptLists,
  keptListsMax,
  NotKept,
  nameOf,
  prefix,
  putBack,
  remove,
  restore,
  type Valued,
} from './kept.browser.ts'
import { download } from './value-choices.browser.ts'
import { keyOf, linesIn } from './value-then.browser.ts'

/** A list as it was sent to be valued. */
export type SentList = Pick<KeptList, 'text' | 'game' | 'columns'>

type Open = (kept: Kept & { readonly list: KeptList }) => void

const element = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] => {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

const button = (label: string, about: string, action: () => void): HTMLButtonElement => {
  const made = element('button', { type: 'button' }, label)
  if (about !== '') made.append(element('span', { className: 'unseen' }, ` ${about}`))
  made.addEventListener('click', action)
  return made
}

const amountText = ({ cents, currency }: Pick<Valued, 'cents' | 'currency'>): string =>
  cents === null ? 'no total' : `${numberText((cents / 100).toFixed(2))} ${currency}`.trim()

/** The panel of the page that shows the kept lists. */
export class KeptPanel {
  readonly #place: HTMLElement
  readonly #open: Open
  #said: readonly (Node | string)[] = []

  constructor(place: HTMLElement, open: Open) {
    this.#place = place
    this.#open = open
    // Another tab may have changed the kept lists.
    addEventListener('storage', ({ key }) => {
      if (key === null || key.startsWith(prefix)) this.show()
    })
    this.show()
  }

  show(): void {
    const lists = keptLists()
    const rows = lists.map((kept) => this.#row(kept))
    const said = element('p', { className: 'status', role: 'status' }, ...this.#said)
    const file = element('input', { type: 'file', accept: '.json,application/json', hidden: true, tabIndex: -1 })
    file.addEventListener('change', () => void this.#restore(file))
    const restoreButton = button('Restore', 'lists from a file', () => file.click())
    const downloadButton = button('Download', 'all lists', () =>
      download(fileOf(keptLists()), 'card-lists.json', 'application/json'),
    )
    this.#place.replaceChildren(
      element('h2', {}, 'Kept on this device'),
      element(
        'p',
        { className: 'hint' },
        lists.length === 0
          ? 'Value a list, then keep it in this browser with the button by its total. When you come back, it is here, and says what has changed.'
          : 'These lists are in this browser only, and none is on the server. The browser may clear them: download a file of them now and then.',
      ),
      element('ul', { className: 'kept-lists' }, ...rows),
      ...fullness(lists),
      element('p', { className: 'choice' }, ...(lists.length > 0 ? [downloadButton] : []), restoreButton, file),
      said,
    )
  }

  #say(...said: readonly (Node | string)[]): void {
    this.#said = said
    this.show()
  }

  #row(kept: Kept): HTMLElement {
    const { list, key, isLater } = kept
    const name = nameOf(kept)
    const gone = 'This list is no longer kept: another tab or the browser has removed it.'
    const deleteButton = button('Delete', name, () => {
      try {
        remove(key)
        const undo = button('Undo', '', () => {
          try {
            putBack(kept)
            this.#say('It is back.')
          } catch (error) {
            this.#say(reasonOf(error))
          }
        })
        this.#say(`${name === '' ? 'The list' : name} is deleted. `, undo)
      } catch (error) {
        this.#say(reasonOf(error))
      }
    })
    if (list === undefined) {
      const what = isLater
        ? 'A list that a later version of these pages has kept'
        : 'A list that can’t be read, since it is damaged'
      return element(
        'li',
        {},
        element('span', { className: 'what' }, `${what}. Download keeps it as it is.`),
        element('span', { className: 'choice' }, deleteButton),
      )
    }
    const { valued } = list
    const open = button('Open', name, () => {
      const now = keptList(key)
      if (now?.list === undefined) this.#say(gone)
      else this.#open({ ...now, list: now.list })
    })
    open.classList.add('primary')
    const cards = `${numberText(String(valued.cards))} ${valued.cards === 1 ? 'card' : 'cards'}`
    return element(
      'li',
      {},
      element(
        'span',
        { className: 'what' },
        element('strong', {}, name),
        element('span', { className: 'hint' }, `${cards} · ${amountText(valued)} on ${dayText(valued.at)}`),
      ),
      element('span', { className: 'choice' }, open, deleteButton),
    )
  }

  async #restore(field: HTMLInputElement): Promise<void> {
    const [file] = field.files ?? []
    if (file === undefined) return
    try {
      const { added, known, left, reason } = restore(await file.text())
      const lists = (count: number) => `${count} ${count === 1 ? 'list' : 'lists'}`
      this.#say(
        [
          `${lists(added)} restored.`,
          known > 0 ? `${lists(known)} ${known === 1 ? 'was' : 'were'} here already.` : '',
          left > 0 ? `${lists(left)} did not fit: ${reason}` : '',
        ]
          .filter(Boolean)
          .join(' '),
      )
    } catch (error) {
      this.#say(error instanceof NotKept ? error.message : 'The file can’t be read. Choose it again.')
    }
  }
}

/** Shows how full the storage is, and warns before it is full. */
function fullness(lists: Kept[]): HTMLElement[] {
  if (lists.length === 0) return []
  const { bytes, isNearlyFull } = fill(lists)
  const megabytes = (size: number) => numberText((size / 2 ** 20).toFixed(1))
  const used = `${lists.length} of ${keptListsMax} lists, ${megabytes(bytes)} of ${megabytes(keptBytesMax)} MB.`
  const advice = isNearlyFull
    ? ' There is little room left: download the lists, and delete one that you no longer need.'
    : ''
  return [element('p', { className: isNearlyFull ? 'note' : 'hint' }, used + advice)]
}

export const reasonOf = (error: unknown): string =>
  error instanceof NotKept ? error.message : 'This browser does not let the page change what it keeps.'

/** Reads the values of a result, line by line in the order of the page. */
export function valuedIn(result: HTMLElement, currency: string, now: Date): Valued {
  const lines = linesIn(result).map((line): KeptLine => {
    const chosen = line.querySelector('select')?.selectedOptions[0]
    const cells = cellsOf(chosen?.dataset['csv'] ?? line.dataset['csv'] ?? '')
    const cents = (chosen ?? line).dataset['cents']
    const isChoice = line.dataset['line'] !== undefined
    const quantity = Number(isChoice ? line.dataset['line']!.split(',')[1] : cells[1])
    const id = cells[cells.length - (isChoice ? 1 : 2)] || null
    return [keyOf(line), quantity, id, cents === undefined || cents === '' ? null : Number(cents)]
  })
  const hasTotal = result.querySelector('[data-total]') !== null
  const sum = lines.reduce((sum, [, , , cents]) => sum + (cents ?? 0), 0)
  const cards = lines.reduce((sum, [, quantity, id]) => sum + (id === null ? 0 : quantity), 0)
  return { at: now.toISOString(), currency, cents: hasTotal ? sum : null, cards, lines }
}

/** Splits a line of our CSV into its cells. */
function cellsOf(line: string): string[] {
  const cells: string[] = []
  for (const [, quoted, plain] of `,${line}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,]*))/g)) {
    cells.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
  }
  return cells
}

export const choicesIn = (result: HTMLElement): [key: string, id: string][] =>
  [...linesIn(result)].flatMap((line) => {
    const id = line.querySelector('select')?.value ?? ''
    return id === '' ? [] : [[keyOf(line), id]]
  })

interface Keeping {
  readonly result: HTMLElement
  readonly sent: SentList
  /** The kept list that was valued; undefined if the list was not opened from the kept lists. */
  readonly opened: Kept | undefined
  /** A name for a list that has none yet. */
  readonly name: string
  readonly onKept: () => void
}

/** Adds the button that keeps the list. */
export function addKeeping({ result, sent, opened, name, onKept }: Keeping): void {
  const field = element('input', {
    id: 'kept-name',
    maxLength: 80,
    value: opened?.list?.name ?? name,
    autocomplete: 'off',
  })
  const said = element('p', { className: 'status', role: 'status' })
  let key = opened?.key
  const label = () => (key === undefined ? 'Keep on this device' : 'Keep these choices')
  const act = button(label(), '', () => {
    try {
      const now = new Date()
      const before = key === undefined ? undefined : keptList(key)?.list
      const currency = result.dataset['currency'] ?? ''
      const list: KeptList = {
        ...sent,
        version: 1,
        name: field.value.trim() || name,
        choices: choicesIn(result),
        valued: valuedIn(result, currency, now),
        before: before?.before ?? null,
      }
      key = keep(list, key)
      said.textContent = 'Kept. "Value a list" shows it when you come back.'
      act.textContent = label()
      onKept()
    } catch (error) {
      said.textContent = reasonOf(error)
    }
  })
  const labelled = element('label', { htmlFor: 'kept-name' }, 'Name')
  const hint = element('p', { className: 'hint' }, 'The list stays in this browser. It is not stored on the server.')
  const place = element(
    'div',
    { className: 'keep' },
    element('div', { className: 'field' }, labelled, field),
    act,
    hint,
    said,
  )
  const counts = result.querySelector('[aria-labelledby="total"] .counts')
  counts?.after(place)
}
