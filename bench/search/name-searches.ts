/**
 * Search libraries that a user could choose instead. `npm run bench:peers` installs them; SQLite comes with Node.js.
 * Each indexes the distinct display names. All but the trigrams require every word, and take a word as a prefix.
 * MiniSearch, Orama and the trigrams allow typos.
 */
import { createRequire } from 'node:module'

export type SearchPackage = 'minisearch' | 'orama' | 'fts5' | 'fts5-trigram'

/** Returns the numbers of the names found, best first, at most `limit`. */
export type NameSearch = (query: string, limit: number) => number[]

interface NameSearchPackage {
  readonly name: string
  /** Indexes the names. Rejects if the library is not installed. */
  readonly open: (names: readonly string[]) => Promise<NameSearch>
}

const require = createRequire(new URL('../peers/package.json', import.meta.url))
// biome-ignore lint/suspicious/noExplicitAny: the peers are not among the project's packages, so there are no types
const installed = (name: string): any => require(name)

export const nameSearches: Readonly<Record<SearchPackage, NameSearchPackage>> = {
  minisearch: {
    name: 'MiniSearch, AND, prefix, fuzzy 0.2',
    open: async (names) => {
      const MiniSearch = installed('minisearch')
      const index = new MiniSearch({
        fields: ['name'],
        searchOptions: { prefix: true, fuzzy: 0.2, combineWith: 'AND' },
      })
      index.addAll(names.map((name, id) => ({ id, name })))
      return (query, limit) =>
        index
          .search(query)
          .slice(0, limit)
          .map((hit: { id: number }) => hit.id)
    },
  },
  orama: {
    name: 'Orama, threshold 0, tolerance 1',
    open: async (names) => {
      const { create, insert, search } = installed('@orama/orama')
      const index = create({ schema: { name: 'string' } })
      for (const [id, name] of names.entries()) insert(index, { id: String(id), name })
      return (query, limit) => {
        const { hits } = search(index, { term: query, threshold: 0, tolerance: 1, limit })
        return hits.map((hit: { id: string }) => Number(hit.id))
      }
    },
  },
  fts5: {
    name: 'SQLite FTS5, unicode61, prefixes',
    open: async (names) => {
      const select = await inFts5(names, `tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'`)
      return (query, limit) => {
        const words = query.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
        return select(words.map((word) => `"${word}"*`).join(' '), limit)
      }
    },
  },
  'fts5-trigram': {
    name: 'SQLite FTS5, any of the trigrams',
    open: async (names) => {
      const select = await inFts5(names, `tokenize = 'trigram remove_diacritics 1'`)
      return (query, limit) => {
        const letters = [...query]
        const trigrams = letters.slice(2).map((_, i) => letters.slice(i, i + 3).join(''))
        return select(trigrams.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' OR '), limit)
      }
    },
  },
}

/** Returns a search over a table in memory, by an FTS5 expression. An empty expression finds nothing. */
async function inFts5(names: readonly string[], options: string): Promise<NameSearch> {
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(':memory:')
  database.exec(`CREATE VIRTUAL TABLE names USING fts5(name, ${options})`)
  const insert = database.prepare('INSERT INTO names (rowid, name) VALUES (?, ?)')
  database.exec('BEGIN')
  for (const [id, name] of names.entries()) insert.run(id, name)
  database.exec('COMMIT')
  const select = database.prepare('SELECT rowid FROM names WHERE names MATCH ? ORDER BY rank LIMIT ?')
  return (expression, limit) =>
    expression === '' ? [] : select.all(expression, limit).map(({ rowid }) => rowid as number)
}
