/**
 * The tabs of the guide. A language that is chosen in one example is shown in all. The pressed tab keeps its place on
 * the screen.
 */

const tabs = [...document.querySelectorAll<HTMLButtonElement>('[role="tab"]')]
const languageOf = ({ textContent }: HTMLElement) => textContent

/** Chooses the language of the pressed tab in all examples. An example without that language stays as it is. */
function choose(pressed: HTMLButtonElement): void {
  const { top } = pressed.getBoundingClientRect()
  for (const list of document.querySelectorAll('[role="tablist"]')) {
    const own = [...list.querySelectorAll<HTMLButtonElement>('[role="tab"]')]
    if (own.some((tab) => languageOf(tab) === languageOf(pressed))) show(own, languageOf(pressed))
  }
  scrollBy({ top: pressed.getBoundingClientRect().top - top, behavior: 'instant' })
}

function show(list: readonly HTMLButtonElement[], language: string): void {
  for (const tab of list) {
    const isChosen = languageOf(tab) === language
    tab.ariaSelected = String(isChosen)
    tab.tabIndex = isChosen ? 0 : -1
    const panel = document.getElementById(tab.getAttribute('aria-controls') ?? '')
    panel?.classList.toggle('chosen', isChosen)
  }
}

function neighbour(tab: HTMLButtonElement, key: string): HTMLButtonElement | undefined {
  const list = [...(tab.parentElement?.querySelectorAll<HTMLButtonElement>('[role="tab"]') ?? [])]
  const at = list.indexOf(tab)
  if (key === 'Home') return list[0]
  if (key === 'End') return list.at(-1)
  if (key === 'ArrowRight') return list[(at + 1) % list.length]
  return key === 'ArrowLeft' ? list.at(at - 1) : undefined
}

for (const tab of tabs) {
  tab.addEventListener('click', () => choose(tab))
  tab.addEventListener('keydown', (event) => {
    const next = neighbour(tab, event.key)
    if (next === undefined) return
    event.preventDefault()
    choose(next)
    next.focus()
  })
}
