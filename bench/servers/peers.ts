/** The peers, which a user could choose instead, and the scenarios that each can answer. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathOf } from '../../test/support/programs.ts'
import { ask } from '../harness/answers.ts'
import type { Bench, Prepared } from '../harness/bench.ts'
import { type Candidate, startReady } from '../harness/harness.ts'
import { has, type Machine } from '../harness/machine.ts'
import { nodeCommand, projectDir, type RunningServer, runToEnd, startServer } from '../harness/process.ts'
import type { Subject } from '../harness/subject.ts'
import { startNginx, writeSite } from './nginx.ts'
import { peerData } from './peer-data.ts'
import { bodiesInRedis, redisGenerator, startRedis } from './redis.ts'

type Bodies = (port: number, requests: readonly string[]) => Promise<readonly string[]>

export interface Peer {
  readonly name: string
  /** The command that installs the peer; undefined if it is installed. */
  readonly lack: string | undefined
  readonly contestant: Candidate
  /** Fetches the responses, which must equal the service's. Undefined if the peer's search finds other cards. */
  readonly bodies: Bodies | undefined
}

/** The scenarios of peers that store each card's text. */
const storedTexts = ['details', 'batch', 'games'] as const
/** The scenario of search engines. They find other cards than the service. */
const searches = 'search-new'
/** All scenarios that at least one peer can answer. */
export const peerScenarios = [...storedTexts, searches] as const

interface Kind {
  readonly name: string
  readonly answers: readonly string[]
  readonly lack: () => string | undefined
  /** Runs once for a subject, before the peer's first start. */
  readonly prepare?: (folder: string, subject: Subject) => Promise<void>
  readonly start: (machine: Machine, folder: string, subject: Subject) => Promise<RunningServer>
  readonly isRedis?: boolean
}

const onNode = (
  name: string,
  frame: string,
  store: string,
  lack: () => string | undefined,
  answers: Kind['answers'] = storedTexts,
): Kind => ({
  name,
  answers,
  lack,
  start: (machine, folder) => startServer(machine, nodeCommand('bench/servers/node-peer.ts', frame, store, folder)),
})

const debian = (program: string, name: string, versionOption: string) => () =>
  has(program, versionOption) ? undefined : `apt-get install ${name}`
const fromNpm = (name: string) => () => (isInstalled(name) ? undefined : 'npm run bench:peers')
const nothing = () => undefined
const postgres = () => (pathOf('postgres') === undefined ? 'apt-get install postgresql' : undefined)

const kinds: readonly Kind[] = [
  {
    name: 'nginx, files',
    answers: ['details', 'games'],
    lack: debian('nginx', 'nginx', '-v'),
    prepare: async (folder, subject) => writeSite(folder, subject, fixedIn(folder)),
    start: (machine, folder, subject) => startNginx(machine, folder, subject.ids.length),
  },
  {
    name: 'Go net/http',
    answers: storedTexts,
    lack: debian('go', 'golang-go', 'version'),
    prepare: async (folder) => {
      const source = join(projectDir, 'bench/servers/go/main.go')
      await runToEnd(['env', `GOCACHE=${folder}/go-cache`, 'go', 'build', '-o', join(folder, 'go-peer'), source])
    },
    start: (machine, folder) => startServer(machine, [join(folder, 'go-peer'), folder]),
  },
  onNode('node:http', 'http', 'map', nothing),
  onNode('Fastify', 'fastify', 'map', fromNpm('fastify')),
  onNode('node:http + SQLite', 'http', 'sqlite', nothing),
  onNode('node:http + MiniSearch', 'http', 'minisearch', fromNpm('minisearch'), [searches]),
  onNode('node:http + Orama', 'http', 'orama', fromNpm('@orama/orama'), [searches]),
  onNode('node:http + SQLite FTS5', 'http', 'fts5', nothing, [searches]),
  onNode('node:http + SQLite FTS5, trigrams', 'http', 'fts5-trigram', nothing, [searches]),
  onNode('node:http + PostgreSQL, pg_trgm', 'http', 'pg_trgm', postgres, [searches]),
  {
    name: 'Redis, GET',
    answers: ['details'],
    lack: debian('redis-benchmark', 'redis-server', '--version'),
    start: (machine, _, subject) => startRedis(machine, subject),
    isRedis: true,
  },
]

/** True if `npm run bench:peers` has installed the package. */
function isInstalled(packageName: string): boolean {
  try {
    createRequire(join(projectDir, 'bench/peers/package.json')).resolve(packageName)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    return false
  }
}

const fixedIn = (folder: string) =>
  readFileSync(join(folder, 'fixed.tsv'), 'utf8')
    .split('\n')
    .map((line) => line.split('\t') as [string, string])

const ready = new WeakMap<Subject, Set<Kind>>()

/** Returns all peers that can answer the scenario, installed or not. */
export async function peersFor({ machine }: Bench, { scenario, subject, workload }: Prepared): Promise<Peer[]> {
  const folder = await peerData(machine, subject)
  const prepared = ready.get(subject) ?? new Set()
  ready.set(subject, prepared)
  const peers: Peer[] = []
  for (const kind of kinds.filter(({ answers }) => answers.includes(scenario.name))) {
    const { name, start, prepare, isRedis } = kind
    const lack = kind.lack()
    if (lack === undefined && !prepared.has(kind)) await prepare?.(folder, subject)
    if (lack === undefined) prepared.add(kind)
    const contestant: Candidate = {
      name,
      workload,
      start: () => start(machine, folder, subject),
      ...(isRedis ? { generator: redisGenerator(machine, subject.ids.length) } : {}),
    }
    const bodies = isRedis ? inRedis(subject) : scenario.name === searches ? undefined : overHttp
    peers.push({ name, lack, contestant, bodies })
  }
  return peers
}

const inRedis = (subject: Subject) => (port: number, requests: readonly string[]) =>
  bodiesInRedis(port, subject, requests)

async function overHttp(port: number, requests: readonly string[]): Promise<string[]> {
  const bodies: string[] = []
  for await (const { body } of ask(port, requests)) bodies.push(body.toString())
  return bodies
}

/** Returns the installed peers. Throws if one sends other bodies than the service. Search engines are not compared. */
export async function sameAnswering(
  own: Candidate,
  peers: readonly Peer[],
  requests: readonly string[],
): Promise<Candidate[]> {
  const expected = await hashOf(own, overHttp, requests)
  const installed = peers.filter(({ lack }) => lack === undefined)
  for (const { name, contestant, bodies } of installed) {
    if (bodies !== undefined && (await hashOf(contestant, bodies, requests)) !== expected)
      throw new Error(`${name} does not answer as the service does`)
  }
  return installed.map(({ contestant }) => contestant)
}

async function hashOf(contestant: Candidate, bodies: Bodies, requests: readonly string[]): Promise<string> {
  const server = await startReady(contestant)
  try {
    return createHash('sha256')
      .update(JSON.stringify(await bodies(server.port, requests)))
      .digest('hex')
  } finally {
    await server.stop()
  }
}
