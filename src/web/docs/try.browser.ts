/**
 * Shows the reference's forms that send a request, if the API has the address of this page. It does if a proxy forwards
 * the API's requests from that address. Otherwise the forms stay hidden, because a browser lets no page send a key to
 * another address. All forms use the key of one field.
 */

const article = document.querySelector<HTMLElement>('article[data-api]')
const canTry = new URL(article?.dataset['api'] ?? '', location.href).origin === location.origin
const key = document.querySelector<HTMLInputElement>('#key')

/** The address of a request: the path with its parameters, and the query with the parameters that have a value. */
function addressOf(form: HTMLFormElement): URL {
  let path = form.dataset['path'] ?? ''
  const query = new URLSearchParams()
  for (const field of form.querySelectorAll<HTMLInputElement | HTMLSelectElement>('[data-in]')) {
    const { name, value } = field
    if (field.dataset['in'] === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value))
    else if (value !== '') query.set(name, value)
  }
  const address = new URL(path, location.origin)
  address.search = query.toString()
  return address
}

/** Sends the request. Returns the status and the body as text to show. */
async function answerTo(form: HTMLFormElement): Promise<string> {
  const body = form.querySelector('textarea')?.value ?? null
  const headers = {
    ...(key?.value && { 'X-API-Key': key.value }),
    ...(body !== null && { 'Content-Type': 'application/json' }),
  }
  const reply = await fetch(addressOf(form), { method: form.dataset['method'] ?? '', headers, body })
  const text = await reply.text()
  const isJson = reply.headers.get('Content-Type')?.startsWith('application/json') === true
  return `${reply.status} ${reply.statusText}\n\n${isJson ? JSON.stringify(JSON.parse(text), null, 2) : text}`
}

for (const note of document.querySelectorAll<HTMLElement>('[data-untried]')) note.hidden = canTry
for (const field of document.querySelectorAll<HTMLElement>('[data-key]')) field.hidden = !canTry
for (const form of canTry ? document.querySelectorAll<HTMLFormElement>('form[data-method]') : []) {
  const shown = form.querySelector('pre')
  if (form.parentElement !== null) form.parentElement.hidden = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const text = await answerTo(form).catch(() => 'The server could not be reached.')
    if (shown === null) return
    shown.hidden = false
    shown.textContent = text
  })
}
