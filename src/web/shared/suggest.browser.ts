/**
 * Shows a list of names under a field that has suggestions. The arrow keys, Enter and Escape work in the list. A chosen
 * card's name is searched at once. Any other chosen name is written into its field. A highlighted name stays
 * highlighted if it is also among the names for the next letter. Without scripts, the fields are a plain form.
 */

/** How long to wait after the last letter. */
const restMs = 150
/** The space above and below the list, which includes the list's padding. */
const marginPixels = 24
/** At least this many names are shown, even if there is no room for them. */
const namesMin = 3

/** Removes the options for which there is no room, so that the whole list and the field are visible together. */
function fit(options: readonly HTMLElement[], input: HTMLInputElement): void {
  const seen = visualViewport?.height ?? innerHeight
  const room = seen - input.getBoundingClientRect().bottom - marginPixels
  const most = Math.max(Math.floor(room / (options[0]?.offsetHeight ?? 1)), namesMin)
  for (const option of options.slice(most)) option.remove()
}

/** Returns a function that makes screen readers say how many names there are. */
function counter(list: HTMLElement): (names: number) => void {
  const said = Object.assign(document.createElement('span'), { className: 'unseen' })
  // No role `status`, because pages use that role for their own messages.
  said.setAttribute('aria-live', 'polite')
  list.after(said)
  return (names) => {
    said.textContent = names === 0 ? 'No suggestions' : names === 1 ? '1 suggestion' : `${names} suggestions`
  }
}

function suggestFor(input: HTMLInputElement): void {
  const list = document.createElement('ul')
  Object.assign(list, { id: `${input.id}-names`, role: 'listbox', ariaLabel: 'Suggestions', hidden: true })
  input.after(list)
  const say = counter(list)
  input.setAttribute('role', 'combobox')
  input.setAttribute('aria-autocomplete', 'list')
  input.setAttribute('aria-controls', list.id)
  let waiting: ReturnType<typeof setTimeout> | undefined
  let asking: AbortController | undefined
  let active = -1

  const options = () => [...list.children] as HTMLElement[]

  function open(isOpen: boolean): void {
    list.hidden = !isOpen
    input.ariaExpanded = `${isOpen}`
    point(-1)
  }

  function point(at: number): void {
    active = at
    for (const [i, option] of options().entries()) option.ariaSelected = `${i === at}`
    const option = options()[at]
    if (option === undefined) input.removeAttribute('aria-activedescendant')
    else input.setAttribute('aria-activedescendant', option.id)
  }

  function choose(name: string): void {
    input.value = name
    open(false)
    if (input.dataset['of'] === undefined) input.form?.requestSubmit()
  }

  const optionOf = (name: string, i: number) =>
    Object.assign(document.createElement('li'), {
      id: `${list.id}-${i}`,
      role: 'option',
      ariaSelected: 'false',
      textContent: name,
      onclick: () => choose(name),
    })

  async function suggest(typed: string): Promise<void> {
    asking = new AbortController()
    const game = input.form?.querySelector<HTMLSelectElement>('[name="game"]')?.value ?? ''
    const asked = new URLSearchParams({ q: typed, ...(game && { game }), of: input.dataset['of'] ?? 'cards' })
    const reply = await fetch(`${input.dataset['suggestions']}?${asked}`, { signal: asking.signal })
    if (!reply.ok) return open(false)
    const { names }: { names: string[] } = await reply.json()
    const pointed = options()[active]?.textContent
    list.replaceChildren(...names.map(optionOf))
    open(names.length > 0 && document.activeElement === input)
    if (!list.hidden) fit(options(), input)
    point(options().findIndex(({ textContent }) => textContent === pointed))
    say(list.hidden ? 0 : options().length)
  }

  input.addEventListener('input', () => {
    clearTimeout(waiting)
    asking?.abort()
    const typed = input.value.trim()
    if (typed === '') open(false)
    else waiting = setTimeout(() => suggest(typed).catch(() => undefined), restMs)
  })

  input.addEventListener('keydown', (event) => {
    const { length } = list.children
    const name = options()[active]?.textContent
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (length === 0) return
      const step = event.key === 'ArrowDown' ? 1 : -1
      if (list.hidden) open(true)
      // The field itself is one of the places that the arrow keys reach.
      point(((active + 1 + step + length + 1) % (length + 1)) - 1)
    } else if (list.hidden) return
    else if (event.key === 'Escape') open(false)
    else if (event.key === 'Enter' && name != null) choose(name)
    else return
    event.preventDefault()
  })

  // The field keeps the focus while an option is clicked.
  list.addEventListener('pointerdown', (event) => event.preventDefault())
  input.addEventListener('blur', () => open(false))
  input.form?.addEventListener('submit', () => {
    clearTimeout(waiting)
    asking?.abort()
  })
  open(false)
}

for (const field of document.querySelectorAll<HTMLInputElement>('[data-suggestions]')) suggestFor(field)
