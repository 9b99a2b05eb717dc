/** The server of the ports beside PORT: what clients get who send and read in unusual ways, and how long it bears with them. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { BoundedServer, type Certificate } from '../../src/node-http/bounded-server.ts'
import { amount, itInAll, someOf } from '../support/amount.ts'
import { makePair } from '../support/certificates.ts'
import { skipWithout } from '../support/programs.ts'
import { until } from '../support/until.ts'

const bounds = { connections: 20, headBytes: 8192, requestMs: 20_000, stallMs: 20_000 }
const large = Buffer.alloc(3_000_000, 'large ')
const cutsMax = amount(4, 12)
const longBodies: Readonly<Record<string, Buffer>> = { '/large': large, '/huge': Buffer.alloc(12_000_000, 'huge ') }
const withoutTls = skipWithout('openssl')
let certificate: Certificate
before(async () => {
  if (withoutTls) return
  const pair = await makePair('localhost')
  certificate = { cert: readFileSync(pair.cert), key: readFileSync(pair.key) }
})

const bits = '0123'
/** The pause after each bit of an answer that is written bit by bit. */
const bitMs = 1200

/** Answers with what it was asked and sent. */
class Echo {
  readonly server: BoundedServer
  port = 0
  /** The request as it was begun. */
  readonly begun: string[] = []
  /** Requests that were being answered at the same time. */
  most = 0
  #now = 0
  /** The last caller's. */
  socket: Socket | undefined
  /** Holds back all answers. */
  held: Promise<void> | undefined

  constructor(isTls: boolean, more: Partial<typeof bounds> = {}) {
    const listener = (request: IncomingMessage, response: ServerResponse) => {
      // Rejects where the client is disconnected before all of its body is there.
      this.#answer(request, response).catch(() => {})
    }
    this.server = new BoundedServer(listener, { ...bounds, ...more }, isTls ? certificate : undefined)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.begun.push(request.url!)
    this.socket = request.socket
    this.most = Math.max(this.most, ++this.#now)
    response.once('close', () => this.#now--)
    await this.held
    if (request.url === '/unread') {
      response.writeHead(413).end('too large')
      return
    }
    if (request.url === '/bits') {
      response.writeHead(200)
      for (const bit of bits) {
        response.write(bit)
        await pause(bitMs)
      }
      response.end()
      return
    }
    if (request.url === '/piece') {
      if (!response.writeHead(200).write(longBodies['/huge'])) await once(response, 'drain')
      response.end()
      return
    }
    let body = ''
    for await (const piece of request) body += piece
    const text = longBodies[request.url!] ?? `${request.method} ${request.url} ${body}.`
    response.writeHead(200, { 'Content-Length': Buffer.byteLength(text) }).end(text)
  }
}

const echoes: Echo[] = []
async function echo(isTls = false, more: Partial<typeof bounds> = {}): Promise<Echo> {
  const one = new Echo(isTls, more)
  one.port = await one.server.listen('127.0.0.1', 0)
  echoes.push(one)
  return one
}
after(() => Promise.all(echoes.map(({ server }) => server.close(0))))

class Client {
  readonly socket: Socket
  text = ''
  closed = false

  constructor(port: number, isTls: boolean) {
    const to = { port, host: '127.0.0.1', rejectUnauthorized: false }
    this.socket = isTls ? connectTls(to) : connect(to)
    this.socket.on('error', () => {})
    this.socket.setEncoding('latin1').on('data', (piece) => {
      this.text += piece
    })
    this.socket.once('close', () => {
      this.closed = true
    })
  }

  get statuses(): string[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status!)
  }

  /** The bodies that `Echo` gave. */
  get bodies(): string[] {
    return [...this.text.matchAll(/\r\n\r\n([^.]*)\.(?=HTTP|$)/g)].map(([, body]) => body!)
  }
}

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
const chunked = (path: string, ...pieces: string[]) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${[...pieces, ''].map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')}`

describe('The bounds of Node’s HTTP server', { concurrency: true }, () => {
  for (const isTls of [false, true]) {
    describe(isTls ? 'A connection over TLS' : 'A plain connection', {
      skip: isTls && withoutTls,
      concurrency: false,
    }, () => {
      const itPlain = isTls ? itInAll : it
      const sequences: readonly (readonly [what: string, sent: string, bodies: readonly string[]])[] = [
        ['several requests at once', get('/a') + get('/b') + get('/c'), ['GET /a ', 'GET /b ', 'GET /c ']],
        [
          'a form between two requests',
          get('/a') + post('/b', 'name=x') + get('/c'),
          ['GET /a ', 'POST /b name=x', 'GET /c '],
        ],
        [
          'a body with the end of a head in it',
          post('/a', '1\r\n\r\n\r\n\r\n2') + get('/b'),
          ['POST /a 1\r\n\r\n\r\n\r\n2', 'GET /b '],
        ],
        [
          'a body in chunks',
          chunked('/a', 'one', '\r\n\r\n', 'two') + get('/b'),
          ['POST /a one\r\n\r\ntwo', 'GET /b '],
        ],
        ['empty lines before a request', `\r\n\r\n\r\n${get('/a')}\r\n\r\n${get('/b')}`, ['GET /a ', 'GET /b ']],
        [
          'a body larger than any buffer',
          post('/a', 'x'.repeat(300_000)) + get('/b'),
          [`POST /a ${'x'.repeat(300_000)}`, 'GET /b '],
        ],
      ]
      for (const [what, sent, bodies] of someOf(sequences, isTls ? 2 : 6)) {
        it(`A connection gets the right responses to ${what}, wherever the bytes are cut`, async () => {
          const { port } = await echo(isTls)
          const cuts =
            sent.length > 1000
              ? [1000]
              : Array.from({ length: cutsMax }, (_, i) => Math.ceil(((i + 1) * sent.length) / cutsMax))
          for (const cut of cuts) {
            const client = new Client(port, isTls)
            client.socket.setNoDelay(true).write(sent.slice(0, cut), 'latin1')
            await turn()
            client.socket.write(sent.slice(cut), 'latin1')
            await until(`all is answered, cut at ${cut}`, () => client.bodies.length === bodies.length)
            assert.deepEqual(client.bodies, bodies)
            client.socket.destroy()
          }
        })
      }

      it('Pipelined requests of a connection are answered one by one, with other connections’ requests in between', async () => {
        const one = await echo(isTls)
        const [many, other] = [new Client(one.port, isTls), new Client(one.port, isTls)]
        for (const { socket } of [many, other]) await once(socket, isTls ? 'secureConnect' : 'connect')
        const count = amount(200, 1000)
        const askNext = () => {
          if (!many.text.endsWith(`GET /${count - 1} .`)) other.socket.write(get('/other'))
        }
        other.socket.on('data', askNext)
        // The end of a form and the head after it are one piece.
        const requestOf = (_: unknown, i: number) => (i < count / 2 ? post(`/${i}`, 'a form') : get(`/${i}`))
        many.socket.write(Array.from({ length: count }, requestOf).join(''))
        askNext()
        await until('all are answered', () => many.statuses.length === count)
        const bodyOf = (_: unknown, i: number) => (i < count / 2 ? `POST /${i} a form` : `GET /${i} `)
        assert.deepEqual(many.bodies, Array.from({ length: count }, bodyOf))
        const [forms, all] = [one.begun.indexOf(`/${count / 2 - 1}`), one.begun.indexOf(`/${count - 1}`)]
        for (const part of [one.begun.slice(0, forms), one.begun.slice(forms, all)]) {
          const between = part.filter((url) => url === '/other').length
          assert.ok(between > count / 50, `${between} others were answered between ${count / 2}`)
        }
        assert.ok(one.most <= 3, `${one.most} at a time`)
        for (const { socket } of [many, other]) socket.destroy()
      })

      itPlain('The server begins no further response for a client that does not read', async () => {
        const one = await echo(isTls)
        const client = new Client(one.port, isTls)
        client.socket.pause().write(get('/large').repeat(500))
        let begun = 0
        await until('the kernel holds what it can', async () => {
          const before = begun
          begun = one.begun.length
          for (let i = 0; i < 200; i++) await turn()
          return begun > 0 && begun === before
        })
        assert.ok(begun < 20, `${begun} answers were begun`)
        assert.equal(one.most, 1)
        const { writableLength } = one.socket!
        assert.ok(writableLength > 0 && writableLength <= 65_536, `${writableLength} bytes wait`)
        client.socket.resume()
        await until('it goes on', () => one.begun.length > begun)
        client.socket.destroy()
      })

      it('A long response is sent whole, and without its body for HEAD', async () => {
        const { port } = await echo(isTls)
        const client = new Client(port, isTls)
        client.socket.write(get('/large').replace('GET', 'HEAD') + get('/large') + get('/end'))
        await until('the last is answered', () => client.text.endsWith('GET /end .'))
        assert.deepEqual(client.statuses, ['200', '200', '200'])
        assert.equal(client.text.split(large.toString('latin1')).length, 2)
        assert.equal([...client.text.matchAll(/Content-Length: 3000000\r\n/g)].length, 2)
        client.socket.destroy()
      })

      itPlain(
        'A client that reads nothing of its response is disconnected, and one that reads slowly or is idle is not',
        async () => {
          const stallMs = 1500
          const { port } = await echo(isTls, { stallMs })
          const [unread, slow, idle] = [new Client(port, isTls), new Client(port, isTls), new Client(port, isTls)]
          idle.socket.write(get('/a'))
          for (const { socket } of [unread, slow]) socket.pause().write(get('/huge'))
          setTimeout(() => idle.socket.write(get('/b')), stallMs + 500)
          const from = performance.now()
          const reading = setInterval(() => slow.socket.read(), stallMs / 120)
          // One that is not read from sees no end, but can't write any more.
          const writing = setInterval(() => unread.socket.write('\r\n'), 50)
          await until('it is disconnected', () => unread.closed)
          clearInterval(writing)
          await until('the slow one has all', () => slow.text.length > longBodies['/huge']!.length)
          clearInterval(reading)
          assert.ok(performance.now() - from > stallMs)
          await until('the idle one is answered', () => idle.bodies.length === 2)
          assert.deepEqual(idle.bodies, ['GET /a ', 'GET /b '])
          for (const { socket } of [slow, idle]) socket.destroy()
        },
      )

      it('A response that its handler sends bit by bit may take longer than the time in which a client must read', async () => {
        const answers = [2 * bitMs, bitMs / 2].map(async (stallMs) => {
          const { port } = await echo(isTls, { stallMs })
          const client = new Client(port, isTls)
          client.socket.write(get('/bits'))
          await until('it is whole', () => client.text.endsWith('\r\n0\r\n\r\n') || client.closed)
          client.socket.destroy()
          return [...client.text.matchAll(/\r\n1\r\n(\d)/g)].map(([, bit]) => bit).join('')
        })
        assert.deepEqual(await Promise.all(answers), [bits, bits])
      })

      it('The time in which a client must read starts when its response begins, however late', async () => {
        const stallMs = 1000
        const one = await echo(isTls, { stallMs })
        const { promise, resolve: open } = Promise.withResolvers<void>()
        one.held = promise
        const asking = new Client(one.port, isTls)
        asking.socket.write(post('/a', 'name=x'))
        const unread = ['/huge', '/piece'].map((path) => {
          const client = new Client(one.port, isTls)
          client.socket.pause().write(get(path))
          return client
        })
        await until('all are asked', () => one.begun.length === 3)
        await pause(3 * stallMs)
        assert.ok(!asking.closed)
        const from = performance.now()
        open()
        await until('it is answered', () => asking.bodies.length === 1 || asking.closed)
        assert.deepEqual(asking.bodies, ['POST /a name=x'])
        for (const client of unread) {
          // One that is not read from sees no end, but can't write any more.
          const writing = setInterval(() => client.socket.write('\r\n'), 50)
          await until('the other ones are disconnected', () => client.closed, 20 * stallMs)
          clearInterval(writing)
          assert.ok(performance.now() - from >= stallMs)
        }
        asking.socket.destroy()
      })

      it('A head or a body that does not arrive in time gets 408, or the connection closes', async () => {
        const { port } = await echo(isTls, { requestMs: 400 })
        const late = ['', 'GET /a HT', get('/a').slice(0, -2), post('/a', 'name=x').slice(0, -1)]
        const disconnected = async (sent: string) => {
          const client = new Client(port, isTls)
          client.socket.write(sent)
          await until(`${JSON.stringify(sent)} is disconnected`, () => client.closed)
          if (sent !== '') assert.equal(client.statuses.at(-1), '408', sent)
        }
        await Promise.all([...late, get('/a') + get('/b').slice(0, -2)].map(disconnected))
      })

      itPlain('A body that its handler does not read stays unread, and the request is answered', async () => {
        const one = await echo(isTls)
        const { promise, resolve: open } = Promise.withResolvers<void>()
        one.held = promise
        const client = new Client(one.port, isTls)
        const length = amount(4_000_000, 50_000_000)
        client.socket.write(`POST /unread HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`)
        client.socket.write(Buffer.alloc(length, '\r\n\r\n'))
        await until('it begins', () => one.begun.length === 1)
        let read = 0
        await until('the server reads no more', async () => {
          const before = read
          for (let i = 0; i < 200; i++) await turn()
          read = one.socket!.bytesRead
          return read === before
        })
        assert.ok(read > 16_384 && read < 1_000_000, `${read} bytes were read`)
        open()
        await until('it is answered', () => client.statuses[0] === '413')
        client.socket.destroy()
      })

      itPlain('A server that closes answers the requests in flight, and waits no longer than its limit', async () => {
        const one = await echo(isTls)
        const [unread, silent, asking] = [new Client(one.port, isTls), connect(one.port), new Client(one.port, isTls)]
        silent.on('error', () => {})
        unread.socket.pause().write(get('/large').repeat(100))
        await until('it begins', () => one.begun.length > 0)
        const { promise, resolve: open } = Promise.withResolvers<void>()
        one.held = promise
        const begun = one.begun.length
        asking.socket.write(get('/a'))
        await until('it is asked', () => one.begun.length > begun)
        const from = performance.now()
        const closing = one.server.close(amount(500, 2000))
        await pause(20)
        open()
        await until('it is answered', () => asking.bodies.length === 1)
        await closing
        assert.ok(performance.now() - from < 10_000)
        await until('all are disconnected', () => asking.closed && silent.destroyed)
        unread.socket.destroy()
      })

      it('A connection beyond the maximum is refused, and a new one is accepted once another has closed', async () => {
        const { port } = await echo(isTls, { connections: 2 })
        const clients = [new Client(port, isTls), new Client(port, isTls)]
        for (const client of clients) {
          client.socket.write(get('/a'))
          await until('it is answered', () => client.bodies.length === 1)
        }
        const third = new Client(port, isTls)
        third.socket.write(get('/a'))
        await until('it is refused', () => third.closed)
        assert.equal(third.text, '')
        clients[0]!.socket.destroy()
        await until('another one is answered', async () => {
          const next = new Client(port, isTls)
          next.socket.write(get('/a', 'Connection: close\r\n'))
          await until('it is answered or refused', () => next.closed)
          return next.bodies.length === 1
        })
        clients[1]!.socket.destroy()
      })
    })
  }
})

describe('The TLS handshake', { skip: withoutTls }, () => {
  it('A TLS handshake that does not end in time is broken off', async () => {
    const stallMs = 300
    const { port } = await echo(true, { stallMs })
    const from = performance.now()
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    await once(socket.resume(), 'close')
    const ms = performance.now() - from
    assert.ok(ms > stallMs / 2 && ms < 20 * stallMs, `${ms} ms`)
    assert.equal(socket.bytesRead, 0)
  })
})
