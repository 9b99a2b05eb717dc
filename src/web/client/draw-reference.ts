/**
 * Draws the reference. The only thing that it asks for is the description, at our own address. Programs send their requests
 * to another port, so that address comes first among those that requests can be tried at: a browser lets a page of ours
 * send them there only where both lie behind one address, but the lines for curl are right.
 */

interface Description {
  servers?: readonly { readonly url: string }[]
}

interface ReferenceOptions {
  readonly domNode: HTMLElement
  readonly spec: Description
  /** Swagger's own checker is another site. */
  readonly validatorUrl: null
  readonly deepLinking: boolean
  readonly defaultModelsExpandDepth: number
}

declare const SwaggerUIBundle: (options: ReferenceOptions) => unknown

async function draw(place: HTMLElement): Promise<void> {
  const { description = '', api = '' } = place.dataset
  const reply = await fetch(description)
  if (!reply.ok) {
    place.textContent = 'There is no description here yet.'
    return
  }
  const spec: Description = await reply.json()
  spec.servers = [{ url: api }, ...(spec.servers ?? [])]
  SwaggerUIBundle({ domNode: place, spec, validatorUrl: null, deepLinking: true, defaultModelsExpandDepth: 0 })
}

const place = document.getElementById('reference')
if (place !== null) draw(place)
