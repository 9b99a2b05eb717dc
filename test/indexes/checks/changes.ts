/** A changes file, by itself and with the cards of the lists file. */
import { type ChangesFile, change, periods, rangeDays } from '../../../src/indexes/changes-file.ts'
import { type ListsFile, noPrice } from '../../../src/indexes/lists-file.ts'
import { priceCentsMax } from '../../../src/limits.ts'
import { each, must } from './columns.ts'

/** @param lists checked before */
export function checkChangesFile({ changes, changedOn }: ChangesFile, { cardGame }: ListsFile): void {
  must(changes.length === cardGame.length * change.size, 'each card has its changes')
  must(changedOn.length === cardGame.length, 'each card has the day of its last change')
  each(cardGame.length, 'the changes of a card are possible', (card) =>
    areChanges(changes.subarray(card * change.size)),
  )
}

function areChanges(numbers: Uint32Array): boolean {
  const prices = [...numbers.subarray(change.to, change.days)]
  const [high, low, days] = [numbers[change.high]!, numbers[change.low]!, numbers[change.days]!]
  const isRanged = high !== noPrice
  // All prices except the oldest are of days within the range of high and low.
  const inRange = prices.slice(change.to, change.from + periods.length - 1).filter((cents) => cents !== noPrice)
  return (
    prices.every((cents) => cents <= priceCentsMax || cents === noPrice) &&
    isRanged === (low !== noPrice) &&
    isRanged === (days !== noPrice) &&
    (!isRanged || (days >>> 16 < rangeDays && (days & 0xffff) < rangeDays && low <= high)) &&
    inRange.every((cents) => isRanged && cents >= low && cents <= high)
  )
}
