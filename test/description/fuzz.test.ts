/** Requests of a caller who knows the description alone, right and wrong ones: no answer has a status or a body that it does not describe. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { amount } from '../support/amount.ts'
import { drawBelow, drawFrom, type Random, randomFrom } from '../support/random.ts'
import { forms, type ServersHere } from '../support/servers-here.ts'
import { type Sent, send } from '../support/service.ts'
import { type Any, Described } from './described.ts'
import { serveSample } from './exchanges.ts'

let here: ServersHere
before(async () => {
  here = await serveSample()
})
after(() => here.close())

const oddTexts = [
  ...[
    '',
    ' ',
    '0',
    '-1',
    '1.5',
    '9'.repeat(40),
    'null',
    '[]',
    '{}',
    '%',
    '%zz',
    '\0',
    '😀',
    'リザードン',
    "'--",
    '../..',
  ],
  ...['<b>', '__proto__', 'a'.repeat(201), 'x'.repeat(1000), '4/102', 'Base Set', 'true', '\ud800', '&', '=', '+'],
]

class Fuzzer {
  readonly #random: Random
  readonly #described: Described

  constructor(random: Random, described: Described) {
    this.#random = random
    this.#described = described
  }

  now(in_: number): boolean {
    return drawBelow(this.#random, in_) === 0
  }

  from<Value>(values: readonly Value[]): Value {
    return drawFrom(this.#random, values)
  }

  /** A value that the schema allows, mostly. */
  value(given: Any): Any {
    const schema = this.#described.resolved(given)
    if (this.now(12)) return this.from([null, 1, -1, true, [], {}, ...oddTexts])
    if (schema.enum !== undefined) return this.from(schema.enum)
    if (schema.anyOf !== undefined) return this.value(this.from(schema.anyOf))
    switch (schema.type) {
      case 'object':
        return Object.fromEntries(
          Object.entries<Any>(schema.properties ?? {}).flatMap(([name, property]) =>
            schema.required?.includes(name) && !this.now(20)
              ? [[name, this.value(property)]]
              : this.#maybe(name, property),
          ),
        )
      case 'array':
        return Array.from({ length: drawBelow(this.#random, this.now(20) ? 30 : 4) }, () => this.value(schema.items))
      case 'integer':
        return this.from([schema.minimum ?? 0, schema.default ?? 1, schema.maximum ?? 7, 3])
      case 'number':
        return this.from([0, 1.5, 99.99])
      case 'null':
        return null
      default:
        return this.from(['charizard', 'pikachu 60/64', 'x', 'base1', '4', 'Holofoil', ...oddTexts])
    }
  }

  #maybe(name: string, property: Any): [string, Any][] {
    return this.now(2) ? [[name, this.value(property)]] : []
  }

  /** A request of an operation: with its example's values, or others. */
  request(path: string, operation: Any): { path: string; sent: Sent } {
    const headers: Record<string, string> = {}
    let address = path
    const query: string[] = []
    for (const one of operation.parameters ?? []) {
      const { name, in: place, required, schema, example } = this.#described.resolved(one)
      if (!required && this.now(2)) continue
      const value = example !== undefined && !this.now(3) ? example : this.value(schema)
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      const encoded = this.now(30) ? this.from(['%', '%ff', '%zz']) : encodeURIComponent(text.toWellFormed())
      if (place === 'path') address = address.replace(`{${name}}`, encoded || 'x')
      else if (place === 'query') query.push(`${name}=${encoded}`)
      else headers[name.toLowerCase()] = this.from(['*', '"x"', 'W/"2026-11-20-000000000000", "y"', ','])
    }
    if (this.now(10)) query.push(this.from(['page=2', 'order=name', 'q=a', 'x=1', 'days=7', 'view=full', '=', '&&']))
    const content = operation.requestBody?.content['application/json']
    if (content === undefined) return { path: `${address}?${query.join('&')}`, sent: { headers } }
    headers['content-type'] = this.now(15) ? 'text/plain' : 'application/json'
    const example = Object.values<Any>(content.examples)[0]?.value
    const body = this.now(15)
      ? this.from(['', '{', 'null', '[]', '"x"', ' '.repeat(20_000), '\ufeff{}', '{"cards":[null]}'])
      : JSON.stringify(this.now(3) ? example : this.value(content.schema))
    return { path: `${address}?${query.join('&')}`, sent: { headers, body } }
  }
}

it('every answer is described', async () => {
  const statuses = new Map<number, number>()
  for (const served of forms) {
    const described = await Described.of(here, served)
    const fuzzer = new Fuzzer(randomFrom(`fuzzed ${served}`), described)
    const operations = described.operations()
    for (let i = 0; i < amount(160, 10_000); i++) {
      const { path, method, operation } = fuzzer.from(operations)
      const { path: address, sent } = fuzzer.request(path, operation)
      const key = fuzzer.now(12) ? fuzzer.from(['', 'wrong', here.keys.free, here.keys.spent]) : here.keys.business
      const headers: Record<string, string> = { ...sent.headers, ...(key === '' ? {} : { 'x-api-key': key }) }
      // Nobody reads the body of a method that a path does not have.
      const asked = fuzzer.now(25) ? { method: 'DELETE' } : { ...sent, method: method.toUpperCase() }
      const reply = await send(here.address(served), address, { ...asked, headers })
      described.check(operation.operationId, reply)
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
    }
  }
  for (const status of [200, 304, 400, 401, 403, 404, 405, 429]) assert.ok(statuses.get(status), `${status}`)
})
