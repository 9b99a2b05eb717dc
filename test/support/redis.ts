/** A redis-server of the test's own, on a free port. Tests that start one are skipped where it is not installed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { freePort } from '../../src/process/port.ts'
import { temporaryFolder } from './command.ts'

export interface RedisServer {
  readonly url: string
  /** Starts it again on the same port. It keeps nothing, as if its disk were lost too. */
  start(): Promise<void>
  stop(): Promise<void>
  /** It accepts connections and answers nothing. */
  hang(): unknown
  resume(): unknown
}

export async function startRedis(password?: string): Promise<RedisServer> {
  const port = await freePort('127.0.0.1', 0)
  const folder = temporaryFolder()
  let child: ChildProcess | undefined
  process.once('exit', () => child?.kill('SIGKILL'))
  const url = `redis://${password === undefined ? '' : `:${password}@`}127.0.0.1:${port}`
  const server: RedisServer = {
    url,
    async start() {
      const settings = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
      child = spawn('redis-server', password === undefined ? settings : [...settings, '--requirepass', password], {
        stdio: 'ignore',
      })
      await answering(url)
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

async function answering(url: string): Promise<void> {
  const redis = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: null })
  redis.on('error', () => undefined)
  await redis.ping()
  redis.disconnect()
  await pause(0)
}
