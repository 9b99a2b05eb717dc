/** Decimal text to whole cents, half a cent up, by the digits as they are written: 1.005 is 101 cents. */
import { priceCentsMax } from '../../src/limits.ts'

const decimal = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/**
 * @param text a JSON number as written, `12`, `0.125`, `1e3`
 * @returns cents, 0 to `priceCentsMax`; or what is wrong with it, for the operator
 */
export function centsOf(text: string): number | string {
  const match = decimal.exec(text)
  if (match === null) return 'must be a number'
  const [, sign, whole = '', fraction = '', exponentText = '0'] = match
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return 0
  if (sign === '-') return 'must be 0 or more'
  // The value is digits × 10^-scale; its cents are its first digits up to `kept`, rounded by the next one.
  const scale = fraction.length - Number(exponentText)
  const kept = digits.length - scale + 2
  if (kept > centsDigitsMax) return tooHigh
  if (kept < 0) return 0
  const cents = Number(digits.slice(0, kept).padEnd(kept, '0')) + (digits.charCodeAt(kept) >= 0x35 ? 1 : 0)
  return cents > priceCentsMax ? tooHigh : cents
}

const centsDigitsMax = String(priceCentsMax).length
const tooHigh = `must be at most ${priceCentsMax / 100}`
