/** How much of a larger test npm test runs: it ends within 120 s, and npm run test:all runs everything. */
import { it } from 'node:test'

const isAll = process.env['TEST_ALL'] === '1'

/** How many of generated cases. */
export const amount = (quick: number, all: number): number => (isAll ? all : quick)

/** Some of a table's rows, from all over it. */
export const someOf = <Row>(rows: readonly Row[], quick: number): readonly Row[] => {
  if (isAll || rows.length <= quick) return rows
  return Array.from({ length: quick }, (_, i) => rows[Math.floor((i * rows.length) / quick)]!)
}

/** A test of npm run test:all alone. */
export const itInAll: typeof it | (() => void) = isAll ? it : () => {}
