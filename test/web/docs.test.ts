/** The reference: the description as this listener serves it, and as a page. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { reserveAccounts } from '../../src/accounts/shared.ts'
import { describeInterface } from '../../src/api/description/document.ts'
import type { BoundedServer } from '../../src/node-http/bounded-server.ts'
import { freePort } from '../../src/process/free-port.ts'
import { Store } from '../../src/store/store.ts'
import { pagesServer } from '../../src/web/app.ts'
import { Description } from '../../src/web/description.ts'
import { temporaryFolder } from '../support/command.ts'
import { send } from '../support/service.ts'
import { rowsOf, textOf, weightOf } from './person.ts'
import { appOf } from './service-here.ts'

describe('the reference', () => {
  const given = Buffer.from(
    JSON.stringify({ openapi: '3.1.0', info: { title: 'Cards’', version: '1' }, servers: [{ url: '/' }], paths: {} }),
  )
  const description = new Description()
  let server: BoundedServer
  const api = 'http://127.0.0.1:8080'
  let pages = ''
  let store: Store
  before(async () => {
    const storeDir = temporaryFolder()
    store = new Store(storeDir)
    const port = await freePort('127.0.0.1', 0)
    pages = `http://127.0.0.1:${port}`
    const accounts = reserveAccounts(storeDir, false)
    server = pagesServer(appOf(store, { accounts, url: pages, api, description }), undefined)
    await server.listen('127.0.0.1', port)
  })
  after(async () => {
    await server.close(0)
    await store.close()
  })

  it('has the description of the version, with the address of the interface first, as soon as there is one', async () => {
    assert.match((await send(pages, '/docs/reference')).body, /The description is being made/)
    const early = await send(pages, '/openapi.json')
    assert.deepEqual([early.status, early.headers['retry-after']], [503, '1'])
    description.show(given)
    const reply = await send(pages, '/openapi.json')
    assert.equal(reply.status, 200)
    assert.equal(reply.headers['content-type'], 'application/json')
    assert.deepEqual(reply.json, { ...JSON.parse(given.toString()), servers: [{ url: api }, { url: '/' }] })
  })

  it('has llms.txt, which names the interface and its requests for assistants', async () => {
    const { status, headers, body } = await send(pages, '/llms.txt')
    assert.deepEqual([status, headers['content-type']], [200, 'text/plain; charset=UTF-8'])
    assert.match(body, new RegExp(`^# Card price lookup\n[^]*${api}[^]*GET /v1/search\\?q=`))
  })

  it('is another one with another version, and is made once', async () => {
    description.show(Buffer.from('{"openapi":"3.1.0","info":{"title":"Others","version":"2"}}'))
    for (const headers of [{}, { 'accept-encoding': 'gzip' }]) {
      const { bytes } = await send(pages, '/openapi.json', { headers })
      const { info, servers } = JSON.parse((bytes[0] === 0x7b ? bytes : gunzipSync(bytes)).toString())
      assert.deepEqual([info.title, servers], ['Others', [{ url: api }]])
    }
    assert.equal(description.contentFor(api), description.contentFor(api))
  })

  it('has each operation of the description with its parameters, statuses and examples, and each schema', async () => {
    const bytes = Buffer.from(describeInterface('A', {}))
    description.show(bytes)
    const { body } = await send(pages, '/docs/reference')
    const { paths, components } = JSON.parse(bytes.toString())
    const sections = new Map(
      [...body.matchAll(/<section class="operation" aria-labelledby="(\w+)">(.*?)<\/section>/gs)].map(
        ([, id, text]) => [id, text!],
      ),
    )
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(methods as typeof paths)) {
        const { operationId, parameters, responses } = operation as typeof paths
        const section = sections.get(operationId) ?? ''
        assert.match(textOf(section), new RegExp(`${method.toUpperCase()} ${path.replaceAll(/[{}]/g, '.')} `))
        const columnOf = (caption: string) =>
          rowsOf(section, caption)
            .slice(1)
            .map(([first]) => first!.replace(' required', ''))
        assert.deepEqual(columnOf('Responses'), Object.keys(responses), path)
        const named = parameters.map(
          ({ name, $ref }: typeof paths) => name ?? components.parameters[$ref.split('/').at(-1)].name,
        )
        assert.deepEqual(named.length === 0 ? [] : columnOf('Parameters'), named, path)
        sections.delete(operationId)
      }
    }
    assert.deepEqual([...sections.keys()], [])
    for (const name of Object.keys(components.schemas)) assert.ok(body.includes(`<h3 id="schema-${name}">`), name)
    for (const [, id] of body.matchAll(/href="#([^"]*)"/g)) assert.ok(body.includes(`id="${id}"`), id)
  })

  it('names types, bounds and defaults, and fields within fields', async () => {
    const { body } = await send(pages, '/docs/reference')
    const search = /aria-labelledby="searchCards">(.*?)<\/section>/s.exec(body)![1]!
    const parameters = new Map(rowsOf(search, 'Parameters').map(([name, type]) => [name, type]))
    assert.equal(parameters.get('q required'), 'string, 1 to 200 characters')
    assert.equal(parameters.get('limit'), 'integer, 1 to 100, default 20')
    assert.equal(parameters.get('offset'), 'integer, at least 0, default 0')
    assert.equal(parameters.get('view'), 'summary , full , extended , default summary')
    assert.equal(parameters.get('If-Match'), 'string in the header')
    assert.deepEqual(rowsOf(search, 'Responses')[1], ['200', 'What was asked for.', 'searchPage or text/csv'])
    const fields = new Map(rowsOf(body, 'matches').map(([name, type]) => [name, type]))
    assert.equal(fields.get('data[].candidates[]'), 'array of listedCard , at most 5 items')
    assert.equal(fields.get('data[].card'), 'listedCard or null')
  })

  it('is a page of at most 120 kB with all its parts', async () => {
    const { bytes } = await weightOf(pages, '/docs/reference')
    assert.ok(bytes <= 120_000, `${bytes} bytes`)
  })

  it('is there without a version too, and the first page says that there are no cards yet', async () => {
    const { status, body } = await send(pages, '/')
    assert.equal(status, 200)
    assert.match(body, /No cards have been published yet/)
  })
})
