/** Requests that wait are counted: while they do, when they leave, and when a server that stops gives them up. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { it } from 'node:test'
import { fixtureSnapshot } from '../support/fixture.ts'
import { serveHere } from '../support/servers-here.ts'
import { send } from '../support/service.ts'
import { until } from '../support/until.ts'

it('a server knows who waits, has waited, and was given up, and each of its kept pages', async () => {
  const here = await serveHere(fixtureSnapshot())
  const server = here.server('A')
  const { waiting } = server
  const address = here.address('A')
  const figures = () => [waiting.count, waiting.begun, waiting.givenUp]
  const ask = (path: string) => send(address, path, { headers: { 'x-api-key': here.keys.business } })

  /** Sends a batch but for its end. */
  async function half(): Promise<Socket> {
    const before = waiting.count
    const socket = connect(Number(new URL(address).port), '127.0.0.1').setEncoding('latin1')
    socket.write(
      `POST /v1/cards/batch HTTP/1.1\r\nHost: x\r\nX-API-Key: ${here.keys.business}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{"ids',
    )
    await until('the body is waited for', () => waiting.count === before + 1)
    return socket
  }

  assert.deepEqual(figures(), [0, 0, 0])
  const [whole, leaving, never] = [await half(), await half(), await half()]
  assert.deepEqual(figures(), [3, 3, 0])
  whole.write('":[]}')
  assert.match(String((await once(whole, 'data'))[0]), /^HTTP\/1\.1 200 .*\{"data":\[\]\}$/s)
  assert.deepEqual(figures(), [2, 3, 0])
  leaving.destroy()
  await until('it has left', () => waiting.count === 1)
  assert.deepEqual(figures(), [1, 3, 0])

  for (let i = 0; i < 5; i++) assert.equal((await ask('/v1/search?q=forest')).status, 200)
  const { pages } = server.answers
  assert.deepEqual([pages.hits, pages.misses], [3, 2], 'kept from its second time on')
  for (let i = 0; i < 3; i++) assert.equal((await ask('/v1/sets?limit=1')).status, 200)
  assert.deepEqual([pages.hits, pages.misses], [4, 4])

  const reported = once(never, 'data')
  await here.close(500)
  assert.match(String((await reported)[0]), /^HTTP\/1\.1 503 .*"SERVICE_UNAVAILABLE"/s)
  assert.deepEqual(figures(), [0, 3, 1])
  whole.destroy()
})
