/** Compression of the pages. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { Hono } from 'hono'
import { compressedBytesMin } from '../../src/limits.ts'
import { loadAssets } from '../../src/web/assets.ts'
import { compressed } from '../../src/web/shared-content.ts'
import type { PageEnv } from '../../src/web/site.ts'
import { fixtureIndex } from '../support/sample.ts'
import { send } from '../support/service.ts'
import { servePages } from './service-here.ts'

describe('what the pages send', () => {
  const service = servePages(fixtureIndex)
  const assets = loadAssets()
  const paths = [
    '/openapi.json',
    ...['style.css', 'icon.svg', 'figures.js', 'uplot.js', 'uplot.css'].map((name) => assets.path(name)),
  ]
  /** test/api/bulk.test.ts has the many ways to write one. */
  const accepted: readonly (readonly [list: string | undefined, encoding: 'gzip' | undefined])[] = [
    [undefined, undefined],
    ['br', undefined],
    ['*, gzip;q=0.000', undefined],
    ['gzip, deflate, br, zstd', 'gzip'],
  ]
  for (const path of paths) {
    it(`${path.slice(path.lastIndexOf('/'))} comes as Accept-Encoding asks for it, and says that it would`, async () => {
      const { status, bytes: plain } = await send(service.pages, path)
      assert.equal(status, 200)
      assert.ok(plain.length > 100)
      for (const [list, encoding] of accepted) {
        const headers: Record<string, string> = list === undefined ? {} : { 'accept-encoding': list }
        const reply = await send(service.pages, path, { headers })
        assert.equal(reply.status, 200)
        assert.equal(reply.headers['content-encoding'], encoding, list)
        assert.equal(reply.headers.vary, 'Accept-Encoding')
        assert.equal(reply.headers['content-length'], `${reply.bytes.length}`)
        assert.ok(plain.equals(encoding === undefined ? reply.bytes : gunzipSync(reply.bytes)), list)
        const head = await send(service.pages, path, { method: 'HEAD', headers })
        assert.deepEqual([head.status, head.body, head.headers['content-encoding']], [200, '', encoding])
        for (const name of ['content-type', 'cache-control', 'vary'])
          assert.equal(head.headers[name], reply.headers[name])
      }
    })
  }
})

it('a response is compressed above 1 KB, for who takes it so', async () => {
  const app = new Hono<PageEnv>()
  const texts = { '/small': 'x'.repeat(compressedBytesMin - 2), '/large': 'é'.repeat(compressedBytesMin) }
  for (const [path, text] of Object.entries(texts)) app.get(path, (context) => compressed(context, context.json(text)))
  for (const [path, text] of Object.entries(texts)) {
    for (const accepted of [undefined, 'identity', 'gzip;q=0', 'br, gzip']) {
      const reply = await app.request(path, accepted === undefined ? {} : { headers: { 'Accept-Encoding': accepted } })
      const encoding = path === '/large' && accepted === 'br, gzip' ? 'gzip' : null
      assert.deepEqual(
        [reply.headers.get('Content-Encoding'), reply.headers.get('Vary')],
        [encoding, 'Accept-Encoding'],
      )
      const bytes = Buffer.from(await reply.arrayBuffer())
      assert.equal(JSON.parse((encoding === null ? bytes : gunzipSync(bytes)).toString()), text)
    }
  }
})
