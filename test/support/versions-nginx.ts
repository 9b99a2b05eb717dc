/** A real nginx that gives out versions, by the file in deploy with what is a machine's own put in the test's place. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { collect, temporaryFolder } from './command.ts'
import { pathOf } from './programs.ts'
import { deployed } from './proxies.ts'
import { send } from './service.ts'
import { until } from './until.ts'

export interface VersionsNginx {
  readonly url: string
  /** A line for each request: `path status bytes range`; bytes of the body. */
  requests(): { path: string; status: number; bytes: number; range: string }[]
  stop(signal?: NodeJS.Signals): Promise<void>
}

/**
 * @param word whom it lets in: a bearer of it; anybody if there is none
 * @param rate bytes a second of an answer, as nginx has it (`200k`)
 */
export async function startVersionsNginx(
  root: string,
  port: number,
  { word, rate }: { word?: string; rate?: string } = {},
): Promise<VersionsNginx> {
  const folder = temporaryFolder()
  const log = join(folder, 'access.log')
  const block = deployed('nginx-versions.conf', {
    'listen 80;': `listen 127.0.0.1:${port}; ${rate === undefined ? '' : `limit_rate ${rate};`}`,
    '/srv/card-prices-versions;': `${root};`,
    '/var/log/nginx/card-prices-versions.log': `${log} versions`,
    ...(word === undefined
      ? {}
      : { '# if ($http_authorization != "Bearer WORD")': `if ($http_authorization != "Bearer ${word}")` }),
  })
  const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((what) => `${what}_temp_path ${folder}/${what};`)
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${folder}/nginx.pid;
     events { worker_connections 64; }
     http { ${own.join('\n')} sendfile on; types { } default_type application/octet-stream;
       log_format versions '$uri $status $body_bytes_sent $http_range';
       ${block} }`,
  )
  const child = spawn(pathOf('nginx')!, ['-e', 'stderr', '-p', folder, '-c', file], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  const output = collect(child)
  const url = `http://127.0.0.1:${port}`
  await until('nginx answers', async () => {
    if (child.exitCode !== null) throw new Error(output.stderr())
    return send(url, '/').then(
      () => true,
      () => false,
    )
  })
  writeFileSync(log, '')
  const requests = () =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [path, status, bytes, range] = line.split(' ')
        return { path: path!, status: Number(status), bytes: Number(bytes), range: range! }
      })
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  return { url, requests, stop }
}
