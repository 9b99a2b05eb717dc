/**
 * Draws the reference. The only thing that it asks for is the description, at our own address. That names the address that
 * programs send their requests to, on another port: a browser lets a page of ours send them there only where both lie
 * behind one address, but the lines for curl are right.
 */

interface ReferenceOptions {
  readonly domNode: HTMLElement
  readonly spec: unknown
  /** Swagger's own checker is another site. */
  readonly validatorUrl: null
  readonly deepLinking: boolean
  readonly defaultModelsExpandDepth: number
  /** Its usual one is too pale for numbers. */
  readonly syntaxHighlight: { readonly theme: 'obsidian' }
}

declare const SwaggerUIBundle: (options: ReferenceOptions) => unknown

async function draw(place: HTMLElement): Promise<void> {
  const reply = await fetch(place.dataset['description'] ?? '')
  if (!reply.ok) {
    place.textContent = 'There is no description here yet.'
    // A server that has just started is still making it.
    const seconds = Number(reply.headers.get('retry-after'))
    if (seconds > 0) setTimeout(draw, seconds * 1000, place)
    return
  }
  const spec: unknown = await reply.json()
  place.textContent = ''
  SwaggerUIBundle({
    domNode: place,
    spec,
    validatorUrl: null,
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    syntaxHighlight: { theme: 'obsidian' },
  })
}

/** Swagger UI has its dark colours under a class of the document. */
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

const place = document.getElementById('reference')
if (place !== null) draw(place)
