/** The thread of the pages may die or hang, and callers notice nothing; without WEB_PORT there is nothing of it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { amount, itInAll } from '../support/amount.ts'
import {
  accounts,
  cardPrices,
  collect,
  runAccountsHere,
  start,
  temporaryFolder,
  withLimits,
} from '../support/command.ts'
import { fixtureIndex } from '../support/sample.ts'
import { type Service, send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { Person, rowsOf, shownKey } from './person.ts'
import { assertShown, webUrl } from './shown-address.ts'
import { guessedLinks, guessLinks } from './wrong-links.ts'

it('A server that is stopping still answers a form that is arriving', async () => {
  const dirs = { STORE_DIR: temporaryFolder(), INDEX_DIR: await fixtureIndex() }
  const service = await startService({ ...dirs, WEB_PORT: '0', ...withLimits({ pagesStopMsMax: 20_000 }) })
  const { port } = new URL(service.pages)
  const list = 'list=1+Charizard'
  const head = [
    'POST /value HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Connection: close',
    'Sec-Fetch-Site: same-origin',
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${list.length}`,
  ]
  const socket = connect(Number(port), '127.0.0.1')
  let answer = ''
  socket.on('data', (text) => {
    answer += text
  })
  socket.write(`${head.join('\r\n')}\r\n\r\n${list.slice(0, 5)}`)
  // A page that was asked for later is answered, so the form has begun.
  assert.equal((await send(service.pages, '/')).status, 200)
  const stopped = service.stop()
  await until('it stops', () =>
    send(service.pages, '/').then(
      () => false,
      () => true,
    ),
  )
  socket.write(list.slice(5))
  assert.equal(await stopped, 0)
  assert.match(answer, /^HTTP\/1\.1 200 /)
})

describe('A server with pages', () => {
  const [storeDir, indexDir] = [temporaryFolder(), temporaryFolder()]
  const probes = ['test/web/pages-probe.cjs']
  const limits = { pagesStopMsMax: 300 }
  const probe = withLimits(limits, ...probes)
  let key: string
  before(async () => {
    await fixtureIndex(indexDir)
    key = (await accounts(storeDir, 'create', 'acme', '--plan', 'business')).key
  })

  async function startProbed(env: NodeJS.ProcessEnv): Promise<{ service: Service; folder: string }> {
    const folder = temporaryFolder()
    const dirs = { STORE_DIR: storeDir, INDEX_DIR: indexDir, PROBE_DIR: folder }
    const service = await startService({ ...dirs, ...probe, ...env })
    return { service, folder }
  }

  const modulesIn = (folder: string, wanted: RegExp) =>
    readFileSync(join(folder, 'loaded'), 'utf8')
      .split('\n')
      .filter((url) => wanted.test(url))
  const loadedIn = (folder: string) => modulesIn(folder, /\/src\/web\/|\/node_modules\/(@?hono|uplot)/)
  /** A path that goes to other servers. */
  const sharedIn = (folder: string) =>
    modulesIn(folder, /node_modules\/pg[-/]|\/src\/postgres\/(connection|presence)|\/accounts\/fleet\//)

  describe('The start of a server', () => {
    it('A server without WEB_PORT loads no code of the pages, or of clients to other servers', async () => {
      const { service, folder } = await startProbed({})
      assert.equal(service.pages, '')
      assert.deepEqual([loadedIn(folder), sharedIn(folder)], [[], []])
      assert.equal(await service.stop(), 0)
    })

    itInAll(
      'The command npm start takes a free port if the usual one is taken, and shows the demo key once',
      async () => {
        // This test takes it, or another one's server.
        const taken = createServer().on('error', () => {})
        taken.listen(8081, '127.0.0.1')
        const env = { STORE_DIR: temporaryFolder(), INDEX_DIR: await fixtureIndex(), PORT: '0', LOG_LEVEL: 'silent' }
        const startOnce = async (check: (output: () => string) => Promise<unknown>) => {
          const child = start(cardPrices, ['start'], { ...env, API_URL: 'https://api.example' })
          const output = collect(child).stdout
          try {
            await until('it tells how to begin', () => /^sign in as demo, once:\n {2}\S+\n/m.test(output()))
            await check(output)
          } finally {
            child.kill('SIGTERM')
            assert.deepEqual(await once(child, 'exit'), [0, null])
          }
        }
        try {
          await startOnce(async (output) => {
            const address = /^pages on (\S+)$/m.exec(output())![1]!
            assert.notEqual(new URL(address).port, '8081')
            assert.equal((await send(address, '/')).status, 200)
            const reported = /^the account demo \(plan business\) has the key, shown only now:\n {2}(cpl_live_\w{38})$/m
            const headers = { 'x-api-key': reported.exec(output())![1]! }
            const api = /^listening on (\S+)$/m.exec(output())![1]!
            assert.equal((await send(api, '/v1/games', { headers })).status, 200)
            await until('it has a line to try', () => /^ {2}curl .* 'https:\/\/api\.example\/v1\//m.test(output()))
          })
          await startOnce(async (output) => assert.doesNotMatch(output(), /cpl_live_/))
        } finally {
          taken.close()
        }
      },
    )
  })

  describe('The thread of the pages', () => {
    const url = webUrl
    let service: Service
    let folder: string
    before(async () => {
      const web = { WEB_PORT: '0', WEB_HOST: '127.0.0.2', WEB_URL: url, WEB_TRUST_PROXY: '1' }
      const env = { ...web, METRICS_PORT: '0', THREADS: '2', LOG_LEVEL: 'debug' }
      // Pages that may not give way are served all the same, with a line.
      const started = await startProbed({ ...env, ...withLimits(limits, ...probes, 'test/support/no-priority.cjs') })
      service = started.service
      folder = started.folder
    })
    after(() => service.child.kill('SIGKILL'))

    const signedIn = () => Person.signedIn(service.pages, storeDir, 'acme', url)

    it('Links lead to WEB_URL, cookies are for https alone, and a priority that can’t be lowered is logged once', async () => {
      assert.match(service.pages, /^http:\/\/127\.0\.0\.2:\d+$/)
      const { url } = await accounts(storeDir, 'sign-in', 'acme')
      assert.match(url, /^https:\/\/prices\.example\/sign-in\//)
      const post = (origin: string) =>
        send(service.pages, new URL(url).pathname, { method: 'POST', headers: { origin } })
      for (const origin of ['https://evil.example', 'http://prices.example', service.pages]) {
        assert.equal((await post(origin)).status, 403, origin)
      }
      const reply = await post('https://prices.example')
      assert.equal(reply.status, 303)
      assert.match(reply.headers['set-cookie']![0]!, /; HttpOnly; Secure; SameSite=Lax/)
      assert.match(reply.headers['strict-transport-security'] as string, /^max-age=\d+/)
      await service.logs(/about\.json has no contact .* so the first page has no button /)
      if (process.platform === 'linux') {
        const reported = () => service.log().split("the pages can't get a lower priority").length - 1
        await until('it is logged', () => reported() > 0)
        assert.equal((await send(service.pages, '/')).status, 200)
        assert.equal(reported(), 1)
        assert.doesNotMatch(service.log(), /ended and is replaced/)
      }
    })

    it('The pages name WEB_URL and the API’s port, and the metrics have the API’s address', async () =>
      assertShown(service, await signedIn(), url, service.address))

    it('Wrong sign-in links are counted by the address that the proxy names if WEB_TRUST_PROXY is on', async () => {
      assert.equal(await guessLinks(service.pages), guessedLinks)
    })

    it('A change of a key holds in every thread once the page has answered', async () => {
      const person = await signedIn()
      await person.open('/dashboard/keys')
      /** Over as many connections as reach every thread. */
      const statusesWith = async (key: string) => {
        const ask = () => send(service.address, '/v1/games', { headers: { 'x-api-key': key } })
        return new Set((await Promise.all(Array.from({ length: 8 }, ask))).map(({ status }) => status))
      }
      const first = shownKey((await person.press('Create key', { name: 'staging' })).body)!
      assert.deepEqual(await statusesWith(first), new Set([200]))
      const at = rowsOf(person.page!.body, 'Keys of this account').findIndex(([name]) => name === 'staging') - 1
      await person.press('Regenerate', {}, at)
      const second = shownKey((await person.press('Yes, regenerate')).body)!
      assert.deepEqual([await statusesWith(first), await statusesWith(second)], [new Set([401]), new Set([200])])
      await person.press('Revoke', {}, at)
      await person.press('Yes, revoke')
      assert.deepEqual(await statusesWith(second), new Set([401]))
      await service.logs(/a key was created on a page/)
      for (const made of [first, second]) assert.ok(!service.log().includes(made))
    })

    it('The pages’ thread loads no code of clients to other servers', () => {
      assert.ok(loadedIn(folder).length > 20)
      assert.deepEqual(sharedIn(folder), [])
    })

    /** Callers, one request after the other each, until stopped; returns how many were answered. */
    function callers() {
      let done = false
      const seen = { answers: 0 }
      const call = async () => {
        while (!done) {
          const reply = await send(service.address, '/v1/cards/pokemon-base1-004', { headers: { 'x-api-key': key } })
          assert.equal(reply.status, 200)
          seen.answers++
          await pause(20)
        }
      }
      const all = Promise.all([call(), call(), call(), call()])
      return async () => {
        done = true
        await all
        return seen
      }
    }

    const isUp = async () => (await send(service.pages, '/').catch(() => undefined))?.status === 200

    it('A pages’ thread that dies is replaced at the same address, and no caller of the API loses an answer', async () => {
      const person = await signedIn()
      const stopCallers = callers()
      for (let round = 0; round < amount(1, 2); round++) {
        writeFileSync(join(folder, 'throw'), '')
        await until('it died', async () => !existsSync(join(folder, 'throw')) && !(await isUp()))
        // 2 s by the contract, of which a machine that has other things to do takes many: the bound is until's own.
        await until('it is back', isUp)
        const metrics = await send(service.metrics, '/metrics')
        const [, failures] = /^cpl_pages_thread_failures_total (\d+)$/m.exec(metrics.body) ?? []
        assert.ok(Number(failures) >= round + 1, `${failures}`)
      }
      const { answers } = await stopCallers()
      assert.ok(answers > amount(25, 50), `${answers} answers`)
      assert.equal((await person.open('/dashboard/look-up?q=charizard')).status, 200)
      assert.match(person.page!.body, /Charizard Hunter/)
      await service.logs(/this thread was made to end.*the thread of the pages failed/)
    })

    it('A pages’ thread that hangs delays no caller, no command and no stop', async () => {
      const stopCallers = callers()
      writeFileSync(join(folder, 'hang'), '')
      await until('it hangs', () => !existsSync(join(folder, 'hang')))
      const { key: second } = await accounts(storeDir, 'create-key', 'acme')
      assert.equal((await send(service.address, '/v1/games', { headers: { 'x-api-key': second } })).status, 200)
      await stopCallers()
      const begun = performance.now()
      assert.equal(await service.stop(), 0)
      assert.ok(performance.now() - begun < 10_000)
      const { stderr } = await runAccountsHere(storeDir, 'sign-in', 'acme')
      assert.match(stderr, /address of the pages is not known/, 'a server that stopped takes its note along')
    })

    it('A server stops while its pages’ thread has died and is not replaced yet', async () => {
      const one = await startProbed({
        STORE_DIR: temporaryFolder(),
        WEB_PORT: '0',
        ...withLimits({ delayMsFirst: 60_000, delayMsMax: 60_000 }, 'test/web/pages-probe.cjs'),
      })
      writeFileSync(join(one.folder, 'throw'), '')
      await one.service.logs(/the thread of the pages ended and is replaced/)
      assert.equal(await one.service.stop(), 0)
    })
  })
})
