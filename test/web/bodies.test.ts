/** Bodies of forms: of senders that go away, and of many at once. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { bodyBytesMax, formBytesMax, listFormBytesMax, pageConnectionsMax } from '../../src/limits.ts'
import { amount } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'
import { Wire } from '../support/proxy-wire.ts'
import { fixtureIndex } from '../support/sample.ts'
import { send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { head, listBody, listStart, listType, opened } from './open-form.ts'
import { type ServiceHere, startServiceHere } from './service-here.ts'

const megabyte = 1024 * 1024
const formType = 'application/x-www-form-urlencoded'

describe('The sender of a form', () => {
  let service: ServiceHere
  before(async () => {
    service = await startServiceHere({ storeDir: temporaryFolder(), indexDir: await fixtureIndex() })
  })
  after(() => service.stop())
  const lines = () =>
    service
      .log()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))

  for (const [what, type, length, sent] of [
    ['a list', listType, 2 * megabyte, megabyte],
    ['a small list', listType, 1000, 10],
    ['a form', formType, 1000, 10],
    ['a form without a byte', formType, 1000, 0],
  ] as const) {
    for (const how of ['destroy', 'end'] as const) {
      it(`A sender who leaves in the middle of ${what} (${how}) causes one log line at debug`, async () => {
        const before = lines().length
        const socket = await opened(service.pages, head('/value', type, length), sent)
        await new Promise((resolve) => setTimeout(resolve, 50))
        socket[how]()
        await until('it is logged', () => lines().length > before)
        const [line, ...more] = lines().slice(before)
        assert.deepEqual(
          [line.level, line.msg, 'err' in line, more],
          [20, 'the sender of a form went away', false, []],
          JSON.stringify(line),
        )
        socket.destroy()
      })
    }
  }

  it('The pages refuse a list with 503 while others fill the memory for bodies, accept other forms, and later the list', async () => {
    const room = bodyBytesMax - pageConnectionsMax * formBytesMax
    const each = listFormBytesMax - megabyte
    const sockets: Socket[] = []
    for (let sent = 0; sent < room + 2 * each; sent += each) {
      sockets.push(await opened(service.pages, head('/value', listType, listFormBytesMax) + listStart, each))
    }
    const list = listBody('1 Forest\r\n'.repeat(100_000))
    const post = async (path: string, type: string, body: string) => {
      const wire = await Wire.open(Number(new URL(service.pages).port))
      wire.write(head(path, type, body.length) + body)
      const answer = (await wire.answer())!
      wire.close()
      return answer
    }
    let refused = await post('/value', listType, list)
    // A form that found no room has given back what had arrived of it, so smaller ones fill what is left.
    await until('there is no room', async () => {
      sockets.push(await opened(service.pages, head('/value', listType, listFormBytesMax) + listStart, megabyte / 4))
      refused = await post('/value', listType, list)
      return refused.status === 503
    })
    assert.equal(refused.headers['retry-after'], '1')
    assert.match(refused.body, /Try again soon/)
    assert.equal((await post('/sign-out', formType, 'a=b')).status, 303)
    for (const socket of sockets) socket.destroy()
    await until('there is room', async () => (await post('/value', listType, list)).status !== 503)
  })
})

it('Hundreds of connections that send 1.3 MB each take bounded memory, which is free again when they close', {
  timeout: 300_000,
}, async () => {
  const service = await startService({ INDEX_DIR: await fixtureIndex(), STORE_DIR: temporaryFolder(), WEB_PORT: '0' })
  const megabytes = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))![1]) / 1024
  assert.equal((await send(service.pages, '/value')).status, 200)
  const before = megabytes()
  let most = before
  for (let round = 0; round < amount(1, 3); round++) {
    const sockets: Socket[] = []
    for (let i = 0; i < amount(300, 990); i++) {
      sockets.push(await opened(service.pages, head('/value', listType, 1.4 * megabyte) + listStart, 1.3 * megabyte))
    }
    await new Promise((resolve) => setTimeout(resolve, 1000))
    most = Math.max(most, megabytes())
    for (const socket of sockets) socket.destroy()
    await until('the pages answer', async () => (await send(service.pages, '/value')).status === 200)
  }
  assert.ok(most - before < 250, `${Math.round(before)} MB, then ${Math.round(most)}`)
  await until('the memory is free again', () => megabytes() - before < 100)
  assert.equal(await service.stop(), 0)
})
