/** HAProxy before three servers, as deploy configures it, and what it has answered: by its own log. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../../src/process/port.ts'
import { temporaryFolder } from '../command.ts'
import { pathOf } from '../programs.ts'
import { deployed } from '../proxies.ts'
import { Program } from './program.ts'

const connectionsMax = 200
/** Of the log's line: time of the request, status, server. */
const linePattern = /^\S+ \[(\d+)\/(\w+)\/(\d+):(\d+):(\d+):(\d+)\.(\d+)\] GET \S+ (\d+) .* (\S+)$/
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

export class Balancer {
  readonly program: Program
  /** 200s until now. */
  answered = 0
  /** When each server's were asked for (ms since 1970). */
  readonly #times: number[][]

  private constructor(path: string, file: string, port: number, servers: number) {
    this.#times = Array.from({ length: servers }, () => [])
    this.program = new Program(path, ['-f', file], port, (line) => this.#read(line))
  }

  static async start(ports: readonly number[], pagesPorts: readonly number[] = ports): Promise<Balancer> {
    const port = await freePort('127.0.0.1', 0)
    const file = join(temporaryFolder(), 'haproxy.cfg')
    const servers = ports.map((server, i) => [`10.0.0.${i + 1}:8080`, `127.0.0.1:${server}`] as const)
    const pages = pagesPorts.map((server, i) => [`10.0.0.${i + 1}:8081`, `127.0.0.1:${server}`] as const)
    const block = deployed('haproxy-three.cfg', {
      'bind :80 ': `bind 127.0.0.1:${port} `,
      ...Object.fromEntries([...servers, ...pages]),
    })
    const own = `global\n  nbthread 1\n  maxconn ${connectionsMax}\n  no strict-limits\n  log stdout format raw local0\n\n`
    writeFileSync(file, own + block)
    const balancer = new Balancer(pathOf('haproxy')!, file, port, ports.length)
    await balancer.program.start()
    return balancer
  }

  /** 200s that the server gave to requests since then (ms since 1970). */
  answeredBy(server: number, since: number): number {
    return this.#times[server]!.filter((time) => time >= since).length
  }

  #read(line: string): void {
    const [, day, month, year, hour, minute, second, ms, status, server] = linePattern.exec(line) ?? []
    if (status !== '200') return
    this.answered++
    const date = new Date(
      Number(year),
      months.indexOf(month!),
      Number(day),
      Number(hour),
      Number(minute),
      Number(second),
    )
    const times = this.#times[Number(server!.at(-1)) - 1]!
    times.push(date.getTime() + Number(ms))
    if (times.length > 20_000) times.splice(0, 10_000)
  }
}
