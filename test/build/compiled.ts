/** Small snapshots of two games, and what a build says of them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, build } from '../../build/build.ts'
import { readCurrentVersion } from '../../build/compile/base.ts'
import { readCatalog } from '../../build/compile/catalog-files.ts'
import { incompleteness } from '../../build/publish/completeness.ts'
import { Problems, SnapshotError } from '../../build/read/snapshot-problems.ts'
import { temporaryFolder } from '../support/command.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'

/** A card at each price. */
export const cardsAt = (game: string, prices: readonly (number | null)[]) =>
  prices.map((market, i) => ({ ...aCard, id: `${game}-base1-${i}`, game, prices: { market } }))

export const cards = (game: string, count: number, price = 1) => cardsAt(game, new Array<number>(count).fill(price))

/** So many cards of each of two games, and their sets. */
export const snapshotWith = (pokemon: number, mtg: number, price = 1) =>
  snapshotOf({
    'sets/a.ndjson': [aSet, { ...aSet, game: 'mtg' }],
    'cards/pokemon.ndjson': cards('pokemon', pokemon, price),
    'cards/mtg.ndjson': cards('mtg', mtg, price),
  })

/** The lines about a rejected snapshot; none if it is published. */
async function linesOf(building: Promise<unknown>): Promise<readonly string[]> {
  try {
    await building
    return []
  } catch (error) {
    if (error instanceof SnapshotError) return error.lines
    throw error
  }
}

/** The problems of a snapshot, without their number. */
export const problemsOf = async (snapshot: string) => (await linesOf(build(snapshot, temporaryFolder()))).slice(0, -1)

/** The only line about a rejected snapshot. */
export async function refused(snapshot: string, indexDir: string, options?: BuildOptions): Promise<string> {
  const [line = 'published', ...others] = await linesOf(build(snapshot, indexDir, options))
  assert.deepEqual(others, [])
  return line
}

/** The same of a snapshot whose lines are right, as the build's own check finds it before anything is compiled. */
export async function refusedBefore(snapshot: string, indexDir: string): Promise<string> {
  const catalog = await readCatalog(snapshot, null, new Problems())
  return incompleteness(catalog, await readCurrentVersion(indexDir, catalog.ids), false) ?? 'published'
}

export const currentOf = (indexDir: string) => readFileSync(join(indexDir, 'current'), 'utf8').trim()
