/**
 * The HTTP server of METRICS_PORT, in the main thread. It delays neither responses to callers nor the end of the
 * process.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Problem } from '../api/problems.ts'
import { metricsConnectionsMax, metricsHeadBytesMax, metricsRequestMsMax, retrySoonSeconds } from '../limits.ts'
import { BoundedServer } from '../node-http/bounded-server.ts'

export interface MetricsSource {
  /** The body of /metrics. */
  render(): Promise<string>
  readonly contentType: string
  /** The response to /healthz, as on PORT: the body of a 200, or a 503. */
  health(): Uint8Array | Problem
}

const plainText = 'text/plain; charset=utf-8'
const bounds = {
  connections: metricsConnectionsMax,
  headBytes: metricsHeadBytesMax,
  requestMs: metricsRequestMsMax,
  stallMs: metricsRequestMsMax,
}

/** @param log gets a line when the metrics can't be rendered */
export const metricsServer = (source: MetricsSource, log: Logger): BoundedServer =>
  new BoundedServer((request, response) => answer(source, log, request, response), bounds)

async function answer(
  source: MetricsSource,
  log: Logger,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = request.url!.split('?', 1)[0]
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (path !== '/metrics' && path !== '/healthz') send(response, 404, plainText, 'There is /metrics, and /healthz.\n')
  else if (!isRead) send(response.setHeader('Allow', 'GET, HEAD'), 405, plainText, 'GET or HEAD.\n')
  else if (path === '/healthz') sendHealth(response, source.health())
  else {
    try {
      send(response, 200, source.contentType, await source.render())
    } catch (error) {
      log.error({ err: error }, 'the metrics could not be rendered')
      send(response, 500, plainText, 'The metrics could not be rendered; the log has the reason.\n')
    }
  }
}

function sendHealth(response: ServerResponse, health: Uint8Array | Problem): void {
  const json = 'application/json'
  if (health instanceof Uint8Array) send(response, 200, json, health)
  else send(response.setHeader('Retry-After', retrySoonSeconds), Number.parseInt(health.status, 10), json, health.body)
}

/** Sends a response. Node.js omits the body if the request is a HEAD. */
function send(response: ServerResponse, status: number, type: string, body: string | Uint8Array): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }).end(body)
}
