/**
 * The interface described, as the pages give it. Its own `/` means the address that it came from, which is the pages' here:
 * so the address that programs send requests to stands before it. `/` is right where a proxy puts both behind one address.
 */

interface Described {
  readonly servers?: readonly object[]
}

export class Description {
  #given: Uint8Array | undefined
  #text: string | undefined

  /** @param given the document as programs get it */
  show(given: Uint8Array): void {
    this.#given = given
    this.#text = undefined
  }

  /** JSON, made when it is first asked for; undefined as long as there is nothing to make it of. */
  textFor(api: string): string | undefined {
    if (this.#given === undefined) return undefined
    // Of memory that threads share no text can be made without a copy.
    this.#text ??= withServer(Buffer.from(this.#given).toString('utf8'), api)
    return this.#text
  }
}

function withServer(text: string, url: string): string {
  const document: Described = JSON.parse(text)
  return JSON.stringify({ ...document, servers: [{ url }, ...(document.servers ?? [])] })
}
