/** Prices to whole cents, half a cent up, by their digits as written: 1.005 is 101 cents. */
import { priceCentsMax } from '../../src/limits.ts'

const decimal = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/**
 * @param price a JSON number, or its text: `12`, `0.125`, `1e3`
 * @returns cents, 0 to `priceCentsMax`; or a message about what is wrong
 */
export function centsOf(price: string | number): number | string {
  const match = decimal.exec(String(price))
  if (match === null) return 'must be a number'
  const [, sign, whole = '', fraction = '', exponentText = '0'] = match
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return 0
  if (sign === '-') return 'must be 0 or more'
  // The value is digits × 10^-scale; its cents are the first `kept` digits, rounded by the next one.
  const scale = fraction.length - Number(exponentText)
  const kept = digits.length - scale + 2
  if (kept > centsDigitsMax) return tooHigh
  if (kept < 0) return 0
  const cents = Number(digits.slice(0, kept).padEnd(kept, '0')) + (digits.charCodeAt(kept) >= 0x35 ? 1 : 0)
  return cents > priceCentsMax ? tooHigh : cents
}

const centsDigitsMax = String(priceCentsMax).length
const tooHigh = `must be at most ${priceCentsMax / 100}`
