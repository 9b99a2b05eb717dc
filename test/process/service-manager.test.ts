/** Messages to systemd from a server that it started: a socket in its place, and its own program that reads them. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { serviceManager } from '../../src/process/service-manager.ts'
import { collect, temporaryFolder, withModules } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const watchdogMs = 3000

/** Node.js has no datagram sockets of Unix; Debian's perl-base, which every machine has, does. */
async function listening() {
  const path = join(temporaryFolder(), 'notify')
  const program =
    'socket(S, PF_UNIX, SOCK_DGRAM, 0); bind(S, sockaddr_un($ARGV[0])) or die; $| = 1; print "bound\\n"; ' +
    'while (defined recv(S, $m, 4096, 0)) { print "$m\\n" }'
  const child = spawn('perl', ['-MSocket', '-e', program, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  process.once('exit', () => child.kill())
  const output = collect(child)
  await until('it listens', () => output.stdout().startsWith('bound'))
  const heard = (state: string) =>
    output
      .stdout()
      .split('\n')
      .filter((line) => line === state).length
  return { path, heard, stop: () => child.kill() }
}

it('systemd hears when the server serves, that all threads are well, and when it stops', {
  skip: skipWithout('systemd-notify'),
}, async () => {
  const systemd = await listening()
  const mortalDir = temporaryFolder()
  const service = await startService({
    INDEX_DIR: temporaryFolder(),
    STORE_DIR: temporaryFolder(),
    THREADS: '2',
    DRAIN_SECONDS: '4',
    LOG_LEVEL: 'info',
    NOTIFY_SOCKET: systemd.path,
    WATCHDOG_USEC: String(watchdogMs * 1000),
    MORTAL_DIR: mortalDir,
    ...withModules('test/process/mortal.cjs'),
  })
  await until('it is ready', () => systemd.heard('READY=1') === 1)
  await until('all is well', () => systemd.heard('WATCHDOG=1') >= 2)
  const [alive] = readdirSync(mortalDir).filter((name) => name.startsWith('alive-'))
  const hang = join(mortalDir, alive!.replace('alive', 'hang'))
  writeFileSync(hang, '')
  const told = () => service.log().split('a server thread does not answer').length
  const toldBefore = told()
  // The first line may be of a busy machine, and an earlier message may still arrive.
  await until('it tells of the thread', () => told() >= toldBefore + 2)
  const before = systemd.heard('WATCHDOG=1')
  await until('it tells again', () => told() >= toldBefore + 3)
  assert.equal(systemd.heard('WATCHDOG=1'), before, 'not all is well')
  rmSync(hang)
  await until('all is well again', () => systemd.heard('WATCHDOG=1') > before)
  const stopped = service.stop()
  await until('it stops', () => systemd.heard('STOPPING=1') === 1)
  assert.equal((await send(service.address, '/healthz')).status, 503)
  assert.equal(await stopped, 0)
  const lines = service.log().trim().split('\n')
  const last = lines.filter((line) => !line.includes('does not answer')).slice(-2)
  assert.match(last[0]!, /^\{"level":30,.*,"signal":"SIGTERM","drainMs":4000,"msg":"stopping"\}$/)
  assert.match(last[1]!, /^\{"level":30,.*,"ms":\d{4,5},"msg":"stopped; every request was answered"\}$/)
  systemd.stop()
})

it('If systemd can’t be notified, the server logs it once, and continues its watchdog checks until it stops', async () => {
  const env = { NOTIFY_SOCKET: join(temporaryFolder(), 'nobody'), WATCHDOG_USEC: '60000', PATH: temporaryFolder() }
  const lines: string[] = []
  const manager = serviceManager(pino({}, { write: (line: string) => lines.push(line) }), env)
  let looks = 0
  manager.ready(async () => {
    if (++looks === 6) manager.end()
    return true
  })
  await until('it looks again and again', () => looks > 5 && lines.length > 0)
  manager.stopping()
  await sleep(50)
  assert.deepEqual([looks, lines.length], [6, 1], 'it looks no more after its end')
  assert.match(lines[0]!, /systemd could not be notified of READY=1: /)
})
