/**
 * The OpenAPI description as the pages serve it. Its server `/` would be the pages' own address, so the API's address is put
 * before it. `/` is right behind a proxy that serves both at one address.
 */
import { SharedContent } from './shared-content.ts'

interface Described {
  readonly info: { readonly title: string; readonly version: string }
  readonly servers?: readonly object[]
  readonly tags?: readonly { readonly name: string; readonly description: string }[]
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Operation {
  readonly tags: readonly string[]
  readonly summary: string
}

/** A summary of the description. */
export interface Outline {
  readonly title: string
  readonly version: string
  readonly chapters: readonly Chapter[]
}

interface Chapter {
  readonly name: string
  readonly description: string
  readonly operations: readonly { readonly method: string; readonly path: string; readonly summary: string }[]
}

export class Description {
  #given: Uint8Array | undefined
  #content: SharedContent | undefined
  #outline: Outline | undefined

  /** @param given the document as programs get it */
  show(given: Uint8Array): void {
    this.#given = given
    this.#content = undefined
    this.#outline = undefined
  }

  /** JSON, made when it is first asked for; undefined as long as there is nothing to make it of. */
  contentFor(api: string): SharedContent | undefined {
    const given = this.#given
    if (given === undefined) return undefined
    this.#content ??= new SharedContent('application/json', () => withServer(read(given), api))
    return this.#content
  }

  /** Undefined as long as there is nothing to make it of. */
  outline(): Outline | undefined {
    if (this.#given === undefined) return undefined
    this.#outline ??= outlineOf(read(this.#given))
    return this.#outline
  }
}

/** Of memory that threads share no text can be made without a copy. */
const read = (given: Uint8Array): Described => JSON.parse(Buffer.from(given).toString('utf8'))

const withServer = (document: Described, url: string): Buffer =>
  Buffer.from(JSON.stringify({ ...document, servers: [{ url }, ...(document.servers ?? [])] }))

function outlineOf({ info, tags = [], paths = {} }: Described): Outline {
  const all = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation })),
  )
  const operationsOf = (chapter: string) => all.filter(({ tags: [first] }) => first === chapter)
  return { ...info, chapters: tags.map((tag) => ({ ...tag, operations: operationsOf(tag.name) })) }
}
