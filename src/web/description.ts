/**
 * The interface described, as the pages give it. Its own `/` means the address that it came from, which is the pages' here:
 * so the address that programs send requests to stands before it. `/` is right where a proxy puts both behind one address.
 */

import { SharedContent } from './shared-content.ts'

interface Described {
  readonly servers?: readonly object[]
}

export class Description {
  #given: Uint8Array | undefined
  #content: SharedContent | undefined

  /** @param given the document as programs get it */
  show(given: Uint8Array): void {
    this.#given = given
    this.#content = undefined
  }

  /** JSON, made when it is first asked for; undefined as long as there is nothing to make it of. */
  contentFor(api: string): SharedContent | undefined {
    const given = this.#given
    if (given === undefined) return undefined
    this.#content ??= new SharedContent('application/json', () => withServer(given, api))
    return this.#content
  }
}

function withServer(given: Uint8Array, url: string): Buffer {
  // Of memory that threads share no text can be made without a copy.
  const document: Described = JSON.parse(Buffer.from(given).toString('utf8'))
  return Buffer.from(JSON.stringify({ ...document, servers: [{ url }, ...(document.servers ?? [])] }))
}
