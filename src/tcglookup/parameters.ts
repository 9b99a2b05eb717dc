/** The parameters of all routes of the compatibility API. A number out of its bounds is rejected. */

import * as kinds from '../api/parameter-kinds.ts'
import { periods } from '../api/parameters.ts'
import { queryCharsMax, searchLimitMax, setsLimitMax } from '../limits.ts'
import { idsMax } from './shapes.ts'

const searchLimitDefault = 20
const listLimitDefault = 50
const historyDefault = '30d'

const limitOf = (standard: number, maximum: number) =>
  kinds.wholeNumber('limit', { default: standard, minimum: 1, maximum }, 'rejected')

/** A card name. A blank name is read as '', which is also the default. */
export const name = kinds.inQuery(
  'q',
  { type: 'string', charsMax: queryCharsMax, allowed: `a card name of at most ${queryCharsMax} characters` },
  '',
  (text) => (kinds.isTooLong(text, queryCharsMax) ? undefined : text.trim() === '' ? '' : text),
)

/** Ids, separated by commas. Without ids the list is empty. */
export const ids = kinds.inQuery<readonly string[]>(
  'ids',
  { type: 'string', allowed: `at most ${idsMax} ids, separated by commas` },
  [],
  (text) => {
    const all = text.split(',', idsMax + 1).map((id) => id.trim())
    return all.length > idsMax ? undefined : all.filter((id) => id !== '')
  },
)

/** A game's slug. The version may have no such game. */
export const game = kinds.gameSlug('game')

export const cardsLimit = limitOf(searchLimitDefault, searchLimitMax)
export const listLimit = limitOf(listLimitDefault, setsLimitMax)

const named = new Map(['7d', '30d', '90d', '1y'].map((one) => [one, periods.find((period) => period.name === one)!]))
export const period = kinds.oneOf('period', named, named.get(historyDefault)!)
