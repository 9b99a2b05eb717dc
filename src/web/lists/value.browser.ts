/**
 * Values a list without loading another page, so the form keeps the list, even after an error.
 *
 *   form ─┬─ not too large? ─ sent ─ how many lines are done ─┬─ the result, in the place of the form
 *   kept ─┘                                                   └─ what is wrong
 */
import { numberText } from '../shared/figures.browser.ts'
import { addKeeping, KeptPanel, reasonOf, type SentList, valuedIn } from './keep.browser.ts'
import { amountsOf, dayText, earlier, type Kept, type KeptList, keep, keptList, withValues } from './kept.browser.ts'
import { setUp } from './value-choices.browser.ts'
import { addAmounts, addNotCompared } from './value-then.browser.ts'

const form = document.querySelector<HTMLFormElement>('form.value-list')
/** The time after which the page shows how many lines are done. */
const progressAfterMs = 1000

/** The reason why a list is not valued, as a message for the person. */
class Refusal extends Error {
  readonly markup: readonly Node[] | undefined

  constructor(message: string, markup?: readonly Node[]) {
    super(message)
    this.markup = markup
  }
}

const stillHere = 'Your list is still here:'
const away = `The server could not be reached. ${stillHere} try again.`

type Opened = Kept & { readonly list: KeptList }

/** What starts a valuation: a button of the form, or a list that the browser keeps. */
type Start = HTMLButtonElement | Opened

const isOpened = (start: Start): start is Opened => 'list' in start && 'raw' in start

async function value(form: HTMLFormElement, start: Start): Promise<void> {
  const place = form.querySelector<HTMLElement>('#result')!
  const button = form.querySelector<HTMLButtonElement>('.fields ~ .primary')!
  if (button.disabled) return
  button.disabled = true
  note(form)?.remove()
  const opened = isOpened(start) ? start : undefined
  if (opened !== undefined) fill(form, opened.list)
  const progress = showProgress(opened === undefined ? button : form.querySelector('.kept')!)
  try {
    const file = form.querySelector<HTMLInputElement>('#file')!.files?.[0]
    const body = await bodyOf(form, start)
    const sent = await sentIn(body)
    const page = await send(form, body, progress)
    const result = page.querySelector<HTMLElement>('.valued')!
    const now = new Date()
    if (opened !== undefined) compare(result, opened, now)
    setUp(page)
    const name = file?.name.replace(/\.[^.]*$/, '') ?? `List of ${dayText(now.toISOString())}`
    addKeeping({ result, sent, opened, name, onKept: () => kept?.show() })
    fold(form, page)
    place.replaceChildren(...page.querySelector('#result')!.childNodes)
    document.dispatchEvent(new Event('charts'))
    if (opened !== undefined) keepValues(result, opened, now)
    const first = place.querySelector<HTMLElement>('h2#columns, #total')
    first?.setAttribute('tabindex', '-1')
    first?.focus()
  } catch (error) {
    refuse(form, error instanceof Refusal ? error : new Refusal(away))
  } finally {
    progress.end()
    button.disabled = false
  }
}

/** Fills the form with a kept list. */
function fill(form: HTMLFormElement, { text, game }: KeptList): void {
  form.querySelector<HTMLTextAreaElement>('#list')!.value = text
  form.querySelector<HTMLSelectElement>('#game')!.value = game
  form.querySelector<HTMLInputElement>('#file')!.value = ''
}

/** Folds the form into one line above the result. */
function fold(form: HTMLFormElement, page: Document): void {
  const fields = form.querySelector<HTMLDetailsElement>('.list-fields')!
  fields.open = false
  fields.querySelector('summary')!.replaceWith(page.querySelector('.list-fields > summary')!)
}

/** Adds what each line was worth when the list was last valued on an earlier day. */
function compare(result: HTMLElement, { list }: Opened, now: Date): void {
  const before = earlier(list, now)
  if (before.currency === result.dataset['currency']) {
    addAmounts(result, { day: dayText(before.at), cents: amountsOf(list, before) })
  } else addNotCompared(result, before.currency)
}

/** Stores the new values in the kept list, unless the list is gone. If that fails, the page says so and works on. */
function keepValues(result: HTMLElement, { key }: Opened, now: Date): void {
  const list = keptList(key)?.list
  if (list === undefined) return
  try {
    keep(withValues(list, valuedIn(result, result.dataset['currency'] ?? '', now)), key)
  } catch (error) {
    const said = result.querySelector('.keep .status')
    if (said !== null) said.textContent = `The values of today are not kept. ${reasonOf(error)}`
  }
  kept?.show()
}

/**
 * Returns the fields to send. Column fields are sent only if the button of the columns was pressed, or from a kept
 * list. Card choices are sent only from a kept list, because those on the page belong to the earlier result.
 */
async function bodyOf(form: HTMLFormElement, start: Start): Promise<FormData> {
  const body = new FormData(form)
  const isOfColumns = start instanceof HTMLButtonElement && start.name === 'columns'
  for (const name of [...body.keys()]) {
    if (name.startsWith('card-') || (name.startsWith('column') && !isOfColumns)) body.delete(name)
  }
  if (isOfColumns) body.set(start.name, start.value)
  if (isOpened(start)) addKept(body, start.list)
  body.set('scripts', '1')
  const file = body.get('file')
  const list = file instanceof File && file.size > 0 ? file : new Blob([String(body.get('list'))])
  const bytesMax = Number(form.dataset['bytesMax'])
  if (list.size > bytesMax) {
    throw new Refusal(`A list has at most ${bytesMax / 2 ** 20} MB. ${stillHere} value it in several parts.`)
  }
  if (list instanceof File) {
    // With a file, the text of the field is not needed.
    body.delete('list')
    // The file's name is not sent. The file is read here, because it may have changed since it was chosen.
    body.set('file', new Blob([await list.arrayBuffer().catch(() => Promise.reject(unreadable))]), 'list')
  }
  return body
}

function addKept(body: FormData, { columns, choices }: KeptList): void {
  if (columns !== null) {
    body.set('columns', 'chosen')
    for (const [at, [name, field]] of columns.entries()) {
      body.set(`column-${at}`, name)
      body.set(`column-${at}-is`, field)
    }
  }
  // The choices are sent in one field, which also holds the choices before a pick (list-form.ts).
  body.set('undo', choices.map(([key, id]) => `${key} ${id}`).join('\n'))
}

/** Returns the sent list in the form in which it can be kept. */
async function sentIn(body: FormData): Promise<SentList> {
  const file = body.get('file')
  const isFile = file instanceof Blob && file.size > 0
  const text = isFile ? decoded(await file.arrayBuffer()) : String(body.get('list'))
  const columns: [name: string, field: string][] = []
  for (let at = 0; body.has('columns') && body.has(`column-${at}`); at++) {
    columns.push([String(body.get(`column-${at}`)), String(body.get(`column-${at}-is`) ?? '')])
  }
  return { text, game: String(body.get('game') ?? ''), columns: body.has('columns') ? columns : null }
}

/** Decodes a file in one of the encodings that the server reads (list-form.ts). */
function decoded(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes)
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

const unreadable = new Refusal('The file can’t be read. It may have changed: choose it again.')

async function send(form: HTMLFormElement, body: FormData, progress: Progress): Promise<Document> {
  const reply = await fetch(form.action, { method: 'POST', body })
  const text = await textOf(reply, progress)
  const page = new DOMParser().parseFromString(text, 'text/html')
  if (reply.ok && page.querySelector('#result .valued') !== null) return page
  // Our own error page has a message about the list. A proxy's error page does not.
  const said = page.querySelector('main [role="alert"]') ?? page.querySelector('main .panel h1 + p')
  if (said !== null) throw new Refusal(said.textContent, [...said.childNodes])
  if (reply.status === 413) throw new Refusal(`This list is too large. ${stillHere} value it in several parts.`)
  throw new Refusal(away)
}

async function textOf(reply: Response, progress: Progress): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for (const reader = reply.body!.getReader(); ; ) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    const part = decoder.decode(value, { stream: true })
    text += part
    const [, max, now] = /<progress max="(\d+)" value="(\d+)"(?![\s\S]*<progress)/.exec(part) ?? []
    if (max !== undefined) progress.show(Number(now), Number(max))
  }
}

interface Progress {
  show(done: number, all: number): void
  end(): void
}

/** @param above the element below which the progress is shown */
function showProgress(above: HTMLElement): Progress {
  const shown = document.createElement('p')
  shown.className = 'valuing'
  const bar = Object.assign(document.createElement('progress'), { ariaLabel: 'Lines valued' })
  const words = Object.assign(document.createElement('span'), { textContent: 'Reading the list…' })
  shown.append(bar, ' ', words)
  const timer = setTimeout(() => above.after(shown), progressAfterMs)
  return {
    show(done, all) {
      bar.max = all
      bar.value = done
      words.textContent = `${numberText(String(done))} of ${numberText(String(all))} lines`
    },
    end() {
      clearTimeout(timer)
      shown.remove()
    },
  }
}

const note = (form: HTMLFormElement) => form.querySelector<HTMLElement>('.value .wrong')

/** Shows why the list was not valued. The list stays in its field. */
function refuse(form: HTMLFormElement, { message, markup }: Refusal): void {
  form.querySelector<HTMLDetailsElement>('.list-fields')!.open = true
  const said = Object.assign(document.createElement('p'), { className: 'wrong', role: 'alert', id: 'list-wrong' })
  said.append(...(markup ?? [message]))
  form.querySelector('.value .field')!.before(said)
  said.scrollIntoView({ block: 'nearest' })
}

const place = form?.querySelector<HTMLElement>('.kept') ?? null
const kept = form === null || place === null ? undefined : new KeptPanel(place, (opened) => void value(form, opened))

if (form !== null) {
  setUp(form)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const pressed = event.submitter ?? form.querySelector('.fields ~ .primary')
    if (pressed instanceof HTMLButtonElement) void value(form, pressed)
  })
}
