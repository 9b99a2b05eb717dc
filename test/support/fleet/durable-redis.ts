/** Redis as deploy configures it for a fleet: it keeps every write, so an older state of it is a copy of its files. */
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort } from '../../../src/process/port.ts'
import { temporaryFolder } from '../command.ts'
import { pathOf } from '../programs.ts'
import { deployed } from '../proxies.ts'
import { until } from '../until.ts'
import { Program } from './program.ts'

const password = 'a-password-of-the-test'
const filesName = 'appendonlydir'

export class DurableRedis {
  readonly program: Program
  readonly #folder: string

  private constructor(program: Program, folder: string) {
    this.program = program
    this.#folder = folder
  }

  static async start(): Promise<DurableRedis> {
    const folder = temporaryFolder()
    const port = await freePort('127.0.0.1', 0)
    const file = join(folder, 'redis.conf')
    const own = `port ${port}\ndir ${folder}\ndaemonize no\nsave ""\n`
    writeFileSync(file, own + deployed('redis.conf', { '10.0.0.9 ': '', 'CHANGE-THIS': password }))
    const redis = new DurableRedis(new Program(pathOf('redis-server')!, [file], port), folder)
    await redis.start()
    return redis
  }

  /** @param port of a line to it */
  url(port = this.program.port): string {
    return `redis://:${password}@127.0.0.1:${port}`
  }

  /** Returns when it answers: it reads its files first. */
  async start(): Promise<void> {
    await this.program.start()
    await this.asked((redis) => until('Redis answers', async () => (await redis.ping().catch(() => '')) === 'PONG'))
  }

  async asked<Answer>(question: (redis: Redis) => Promise<Answer>): Promise<Answer> {
    const redis = new Redis(this.url(), { retryStrategy: () => 50, maxRetriesPerRequest: null })
    redis.on('error', () => undefined)
    try {
      return await question(redis)
    } finally {
      redis.disconnect()
    }
  }

  /** Of its files, as a backup that somebody made just now. */
  copy(): string {
    const copy = temporaryFolder()
    cpSync(join(this.#folder, filesName), join(copy, filesName), { recursive: true })
    return copy
  }

  /** While it does not run. @param copy to be restored; without one it has nothing */
  putBack(copy?: string): void {
    rmSync(join(this.#folder, filesName), { recursive: true, force: true })
    if (copy !== undefined) cpSync(join(copy, filesName), join(this.#folder, filesName), { recursive: true })
  }
}
