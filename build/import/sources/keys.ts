/** Under which keys a card has prices. */
import * as v from 'valibot'
import { conditions } from '../../../src/api/schemas.ts'
import { grade } from '../../read/schema.ts'

const named: readonly string[] = ['market', 'low', 'mid', 'high', ...conditions]

export const priceKey = v.pipe(
  v.string(),
  v.check(
    (key) => named.includes(key) || v.is(grade, key),
    'must be market, low, mid, high, a condition (near_mint), or a grader and a grade (psa_10)',
  ),
)
