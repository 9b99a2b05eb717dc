/**
 * The server behind nginx and HAProxy, as deploy configures them: answers are those of the server itself, and no
 * request, in any framing of its end, moves another caller's answer.
 *
 *   stranger ─ GET, with a request in its body ─▶ ┌───────┐        ┌────────┐
 *   caller ─── its own cards, one after another ─▶│ proxy │─ few ─▶│ server │
 *   caller ─── …                                ─▶└───────┘        └────────┘
 *
 * A hidden request has a key of its own, whose count tells whether it was ever answered.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { listBytesMax, listFormBytesMax, wrongLinksPerMinuteMax } from '../../src/limits.ts'
import { makePair, TlsCaller } from '../support/certificates.ts'
import { accounts, temporaryFolder } from '../support/command.ts'
import { unusedPort } from '../support/port.ts'
import type { Program } from '../support/program.ts'
import { skipWithout } from '../support/programs.ts'
import { proxyNames, startBalancer, startProxy } from '../support/proxies.ts'
import { Wire } from '../support/proxy-wire.ts'
import { drawBelow, type Random, randomFrom } from '../support/random.ts'
import { fixtureIndex } from '../support/sample.ts'
import { type Reply, type Sent, type Service, send, startService } from '../support/service.ts'
import { formsIn, Person } from '../web/person.ts'
import { type HostileRequest, host, hostileRequests, requestOf } from './hostile-requests.ts'
import { Callers, within } from './proxy-callers.ts'

const seed = 20_261_121
const mixtures = 200
const connectionsMax = 20

/** The addresses that people open. */
const webUrl = `http://${host}`

const storeDir = temporaryFolder()
const keys: Record<string, string> = {}
let service: Service
let serverPort: number
let callers: Callers

before(async () => {
  const indexDir = temporaryFolder()
  await fixtureIndex(indexDir)
  for (const [name, plan] of Object.entries({ caller: 'business', hidden: 'business', free: 'free' })) {
    keys[name] = (await accounts(storeDir, 'create', name, '--plan', plan)).key
  }
  const web = { WEB_PORT: '0', WEB_URL: webUrl, WEB_TRUST_PROXY: '1', OPERATOR_PAGES: 'on' }
  service = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir, ...web })
  serverPort = Number(new URL(service.address).port)
  callers = await Callers.of(service, [keys['caller']!])
})

after(async () => assert.equal(await service.stop(), 0))

const ask = (address: string, path: string, sent: Sent = {}): Promise<Reply> =>
  send(address, path, { ...sent, headers: { host, 'x-api-key': keys['caller']!, ...sent.headers } })

/** The server's connections that are open or were a moment ago (Linux). */
function connectionsToServer(): number {
  const port = `:${serverPort.toString(16).toUpperCase().padStart(4, '0')}`
  const lines = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1)
  const addresses = lines.map((line) => line.trim().split(/\s+/))
  return addresses.filter(([, , remote]) => remote!.endsWith(port)).length
}

/** The count of the hidden key's requests; reading it counts nothing. */
async function hiddenUsed(): Promise<number> {
  const { headers } = await ask(service.address, '/v1/games', {
    method: 'DELETE',
    headers: { 'x-api-key': keys['hidden']! },
  })
  return Number(headers['x-ratelimit-limit']) - Number(headers['x-ratelimit-remaining'])
}

const json = { 'content-type': 'application/json' }
const batch = (body: string, headers: Record<string, string> = json): Sent => ({ method: 'POST', headers, body })
const ids = (...asked: string[]) => batch(JSON.stringify({ ids: asked }))

/** Status, body and the headers that the interface names are those of the server itself. */
const contract: readonly (readonly [path: string, sent?: Sent])[] = [
  ['/healthz'],
  ['/v1/cards/pokemon-base1-004'],
  ['/v1/cards/pokemon%2Dbase1%2d004'],
  ['/v1/cards/nope'],
  ['/v1/cards/pokemon-base1-004?unknown=%zz&also'],
  ['/v1/cards/pokemon-base1-004/history'],
  ['/v1/cards/pokemon-base1-004/history?period=all'],
  ['/v1/cards/pokemon-base1-004/history?period=2d'],
  ['/v1/cards/pokemon-base1-004/prices?days=90'],
  ['/v1/cards/pokemon-base1-004/prices?days=91'],
  ['/v1/cards/nope/prices'],
  ['/v1/cards/a%2Fb'],
  ['/v1/search?q=charizard'],
  ['/v1/search?q=hunter+charizard'],
  ['/v1/search?q=hunter%20charizard'],
  ['/v1/search?q=%E3%83%AA%E3%82%B6'],
  ['/v1/search?q=%'],
  ['/v1/search?q=%ff'],
  ['/v1/search?q=charizard&q=pikachu'],
  ['/v1/search?q=forest&limit=0'],
  ['/v1/search'],
  ['/v1/sets?limit=2&offset=3'],
  ['/v1/sets?game=pokemon'],
  ['/v1/sets?game=chess'],
  ['/v1/games'],
  ['/v1/nope'],
  ['//v1/games'],
  ['/v1/x/../games'],
  ['/v1/games', { method: 'HEAD' }],
  ['/v1/nope', { method: 'HEAD' }],
  ['/v1/games', { method: 'OPTIONS' }],
  ['/v1/cards/batch', { method: 'OPTIONS' }],
  ['/v1/games', { method: 'DELETE' }],
  ['/v1/games', { headers: { 'x-api-key': '' } }],
  ['/v1/games', { headers: { 'x-api-key': 'cpl_live_wrong' } }],
  ['/v1/cards/pokemon-base1-004/history', { headers: { 'x-api-key': 'free' } }],
  ['/v1/cards/batch', ids('pokemon-base1-004', 'nope', 'mtg-lea-7')],
  ['/v1/cards/batch', ids(...Array.from({ length: 21 }, (_, i) => `mtg-lea-${i + 1}`))],
  ['/v1/cards/batch', batch('{"ids":[')],
  ['/v1/cards/batch', batch('{"ids":[]}', { 'content-type': 'text/plain' })],
]
const reported = ['content-type', 'content-length', 'allow', 'x-ratelimit-limit', 'x-ratelimit-reset'] as const

for (const name of proxyNames) {
  describe(`A server behind ${name}`, { skip: skipWithout(name) }, () => {
    let proxy: Program
    let address: string
    const wires: Wire[] = []
    const hostile: HostileRequest[] = []

    before(async () => {
      proxy = await startProxy(name, [serverPort])
      address = `http://127.0.0.1:${proxy.port}`
      for (let i = 0; i < 3; i++) wires.push(await Wire.open(proxy.port))
      hostile.push(...hostileRequests(keys['caller']!, keys['hidden']!))
    })

    after(async () => {
      for (const wire of wires) wire.close()
      await proxy.stop()
    })

    it(`A server behind ${name} answers as it does directly`, async () => {
      for (const [path, sent = {}] of contract) {
        const key = sent.headers?.['x-api-key'] === 'free' ? { 'x-api-key': keys['free']! } : {}
        const one = { ...sent, headers: { ...sent.headers, ...key } }
        const [direct, through] = [await ask(service.address, path, one), await ask(address, path, one)]
        const what = `${one.method ?? 'GET'} ${path}`
        assert.equal(through.status, direct.status, what)
        assert.equal(through.body, direct.body, what)
        for (const header of reported)
          assert.equal(through.headers[header], direct.headers[header], `${what}: ${header}`)
        const counts = direct.headers['x-ratelimit-remaining'] !== undefined
        assert.equal(through.headers['x-ratelimit-remaining'] !== undefined, counts, what)
      }
    })

    it(`A key as a parameter is accepted behind ${name}, and logged nowhere`, async () => {
      const path = `/v1/games?api_key=${keys['caller']}`
      assert.equal((await send(address, path, { headers: { host } })).status, 200)
      const alone = await startProxy(name, [await unusedPort()])
      const failed = await send(`http://127.0.0.1:${alone.port}`, path, { headers: { host } })
      assert.ok(failed.status >= 502 && failed.status <= 504, `${failed.status}`)
      const oddOnes = [`GET ${path} HTTP/7\r\n\r\n`, `GET ${path} HTTP/1.1\r\n\r\n`, `GET ${path}\0 HTTP/1.1\r\n\r\n`]
      for (const text of oddOnes) {
        const wire = await Wire.open(alone.port)
        await within(wire.ask(text), text)
        wire.close()
      }
      await alone.stop()
      for (const { lines } of [proxy, alone]) {
        assert.match(lines.join('\n'), /\/v1\/games/, 'requests are logged')
        assert.ok(!lines.join('\n').includes(keys['caller']!), 'a key is logged')
      }
    })

    it(`A connection through ${name} gets 1,000 responses over few connections to the server`, async () => {
      const before = connectionsToServer()
      const wire = await Wire.open(proxy.port)
      for (let i = 0; i < 1000; i++) await callers.ask(wire, `request ${i}`)
      wire.close()
      const opened = connectionsToServer() - before
      assert.ok(opened <= connectionsMax, `${opened} connections`)
    })

    it(`A request through ${name} is sent again if its reused connection closes before a response`, async () => {
      const { port, closed, close } = await closingRelay(serverPort)
      const own = await startProxy(name, [port])
      const wire = await Wire.open(own.port)
      const body = '{"ids":["mtg-lea-21"]}'
      const more = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
      for (let i = 0; i < 10; i++) {
        await callers.ask(wire, `request ${i}`)
        const answer = await within(
          wire.ask(requestOf('POST /v1/cards/batch', keys['caller']!, more) + body),
          `batch ${i}`,
        )
        assert.equal(answer?.status, 200, `batch ${i}: ${answer?.body}`)
      }
      assert.ok(closed() >= 5, `${closed()} connections were closed`)
      wire.close()
      await own.stop()
      close()
    })

    it(`A server behind ${name} is reached over TLS with the TLS lines of the documented file`, {
      skip: skipWithout('openssl'),
    }, async () => {
      const { cert, key } = await makePair('prices.example')
      const both = join(temporaryFolder(), 'site.pem')
      writeFileSync(both, readFileSync(cert, 'utf8') + readFileSync(key, 'utf8'))
      const own = await startProxy(name, [serverPort], { tls: { cert, key, both } })
      const caller = await TlsCaller.open(own.port)
      assert.equal(caller.name, 'prices.example')
      for (let i = 0; i < 3; i++) assert.equal(await caller.ask('/v1/games', keys['caller']!), 200)
      caller.close()
      await own.stop()
    })

    it(`People sign in and programs read the description through ${name}, and no sign-in link is logged`, async () => {
      const own = await startProxy(name, [serverPort], { pagesPort: Number(new URL(service.pages).port) })
      const here = `http://127.0.0.1:${own.port}`
      const { url } = await accounts(storeDir, 'sign-in', 'caller')
      assert.equal(new URL(url).origin, webUrl)
      const person = new Person(here)
      await person.open(new URL(url).pathname)
      const link = formsIn(person.page!.body).find(({ buttons }) => buttons.includes('Sign in'))!
      const browser = { host, origin: webUrl, 'sec-fetch-site': 'same-origin' }
      const page = await person.submit(link, {}, browser)
      assert.equal(page.status, 200)
      assert.match(page.body, /<h2 id="usage">Usage/)
      assert.deepEqual((await send(here, '/openapi.json')).json.servers, [{ url: '/' }])
      await own.stop()
      const log = own.lines.join('\n')
      assert.match(log, /\/sign-in\//)
      assert.ok(!log.includes(new URL(url).pathname), 'a sign-in link is logged')
    })

    it(`The operator’s pages are open through ${name} only from the networks in its file, however the path is written`, async () => {
      const own = await startProxy(name, [serverPort], { pagesPort: Number(new URL(service.pages).port) })
      const here = `http://127.0.0.1:${own.port}`
      const { pathname } = new URL((await accounts(storeDir, 'sign-in', '--operator')).url)
      const bodyFor = async (path: string, localAddress: string) =>
        (await send(here, path, { headers: { host }, localAddress })).body
      assert.match(await bodyFor(pathname, '127.0.0.1'), /<h1>Sign in as the operator<\/h1>/)
      const written = ['/operator', '/operator/', '/operator/versions', '/%6fperator', '//operator', '/./operator']
      for (const path of [...written, '/x/../operator', '/x\\..\\operator', '/operator#x', pathname]) {
        assert.doesNotMatch(await bodyFor(path, '127.0.0.9'), /perator’s|as the operator/, path)
      }
      await own.stop()
      const log = own.lines.join('\n')
      assert.match(log, /\/operator\/sign-in\/-/)
      assert.ok(!log.includes(pathname), 'a sign-in link is logged')
    })

    it(`The pages behind ${name} count wrong sign-in links by the visitor’s address, so a guesser shuts out nobody else`, async () => {
      const own = await startProxy(name, [serverPort], { pagesPort: Number(new URL(service.pages).port) })
      const here = `http://127.0.0.1:${own.port}`
      const guess = async (localAddress: string, headers: Record<string, string> = {}) =>
        (await send(here, '/sign-in/wrong', { headers: { host, ...headers }, localAddress })).status
      // Of each proxy another: what one has guessed is counted for a minute.
      const guesser = `127.0.0.${2 + proxyNames.indexOf(name)}`
      const statuses = new Set<number>()
      for (let i = 0; i < 3 * wrongLinksPerMinuteMax; i++) {
        statuses.add(await guess(guesser, { 'x-forwarded-for': `10.0.0.${i}` }))
      }
      assert.deepEqual([...statuses], [404, 429])
      assert.equal(await guess('127.0.0.1'), 404)
      await own.stop()
    })

    it(`A list of 2 MB passes ${name} to the pages that value it, and no other request of that size does`, async () => {
      const pagesPort = Number(new URL(service.pages).port)
      const own =
        name === 'nginx'
          ? [await startProxy(name, [serverPort], { pagesPort })]
          : [
              await startProxy(name, [serverPort], { pagesPort }),
              await startBalancer([serverPort, serverPort, serverPort], [pagesPort, pagesPort, pagesPort]),
            ]
      for (const one of own) {
        await sendsLists(one.port)
        await one.stop()
      }
    })

    it(`A client of ${name} gets 200 pipelined responses in order`, async () => {
      const wire = await Wire.open(proxy.port)
      await callers.pipeline(wire, 200, 'pipelined')
      assert.equal(wire.surplus, '')
      wire.close()
    })

    it(`A hostile request through ${name} is refused or answered rightly, and no caller gets another’s response`, async () => {
      const used = await hiddenUsed()
      for (const request of hostile) {
        const wire = await Wire.open(proxy.port)
        wire.write(request.text)
        await judge(wire, request)
        await callers.askOnAll(wires, proxy.port, 2, request.what)
        assert.equal(wire.surplus, '', `${request.what}: an answer too many`)
        assert.equal(await hiddenUsed(), used, `${request.what}: what is hidden in it was answered`)
        wire.close()
      }
    })

    it(`Mixed hostile requests through ${name} give no caller another’s response (${mixtures} mixtures, seed ${seed})`, async () => {
      const used = await hiddenUsed()
      const random = randomFrom(seed)
      for (let i = 0; i < mixtures; i++) {
        const picked = Array.from(
          { length: 1 + drawBelow(random, 3) },
          () => hostile[drawBelow(random, hostile.length)]!,
        )
        const when = `mixture ${i} of seed ${seed}: ${picked.map(({ what }) => what).join(' + ')}`
        const strangers = await Promise.all(picked.map(() => Wire.open(proxy.port)))
        const sent = strangers.map((wire, at) =>
          writeInPieces(wire, picked[at]!.text, 1 + drawBelow(random, 3), random),
        )
        const asked = callers.askOnAll(wires, proxy.port, 2, when)
        await Promise.all(sent)
        if (drawBelow(random, 2) === 0) await Promise.all(strangers.map((wire, at) => judge(wire, picked[at]!)))
        for (const wire of strangers) wire.close()
        await asked
        await callers.askOnAll(wires, proxy.port, 1, when)
      }
      assert.equal(await hiddenUsed(), used, 'what is hidden was answered')
    })
  })
}

/** As many bytes as a list may have. A page reads them, and says that they are too many lines. */
const longList = '1 Forest\r\n'.repeat(listBytesMax).slice(0, listBytesMax)

async function sendsLists(port: number): Promise<void> {
  const person = await Person.signedIn(service.pages, storeDir, 'caller', webUrl)
  const cookie = `Cookie: ${person.cookie}\r\nOrigin: ${webUrl}\r\n`
  const boundary = 'Content-Type: multipart/form-data; boundary=x\r\n'
  const post = async (path: string, size: number, body: string) => {
    const wire = await Wire.open(port)
    wire.write(requestOf(`POST ${path}`, keys['caller']!, `${cookie}${boundary}Content-Length: ${size}\r\n`) + body)
    const answer = await within(wire.answer(), path)
    wire.close()
    return answer!
  }
  const form = `--x\r\nContent-Disposition: form-data; name="list"\r\n\r\n${longList}\r\n--x--\r\n`
  // A proxy refuses by the length that is said, and reads some of the body before.
  const start = form.slice(0, 64 * 1024)
  for (const path of ['/value', '/value.csv', '/dashboard/value', '/dashboard/value.csv']) {
    const { status, body } = await post(path, form.length, form)
    assert.deepEqual([status, /has at most [\d,]+ lines/.test(body)], [400, true], `${path}: ${body.slice(0, 200)}`)
    assert.equal((await post(path, listFormBytesMax + 1, start)).status, 413, path)
  }
  const others = ['/', '/values', '/dashboard/values', '/dashboard/keys', '/v1/cards/batch', '/v1/match', '/v1/value']
  for (const path of others) assert.equal((await post(path, form.length, start)).status, 413, path)
}

/** Stands before the server and closes a connection on which a second request comes, as the server may do just then. */
async function closingRelay(serverPort: number): Promise<{ port: number; closed(): number; close(): void }> {
  let closed = 0
  const relay = createServer((caller) => {
    const server = connect(serverPort, '127.0.0.1')
    let requests = 0
    caller.on('data', (data) => {
      if (/^[A-Z]+ \//.test(data.toString('latin1')) && ++requests === 2) {
        closed++
        caller.destroy()
      } else {
        server.write(data)
      }
    })
    server.on('data', (data) => caller.write(data))
    for (const [socket, other] of [
      [caller, server],
      [server, caller],
    ] as const) {
      socket.on('error', () => socket.destroy())
      socket.on('close', () => other.destroy())
    }
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  return { port: (relay.address() as AddressInfo).port, closed: () => closed, close: () => relay.close() }
}

const isRefusal = (status: number) => status >= 400 && status < 500

/** The ways of HTTP to say that it is not spoken: good for HTTP/1.0, and for what must be refused. */
const isRefusalOfForm = (status: number) => status === 501 || status === 505

/** Every answer that is due is right, or refused by a 4xx. A request that must be refused may end without a word, too. */
async function judge(wire: Wire, { what, text, right }: HostileRequest): Promise<void> {
  const mayBeOfForm = right.length === 0 || text.includes(' HTTP/1.0\r\n')
  for (const body of right.length === 0 ? [undefined] : right) {
    const answer = await within(wire.answer(text.startsWith('HEAD ')), what)
    if (answer === undefined) return assert.equal(body, undefined, `${what}: not answered`)
    if (isRefusal(answer.status) || (mayBeOfForm && isRefusalOfForm(answer.status))) return
    assert.equal(answer.status, 200, what)
    assert.ok(body !== undefined, `${what}: must be refused, was answered ${answer.body}`)
    assert.match(answer.body, body, what)
  }
}

async function writeInPieces(wire: Wire, text: string, pieces: number, random: Random) {
  const cuts = Array.from({ length: pieces - 1 }, () => drawBelow(random, text.length)).sort((a, b) => a - b)
  const ends = [...cuts, text.length]
  for (let at = 0, i = 0; i < ends.length; at = ends[i++]!) {
    wire.write(text.slice(at, ends[i]!))
    await turn()
  }
}
