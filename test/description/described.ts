/** The description as a server gives it, read as a caller's tools read it: which answers it allows to which operation. */
import assert from 'node:assert/strict'
import { gunzipSync } from 'node:zlib'
import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { ApiForm } from '../../src/settings.ts'
import type { ServersHere } from '../support/servers-here.ts'
import { type Reply, send } from '../support/service.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document of many kinds of objects
export type Any = any

const documentId = 'openapi.json'

export class Described {
  readonly document: Any
  readonly #ajv: Ajv2020
  readonly #checks = new Map<string, ValidateFunction>()

  constructor(document: Any) {
    this.document = document
    this.#ajv = new Ajv2020({ strict: true, allErrors: true })
    this.#ajv.addVocabulary(Object.keys(document))
    // The library's default export has the formats, unlike its types.
    ;(formats as unknown as (ajv: Ajv2020) => void)(this.#ajv)
    this.#ajv.addSchema(document as AnySchema, documentId)
  }

  /** As the server of that form gives it, without a key. */
  static async of(here: ServersHere, form: ApiForm): Promise<Described> {
    const { status, json } = await send(here.address(form), '/openapi.json')
    assert.equal(status, 200)
    return new Described(json)
  }

  /** Each operation with its path and method. */
  operations(): { readonly path: string; readonly method: string; readonly operation: Any }[] {
    return Object.entries(this.document.paths).flatMap(([path, item]) =>
      Object.entries(item as object).map(([method, operation]) => ({ path, method, operation })),
    )
  }

  operation(operationId: string): Any {
    const found = this.operations().find(({ operation }) => operation.operationId === operationId)
    assert.ok(found !== undefined, `${operationId} is not described`)
    return found.operation
  }

  /** The value there, or the one that it refers to. */
  resolved(value: Any): Any {
    if (typeof value?.$ref !== 'string') return value
    return this.resolved(this.#at(value.$ref))
  }

  /** The value's errors by the schema; empty if it is right. */
  wrongBy(schema: Any, value: unknown): string {
    const place = JSON.stringify(schema)
    let check = this.#checks.get(place)
    if (check === undefined) {
      check = this.#ajv.compile(inDocument(schema) as AnySchema)
      this.#checks.set(place, check)
    }
    return check(value) ? '' : this.#ajv.errorsText(check.errors)
  }

  /** That the answer is one that the operation may give: its status, its headers and its body. */
  check(operationId: string, reply: Reply): void {
    const { status, headers, body } = reply
    const reported = `${operationId} answered ${status} ${body.slice(0, 300)}`
    const response = this.resolved(this.operation(operationId).responses[status])
    assert.ok(response !== undefined, `${reported}, which is not described`)
    const type = headers['content-type']?.split(';', 1)[0]
    const isCsv = type === 'text/csv'
    for (const name of ownHeaders) {
      const header = this.resolved(response.headers?.[name])
      const text = headers[name.toLowerCase()]
      if (header === undefined || (name === 'X-Total' && !isCsv)) {
        assert.equal(text, undefined, `${reported}: ${name}, which is not described`)
        continue
      }
      assert.notEqual(text, undefined, `${reported} without ${name}`)
      assert.equal(header.required, !optionalHeaders.includes(name), `${operationId} ${status}: ${name} is required`)
      const value = header.schema.type === 'integer' ? Number(text) : text
      assert.equal(this.wrongBy(header.schema, value), '', `${reported}: ${name}: ${text}`)
    }
    const caching = status === 200 || status === 304 ? 'private' : 'no-store'
    assert.equal(headers['cache-control'], caching, reported)
    if (response.content === undefined) assert.equal(body, '', reported)
    else {
      assert.ok(type !== undefined && type in response.content, reported)
      this.#checkBody(response.content[type], isCsv ? { ...reply, json: body } : reply, reported)
    }
  }

  #checkBody({ schema }: Any, { json, bytes }: Reply, reported: string): void {
    const isPacked = schema.contentSchema !== undefined
    const text = isPacked ? gunzipSync(bytes).toString() : ''
    assert.equal(this.wrongBy(schema, isPacked ? text : json), '', reported)
    if (!isPacked) return
    const lines = text.split('\n').slice(0, -1)
    const records = lines.map((line) => JSON.parse(line))
    assert.equal(this.wrongBy(schema.contentSchema, records), '', reported)
  }

  #at(reference: string): Any {
    const names = reference.replace(/^#\//, '').split('/')
    return names.reduce((value, name) => value[name.replaceAll('~1', '/').replaceAll('~0', '~')], this.document)
  }
}

/** Those that the description speaks of. */
const ownHeaders = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'ETag',
  'Cache-Control',
  'Retry-After',
  'Allow',
  'X-Total',
  'Content-Encoding',
]
const optionalHeaders = ['X-Total', 'Content-Encoding']

/** A schema of the document whose references are found from outside. */
const inDocument = (schema: Any): Any =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#', `"$ref":"${documentId}#`))
