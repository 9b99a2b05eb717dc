/** A redis-server of the test's own, on a free port. Tests that start one are skipped where it is not installed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { freePort } from '../../src/process/port.ts'
import { temporaryFolder } from './command.ts'

export interface RedisServer {
  readonly url: string
  /** Starts it again on the same port, with what it held when that was saved; without, as if its disk were lost too. */
  start(saved?: Buffer): Promise<void>
  /** All that it holds. */
  save(): Promise<Buffer>
  stop(): Promise<void>
  /** It accepts connections and answers nothing. */
  hang(): unknown
  resume(): unknown
}

export async function startRedis(password?: string): Promise<RedisServer> {
  const port = await freePort('127.0.0.1', 0)
  const folder = temporaryFolder()
  const dump = join(folder, 'dump.rdb')
  let child: ChildProcess | undefined
  process.once('exit', () => child?.kill('SIGKILL'))
  const url = `redis://${password === undefined ? '' : `:${password}@`}127.0.0.1:${port}`
  const server: RedisServer = {
    url,
    async start(saved) {
      if (saved === undefined) rmSync(dump, { force: true })
      else writeFileSync(dump, saved)
      const settings = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
      child = spawn('redis-server', password === undefined ? settings : [...settings, '--requirepass', password], {
        stdio: 'ignore',
      })
      await answering(url)
    },
    async save() {
      const redis = new Redis(url)
      await redis.save()
      redis.disconnect()
      return readFileSync(dump)
    },
    hang: () => child!.kill('SIGSTOP'),
    resume: () => child!.kill('SIGCONT'),
    async stop() {
      const stopping = child!
      child = undefined
      stopping.kill('SIGKILL')
      await once(stopping, 'close')
    },
  }
  await server.start()
  return server
}

/** A store that was just started grants nothing: it is as if it had been started long ago. */
export async function believe({ url }: RedisServer): Promise<void> {
  const redis = new Redis(url)
  const [, run] = /run_id:(\S+)/.exec(await redis.info('server'))!
  await redis.set('card-prices:quota:since', `${run} 0`)
  redis.disconnect()
}

async function answering(url: string): Promise<void> {
  const redis = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: null })
  redis.on('error', () => undefined)
  await redis.ping()
  redis.disconnect()
  await pause(0)
}
