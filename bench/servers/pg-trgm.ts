/**
 * A search by PostgreSQL's pg_trgm, as in its manual: it finds names with words similar to the query, the most similar
 * first. All names fit into shared memory. Queries use ten connections and a prepared statement.
 */
import { Pool } from 'pg'
import { Postgres } from '../../test/support/postgres.ts'

const connections = 10
const settings = ['shared_buffers = 512MB', 'jit = off']

/** Starts PostgreSQL with the names. Returns a function that returns the numbers of the names that a query finds. */
export async function inPgTrgm(names: readonly string[]): Promise<(query: string, limit: number) => Promise<number[]>> {
  const postgres = await Postgres.start({ settings })
  const url = `postgres://postgres:super@127.0.0.1:${postgres.port}/card_prices`
  const pool = new Pool({ connectionString: url, max: connections })
  await pool.query('CREATE EXTENSION pg_trgm; CREATE TABLE names (id int PRIMARY KEY, name text NOT NULL)')
  await pool.query('INSERT INTO names SELECT id - 1, name FROM unnest($1::text[]) WITH ORDINALITY AS n (name, id)', [
    names,
  ])
  await pool.query('CREATE INDEX ON names USING gin (name gin_trgm_ops); ANALYZE names')
  const text =
    'SELECT id FROM names WHERE $1 <% name ORDER BY word_similarity($1, name) DESC, similarity($1, name) DESC, id LIMIT $2'
  return async (query, limit) => {
    const { rows } = await pool.query<{ id: number }>({ name: 'search', text, values: [query, limit] })
    return rows.map(({ id }) => id)
  }
}
