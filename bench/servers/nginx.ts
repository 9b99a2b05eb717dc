/**
 * Runs nginx as one process. Its responses are files that are named by card id, as for a static site. It checks keys
 * with a `map`. It can't count requests a day, so it sends no quota.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { freePort } from '../../src/process/free-port.ts'
import type { Machine } from '../harness/machine.ts'
import { type RunningServer, startServer } from '../harness/process.ts'
import type { Subject } from '../harness/subject.ts'
import { cardsOf } from './peer-data.ts'
import { detailsPath } from './peer-paths.ts'

/**
 * Writes the site's files and the map of keys.
 * @param fixed the path and the response of each fixed page
 */
export function writeSite(folder: string, subject: Subject, fixed: readonly (readonly [string, string])[]): void {
  const site = join(folder, 'site')
  mkdirSync(join(site, detailsPath), { recursive: true })
  for (const { id, details } of cardsOf(subject)) writeFileSync(join(site, detailsPath, id), details)
  for (const [path, body] of fixed) {
    mkdirSync(dirname(join(site, path)), { recursive: true })
    writeFileSync(join(site, path), body)
  }
  writeFileSync(join(folder, 'keys.map'), subject.keys.map((key) => `${key} 1;\n`).join(''), { mode: 0o600 })
}

export async function startNginx(machine: Machine, folder: string, files: number): Promise<RunningServer> {
  const port = await freePort('127.0.0.1', 0)
  const config = join(folder, 'nginx.conf')
  writeFileSync(config, configOf(folder, port, Math.min(files, openFilesMax() - besideFiles)))
  // nginx would raise its limit of open files in worker processes only, and here it has none.
  return startServer(machine, ['sh', '-c', `ulimit -n $(${hardLimit}); exec nginx -c "$0"`, config], { port })
}

/** Open files that are no responses, such as sockets. */
const besideFiles = 2048
const hardLimit = 'ulimit -H -n'

function openFilesMax(): number {
  const reported = execFileSync('sh', ['-c', hardLimit]).toString().trim()
  return reported === 'unlimited' ? Infinity : Number(reported)
}

/** @param files how many files nginx keeps open */
const configOf = (folder: string, port: number, files: number) => `daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  keepalive_requests 1000000000;
  default_type application/json;
  gzip off;
  sendfile on;
  tcp_nopush on;
  open_file_cache max=${files} inactive=1h;
  open_file_cache_valid 1h;
  map_hash_max_size 8192;
  map_hash_bucket_size 128;
  map $http_x_api_key $known { default 0; include ${folder}/keys.map; }
  server {
    listen 127.0.0.1:${port};
    root ${folder}/site;
    location / {
      if ($known = 0) { return 401; }
      try_files $uri =404;
    }
  }
}
`
