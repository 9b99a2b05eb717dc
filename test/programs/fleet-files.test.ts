/** The files of deploy for three servers do what they say, in the programs that they are for. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Redis } from 'ioredis'
import { freePort } from '../../src/process/port.ts'
import { temporaryFolder } from '../support/command.ts'
import { DurableRedis } from '../support/fleet/durable-redis.ts'
import { FaultyFiles, type FileFault } from '../support/fleet/faulty-files.ts'
import { OneWayLine } from '../support/fleet/one-way-line.ts'
import { skipWithout } from '../support/programs.ts'
import { send } from '../support/service.ts'
import { until } from '../support/until.ts'
import { startVersionsNginx, type VersionsNginx } from '../support/versions-nginx.ts'

const word = 'a-word-of-the-test'
const size = 100_000
const file = '2026-11-22-0/file.msgpack'

describe('files before which a fault stands', { skip: skipWithout('nginx') }, () => {
  let nginx: VersionsNginx
  let files: FaultyFiles

  before(async () => {
    const [folder, port] = [temporaryFolder(), await freePort('127.0.0.1', 0)]
    nginx = await startVersionsNginx(folder, port, { word })
    files = await FaultyFiles.open(port)
    writeFileSync(join(folder, 'current'), 'one\n')
    mkdirSync(join(folder, '2026-11-22-0'))
    writeFileSync(join(folder, file), Buffer.alloc(size, 7))
  })

  after(async () => {
    files.close()
    await nginx.stop()
  })

  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    send(files.address, path, { method, headers: { authorization: `Bearer ${word}`, ...headers } })

  it('can be made slow, be cut off, and tell an old version', async () => {
    const under = async (fault: FileFault, path: string) => {
      files.fault = fault
      const start = performance.now()
      const answer = await ask(path).catch(() => undefined)
      files.fault = { type: 'none' }
      return { answer, ms: performance.now() - start }
    }
    const slow = await under({ type: 'slow', bytesPerSecond: 100_000 }, `/${file}`)
    assert.ok(slow.ms > 700 && slow.answer?.bytes.length === size, `${slow.ms} ms`)
    assert.equal((await under({ type: 'cut', bytes: 1000 }, `/${file}`)).answer, undefined)
    assert.equal((await under({ type: 'cut', bytes: 1000 }, '/current')).answer?.body, 'one\n')
    assert.equal((await under({ type: 'old', current: 'zero\n' }, '/current')).answer?.body, 'zero\n')
    assert.equal((await ask(`/${file}`)).bytes.length, size)
  })
})

describe('Redis', { skip: skipWithout('redis-server') }, () => {
  let redis: DurableRedis
  before(async () => {
    redis = await DurableRedis.start()
  })
  after(() => redis.program.end('SIGKILL'))

  it('keeps every write when it is killed, and is as old as its files', async () => {
    const get = () => redis.asked((asked) => asked.get('key'))
    await redis.asked((asked) => asked.set('key', 'old'))
    const copy = redis.copy()
    await redis.asked((asked) => asked.set('key', 'new'))
    await redis.program.end('SIGKILL')
    await redis.start()
    assert.equal(await get(), 'new')
    for (const [files, found] of [
      [copy, 'old'],
      [undefined, null],
    ] as const) {
      await redis.program.end('SIGKILL')
      redis.putBack(files)
      await redis.start()
      assert.equal(await get(), found)
    }
  })

  it('evicts nothing, writes at once, and asks for a password', async () => {
    const settings = { 'maxmemory-policy': 'noeviction', appendfsync: 'always', appendonly: 'yes' }
    for (const [name, value] of Object.entries(settings)) {
      assert.deepEqual(await redis.asked((asked) => asked.config('GET', name)), [name, value])
    }
    const stranger = redis.url().replace(/:[^:@]+@/, '')
    const asking = new Redis(stranger, { maxRetriesPerRequest: 0, retryStrategy: () => null })
    asking.on('error', () => undefined)
    await assert.rejects(asking.get('key'))
    asking.disconnect()
  })

  for (const state of ['unheard', 'unanswered'] as const) {
    it(`can be ${state}, and what was sent arrives when it is not`, async () => {
      const line = await OneWayLine.open(redis.program.port)
      const asking = new Redis(redis.url(line.port), { maxRetriesPerRequest: null })
      await asking.set(state, 'before')
      line.set(state)
      let isAnswered = false
      const change = asking.set(state, 'after').then(() => {
        isAnswered = true
      })
      const there = () => redis.asked((asked) => asked.get(state))
      if (state === 'unanswered') await until('it is heard', async () => (await there()) === 'after')
      else for (let i = 0; i < 5; i++) assert.equal(await there(), 'before')
      assert.equal(isAnswered, false)
      line.set('whole')
      await change
      assert.equal(await there(), 'after')
      asking.disconnect()
      line.close()
    })
  }
})
