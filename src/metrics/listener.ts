/** The HTTP server of METRICS_PORT, in the main thread. It delays neither responses to callers nor the end of the process. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Problem } from '../api/problems.ts'
import { metricsConnectionsMax, metricsHeadBytesMax, metricsRequestMsMax, retrySoonSeconds } from '../limits.ts'
import { BoundedServer } from '../node-http/server.ts'

export interface MetricsSource {
  /** The body of /metrics. */
  render(): Promise<string>
  readonly contentType: string
  /** As on PORT: the body of a 200, or a 503. */
  health(): Uint8Array | Problem
}

const plainText = 'text/plain; charset=utf-8'
const bounds = {
  connections: metricsConnectionsMax,
  headBytes: metricsHeadBytesMax,
  requestMs: metricsRequestMsMax,
  stallMs: metricsRequestMsMax,
}

export class MetricsListener {
  readonly #server: BoundedServer
  readonly #source: MetricsSource
  readonly #log: Logger

  constructor(source: MetricsSource, log: Logger) {
    this.#source = source
    this.#log = log
    this.#server = new BoundedServer((request, response) => this.#answer(request, response), bounds)
  }

  /** Returns the port. Rejects if the address is not available. @param port 0 for any free one */
  listen(host: string, port: number): Promise<number> {
    return this.#server.listen(host, port)
  }

  /** Closes all connections at once. A client that was waiting asks again. */
  close(): Promise<void> {
    return this.#server.close(0)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url!.split('?', 1)[0]
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (path !== '/metrics' && path !== '/healthz') send(response, 404, plainText, 'There is /metrics, and /healthz.\n')
    else if (!isRead) send(response.setHeader('Allow', 'GET, HEAD'), 405, plainText, 'GET or HEAD.\n')
    else if (path === '/healthz') sendHealth(response, this.#source.health())
    else await this.#sendMetrics(response)
  }

  async #sendMetrics(response: ServerResponse): Promise<void> {
    try {
      send(response, 200, this.#source.contentType, await this.#source.render())
    } catch (error) {
      this.#log.error({ err: error }, 'the metrics could not be rendered')
      send(response, 500, plainText, 'The metrics could not be rendered; the log has the reason.\n')
    }
  }
}

function sendHealth(response: ServerResponse, health: Uint8Array | Problem): void {
  const json = 'application/json'
  if (health instanceof Uint8Array) send(response, 200, json, health)
  else send(response.setHeader('Retry-After', retrySoonSeconds), Number.parseInt(health.status, 10), json, health.body)
}

/** Node.js omits the body in responses to HEAD. */
function send(response: ServerResponse, status: number, type: string, body: string | Uint8Array): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }).end(body)
}
