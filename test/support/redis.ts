/** A redis-server of the test's own, on a free port. Tests that start one are skipped where it is not installed. */
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort } from '../../src/process/free-port.ts'
import { temporaryFolder } from './command.ts'
import { Program } from './program.ts'
import { pathOf } from './programs.ts'
import { deployed } from './proxies.ts'
import { until } from './until.ts'

/** It keeps nothing when it stops. */
export class RedisServer {
  readonly url: string
  readonly #program: Program

  private constructor(program: Program, password: string) {
    this.url = urlOf(program.port, password)
    this.#program = program
  }

  static async start(password = ''): Promise<RedisServer> {
    const port = await freePort('127.0.0.1', 0)
    const settings = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--requirepass', password]
    const server = new RedisServer(
      new Program('redis-server', [...settings, '--dir', temporaryFolder()], port),
      password,
    )
    if (pathOf('redis-server') !== undefined) await server.start()
    return server
  }

  /** Starts it again on the same port, as if its disk were lost too. */
  async start(): Promise<void> {
    await this.#program.start()
    await untilAnswers(this.url)
  }

  stop(): Promise<void> {
    return this.#program.stop('SIGKILL')
  }

  /** It accepts connections and answers nothing. */
  hang(): void {
    this.#program.freeze()
  }

  resume(): void {
    this.#program.thaw()
  }
}

/** It ends with the tests of the file. Where it is not installed, nothing is started. */
export const startRedis = (password?: string): Promise<RedisServer> => RedisServer.start(password)

/** A store that was just started grants nothing: it is as if it had been started long ago. */
export const believe = ({ url }: RedisServer): Promise<unknown> =>
  asked(url, async (redis) => {
    const [, run] = /run_id:(\S+)/.exec(await redis.info('server'))!
    await redis.set('card-prices:quota:since', `${run} 0`)
  })

const password = 'a-password-of-the-test'
const filesName = 'appendonlydir'

/** Redis as deploy configures it for a fleet: it keeps every write, so an older state of it is a copy of its files. */
export class DurableRedis {
  readonly program: Program
  readonly #files: string

  private constructor(program: Program, folder: string) {
    this.program = program
    this.#files = join(folder, filesName)
  }

  static async start(): Promise<DurableRedis> {
    const [port, folder] = [await freePort('127.0.0.1', 0), temporaryFolder()]
    const file = join(folder, 'redis.conf')
    const own = `port ${port}\ndir ${folder}\ndaemonize no\nsave ""\n`
    writeFileSync(file, own + deployed('redis.conf', { '10.0.0.9 ': '', 'CHANGE-THIS': password }))
    const redis = new DurableRedis(new Program('redis-server', [file], port), folder)
    await redis.start()
    return redis
  }

  /** @param port of a line to it */
  url(port = this.program.port): string {
    return urlOf(port, password)
  }

  /** Resolves when it answers: it reads its files first. */
  async start(): Promise<void> {
    await this.program.start()
    await untilAnswers(this.url())
  }

  empty(): Promise<unknown> {
    return asked(this.url(), (redis) => redis.flushall())
  }

  /** A copy of its files, as a backup. */
  copy(): string {
    const copy = temporaryFolder()
    cpSync(this.#files, join(copy, filesName), { recursive: true })
    return copy
  }

  /** Starts it anew after a crash. @param copy to be restored; without one it has nothing */
  async restartFrom(copy?: string): Promise<void> {
    await this.program.stop('SIGKILL')
    rmSync(this.#files, { recursive: true, force: true })
    if (copy !== undefined) cpSync(join(copy, filesName), this.#files, { recursive: true })
    await this.start()
  }
}

const urlOf = (port: number, word: string) => `redis://${word === '' ? '' : `:${word}@`}127.0.0.1:${port}`

const untilAnswers = (url: string) =>
  until('Redis answers', () =>
    asked(url, (redis) => redis.ping()).then(
      () => true,
      () => false,
    ),
  )

async function asked<Answer>(url: string, question: (redis: Redis) => Promise<Answer>): Promise<Answer> {
  const redis = new Redis(url, { retryStrategy: () => null })
  redis.on('error', () => undefined)
  try {
    return await question(redis)
  } finally {
    redis.disconnect()
  }
}
