/** Signals to the commands as an operator starts them: by npm, which a service manager or a terminal then tells to end. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { lockBuilds } from '../../src/indexes/publish/lock.ts'
import { itInAll } from '../support/amount.ts'
import { accounts, collect, projectDir, temporaryFolder } from '../support/command.ts'
import { fixtureIndex } from '../support/sample.ts'
import { send } from '../support/service.ts'
import { until } from '../support/until.ts'

/** All that a test started and that must be gone after it. */
const started = new Set<number>()
process.once('exit', () => {
  for (const pid of started) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
})

/** npm in a process group of its own, as a terminal gives it. */
function npm(args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn('npm', args, {
    cwd: projectDir,
    env: { ...process.env, PORT: '0', LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  started.add(child.pid!)
  return child
}

/** What the system says of a process; undefined if the process is gone. */
function textOf(pid: number, file: 'stat' | 'cmdline'): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return undefined
  }
}

function stateOf(pid: number): { state: string; parent: number } | undefined {
  const [state, parent] = textOf(pid, 'stat')?.split(') ').at(-1)?.split(' ') ?? []
  return state === undefined ? undefined : { state, parent: Number(parent) }
}

const isAlive = (pid: number) => !['Z', undefined].includes(stateOf(pid)?.state)

/** All processes that it started, and those that they did. */
function descendants(pid: number): number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((other) => stateOf(other)?.parent === pid)
  for (const child of children) started.add(child)
  return children.flatMap((child) => [child, ...descendants(child)])
}

const commandOf = (pid: number) => textOf(pid, 'cmdline')?.replaceAll('\0', ' ') ?? ''

const isRefused = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket
      .on('error', () => resolve(true))
      .on('connect', () => socket.destroy())
      .on('close', () => resolve(false))
  })

const addressIn = (stdout: string) => /^listening on (\S+)$/m.exec(stdout)?.[1]

const indexDir = await fixtureIndex()

describe('npm', { concurrency: 2 }, () => {
  const table: readonly (readonly [args: readonly string[], whom: 'npm' | 'all', signal: NodeJS.Signals])[] = [
    [['run', 'serve'], 'npm', 'SIGTERM'],
    [['start'], 'all', 'SIGINT'],
  ]
  for (const [args, whom, signal] of table) {
    const test = args.includes('start') ? itInAll : it
    test(`The command npm ${args.join(' ')} ends at ${signal} to ${whom} with exit code 0 and the counts saved`, async () => {
      const storeDir = temporaryFolder()
      const { key } = await accounts(storeDir, 'create', 'a', '--plan', 'free')
      const child = npm(args, { INDEX_DIR: indexDir, STORE_DIR: storeDir })
      const output = collect(child)
      const exited = once(child, 'exit')
      await until('it listens', () => addressIn(output.stdout()) !== undefined)
      const address = addressIn(output.stdout())!
      const running = descendants(child.pid!)
      assert.ok(running.length > 0)
      for (let i = 0; i < 3; i++) {
        assert.equal((await send(address, '/v1/games', { headers: { 'x-api-key': key } })).status, 200)
      }
      process.kill(whom === 'all' ? -child.pid! : child.pid!, signal)
      assert.deepEqual(await exited, [0, null])
      await until('nothing is left', () => !running.some(isAlive))
      assert.ok(await isRefused(Number(new URL(address).port)))
      const usage: { requests: number }[] = await accounts(storeDir, 'usage', 'a')
      assert.equal(usage.at(-1)?.requests, 3, 'the counts are saved')
    })
  }

  it('The command npm start ends its build at SIGTERM, and publishes nothing', async () => {
    const dirs = { INDEX_DIR: temporaryFolder(), STORE_DIR: temporaryFolder() }
    // The build waits for it, so that a slow test is not too late for the signal.
    const unlock = await lockBuilds(dirs.INDEX_DIR)
    const child = npm(['start'], dirs)
    const exited = once(child, 'exit')
    const builds = () => descendants(child.pid!).filter((pid) => commandOf(pid).includes('main.ts build'))
    await until('it builds', () => builds().length > 0)
    const running = descendants(child.pid!)
    child.kill('SIGTERM')
    assert.notDeepEqual(await exited, [0, null])
    unlock()
    await until('nothing is left', () => !running.some(isAlive))
    assert.ok(!existsSync(join(dirs.INDEX_DIR, 'current')), 'it published what it built')
  })
})

itInAll('A terminal that is closed ends the server in order, as a signal does', async () => {
  const storeDir = temporaryFolder()
  const { key } = await accounts(storeDir, 'create', 'a', '--plan', 'free')
  const command = `exec ${process.execPath} src/cli/main.ts serve`
  const env = { ...process.env, PORT: '0', LOG_LEVEL: 'warn', INDEX_DIR: temporaryFolder(), STORE_DIR: storeDir }
  const terminal = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: projectDir,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  started.add(terminal.pid!)
  const output = collect(terminal)
  const address = () => /^listening on (\S+?)\r?$/m.exec(output.stdout())?.[1]
  await until('it listens', () => address() !== undefined)
  const running = descendants(terminal.pid!)
  const server = running.find((pid) => commandOf(pid).includes('src/cli/main.') && !commandOf(pid).includes('script'))!
  for (let i = 0; i < 5; i++) {
    process.kill(server, 'SIGHUP')
    assert.equal((await send(address()!, '/v1/games', { headers: { 'x-api-key': key } })).status, 503, 'it goes on')
  }
  terminal.kill('SIGKILL')
  await until('nothing is left', () => !running.some(isAlive))
  assert.ok(!existsSync(join(storeDir, 'accounts.db-wal')), 'it closed its store: it ended in order')
})
