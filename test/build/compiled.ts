/** Small snapshots of two games, compiled here, and what becomes of them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, type BuildResult, build } from '../../build/build.ts'
import { Progress } from '../../build/progress.ts'
import { SnapshotError } from '../../build/read/problems.ts'
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

export const compile = (snapshot: string, indexDir: string, options?: BuildOptions): Promise<BuildResult> =>
  build(snapshot, indexDir, new Progress(), options)

/** A line about a rejected snapshot. */
export async function refused(snapshot: string, indexDir: string, options?: BuildOptions): Promise<string> {
  try {
    await compile(snapshot, indexDir, options)
  } catch (error) {
    assert.ok(error instanceof SnapshotError)
    assert.equal(error.lines.length, 1, 'one line')
    return error.lines[0]!
  }
  return 'published'
}

export const currentOf = (indexDir: string) => readFileSync(join(indexDir, 'current'), 'utf8').trim()
