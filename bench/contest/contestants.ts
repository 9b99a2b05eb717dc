/** The servers that are measured: the service as users start it, the limit, and peers where they are installed. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { freePort } from '../../src/process/port.ts'
import type { LimitOptions } from '../servers/limit.ts'
import type { Sample } from './answers.ts'
import type { Contestant, Workload } from './contest.ts'
import { has, type Machine } from './machine.ts'
import { nodeCommand, startServer } from './process.ts'
import type { Subject } from './subject.ts'

interface Placement {
  readonly threads: number
  /** As taskset's `-c` has them. */
  readonly cores: string
  readonly name: string
}

/** `npm run serve`, with the settings that it has by itself whatever those of the caller are. */
export function service(
  machine: Machine,
  { indexDir, storeDir }: Subject,
  workload: Workload,
  { threads = 1, cores = '0', name = 'service' }: Partial<Placement> = {},
): Contestant {
  const unset = { API_FORM: '', TLS_CERT: '', TLS_KEY: '', QUOTA_STORE: '', QUOTA_FAIL: '' }
  const env = {
    ...unset,
    HOST: '127.0.0.1',
    PORT: '0',
    THREADS: String(threads),
    INDEX_DIR: indexDir,
    STORE_DIR: storeDir,
    LOG_LEVEL: 'warn',
  }
  return { name, workload, start: () => startServer(machine, nodeCommand('src/main.ts'), { env, cores }) }
}

/** Sends answers like those of the sample. */
export function limit(
  machine: Machine,
  { statusLine, headers, bodyBytes }: Sample,
  workload: Workload,
  { threads = 1, cores = '0', name = 'limit' }: Partial<Placement> = {},
): Contestant {
  const options: LimitOptions = { statusLine, headers, bodyBytes, threads }
  return {
    name,
    workload: { ...workload, before: [] },
    start: () => startServer(machine, nodeCommand('bench/servers/limit.ts', JSON.stringify(options)), { cores }),
  }
}

/** The limit with all headers in one call of the library: even less work, of the same bytes. */
export function limitInOneCall(machine: Machine, sample: Sample, workload: Workload): Contestant {
  const [name, ...values] = sample.headers.flatMap(([header, value], i) =>
    i === 0 ? [header, value] : [`\r\n${header}: ${value}`],
  )
  const joined = { ...sample, headers: [[name!, values.join('')] as const] }
  return limit(machine, joined, workload, { name: 'limit, all headers in one call' })
}

interface Peer {
  readonly name: string
  /** Undefined if it is not installed. */
  readonly contestant: Contestant | undefined
  /** Whether it answers with the data, and not with as many bytes. */
  readonly hasData: boolean
}

/** What answers card details too. */
export function peers(machine: Machine, subject: Subject, sample: Sample, workload: Workload): Peer[] {
  const keysFile = join(subject.folder, 'keys.json')
  writeFileSync(keysFile, JSON.stringify(subject.keys), { mode: 0o600 })
  const peer = (name: string, kind: string, resolvable: boolean): Peer => {
    const command = nodeCommand('bench/servers/peer.ts', kind, subject.indexDir, keysFile)
    const start = () => startServer(machine, command)
    return { name, hasData: true, contestant: resolvable ? { name, workload, start } : undefined }
  }
  return [
    nginx(machine, subject, sample, workload),
    peer('node:http, a Map', 'http', true),
    peer('Fastify, a Map', 'fastify', isResolvable('fastify')),
    peer('node:http, SQLite (better-sqlite3)', 'sqlite', isResolvable('better-sqlite3')),
  ]
}

function isResolvable(packageName: string): boolean {
  try {
    createRequire(import.meta.url).resolve(packageName)
    return true
  } catch {
    return false
  }
}

/** One worker that sends a constant body of the mean size, with the same headers. */
function nginx(machine: Machine, { folder }: Subject, { headers, bodyBytes }: Sample, workload: Workload): Peer {
  const name = 'nginx, a constant body'
  if (!has('nginx', '-v')) return { name, hasData: false, contestant: undefined }
  const start = async () => {
    const port = await freePort('127.0.0.1', 0)
    const config = join(folder, 'nginx.conf')
    mkdirSync(join(folder, 'nginx'), { recursive: true })
    writeFileSync(config, nginxConfig(join(folder, 'nginx'), port, headers, bodyBytes))
    return startServer(machine, ['nginx', '-c', config], { port })
  }
  return { name, hasData: false, contestant: { name, workload, start } }
}

function nginxConfig(folder: string, port: number, headers: Sample['headers'], bodyBytes: number): string {
  const [contentType, ...others] = headers.toSorted(([a], [b]) => rank(a) - rank(b))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `daemon off;
master_process off;
pid ${folder}/pid;
error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  keepalive_requests 1000000000;
  default_type ${contentType![1]};
  server {
    listen 127.0.0.1:${port};
    ${others.map(([name, value]) => `add_header ${name} ${value};`).join('\n    ')}
    location / { return 200 "${'x'.repeat(bodyBytes)}"; }
  }
}
`
}

const rank = (name: string) => (name.toLowerCase() === 'content-type' ? 0 : 1)
