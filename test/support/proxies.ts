/**
 * Real proxies before servers, with the configurations in deploy. The test has its own ports and
 * folders of logs, and the file around the block (Debian's nginx.conf, haproxy.cfg).
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

type Ports = readonly [number] | readonly [number, number]

/** Files of a certificate: nginx takes two, HAProxy one with both. */
export interface ProxyTls {
  readonly cert: string
  readonly key: string
  readonly both: string
}

interface ProxyOptions {
  /** Clients' and the server's together. */
  readonly connectionsMax?: number
  readonly tls?: ProxyTls
  /** Of the pages; without, the first server answers in their place. */
  readonly pagesPort?: number
}

const readyMsMax = 10_000
const connectionsUsual = 700

/** The file of deploy, `replaced` put in place: each text there is there just once. */
export function deployed(name: string, replaced: Readonly<Record<string, string>>): string {
  let text = readFileSync(join(projectDir, 'deploy', name), 'utf8')
  for (const [found, put] of Object.entries(replaced)) {
    assert.equal(text.split(found).length, 2, `${name} has ${JSON.stringify(found)} once`)
    text = text.replace(found, put)
  }
  return text
}

/** The lines of the file that name its two servers, for the one or the two of the test. */
function serverLines(lines: readonly [string, string], ports: Ports) {
  const lineOf = (line: string, port: number) => line.replace(/:80\d0/, `:${port}`)
  return {
    [lines[0]]: lineOf(lines[0], ports[0]),
    [lines[1]]: ports[1] === undefined ? '' : lineOf(lines[1], ports[1]),
  }
}

/** Starts it before the server on `serverPort`, or two, and waits until it takes connections. It ends with the tests of the file. */
export async function startProxy(
  name: ProxyName,
  serverPort: number | readonly [number, number],
  options: ProxyOptions = {},
): Promise<ProxyProcess> {
  const ports = typeof serverPort === 'number' ? ([serverPort] as const) : serverPort
  const folder = temporaryFolder()
  const port = await freePort('127.0.0.1', 0)
  const [program, logs] = [pathOf(name)!, join(folder, 'access.log')]
  const text = name === 'nginx' ? nginxFile(folder, port, ports, options) : haproxyFile(port, ports, options)
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
function nginxFile(folder: string, port: number, ports: Ports, options: ProxyOptions): string {
  const { connectionsMax = connectionsUsual, tls, pagesPort = ports[0] } = options
  const block = deployed('nginx.conf', {
    ...serverLines(['server 127.0.0.1:8080 max_fails=0;', 'server 127.0.0.1:8090 max_fails=0;'], ports),
    ...(tls === undefined
      ? { 'listen 80;': `listen 127.0.0.1:${port};` }
      : {
          'listen 80;  # or: listen 443 ssl;': `listen 127.0.0.1:${port} ssl;`,
          '# ssl_certificate /etc/ssl/prices/fullchain.pem;': `ssl_certificate ${tls.cert};`,
          '# ssl_certificate_key /etc/ssl/prices/privkey.pem;': `ssl_certificate_key ${tls.key};`,
        }),
    'proxy_pass http://127.0.0.1:8081;': `proxy_pass http://127.0.0.1:${pagesPort};`,
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
function haproxyFile(port: number, ports: Ports, options: ProxyOptions): string {
  const { connectionsMax = connectionsUsual, tls, pagesPort = ports[0] } = options
  const block = deployed('haproxy.cfg', {
    ...(tls === undefined
      ? { 'bind :80 ': `bind 127.0.0.1:${port} ` }
      : {
          'bind :80 proto h1  # or: ': '',
          'bind :443 ssl crt /etc/haproxy/site.pem': `bind 127.0.0.1:${port} ssl crt ${tls.both}`,
        }),
    ...serverLines(['server prices1 127.0.0.1:8080', 'server prices2 127.0.0.1:8090'], ports),
    'server pages1 127.0.0.1:8081': `server pages1 127.0.0.1:${pagesPort}`,
  })
  return `
global
  nbthread 1
  maxconn ${connectionsMax}
  no strict-limits
  log stdout format raw local0

${block}`
}
