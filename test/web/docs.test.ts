/** The reference: the description as this listener serves it, and what drawing it takes. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import pino from 'pino'
import { openReplication } from '../../src/accounts/replication/replication.ts'
import { reserveAccounts } from '../../src/accounts/shared.ts'
import { SignIns } from '../../src/accounts/sign-ins.ts'
import { describeInterface } from '../../src/api/description/document.ts'
import { routes } from '../../src/api/routes.ts'
import type { BoundedServer } from '../../src/node-http/server.ts'
import { freePort } from '../../src/process/port.ts'
import { Store } from '../../src/store/store.ts'
import { makeApp, pagesServer } from '../../src/web/app.ts'
import { loadAssets } from '../../src/web/assets.ts'
import { CurrentData } from '../../src/web/current-data.ts'
import { Description } from '../../src/web/description.ts'
import { LookUps } from '../../src/web/look-ups.ts'
import { HeldNewKeys } from '../../src/web/new-keys.ts'
import { temporaryFolder } from '../support/command.ts'
import { send } from '../support/service.ts'
import { textOf } from './person.ts'

describe('the reference', () => {
  /** A description is large: as it is sent, the page with all of its parts is not. */
  const docsBytesMax = 1.5e6

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
    const replication = await openReplication(store, undefined)
    const site = {
      store,
      accounts: reserveAccounts(storeDir, false),
      signIns: new SignIns(store, replication),
      newKeys: new HeldNewKeys(),
      lookUps: new LookUps(),
      others: undefined,
      replication,
      url: pages,
      api,
      apiPort: undefined,
      trustsProxy: false,
      data: new CurrentData(),
      assets: loadAssets(),
      log: pino({ level: 'silent' }),
      clock: Date.now,
      description,
    }
    server = pagesServer(makeApp(site), undefined)
    await server.listen('127.0.0.1', port)
  })
  after(async () => {
    await server.close(0)
    await store.close()
  })

  it('has the description of the version, with the address of the interface first, as soon as there is one', async () => {
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

  it('is drawn from parts that are served here, in 1.5 MB as they are sent', async () => {
    const { body, headers } = await send(pages, '/docs/reference')
    assert.match(headers['content-security-policy'] as string, /; img-src 'self' data:; connect-src 'self'; /)
    assert.match(body, /data-description="\/openapi\.json"/)
    let bytes = body.length
    for (const [, path] of body.matchAll(/(?:src|href|data-script)="(\/assets\/[^"]*)"/g)) {
      const part = await send(pages, path!, { headers: { 'accept-encoding': 'gzip' } })
      assert.equal(part.status, 200)
      bytes += Number(part.headers['content-length'])
    }
    assert.ok(bytes > 100_000 && bytes < docsBytesMax, `${bytes} bytes`)
  })

  it('has every operation before it is drawn, and without scripts', async () => {
    description.show(describeInterface('A', {}))
    const text = textOf((await send(pages, '/docs/reference')).body)
    for (const { method, path } of routes.filter(({ path }) => path !== '/openapi.json')) {
      assert.ok(text.includes(`${method} ${path} `), path)
    }
  })

  it('is there without a version too, and the first page says that there are no cards yet', async () => {
    const { status, body } = await send(pages, '/')
    assert.equal(status, 200)
    assert.match(body, /No cards have been published yet/)
  })
})
