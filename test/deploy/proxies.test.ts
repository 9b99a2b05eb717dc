/** The proxies' files lead every route of the API to PORT, and every page to WEB_PORT. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { patternOf, routes } from '../../src/api/routes.ts'
import { makeApp } from '../../src/web/app.ts'
import type { Site } from '../../src/web/site.ts'
import { temporaryFolder } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { startBalancer, startProxy } from '../support/proxies.ts'
import { fixtureIndex } from '../support/sample.ts'
import { type Service, send, startService } from '../support/service.ts'

const headers = { host: 'prices.example' }
const portIn = (address: string) => Number(new URL(address).port)

let service: Service

before(async () => {
  const indexDir = temporaryFolder()
  await fixtureIndex(indexDir)
  service = await startService({ INDEX_DIR: indexDir, STORE_DIR: temporaryFolder(), WEB_PORT: '0' })
})

after(async () => assert.equal(await service.stop(), 0))

async function startFile(file: string) {
  const [port, pagesPort] = [portIn(service.address), portIn(service.pages)]
  if (file === 'nginx.conf') return startProxy('nginx', [port], { pagesPort })
  if (file === 'haproxy.cfg') return startProxy('haproxy', [port], { pagesPort })
  return startBalancer([port, port, port], [pagesPort, pagesPort, pagesPort])
}

/** `METHOD /path`, each parameter a value that nothing has. */
const asked = (method: string, path: string) => `${method} ${patternOf(path).replaceAll(/:\w+|\*/g, 'nope')}`
const ofApi = new Set([
  ...routes.map(({ method, path }) => asked(method, path)),
  'GET /v1',
  'GET /v1/nope',
  'GET //v1/games',
])
/** The pages' table of routes; their `/openapi.json` is for those who have no proxy. */
const ofPages = new Set(
  makeApp({ url: 'http://127.0.0.1' } as Site)
    .routes.filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => asked(method, path))
    .concat('GET /nope', 'GET /v1nope', 'GET /healthz/nope', 'GET /metrics')
    .filter((one) => !ofApi.has(one)),
)

for (const file of ['nginx.conf', 'haproxy.cfg', 'haproxy-three.cfg']) {
  describe(`deploy/${file}`, { skip: skipWithout(file === 'nginx.conf' ? 'nginx' : 'haproxy') }, () => {
    it('leads each route to where it is answered', async (t) => {
      assert.ok(ofPages.size > 20, `${ofPages.size} pages`)
      const proxy = await startFile(file)
      t.after(() => proxy.stop())
      for (const [all, address] of [
        [ofApi, service.address],
        [ofPages, service.pages],
      ] as const) {
        for (const one of all) {
          const [method, path] = one.split(' ') as [string, string]
          const [direct, through] = [
            await send(address, path, { method, headers }),
            await send(`http://127.0.0.1:${proxy.port}`, path, { method, headers }),
          ]
          const came = through.headers['content-security-policy'] === undefined ? service.address : service.pages
          assert.deepEqual([came, through.status], [address, direct.status], one)
        }
      }
    })
  })
}
