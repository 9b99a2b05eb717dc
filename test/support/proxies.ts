/**
 * Real proxies with the configurations in deploy/: nginx and HAProxy in front of servers, and nginx that serves
 * versions. The tests replace ports and folders, and write the file around the block (Debian's nginx.conf,
 * haproxy.cfg).
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectDir, temporaryFolder } from './command.ts'
import { unusedPort } from './port.ts'
import { Program } from './program.ts'

export const proxyNames = ['nginx', 'haproxy'] as const
export type ProxyName = (typeof proxyNames)[number]

interface ProxyOptions {
  /** The certificate's files: nginx takes two, and HAProxy one file with both. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly both: string }
  /** By default, requests for pages go to the first server. */
  readonly pagesPort?: number
}

/** A file of deploy/ with replacements. It must contain each replaced text exactly once. */
export function deployed(name: string, replaced: Readonly<Record<string, string>>): string {
  let text = readFileSync(join(projectDir, 'deploy', name), 'utf8')
  for (const [found, put] of Object.entries(replaced)) {
    assert.equal(text.split(found).length, 2, `${name} has ${JSON.stringify(found)} once`)
    text = text.replace(found, put)
  }
  return text
}

/** Starts a proxy in front of the servers, and waits until it accepts connections. */
export async function startProxy(
  name: ProxyName,
  serverPorts: readonly number[],
  { tls, pagesPort = serverPorts[0]! }: ProxyOptions = {},
): Promise<Program> {
  const port = await unusedPort()
  const listen = `127.0.0.1:${port}`
  if (name === 'nginx') {
    const block = deployed('nginx.conf', {
      ...serverLines(['server 127.0.0.1:8080 max_fails=0;', 'server 127.0.0.1:8090 max_fails=0;'], serverPorts),
      ...(tls === undefined
        ? { 'listen 80;': `listen ${listen};` }
        : {
            'listen 80;  # or: listen 443 ssl;': `listen ${listen} ssl;`,
            '# ssl_certificate /etc/ssl/prices/fullchain.pem;': `ssl_certificate ${tls.cert};`,
            '# ssl_certificate_key /etc/ssl/prices/privkey.pem;': `ssl_certificate_key ${tls.key};`,
          }),
      'server 127.0.0.1:8081;': `server 127.0.0.1:${pagesPort};`,
      '/var/log/nginx/card-prices.log': 'access.log',
      '/var/log/nginx/card-prices-error.log': 'stderr',
    })
    return startNginx(port, block)
  }
  const block = deployed('haproxy.cfg', {
    ...(tls === undefined
      ? { 'bind :80 ': `bind ${listen} ` }
      : {
          'bind :80 proto h1  # or: ': '',
          'bind :443 ssl crt /etc/haproxy/site.pem': `bind ${listen} ssl crt ${tls.both}`,
        }),
    ...serverLines(['server prices1 127.0.0.1:8080', 'server prices2 127.0.0.1:8090'], serverPorts),
    'server pages1 127.0.0.1:8081': `server pages1 127.0.0.1:${pagesPort}`,
  })
  return startHaproxy(port, block)
}

/** Starts HAProxy in front of three servers, with the round-robin configuration. */
export async function startBalancer(ports: readonly number[], pagesPorts = ports): Promise<Program> {
  const port = await unusedPort()
  const servers = ports.map((server, i) => [`10.0.0.${i + 1}:8080`, `127.0.0.1:${server}`] as const)
  const pages = pagesPorts.map((server, i) => [`10.0.0.${i + 1}:8081`, `127.0.0.1:${server}`] as const)
  const listen = { 'bind :80 ': `bind 127.0.0.1:${port} ` }
  return startHaproxy(port, deployed('haproxy-three.cfg', { ...listen, ...Object.fromEntries([...servers, ...pages]) }))
}

/**
 * Starts nginx to serve versions.
 * @param root the folder of versions
 * @param word the bearer token that it requires; undefined for none
 * @param rate the bytes per second of a response, as nginx writes them (`200k`)
 */
export function startVersionsNginx(
  root: string,
  port: number,
  { word, rate }: { word?: string; rate?: string } = {},
): Promise<Program> {
  const block = deployed('nginx-versions.conf', {
    'listen 80;': `listen 127.0.0.1:${port}; ${rate === undefined ? '' : `limit_rate ${rate};`}`,
    '/srv/card-prices-versions;': `${root};`,
    '/var/log/nginx/card-prices-versions.log': 'access.log versions',
    ...(word === undefined
      ? {}
      : { '# if ($http_authorization != "Bearer WORD")': `if ($http_authorization != "Bearer ${word}")` }),
  })
  const format = "log_format versions '$uri $status $body_bytes_sent $http_range';"
  return startNginx(port, `sendfile on; types { } default_type application/octet-stream; ${format} ${block}`)
}

/** The responses that it has logged. `bytes` is the length of the body. */
export const requestsTo = ({ lines }: Program) =>
  lines.flatMap((line) => {
    const [, path, status, bytes, range] = /^(\S+) (\d{3}) (\d+) (\S+)$/.exec(line) ?? []
    return path === undefined ? [] : [{ path, status: Number(status), bytes: Number(bytes), range: range! }]
  })

/** Replaces the lines for the file's two servers by lines for the test's servers. */
function serverLines([first, second]: readonly [string, string], [port, ...others]: readonly number[]) {
  const lineOf = (line: string, own: number | undefined) => line.replace(/:80\d0/, `:${own}`)
  const more = others.map((other, i) => lineOf(second.replace('prices2', `prices${i + 2}`), other))
  return { [first]: lineOf(first, port), [second]: more.join('\n  ') }
}

/**
 * Starts nginx as one process, so a signal ends it. It logs to access.log in its folder. The block stands where
 * Debian's nginx.conf includes conf.d.
 */
function startNginx(port: number, block: string): Promise<Program> {
  const folder = temporaryFolder()
  const file = join(folder, 'nginx.conf')
  const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((what) => `${what}_temp_path ${folder}/${what};`)
  const head = `daemon off; master_process off; pid ${folder}/nginx.pid; events { worker_connections 700; }`
  writeFileSync(file, `${head}\nhttp {\n${own.join('\n')}\n${block}\n}`)
  const logFile = join(folder, 'access.log')
  return new Program('nginx', ['-e', 'stderr', '-p', folder, '-c', file], port, logFile).start()
}

/**
 * Starts HAProxy with one thread, so that callers share connections to the server as much as possible. HAProxy wants
 * two descriptors for each possible caller; `no strict-limits` lets it start with fewer.
 */
function startHaproxy(port: number, block: string): Promise<Program> {
  const file = join(temporaryFolder(), 'haproxy.cfg')
  const head = ['global', 'nbthread 1', 'maxconn 700', 'no strict-limits', 'log stdout format raw local0']
  writeFileSync(file, `${head.join('\n  ')}\n\n${block}`)
  return new Program('haproxy', ['-f', file], port).start()
}
