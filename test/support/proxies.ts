/**
 * Real proxies before a server, with the configurations that README.md gives. What of them is a machine's own is put in
 * the test's place: ports, folders of logs, and the file around the block (Debian's nginx.conf, haproxy.cfg).
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../src/process/port.ts'
import { collect, projectDir, temporaryFolder } from './command.ts'
import { pathOf } from './programs.ts'
import { Wire } from './proxy-wire.ts'

export const proxyNames = ['nginx', 'haproxy'] as const
export type ProxyName = (typeof proxyNames)[number]

export interface ProxyProcess {
  readonly port: number
  /** All that it has logged, of accesses and errors. */
  log(): string
  stop(): Promise<void>
}

const readyMsMax = 10_000

/** The block of README.md in this language, `replaced` put in place: each text there is there just once. */
export function configurationOf(language: string, replaced: Readonly<Record<string, string>>): string {
  const readme = readFileSync(join(projectDir, 'README.md'), 'utf8')
  const blocks = [...readme.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(([, found]) => found === language)
  assert.equal(blocks.length, 1, `README.md has one block in ${language}`)
  let text = blocks[0]![2]!
  for (const [found, put] of Object.entries(replaced)) {
    assert.equal(text.split(found).length, 2, `README.md's ${language} has ${JSON.stringify(found)} once`)
    text = text.replace(found, put)
  }
  return text
}

/**
 * Starts it before the server on `serverPort` and waits until it takes connections. It ends with the tests of the file.
 * @param connectionsMax clients' and the server's together
 */
export async function startProxy(name: ProxyName, serverPort: number, connectionsMax = 700): Promise<ProxyProcess> {
  const folder = temporaryFolder()
  const port = await freePort('127.0.0.1', 0)
  const [program, logs] = [pathOf(name)!, join(folder, 'access.log')]
  const text =
    name === 'nginx'
      ? nginxFile(folder, port, serverPort, connectionsMax)
      : haproxyFile(port, serverPort, connectionsMax)
  const file = join(folder, `${name}.conf`)
  writeFileSync(file, text)
  const args = name === 'nginx' ? ['-e', 'stderr', '-p', folder, '-c', file] : ['-f', file]
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  process.once('exit', () => child.kill('SIGKILL'))
  const output = collect(child)
  const log = () => output.stdout() + output.stderr() + (existsSync(logs) ? readFileSync(logs, 'utf8') : '')
  await untilReady(child, port, log)
  const stop = async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  return { port, log, stop }
}

async function untilReady(child: ChildProcess, port: number, log: () => string): Promise<void> {
  for (const deadline = Date.now() + readyMsMax; ; await pause(20)) {
    const wire = await Wire.open(port).catch(() => undefined)
    if (wire !== undefined) return wire.close()
    assert.equal(child.exitCode, null, `the proxy ended: ${log()}`)
    assert.ok(Date.now() < deadline, `the proxy takes no connections: ${log()}`)
  }
}

/** One process, which ends with its signal. The block stands where Debian's nginx.conf includes conf.d. */
function nginxFile(folder: string, port: number, serverPort: number, connectionsMax: number): string {
  const block = configurationOf('nginx', {
    'server 127.0.0.1:8080;': `server 127.0.0.1:${serverPort};`,
    'listen 80;': `listen 127.0.0.1:${port};`,
    '/var/log/nginx/card-prices.log': join(folder, 'access.log'),
    '/var/log/nginx/card-prices-error.log': 'stderr',
  })
  const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((what) => `${what}_temp_path ${folder}/${what};`)
  return `
    daemon off;
    master_process off;
    pid ${folder}/nginx.pid;
    events { worker_connections ${connectionsMax}; }
    http {
      ${own.join('\n')}
      ${block}
    }`
}

/** One thread, so that callers share connections to the server wherever they can. It would keep two descriptors a caller. */
function haproxyFile(port: number, serverPort: number, connectionsMax: number): string {
  const block = configurationOf('haproxy', {
    'bind :80 ': `bind 127.0.0.1:${port} `,
    'server prices1 127.0.0.1:8080 ': `server prices1 127.0.0.1:${serverPort} `,
  })
  return `
global
  nbthread 1
  maxconn ${connectionsMax}
  no strict-limits
  log stdout format raw local0

${block}`
}
