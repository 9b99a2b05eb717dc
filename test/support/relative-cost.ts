/** What work costs beside other work in the same thread at the same moment, so that no machine is too slow for a test. */

function msOf(work: () => void): number {
  const before = performance.now()
  work()
  return performance.now() - before
}

const roundsMax = 20

/**
 * How many times as long as the yardstick the work takes: the least of several rounds, since other programs, or a
 * collection of garbage, may slow one down. The first round that is below `enough` is the last.
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
 * A unit of CPU time, in ms: that of work which never changes, on average. Other processes slow it down as they do the
 * work that is measured in it. On a quiet machine it is 2.2 ms.
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
