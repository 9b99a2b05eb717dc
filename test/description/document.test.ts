/** The description: OpenAPI, all that the contract has, each example as a server answers it, and the client's types. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describeInterface } from '../../src/api/description/document.ts'
import { type ProblemCode, problemCodes } from '../../src/api/problems.ts'
import { formOf } from '../../src/api/routes.ts'
import type { ApiForm } from '../../src/settings.ts'
import { typesFile, typesOf } from '../client/description-types.ts'
import { amount } from '../support/amount.ts'
import { projectDir } from '../support/command.ts'
import { forms } from '../support/servers-here.ts'
import { send } from '../support/service.ts'
import { type Any, Described } from './described.ts'
import { askGood, askProblem, describedRoutes, goodRequestOf, serveSample } from './exchanges.ts'

const here = await serveSample()
after(() => here.close())

/** Each rule that finds what another validator could trip over; those of taste are left out. */
const rules = [
  'struct',
  'no-unresolved-refs',
  'no-unused-components',
  'security-defined',
  'spec-components-invalid-map-name',
  'operation-operationId',
  'operation-operationId-unique',
  'operation-operationId-url-safe',
  'operation-parameters-unique',
  'operation-summary',
  'operation-description',
  'operation-2xx-response',
  'operation-4xx-response',
  'operation-tag-defined',
  'operation-singular-tag',
  'parameter-description',
  'path-parameters-defined',
  'path-declaration-must-exist',
  'no-identical-paths',
  'no-enum-type-mismatch',
  'no-path-trailing-slash',
  'no-invalid-media-type-examples',
  'no-invalid-parameter-examples',
  'tag-description',
  'no-invalid-schema-examples',
  'no-example-value-and-externalValue',
  'no-duplicated-tag-names',
  'no-schema-type-mismatch',
]

const linting = createConfig({ rules: Object.fromEntries(rules.map((rule) => [rule, 'error'])) })

/** A validator's errors for the document. */
async function problemsIn(document: Any): Promise<string[]> {
  const config = await linting
  const source = JSON.stringify(document)
  const found = await lintFromString({ source, absoluteRef: '/openapi.json', config })
  return found.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)
}

const about = { title: 'Cards of ours', contact: 'prices@example.org', currency: 'EUR' }
const documentOf = (form: ApiForm, said = {}): Any => JSON.parse(Buffer.from(describeInterface(form, said)).toString())

describe('The OpenAPI document', () => {
  const documents = [
    ['A', about],
    ['B', {}],
    ['A', {}],
  ] as const
  // The first two have the errors of each form, and info with and without a snapshot's words.
  for (const [form, said] of documents.slice(0, amount(2, 3))) {
    it(`The OpenAPI 3.1 document of form ${form} is valid if about.json has these fields: ${Object.keys(said).join(', ') || 'none'}`, async () => {
      assert.match(documentOf(form, said).openapi, /^3\.1\.\d$/)
      assert.deepEqual(await problemsIn(documentOf(form, said)), [])
    })
  }

  it('The document of form A equals docs/openapi.json, and that of form B has the plans and errors of form B', () => {
    const documented = JSON.parse(readFileSync(join(projectDir, 'docs/openapi.json'), 'utf8'))
    assert.deepEqual(documentOf('A'), documented, 'npm run documents writes it anew')
    const { paths } = documentOf('B')
    assert.match(paths['/v1/cards/batch'].post.description, / Only these plans include it: Trader, Business\.$/)
    assert.match(paths['/v1/cards/{id}/history'].get.description, / Its errors have form A\.$/)
    assert.doesNotMatch(paths['/v1/cards/{id}/prices'].get.description, /errors/)
  })

  it('The OpenAPI document has the title, contact and currency of the snapshot', () => {
    const { info } = documentOf('A', about)
    assert.deepEqual([info.title, info.contact, info['x-currency']], [about.title, { email: about.contact }, 'EUR'])
    assert.match(info.description, /Prices are in EUR\./)
    assert.deepEqual(documentOf('A', { contact: 'https://example.org/us' }).info.contact, {
      url: 'https://example.org/us',
    })
    assert.deepEqual(documentOf('A', { contact: 'Ask at the desk' }).info.contact, { name: 'Ask at the desk' })
    const plain = documentOf('A').info
    assert.deepEqual(['contact' in plain, 'x-currency' in plain], [false, false])
  })
})

describe('The request for the document', () => {
  it('A request for /openapi.json does not count, and its response has no rate limit', async () => {
    const key = { 'x-api-key': here.keys.trader }
    const remaining = async () =>
      Number((await send(here.address('A'), '/v1/games', { headers: key })).headers['x-ratelimit-remaining'])
    const earlier = await remaining()
    const reply = await send(here.address('A'), '/openapi.json', { headers: key })
    assert.equal(reply.headers['content-type'], 'application/json')
    assert.equal(reply.headers['x-ratelimit-limit'], undefined)
    assert.equal(await remaining(), earlier - 1)
  })

  it('A server without data sends /openapi.json, without a key', async () => {
    for (const form of forms) {
      const reply = await send(here.address(form, 'empty'), '/openapi.json')
      assert.deepEqual([reply.status, reply.json], [200, documentOf(form)])
      assert.equal((await send(here.address(form, 'empty'), '/healthz')).status, 503)
    }
  })
})

/**
 * A version is named after its day and its files, whose bytes are not the interface. Between releases, a clone's software
 * has a commit behind its version.
 */
const withoutSum = ({ version, software, ...json }: { version?: string; software?: string }) => ({
  ...json,
  day: version?.replace(/-\w+$/, ''),
  software: software?.replace(/\+\w+$/, ''),
})

for (const served of forms) {
  describe(`The document of form ${served} beside responses`, () => {
    let described: Described
    before(async () => {
      described = await Described.of(here, served)
    })

    for (const route of describedRoutes) {
      const { operation } = route

      it(`The 200 of ${operation} in form ${served} fits the OpenAPI document and its example`, async () => {
        const { parameters, requestBody, responses } = described.operation(operation)
        const reply = await askGood(here, served, route)
        described.check(operation, reply)
        if (reply.headers.etag !== undefined) {
          const headers = { 'x-api-key': here.keys.business, 'if-none-match': reply.headers.etag }
          const unchanged = await send(here.address(served), goodRequestOf(route).path, { headers })
          assert.equal(unchanged.status, 304)
          described.check(operation, unchanged)
        }
        const { examples } = Object.values<Any>(described.resolved(responses[200]).content)[0]
        const { path, body } = goodRequestOf(route)
        assert.deepEqual(Object.keys(examples), ['answer'])
        assert.equal(examples.answer.summary, `${route.method} ${path}`)
        const { value } = examples.answer
        if (route.media === undefined) assert.deepEqual(withoutSum(value), withoutSum(reply.json))
        else assert.equal(gunzipSync(reply.bytes).toString().slice(0, value.length), value)
        assert.deepEqual(requestBody?.content['application/json'].examples.body.value, body)
        const url = new URL(path, 'http://x')
        for (const { name, in: place, example } of parameters.filter((one: object) => 'example' in one)) {
          if (place === 'query') assert.equal(String(example), url.searchParams.get(name))
          else assert.ok(url.pathname.split('/').includes(example), name)
        }
      })

      it(`Each documented error of ${operation} in form ${served} is what the server returns`, async () => {
        for (const [status, one] of Object.entries(described.operation(operation).responses)) {
          const response = described.resolved(one)
          if (status === '200' || status === '304') continue
          const { examples } = response.content['application/json']
          assert.ok(Object.keys(examples).length > 0, status)
          for (const [code, example] of Object.entries<{ summary: string; value: { error: object } }>(examples)) {
            assert.ok(problemCodes.includes(code as ProblemCode))
            const reply = await askProblem(here, served, route, code as ProblemCode)
            assert.equal(reply.status, Number(status), code)
            assert.deepEqual(example.value, reply.json, `npm run examples writes them anew: ${operation} ${code}`)
            assert.equal(example.summary, reply.json.error.code)
            assert.equal('status' in example.value.error, formOf(route, served) === 'A')
            described.check(operation, reply)
          }
        }
      })
    }
  })
}

describe('The types of the client', () => {
  it('The client’s types are those generated from the OpenAPI document that the server sends', async () => {
    const { json } = await send(here.address('A'), '/openapi.json')
    const made = await typesOf(json)
    const isSame = readFileSync(join(projectDir, typesFile), 'utf8') === made
    assert.ok(isSame, `${typesFile} is of another description; npm run client-types writes it anew`)
  })
})
