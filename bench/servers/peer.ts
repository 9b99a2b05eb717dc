/**
 * Card details by other means, with the same checks, headers and bodies: what a reader might have built instead.
 * Arguments: `http`, `fastify` or `sqlite`; the folder of the index; a JSON file of the keys.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { Catalog } from '../../src/catalog/catalog.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { readCurrent } from '../../src/indexes/manifest.ts'

const [kind, indexDir, keysFile] = process.argv.slice(2) as [string, string, string]
const requestsPerDay = 100_000
const dayMs = 86_400_000
const path = '/v1/cards/'

const left = new Map<string, number>()
for (const key of JSON.parse(readFileSync(keysFile, 'utf8')) as string[]) left.set(key, requestsPerDay)
const bodies = await allDetails()
const bodyOf = kind === 'sqlite' ? inSqlite(bodies) : (id: string) => bodies.get(id)

async function allDetails(): Promise<Map<string, string>> {
  const version = await loadVersion(indexDir, (await readCurrent(indexDir))!)
  const catalog = new Catalog(version)
  const all = new Map<string, string>()
  for (let number = 0; number < version.manifest.counts.cards; number++) {
    const body = Buffer.from(catalog.details(number)).toString()
    all.set(JSON.parse(body).data.id, body)
  }
  return all
}

interface Statement {
  run(...values: unknown[]): void
  get(value: unknown): unknown
  pluck(): Statement
}
interface Sqlite {
  exec(sql: string): void
  prepare(sql: string): Statement
}

/** The bodies in a table in memory, asked by a prepared statement. */
function inSqlite(all: Map<string, string>): (id: string) => string | undefined {
  const Database = createRequire(import.meta.url)('better-sqlite3') as new (file: string) => Sqlite
  const database = new Database(':memory:')
  database.exec('CREATE TABLE cards (id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID; BEGIN')
  const insert = database.prepare('INSERT INTO cards VALUES (?, ?)')
  for (const [id, body] of all) insert.run(id, body)
  database.exec('COMMIT')
  all.clear()
  const select = database.prepare('SELECT body FROM cards WHERE id = ?').pluck()
  return (id) => select.get(id) as string | undefined
}

/** Counts the request; undefined if the key is unknown or its quota used up. */
function headersFor(key: string): Record<string, string | number> | undefined {
  const before = left.get(key) ?? 0
  if (before === 0) return undefined
  left.set(key, before - 1)
  return {
    'X-RateLimit-Limit': requestsPerDay,
    'X-RateLimit-Remaining': before - 1,
    'X-RateLimit-Reset': (Math.floor(Date.now() / dayMs) + 1) * (dayMs / 1000),
    'Content-Type': 'application/json',
  }
}

function serveHttp(): void {
  const server = createServer((request, response) => {
    const headers = headersFor(request.headers['x-api-key'] as string)
    const body = bodyOf(request.url!.slice(path.length))
    if (headers === undefined) response.writeHead(401).end()
    else if (body === undefined) response.writeHead(404, headers).end()
    else response.writeHead(200, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body)
  })
  server.listen(0, '127.0.0.1', () => console.log(`listening on ${(server.address() as AddressInfo).port}`))
}

interface FastifyReply {
  code(status: number): FastifyReply
  headers(headers: Record<string, string | number>): FastifyReply
  send(body?: string): FastifyReply
}
interface FastifyRequest {
  readonly headers: Record<string, string>
  readonly params: { readonly id: string }
}
interface Fastify {
  get(path: string, handler: (request: FastifyRequest, reply: FastifyReply) => FastifyReply): void
  listen(options: { host: string; port: number }): Promise<string>
}

async function serveFastify(): Promise<void> {
  const fastify = createRequire(import.meta.url)('fastify') as () => Fastify
  const app = fastify()
  app.get(`${path}:id`, (request, reply) => {
    const headers = headersFor(request.headers['x-api-key']!)
    const body = bodyOf(request.params.id)
    if (headers === undefined) return reply.code(401).send()
    if (body === undefined) return reply.code(404).headers(headers).send()
    return reply.headers(headers).send(body)
  })
  console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: 0 })}`)
}

if (kind === 'fastify') await serveFastify()
else serveHttp()
process.on('SIGTERM', () => process.exit(0))
