/**
 * Draws the reference. The only thing that it asks for is the description, at our own address. Requests can be tried where
 * that sends them to the address of this page, which it does behind a proxy that gives the programs' description here. A
 * browser lets no page send a key to another address, so there is then no button for it, and no field for a key.
 */

interface Description {
  readonly servers?: readonly { readonly url: string }[]
}

declare const SwaggerUIBundle: (options: object) => unknown

interface Swagger {
  readonly React: { createElement(name: unknown, ...rest: readonly unknown[]): unknown }
}

/** A page has one main part and one first heading, and they are ours: what Swagger makes of its own stands below them. */
const names: Readonly<Record<string, string>> = { main: 'div', h1: 'h2' }
const belowOurs = ({ React }: Swagger) => {
  const { createElement } = React
  React.createElement = (name, ...rest) =>
    createElement(typeof name === 'string' ? (names[name] ?? name) : name, ...rest)
  return {}
}

/** In the place of Swagger's link to an operation, which stands within the button that opens it: no link can be pressed there. */
const asText =
  (_link: unknown, { React }: Swagger) =>
  ({ text }: { readonly text: string }) =>
    React.createElement('span', null, text)
const readable = { wrapComponents: { DeepLink: asText } }

/** A component that shows nothing, in the place of Swagger's. */
const nothing = () => () => null
const untried = {
  supportedSubmitMethods: [],
  plugins: [belowOurs, readable, { wrapComponents: { authorizeBtn: nothing, authorizeOperationBtn: nothing } }],
}
const tried = { plugins: [belowOurs, readable] }

/** Swagger's own choices have no names that are read out. */
function nameChoices(place: HTMLElement): void {
  for (const choice of place.querySelectorAll<HTMLSelectElement>('select:not([aria-label])')) {
    const parameter = choice.closest<HTMLElement>('tr[data-param-name]')?.dataset['paramName']
    const kind = choice.id === 'servers' ? 'Server' : choice.matches('.content-type') ? 'Media type' : 'Example'
    choice.ariaLabel = parameter ?? kind
  }
}

/** Its dark style is by a class, not by what the reader's system tells. */
function followTheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
  dark.addEventListener('change', follow)
  follow()
}

function isOfThisAddress({ servers = [] }: Description): boolean {
  const url = servers[0]?.url ?? '/'
  return new URL(url, location.href).origin === location.origin
}

async function draw(place: HTMLElement): Promise<void> {
  const [reply] = await Promise.all([fetch(place.dataset['description'] ?? ''), loadSwagger(place)])
  if (!reply.ok) {
    // A server that has just started is still making it.
    const seconds = Number(reply.headers.get('retry-after'))
    if (seconds > 0) setTimeout(draw, seconds * 1000, place)
    return
  }
  const spec: Description = await reply.json()
  place.textContent = ''
  const given = isOfThisAddress(spec) ? tried : untried
  for (const said of document.querySelectorAll<HTMLElement>('[data-untried]')) said.hidden = given === tried
  new MutationObserver(() => nameChoices(place)).observe(place, { childList: true, subtree: true })
  SwaggerUIBundle({
    domNode: place,
    spec,
    // Swagger's own checker is another site.
    validatorUrl: null,
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    // The usual one is too pale for numbers.
    syntaxHighlight: { theme: 'obsidian' },
    ...given,
  })
}

let loading: Promise<unknown> | undefined

function loadSwagger(place: HTMLElement): Promise<unknown> {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = place.dataset['script'] ?? ''
    script.addEventListener('load', resolve)
    script.addEventListener('error', reject)
    document.head.append(script)
  })
  return loading
}

/** Swagger is a second's work for a telephone: not before a reader who has the outline before them does anything, or stays. */
const stayMs = 8000
const signs = ['pointermove', 'pointerdown', 'keydown', 'scroll', 'focusin'] as const

function drawForReader(place: HTMLElement): void {
  const drawNow = () => {
    clearTimeout(staying)
    for (const sign of signs) removeEventListener(sign, drawNow)
    draw(place)
  }
  const staying = setTimeout(drawNow, stayMs)
  for (const sign of signs) addEventListener(sign, drawNow, { passive: true })
  // An address of one operation.
  if (location.hash !== '') drawNow()
}

const place = document.getElementById('reference')
if (place !== null) {
  followTheme()
  drawForReader(place)
}
