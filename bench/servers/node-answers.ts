/**
 * The responses of all peers on Node.js. They check keys and count requests. The texts come from a Map, SQLite or a
 * search.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { batchPath, detailsPath, requestsPerDay, searchPath } from './peer-paths.ts'
import { isEngine, searchIn } from './search-answers.ts'

const dayMs = 86_400_000

interface Texts {
  readonly details: string
  readonly item: string
}

type Find = (id: string) => Texts | undefined
/** Returns the body of a query's first page. A search in another process returns a promise. */
type Search = (query: string) => string | undefined | Promise<string>

export interface PeerAnswer {
  readonly status: number
  readonly headers: Record<string, string | number>
  readonly body: string
}

const rowsOf = (folder: string, name: string): string[][] =>
  readFileSync(join(folder, name), 'utf8')
    .split('\n')
    .map((line) => line.split('\t'))

export class NodeAnswers {
  readonly #left: Map<string, number>
  readonly #fixed: ReadonlyMap<string, string>
  readonly #find: Find
  readonly #search: Search

  private constructor(folder: string, find: Find, search: Search) {
    this.#left = new Map(rowsOf(folder, 'keys.txt').map(([key]) => [key!, requestsPerDay]))
    this.#fixed = new Map(rowsOf(folder, 'fixed.tsv').map(([path, body]) => [path!, body!]))
    this.#find = find
    this.#search = search
  }

  static async open(folder: string, store: string): Promise<NodeAnswers> {
    if (isEngine(store)) return new NodeAnswers(folder, () => undefined, await searchIn(folder, store))
    const rows = rowsOf(folder, 'cards.tsv') as [id: string, details: string, item: string][]
    return new NodeAnswers(folder, store === 'sqlite' ? await inSqlite(rows) : inMap(rows), () => undefined)
  }

  /** @param ids the ids in a batch's body */
  answer(path: string, key: string | undefined, ids: readonly string[] | undefined): PeerAnswer | Promise<PeerAnswer> {
    const before = this.#left.get(key ?? '')
    if (before === undefined) return { status: 401, headers: {}, body: '' }
    if (before === 0) return { status: 429, headers: {}, body: '' }
    this.#left.set(key!, before - 1)
    const body = ids === undefined ? this.#bodyOf(path) : this.#batch(ids)
    return body instanceof Promise ? body.then((text) => answerOf(text, before - 1)) : answerOf(body, before - 1)
  }

  #bodyOf(path: string): string | undefined | Promise<string> {
    const fixed = this.#fixed.get(path)
    if (fixed !== undefined) return fixed
    if (path.startsWith(searchPath)) return this.#search(decodeURIComponent(path.slice(searchPath.length)))
    return path.startsWith(detailsPath) ? this.#find(path.slice(detailsPath.length))?.details : undefined
  }

  #batch(ids: readonly string[]): string {
    return `{"data":[${ids.flatMap((id) => this.#find(id)?.item ?? []).join(',')}]}`
  }
}

function answerOf(body: string | undefined, remaining: number): PeerAnswer {
  const headers = {
    'X-RateLimit-Limit': requestsPerDay,
    'X-RateLimit-Remaining': remaining,
    'X-RateLimit-Reset': (Math.floor(Date.now() / dayMs) + 1) * (dayMs / 1000),
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body ?? ''),
  }
  return { status: body === undefined ? 404 : 200, headers, body: body ?? '' }
}

export const isBatch = (method: string | undefined, path: string): boolean => method === 'POST' && path === batchPath

function inMap(rows: readonly (readonly [string, string, string])[]): Find {
  const texts = new Map(rows.map(([id, details, item]) => [id, { details, item }]))
  return (id) => texts.get(id)
}

/** Returns a look-up in an SQLite table in memory, by a prepared statement. node:sqlite is part of Node.js. */
async function inSqlite(rows: readonly (readonly [string, string, string])[]): Promise<Find> {
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE cards (id TEXT PRIMARY KEY, details TEXT, item TEXT) WITHOUT ROWID; BEGIN')
  const insert = database.prepare('INSERT INTO cards VALUES (?, ?, ?)')
  for (const row of rows) insert.run(...row)
  database.exec('COMMIT')
  const select = database.prepare('SELECT details, item FROM cards WHERE id = ?')
  return (id) => select.get(id) as unknown as Texts | undefined
}
