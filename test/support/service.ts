/** A real server process on a free port, and HTTP requests to it. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { afterTests } from './after-tests.ts'
import { cardPrices, collect, start, withLimits } from './command.ts'
import { until } from './until.ts'

export interface Service {
  /** `http://127.0.0.1:PORT` */
  readonly address: string
  /** The address of its pages; '' if it has none. */
  readonly pages: string
  /** The address of its metrics; '' if it has none. */
  readonly metrics: string
  readonly child: ChildProcess
  /** Its stderr, without the line about an HTTP library that needs a newer glibc than this machine has. */
  log(): string
  /** Waits until the log matches. A log line may arrive after a response that was sent later. */
  logs(expected: RegExp): Promise<void>
  /** Ends the server by SIGTERM. Returns its exit code. */
  stop(): Promise<number | null>
}

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** The body as received. */
  readonly bytes: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: each endpoint has its own body
  readonly json: any
}

/** How long a server with `withShortDrain` waits, when it stops, for requests in flight. */
export const shortDrainMs = 1500
export const withShortDrain = withLimits({
  reconnectMs: 50,
  queryMsMax: 100,
  recoveryMs: 200,
  quotaWaitMsMax: 400,
  drainMsMax: shortDrainMs,
})

/** Starts `card-prices serve`, and waits until it listens. It is stopped after the tests of the file. */
export const startService = (env: NodeJS.ProcessEnv, command = 'serve'): Promise<Service> =>
  serviceOf(start(cardPrices, [command], { PORT: '0', LOG_LEVEL: 'warn', ...env }), env)

/**
 * The same for a process that was already spawned, of this or an earlier release.
 * @param env its settings, which decide the lines that it prints
 */
export async function serviceOf(child: ChildProcess, env: NodeJS.ProcessEnv): Promise<Service> {
  const output = collect(child)
  // `close` is emitted after the last line of the log; `exit` may be emitted before it.
  const exited = once(child, 'close') as Promise<[number | null]>
  const pagesLine = env['WEB_PORT'] === undefined ? '()' : 'pages on (\\S+)\n'
  const metricsLine = env['METRICS_PORT'] === undefined ? '()' : 'metrics on (\\S+)/metrics\n'
  const reported = new RegExp(`^listening on (\\S+)\n${pagesLine}${metricsLine}`, 'm')
  const [address, pages, metrics] = await new Promise<[string, string, string]>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const match = reported.exec(output.stdout())
      if (match !== null) resolve([match[1]!, match[2]!, match[3]!])
    })
    exited.then(([code]) => reject(new Error(`the server exited ${code}: ${output.stderr()}`)))
  })
  const stop = async () => {
    child.kill('SIGTERM')
    return (await exited)[0]
  }
  afterTests(() => child.kill('SIGKILL'))
  const log = () => output.stderr().replace(/^.*"library":.*\n/gm, '')
  const logs = (expected: RegExp) => until(`the log matches ${expected}`, () => expected.test(log()))
  return { address, pages, metrics, child, log, logs, stop }
}

export interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** The local address of the connection. */
  readonly localAddress?: string
}

/** Sends one request on a connection of its own. The path is sent as it is. */
export function send(
  address: string,
  path: string,
  { method = 'GET', headers = {}, body, localAddress }: Sent = {},
): Promise<Reply> {
  const { hostname, port } = new URL(address)
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, path, method, headers, agent: false, localAddress }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const text = bytes.toString('utf8')
        let json: unknown
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          body: text,
          bytes,
          // Parsed on first use. Tests of pages never use it.
          get json() {
            json ??= parsed(text)
            return json
          },
        })
      })
    })
    request.on('error', reject)
    request.end(body)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
