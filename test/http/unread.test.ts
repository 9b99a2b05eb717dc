/** Callers who never read what they are answered: what waits for them is bounded, and nobody else notices. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { makePair } from '../support/certificates.ts'
import { accounts, build, projectDir, temporaryFolder } from '../support/command.ts'
import { pipelined, requestText } from '../support/pipelined.ts'
import { skipWithout } from '../support/programs.ts'
import { type Service, startService } from '../support/service.ts'
import { askerOf, floodUnread, skipUnlessLinux, unreadRequests, type Watched } from '../support/unread.ts'

const indexDir = temporaryFolder()
const storeDir = temporaryFolder()
let key: string
before(async () => {
  const built = await build(join(projectDir, 'snapshots'), indexDir)
  assert.equal(built.code, 0, built.stderr)
  key = (await accounts(storeDir, 'create', 'shop', '--plan', 'business')).key
})

const kinds = [
  { what: 'plainly', secure: false, skip: skipUnlessLinux },
  { what: 'over TLS', secure: true, skip: skipUnlessLinux || skipWithout('openssl') },
]
for (const { what, secure, skip } of kinds) {
  describe(`a server that is asked ${what}`, { skip }, () => {
    let service: Service
    let watched: Watched
    before(async () => {
      const pair = secure ? await makePair('localhost') : undefined
      const tls = pair && { TLS_CERT: pair.cert, TLS_KEY: pair.key }
      service = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir, ...tls })
      const { address } = service
      watched = { address, pid: service.child.pid!, ask: askerOf(address, '/healthz') }
    })
    after(async () => {
      assert.equal(await service.stop(), 0)
    })

    for (const name of ['GET /openapi.json', 'GET /v1/search', 'OPTIONS /healthz']) {
      it(`keeps no more than its bound of unread answers to ${name}`, async (test) => {
        const flooded = await floodUnread(watched, [unreadRequests(key).get(name)!], { connections: 4, times: 1000 })
        test.diagnostic(JSON.stringify(flooded))
        assert.ok(flooded.moreMb < 48, `${flooded.moreMb} MB more`)
      })
    }

    it('closes who alternates between routes, and says so once', async (test) => {
      const flooded = await floodUnread(watched, [...unreadRequests(key).values()], { connections: 8, times: 4000 })
      test.diagnostic(JSON.stringify(flooded))
      assert.ok(flooded.moreMb < 48, `${flooded.moreMb} MB more`)
      const lines = service.log().trim().split('\n')
      assert.equal(lines.length, 1)
      assert.match(lines[0]!, /"level":40.*"connections":1,"msg":"closed connections whose clients ask on without read/)
    })
  })
}

it('who pipelines and reads has every answer, in order', async () => {
  const service = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir })
  const statuses = await pipelined(service.address, requestText('/v1/search?q=e&limit=20', key), 500)
  assert.deepEqual([...statuses], [[200, 500]])
  assert.equal(await service.stop(), 0)
  assert.equal(service.log(), '')
})
