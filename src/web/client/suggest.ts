/** Names while one types a card's: the field's own list of choices, brought up to date. */

const field = document.querySelector<HTMLInputElement>('#card-name')
const choices = document.querySelector<HTMLDataListElement>('#card-names')
/** Between two letters of a quick typist. */
const restMs = 150

let waiting: ReturnType<typeof setTimeout> | undefined
let asking: AbortController | undefined

async function suggest(typed: string): Promise<void> {
  asking?.abort()
  asking = new AbortController()
  const reply = await fetch(`/dashboard/suggestions.json?q=${encodeURIComponent(typed)}`, { signal: asking.signal })
  if (!reply.ok) return
  const { names }: { names: string[] } = await reply.json()
  choices?.replaceChildren(...names.map((name) => Object.assign(document.createElement('option'), { value: name })))
}

field?.addEventListener('input', () => {
  clearTimeout(waiting)
  const typed = field.value.trim()
  if (typed === '') return
  waiting = setTimeout(() => suggest(typed).catch(() => undefined), restMs)
})
