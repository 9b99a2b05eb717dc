/**
 * Values a list within the page that has its form, so the browser keeps the form and the list. Whatever happens, the
 * list stays in its field.
 *
 *   form ─ not too large? ─ sent ─ how many lines are done ─ the result, or what is wrong
 */
import { numberText } from './figures.ts'
import { setUp } from './value-choices.ts'

const form = document.querySelector<HTMLFormElement>('form.value-list')
/** When the page begins to show how many lines are done. */
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

async function value(form: HTMLFormElement, pressed: HTMLButtonElement): Promise<void> {
  const place = form.querySelector<HTMLElement>('#result')!
  const button = form.querySelector<HTMLButtonElement>('.primary')!
  if (button.disabled) return
  button.disabled = true
  note(form)?.remove()
  const progress = showProgress(button)
  try {
    const page = await send(form, await bodyOf(form, pressed), progress)
    setUp(page)
    place.replaceChildren(...page.querySelector('#result')!.childNodes)
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

/**
 * The fields to send. The fields of columns are sent only by the button of the columns. Choices of cards are not sent,
 * since they belong to the earlier result.
 */
async function bodyOf(form: HTMLFormElement, pressed: HTMLButtonElement): Promise<FormData> {
  const body = new FormData(form)
  const isOfColumns = pressed.name === 'columns'
  for (const name of [...body.keys()]) {
    if (name.startsWith('card-') || (name.startsWith('column') && !isOfColumns)) body.delete(name)
  }
  if (isOfColumns) body.set(pressed.name, pressed.value)
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
    // The file's name is not needed either. The file may have changed since it was chosen, so it is read here.
    body.set('file', new Blob([await list.arrayBuffer().catch(() => Promise.reject(unreadable))]), 'list')
  }
  return body
}

const unreadable = new Refusal('The file can’t be read. It may have changed: choose it again.')

async function send(form: HTMLFormElement, body: FormData, progress: Progress): Promise<Document> {
  const reply = await fetch(form.action, { method: 'POST', body })
  const text = await textOf(reply, progress)
  const page = new DOMParser().parseFromString(text, 'text/html')
  if (reply.ok && page.querySelector('#result .valued') !== null) return page
  // The message of our own page. The page of a proxy has no message about the list.
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

function showProgress(button: HTMLElement): Progress {
  const shown = document.createElement('p')
  shown.className = 'valuing'
  const bar = Object.assign(document.createElement('progress'), { ariaLabel: 'Lines valued' })
  const words = Object.assign(document.createElement('span'), { textContent: 'Reading the list…' })
  shown.append(bar, ' ', words)
  const timer = setTimeout(() => button.after(shown), progressAfterMs)
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
  const said = Object.assign(document.createElement('p'), { className: 'wrong', role: 'alert', id: 'list-wrong' })
  said.append(...(markup ?? [message]))
  form.querySelector('.value .field')!.before(said)
  said.scrollIntoView({ block: 'nearest' })
}

if (form !== null) {
  setUp(form)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const pressed = event.submitter ?? form.querySelector('.primary')
    if (pressed instanceof HTMLButtonElement) void value(form, pressed)
  })
}
