/**
 * The reference's forms that send a request, where it goes to the address of this page: behind a proxy that gives the programs'
 * requests here. A browser lets no page send a key to another address, so the forms stay hidden there.
 */

const article = document.querySelector<HTMLElement>('article[data-api]')
const canTry = new URL(article?.dataset['api'] ?? '', location.href).origin === location.origin

/** The status and the body, as they are to be shown. */
async function answerTo(form: HTMLFormElement): Promise<string> {
  const [key = '', address = '', body = null] = ['key', 'address', 'body'].map(
    (name) => new FormData(form).get(name) as string,
  )
  const headers = { ...(key && { 'X-API-Key': key }), ...(body && { 'Content-Type': 'application/json' }) }
  const reply = await fetch(new URL(address, location.origin), { method: form.dataset['method'] ?? '', headers, body })
  const text = await reply.text()
  const isJson = reply.headers.get('Content-Type')?.startsWith('application/json') === true
  return `${reply.status} ${reply.statusText}\n\n${isJson ? JSON.stringify(JSON.parse(text), null, 2) : text}`
}

for (const note of document.querySelectorAll<HTMLElement>('[data-untried]')) note.hidden = canTry
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
