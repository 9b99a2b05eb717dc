/** The servers that are measured against each other: the service, as users start it, and its limits. */
import { bytesOf } from '../../src/indexes/manifest.ts'
import type { LimitOptions } from '../servers/limit.ts'
import type { Prepared } from './bench.ts'
import type { Candidate, Workload } from './harness.ts'
import type { Machine } from './machine.ts'
import { cardPrices, nodeCommand, startServer } from './process.ts'
import type { Subject } from './subject.ts'

interface Placement {
  readonly threads: number
  /** A list of cores for `taskset -c`. */
  readonly cores: string
  readonly name: string
  readonly env: NodeJS.ProcessEnv
}

/**
 * The service, started by `card-prices serve`. Sets or clears the settings below, whatever the caller's environment
 * has.
 */
export function service(
  machine: Machine,
  { tree, indexDir, storeDir }: Pick<Subject, 'tree' | 'indexDir' | 'storeDir'>,
  workload: Workload,
  { threads = 1, cores = '0', name = 'service', env: moreEnv = {} }: Partial<Placement> = {},
): Candidate {
  const unset = {
    API_FORM: '',
    TLS_CERT: '',
    TLS_KEY: '',
    ACCOUNTS_STORE: '',
    QUOTA_STORE: '',
    DATABASE_URL: '',
    QUOTA_FAIL: '',
    WEB_PORT: '',
    METRICS_PORT: '',
    ACCESS_LOG: '',
  }
  const env = {
    ...unset,
    HOST: '127.0.0.1',
    PORT: '0',
    THREADS: String(threads),
    INDEX_DIR: indexDir,
    STORE_DIR: storeDir,
    LOG_LEVEL: 'warn',
    ...moreEnv,
  }
  return { name, workload, start: () => startServer(machine, cardPrices(tree, 'serve'), { env, cores }) }
}

/** The limit that fits the scenario. Its responses have the status, headers and mean size of the sample's. */
export function limit(
  machine: Machine,
  { scenario, subject, sample, workload }: Prepared,
  { threads = 1, cores = '0', name = 'limit' }: Partial<Placement> = {},
): Candidate {
  const { statusLine, headers, bodyBytes, items } = sample
  const isCold = scenario.limit.kind === 'cold'
  const memoryBytes = isCold ? Math.max(cardsBytes(subject), 2 * bodyBytes) : 0
  const takesBodies = scenario.takesBodies === true
  return bareServer(
    machine,
    { statusLine, headers, bodyBytes, memoryBytes, pieces: items, takesBodies, threads },
    { ...workload, before: [] },
    { name, cores },
  )
}

export function bareServer(
  machine: Machine,
  options: LimitOptions,
  workload: Workload,
  { name, cores }: Pick<Placement, 'name' | 'cores'>,
): Candidate {
  const command = nodeCommand('bench/servers/limit.ts', JSON.stringify(options))
  return { name, workload, start: () => startServer(machine, command, { cores }) }
}

/** The total bytes of the index files that contain cards. The cold limit uses as much memory. */
const cardsBytes = ({ version }: Subject): number =>
  bytesOf(version.manifest.files.filter(({ name }) => name.startsWith('cards-')))
