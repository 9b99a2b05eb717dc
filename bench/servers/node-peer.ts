/**
 * Serves the same responses by another server on Node.js, with the same checks, headers and bodies. Arguments: `http`
 * or `fastify`; `map`, `sqlite` or the name of a search engine; the folder of the peers' data.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { isBatch, NodeAnswers, type PeerAnswer } from './node-answers.ts'
import { batchPath, detailsPath, fixedPaths } from './peer-paths.ts'

const [frame, store, folder] = process.argv.slice(2) as [string, string, string]
const answers = await NodeAnswers.open(folder, store)

function serveHttp(): void {
  const respond = (request: IncomingMessage, response: ServerResponse, ids?: readonly string[]) => {
    const send = ({ status, headers, body }: PeerAnswer) => response.writeHead(status, headers).end(body)
    const answer = answers.answer(request.url!, request.headers['x-api-key'] as string, ids)
    if (answer instanceof Promise) answer.then(send)
    else send(answer)
  }
  const server = createServer((request, response) => {
    if (!isBatch(request.method, request.url!)) return respond(request, response)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => respond(request, response, JSON.parse(Buffer.concat(chunks).toString()).ids))
  })
  server.listen(0, '127.0.0.1', () => console.log(`listening on ${(server.address() as AddressInfo).port}`))
}

interface FastifyReply {
  code(status: number): FastifyReply
  headers(headers: Record<string, string | number>): FastifyReply
  send(body: string): FastifyReply
}
interface FastifyRequest {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: { readonly ids: readonly string[] } | undefined
}
type FastifyHandler = (request: FastifyRequest, reply: FastifyReply) => FastifyReply
interface Fastify {
  get(path: string, handler: FastifyHandler): void
  post(path: string, handler: FastifyHandler): void
  listen(options: { host: string; port: number }): Promise<string>
}

async function serveFastify(): Promise<void> {
  const peers = createRequire(new URL('../peers/package.json', import.meta.url))
  const app = (peers('fastify') as () => Fastify)()
  const handler: FastifyHandler = (request, reply) => {
    const answer = answers.answer(request.url, request.headers['x-api-key'], request.body?.ids)
    // Fastify runs with the store `map` only, which returns no promise.
    const { status, headers, body } = answer as PeerAnswer
    return reply.code(status).headers(headers).send(body)
  }
  app.get(`${detailsPath}:id`, handler)
  for (const path of fixedPaths) app.get(path, handler)
  app.post(batchPath, handler)
  console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: 0 })}`)
}

if (frame === 'fastify') await serveFastify()
else serveHttp()
process.on('SIGTERM', () => process.exit(0))
