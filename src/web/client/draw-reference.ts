/** Draws the reference. The only thing that it asks for is the description, at our own address. */

interface ReferenceOptions {
  readonly domNode: HTMLElement
  readonly url: string
  /** Swagger's own checker is another site. */
  readonly validatorUrl: null
  readonly deepLinking: boolean
  readonly defaultModelsExpandDepth: number
}

declare const SwaggerUIBundle: (options: ReferenceOptions) => unknown

const place = document.getElementById('reference')
if (place !== null) {
  const url = place.dataset['description'] ?? ''
  SwaggerUIBundle({ domNode: place, url, validatorUrl: null, deepLinking: true, defaultModelsExpandDepth: 0 })
}
