/** A run that has measured everything, in round figures. */
import type { Results } from '../../bench/harness/results.ts'

const latencyUs = { p50: 500, p99: 1000, p999: 2000, max: 6000 }
const scenario = { limit: 'cold', rate: 90_000, limitRate: 100_000, cpuUs: 10, limitCpuUs: 9, latencyUs } as const
const peer = { rate: 90_000, cpuUs: 10, latencyUs }
const shares = [0.1, 0.8, 0.95]

export const results: Results = {
  conditions: { date: '2026-11-22', CPU: 'a processor' },
  scenarios: [
    { ...scenario, name: 'details', label: 'card details', ratio: 0.98, aim: 0.97 },
    { ...scenario, name: 'batch', label: 'a batch of 20', ratio: 0.75, aim: 0.8 },
    { ...scenario, name: 'full', label: 'cards in full', ratio: 0.5, aim: null },
    { ...scenario, name: 'games', label: 'games', limit: 'hot', ratio: 0.96, aim: 0.95 },
  ],
  peers: [
    { ...peer, scenario: 'details', server: 'limit', rate: 100_000 },
    { ...peer, scenario: 'details', server: 'service' },
    { ...peer, scenario: 'details', server: 'node:http', rate: 30_000 },
    { ...peer, scenario: 'details', server: 'nginx, files', rate: 60_000 },
    { ...peer, scenario: 'batch', server: 'service', rate: 50_000 },
  ],
  rates: ['service', 'limit', 'node:http'].flatMap((server) =>
    shares.map((share) => ({ server, share, rate: 100_000 * share, latencyUs })),
  ),
  cards: ['details', 'search-new'].flatMap((scenario) =>
    [0.25, 1, 4, 16].map((times) => ({
      scenario,
      times,
      cards: 100_000 * times,
      rate: 90_000,
      cpuUs: 10 + times,
      residentBytes: 100e6 * times,
      startMs: 1000,
    })),
  ),
  swap: {
    swapsAt: [1],
    versionBytes: 200e6,
    moments: [0.5, 1, 1.5, 2].map((second) => ({
      second,
      rate: 40_000,
      p99Us: 200,
      worstUs: second === 1.5 ? 7000 : 900,
      residentBytes: 300e6,
    })),
  },
}
