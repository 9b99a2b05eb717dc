/**
 * The OpenAPI description as the pages serve it. In it, the server `/` would mean the address of the pages, so the
 * API's address comes first. The server `/` stays, because it is right behind a proxy that serves pages and API at one
 * address.
 */
import { SharedContent } from '../shared/shared-content.ts'

/** The parts of the document that the reference shows. */
export interface Described {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly object[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>
}

export interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly parameters: readonly Shared<Parameter>[]
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Shared<Body>>>
}

/** The value itself, or a pointer to the document's components. */
export type Shared<Value> = Value | { readonly $ref: string }

export interface Parameter {
  readonly name: string
  readonly in: 'query' | 'path' | 'header'
  readonly required: boolean
  readonly description: string
  readonly schema: Schema
  readonly example?: string | number
}

export interface Body {
  readonly description: string
  readonly content?: Readonly<Record<string, Content>>
}

interface Content {
  readonly schema: Schema
  readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>
}

/** The parts of JSON Schema that the API's schemas use. */
export interface Schema {
  readonly $ref?: string
  readonly description?: string
  readonly type?: string
  readonly format?: string
  readonly const?: unknown
  readonly enum?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | false
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
}

export class Description {
  /** Undefined until there is a document. */
  document: Described | undefined
  #content: SharedContent | undefined

  /** @param given the document as the API serves it */
  show(given: Uint8Array): void {
    // Copied first, because text can't be decoded from memory that threads share.
    this.document = JSON.parse(Buffer.from(given).toString('utf8'))
    this.#content = undefined
  }

  /** Returns the document as JSON, which is made at the first request; undefined until there is a document. */
  contentFor(api: string): SharedContent | undefined {
    const { document } = this
    if (document === undefined) return undefined
    const servers = [{ url: api }, ...document.servers]
    this.#content ??= new SharedContent('application/json', Buffer.from(JSON.stringify({ ...document, servers })))
    return this.#content
  }
}
