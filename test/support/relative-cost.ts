/** Measures work by the time of other work in the same thread, so that a slow machine does not fail a test. */

function msOf(work: () => void): number {
  const before = performance.now()
  work()
  return performance.now() - before
}

const roundsMax = 20

/**
 * Returns the time of the work, divided by the time of the yardstick. Other programs or the garbage collector may slow
 * a round down, so this is the lowest ratio of several rounds. It stops at the first ratio below `enough`.
 */
export function timesYardstick(work: () => void, yardstick: () => void, enough: number): number {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < roundsMax && least >= enough; round++) {
    const before = msOf(yardstick)
    const ms = msOf(work)
    least = Math.min(least, ms / Math.min(before, msOf(yardstick)))
  }
  return least
}

const unitTimes = 10

/**
 * A unit of CPU time, in ms: the average time of a fixed piece of work. Other processes slow this work down as much as
 * the work that is measured. On a quiet machine it is 2.2 ms.
 */
export function unitMs(): number {
  const before = process.cpuUsage()
  for (let time = 0; time < unitTimes; time++) {
    const numbers = Array.from({ length: 20_000 }, (_, i) => Math.imul(i, 2_654_435_761) >>> 0)
    numbers.sort((a, b) => a - b)
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / unitTimes
}
