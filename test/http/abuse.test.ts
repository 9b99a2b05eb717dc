/** Clients that violate HTTP: the process survives, answers others, and never hangs. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { amount } from '../support/amount.ts'
import { accounts, temporaryFolder } from '../support/command.ts'
import { sampleIndex } from '../support/sample.ts'
import { type Service, send, startService, withShortDrain } from '../support/service.ts'
import { until } from '../support/until.ts'

let service: Service
let key: string

before(async () => {
  const [indexDir, storeDir] = [await sampleIndex(), temporaryFolder()]
  key = (await accounts(storeDir, 'create', 'a', '--plan', 'business')).key
  service = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir, LOG_LEVEL: 'debug', ...withShortDrain })
  strangers = noHttp.map(([what, text, allowed]) => {
    const socket = open()
    socket.write(text, 'latin1')
    return { what, allowed, answer: heardBy(socket) }
  })
})

after(async () => {
  assert.equal(await service.stop(), 0)
  assert.ok(!service.log().includes(key), 'no key in a log')
})

function open(): Socket {
  const { hostname, port } = new URL(service.address)
  return connect(Number(port), hostname).on('error', () => {})
}

/** Requests that are never complete, and closed after 10 s. */
const incomplete = ['', 'nonsense', 'GET', 'GET /healthz HTTP/1.1'].map(
  (line) => [line || 'empty lines', `${line}\r\n\r\n`, [[]]] as const,
)

/** Requests that no client sends that knows HTTP, and the statuses that they may get. */
const noHttp: readonly (readonly [what: string, text: string, allowed: readonly (readonly number[])[]])[] = [
  ['a TLS greeting', '\x16\x03\x01\x02\x00\x01', [[505]]],
  ['a negative length', 'GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', [[400]]],
  ...(amount(0, 1) === 0 ? [] : incomplete),
  ['an old version', 'GET /healthz HTTP/1.0\r\nHost: x\r\n\r\n', [[505]]],
]
/** They are sent before the other tests, which take the time that is waited for them. */
let strangers: readonly { what: string; allowed: readonly (readonly number[])[]; answer: Promise<string> }[]

/** Sends the text as it stands; returns what comes back until so many answers are there, the end, or 3 s have passed. */
async function raw(text: string, answers: number): Promise<string> {
  const socket = open()
  let received = ''
  const enough = new Promise<void>((resolve) => {
    socket.setEncoding('latin1').on('data', (data) => {
      received += data
      if (statuses(received).length >= answers) resolve()
    })
  })
  socket.write(text, 'latin1')
  await Promise.race([enough, once(socket, 'close'), sleep(3000)])
  await sleep(50) // an answer too many would come now
  socket.destroy()
  return received
}

const statuses = (received: string) => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n${more}\r\n`
const post = (body: string, more = `Content-Length: ${body.length}\r\n`) =>
  `POST /v1/cards/batch HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n${more}\r\n${body}`

async function stillAnswers(): Promise<void> {
  const reply = await send(service.address, '/v1/games', { headers: { 'x-api-key': key } })
  assert.equal(reply.status, 200)
}

describe('A server among careless and hostile clients', () => {
  const games = () => get('/v1/games')
  const chunked = () => post('', 'Transfer-Encoding: chunked\r\n')
  const posted = (path: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde${games()}`
  const expecting = 'Expect: 100-continue\r\nContent-Length: 10\r\n'
  const evil = '%0d%0aX-Evil:1'
  const table: readonly (readonly [what: string, text: () => string, expected: readonly number[]])[] = [
    ['answers pipelined requests in order', () => games() + get('/v1/nope') + get('/v1/sets'), [200, 404, 200]],
    ['answers a batch among pipelined requests', () => games() + post('{"ids":[]}') + games(), [200, 200, 200]],
    ['answers a batch in chunks', () => `${chunked()}5\r\n{"ids\r\n5\r\n":[]}\r\n0\r\n\r\n`, [200]],
    ['answers the next request after a refused POST with a body', () => posted('/v1/cards/batch'), [401, 200]],
    ['answers the next request after a POST to an address that takes none', () => posted('/v1/games'), [405, 200]],
    ['refuses a body that is too long by its Content-Length', () => post('', 'Content-Length: 1000000000\r\n'), [413]],
    ['refuses a chunked body that becomes too long', () => `${chunked()}8000\r\n${'x'.repeat(0x8000)}`, [413]],
    ['takes a body announced by Expect', () => `${post('', expecting)}{"ids":[]}`, [100, 200]],
    ['refuses 5 KB of headers', () => get('/v1/games', `X-Much: ${'a'.repeat(5000)}\r\n`), [431]],
    ['refuses an address of 5 KB', () => get(`/v1/search?q=${'a'.repeat(5000)}`), [431]],
    ['answers 400 to escapes that are cut short', () => get('/v1/search?q=%') + get('/v1/cards/%e'), [400, 400]],
    [
      'puts nothing of a request’s address into a header',
      () => get(`/v1/sets?game=${evil}`) + get(`/v1/cards/${evil}`),
      [400, 404],
    ],
    [
      'answers 400 or 404 to raw bytes in an address',
      () => get('/v1/search?q=\xff\xfe') + get('/v1/cards/\xff'),
      [400, 404],
    ],
  ]
  for (const [what, text, expected] of table) {
    it(`A server ${what}`, async () => {
      const received = await raw(text(), expected.length)
      assert.deepEqual(statuses(received), expected)
      assert.ok(!/^X-Evil/im.test(received))
      await stillAnswers()
    })
  }

  it('A server lives on when clients leave in the middle of a request', async () => {
    const texts = [
      get('/v1/sets'),
      get('/v1/games').slice(0, 30),
      post('{"ids":', 'Content-Length: 100\r\n'),
      post('', 'Transfer-Encoding: chunked\r\n'),
    ]
    for (let i = 0; i < amount(60, 200); i++) {
      const socket = open()
      socket.on('error', () => {})
      await once(socket, 'connect')
      socket.write(texts[i % texts.length]!)
      if (i % 2 === 0) socket.resetAndDestroy()
      else socket.destroy()
    }
    await stillAnswers()
  })

  it('A server lives on when clients reset connections while responses are written', { timeout: 300_000 }, async () => {
    const pipeline = get('/v1/sets?limit=200').repeat(50)
    const hasEnded = () => service.child.exitCode !== null || service.child.signalCode !== null
    // Some 1 in 200 meets the moment.
    for (let round = 0; round < amount(6, 40) && !hasEnded(); round++) {
      const clients = Array.from({ length: 20 }, async (_, i) => {
        const socket = open().pause()
        const leave = () => socket.resetAndDestroy()
        socket.write(pipeline, i % 3 === 0 ? leave : () => setImmediate(leave))
        await once(socket, 'close')
      })
      await Promise.all(clients)
    }
    assert.ok(!hasEnded(), `the server ended: ${service.log()}`)
    await stillAnswers()
  })

  it('A batch request without a body gets 400, however its head is split', async () => {
    for (const more of ['Content-Length: 0\r\n', '']) {
      const text = post('', more)
      await Promise.all(
        [text.indexOf('\r\n') + 5, text.length - 30, text.length - 3].map(async (cut) => {
          const socket = open().setEncoding('latin1')
          socket.write(text.slice(0, cut))
          await sleep(30)
          socket.write(text.slice(cut))
          assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 400 /)
          socket.destroy()
        }),
      )
    }
  })

  it('A connection that speaks no HTTP gets a refusal or no response, and the server goes on', async () => {
    for (const { what, allowed, answer } of strangers) {
      const received = statuses(await answer)
      const isAllowed = allowed.some((one) => one.join() === received.join())
      assert.ok(isAllowed, `${what}: ${received}`)
    }
    await stillAnswers()
  })

  it('A server that stops answers a request whose body still arrives, and 503 to one whose body does not', async () => {
    for (const how of ['destroy', 'resetAndDestroy', 'end'] as const) (await sendHalf())[how]()
    await stillAnswers()
    const [late, never] = [await sendHalf(), await sendHalf()]
    const [lateAnswer, neverAnswer] = [late, never].map(heardBy)
    const idle = open()
    idle.write(get('/healthz').repeat(2000))
    idle.pause()
    const exited = service.stop()
    await until('it takes no connections', refusesConnections)
    late.write('":[]}')
    assert.match(await lateAnswer!, /^HTTP\/1\.1 200 OK.*\{"data":\[\]\}$/s)
    assert.match(await neverAnswer!, /^HTTP\/1\.1 503 .*Retry-After: 1.*"SERVICE_UNAVAILABLE"/s)
    const started = performance.now()
    assert.equal(await exited, 0)
    assert.ok(performance.now() - started < 10_000, 'a server ends soon, beside any clients')
    const line = /"ms":\d+,"givenUp":1,"msg":"stopped; the last requests could not be answered in time"/
    assert.match(service.log().trim().split('\n').at(-1)!, line)
    idle.destroy()
  })
})

/** Sends half a batch; returns when the server has read it. */
async function sendHalf(): Promise<Socket> {
  const socket = open()
  socket.write(`${get('/healthz')}${post('', 'Content-Length: 10\r\n')}{"ids`)
  await once(socket, 'data')
  return socket
}

/** All that comes from now on, when the connection has ended. */
async function heardBy(socket: Socket): Promise<string> {
  let received = ''
  socket.setEncoding('latin1').on('data', (data) => {
    received += data
  })
  await once(socket, 'close')
  return received
}

const refusesConnections = () =>
  new Promise<boolean>((resolve) => {
    const socket = open()
    socket.on('connect', () => socket.destroy()).on('connect', () => resolve(false))
    socket.on('error', () => resolve(true))
  })
