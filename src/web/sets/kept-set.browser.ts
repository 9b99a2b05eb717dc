/** Shows on a set's page which of the set's cards are in the lists that this browser keeps, and marks those cards. */
import { keptLists } from '../lists/kept.browser.ts'
import { numberText } from '../shared/figures.browser.ts'

interface SetNumber {
  readonly ids: readonly string[]
  readonly cents: number | null
}

/** Returns how many copies of each card all kept lists contain, by the card's id. */
function ownCards(): ReadonlyMap<string, number> {
  const own = new Map<string, number>()
  for (const { list } of keptLists()) {
    for (const [, quantity, id] of list?.valued.lines ?? []) {
      if (id !== null && quantity > 0) own.set(id, (own.get(id) ?? 0) + quantity)
    }
  }
  return own
}

function mark(own: ReadonlyMap<string, number>): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('#cards ~ table tbody th a')) {
    const copies = own.get(decodeURIComponent(link.pathname.split('/').at(-1)!))
    if (copies === undefined) continue
    const unseen = Object.assign(document.createElement('span'), {
      className: 'unseen',
      textContent: `, ${copies} in your lists`,
    })
    link.closest('tr')!.classList.add('own')
    link.append(unseen)
  }
}

async function sum(place: HTMLElement, own: ReadonlyMap<string, number>): Promise<void> {
  const reply = await fetch(place.dataset['numbers']!)
  if (!reply.ok) return
  const numbers: readonly SetNumber[] = await reply.json()
  const missing = numbers.filter(({ ids }) => !ids.some((id) => own.has(id)))
  const count = (value: number) => numberText(String(value))
  const have = numbers.length - missing.length
  const cents = missing.reduce((sum, one) => sum + (one.cents ?? 0), 0)
  const unpriced = missing.filter((one) => one.cents === null).length
  const cost = `the missing ones cost ${numberText((cents / 100).toFixed(2))}`
  const unknown = unpriced === 0 ? '' : `, without ${count(unpriced)} whose price is unknown`
  // The place keeps its height, so that nothing below it moves.
  place.style.minHeight = `${place.offsetHeight}px`
  place.textContent =
    missing.length === 0
      ? `You have all ${count(numbers.length)}.`
      : `You have ${count(have)} of ${count(numbers.length)}; ${cost}${unknown}.`
}

const place = document.querySelector<HTMLElement>('.kept-of-set')
const own = ownCards()
if (place !== null && own.size > 0) {
  mark(own)
  void sum(place, own)
}
