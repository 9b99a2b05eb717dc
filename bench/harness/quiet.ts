/**
 * Reads from the kernel whether other programs use the machine, while the benchmark itself runs nothing:
 *
 *   busy      how much of all cores other programs use
 *   waited    how long programs waited for a core (pressure)
 *   stolen    how much of the cores the hypervisor gave to other machines (steal)
 *   load      programs that ran or waited in the last minute
 */
import { readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

/** The kernel's counters at a moment. A counter is undefined if the kernel does not have it. */
export interface Moment {
  /** The sum over all cores, in ticks. */
  readonly ticks: { readonly all: number; readonly idle: number; readonly stolen: number } | undefined
  /** The time in which at least one program waited for a core, in µs. */
  readonly waitedUs: number | undefined
  readonly atUs: number
}

/** The machine's use between two moments. All but `load` are shares of that time. */
export interface Activity {
  readonly busy: number | undefined
  readonly stolen: number | undefined
  readonly waited: number | undefined
  /** Programs per core that ran or waited in the last minute. Measured only before the benchmark runs anything. */
  readonly load: number | undefined
}

/** The highest values on a quiet machine. A higher value can distort a figure as much as two runs usually differ. */
const mostOf = { busy: 0.05, stolen: 0.01, waited: 0.05, load: 0.5 } as const
/** On a quiet machine, a server's fastest and slowest rounds differ by at most this share of the median. */
const spreadMax = 0.1

const words = {
  busy: 'of all cores busy with others',
  stolen: 'stolen by the hypervisor',
  waited: 'of the time somebody waited for a core',
  load: 'programs a core in the last minute',
} as const

export function momentNow(): Moment {
  return {
    ticks: ticksIn(read('/proc/stat')),
    waitedUs: waitedIn(read('/proc/pressure/cpu')),
    atUs: performance.now() * 1000,
  }
}

/**
 * Reads the first line of /proc/stat: user nice system idle iowait irq softirq steal guest guest_nice. User time
 * already includes guest time.
 */
export function ticksIn(stat: string | undefined): Moment['ticks'] {
  const fields = stat === undefined ? null : /^cpu +([\d ]+)$/m.exec(stat)
  if (fields === null) return undefined
  const ticks = fields[1]!.trim().split(' ').slice(0, 8).map(Number)
  return { all: ticks.reduce((sum, each) => sum + each, 0), idle: ticks[3]! + ticks[4]!, stolen: ticks[7] ?? 0 }
}

/** Reads the total (µs) from `some avg10=0.00 avg60=0.00 avg300=0.00 total=1234`. */
export function waitedIn(pressure: string | undefined): number | undefined {
  const total = pressure === undefined ? null : /^some .*total=(\d+)$/m.exec(pressure)
  return total === null ? undefined : Number(total[1])
}

export function activityBetween(from: Moment, to: Moment, load?: number): Activity {
  const ticks = from.ticks && to.ticks && { from: from.ticks, to: to.ticks, all: to.ticks.all - from.ticks.all }
  const share = (part: number) => (ticks === undefined || ticks.all === 0 ? undefined : part / ticks.all)
  const stolen = ticks && share(ticks.to.stolen - ticks.from.stolen)
  const idle = ticks && share(ticks.to.idle - ticks.from.idle)
  return {
    busy: idle === undefined ? undefined : 1 - idle,
    stolen,
    waited:
      from.waitedUs === undefined || to.waitedUs === undefined
        ? undefined
        : (to.waitedUs - from.waitedUs) / (to.atUs - from.atUs),
    load,
  }
}

/** Returns a text for each value above `mostOf`, or undefined if the kernel reports no values. */
export function disturbances(activity: Activity): readonly string[] | undefined {
  const known = (Object.keys(mostOf) as (keyof typeof mostOf)[]).filter((what) => activity[what] !== undefined)
  if (known.length === 0) return undefined
  return known
    .filter((what) => activity[what]! > mostOf[what])
    .map((what) => {
      const value = activity[what]!
      return `${what === 'load' ? value.toFixed(1) : `${Math.round(value * 100)} %`} ${words[what]}`
    })
}

/** Returns a text if one server's rounds differ by more than `spreadMax`, else none. */
export function spreadOf(rates: readonly number[]): readonly string[] {
  const sorted = [...rates].sort((a, b) => a - b)
  const spread = (sorted.at(-1)! - sorted[0]!) / sorted[sorted.length >> 1]!
  return spread > spreadMax ? [`rounds of one server differ by ${Math.round(spread * 100)} %`] : []
}

const lookMs = 2000

/**
 * Measures the machine's use for two seconds. Meanwhile the benchmark must run nothing.
 * @param withLoad true only before the benchmark has run anything, because the load covers the last minute
 */
export async function lookAround(withLoad: boolean): Promise<Activity> {
  const load = withLoad && process.platform === 'linux' ? loadavg()[0]! / availableParallelism() : undefined
  const from = momentNow()
  await pause(lookMs)
  return activityBetween(from, momentNow(), load)
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
