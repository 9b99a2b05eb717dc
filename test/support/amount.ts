/**
 * How much of a larger test runs. `npm test` runs a part of it, to end within 120 s. `npm run test:all` runs all of it.
 */
import { it } from 'node:test'

const isAll = process.env['TEST_ALL'] === '1'

/** The number of generated cases: `quick` for `npm test`, `all` for `npm run test:all`. */
export const amount = (quick: number, all: number): number => (isAll ? all : quick)

/** All rows for `npm run test:all`; for `npm test`, `quick` rows at even distances. */
export const someOf = <Row>(rows: readonly Row[], quick: number): readonly Row[] => {
  if (isAll || rows.length <= quick) return rows
  return Array.from({ length: quick }, (_, i) => rows[Math.floor((i * rows.length) / quick)]!)
}

/** A test that only `npm run test:all` runs. */
export const itInAll: typeof it | (() => void) = isAll ? it : () => {}
