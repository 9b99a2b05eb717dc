/** One build at a time, beside other builds and after builds that were killed. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from '../../build/build.ts'
import { Progress } from '../../build/progress.ts'
import { lockBuilds } from '../../src/indexes/publish/lock.ts'
import { amount } from '../support/amount.ts'
import { run, start, temporaryFolder, withLimits } from '../support/command.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'
import { unreapedProcess } from './unreaped.ts'

const aSnapshot = () => snapshotOf({ 'sets/a.ndjson': [aSet], 'cards/a.ndjson': [aCard] })

/** The number of a process that is no more. */
const deadPid = () => Number(execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }))
const startOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!.split(' ')[19]!

/** Locks of builders that are gone: ended, its number used again, of the form of earlier versions. */
function leaveStaleLocks(indexDir: string): void {
  for (let i = 0; i < 5; i++) writeFileSync(join(indexDir, `.lock-${deadPid()}-${1000 + i}-0${i}`), '')
  writeFileSync(join(indexDir, `.lock-${process.pid}-1-aa`), '')
  writeFileSync(join(indexDir, '.lock'), `${deadPid()} 12345`)
}

it('no two hold the lock at once: contenders in several processes, beside stale locks', {
  timeout: 120_000,
}, async () => {
  const [processes, times] = [amount(2, 4), amount(2, 3)]
  const indexDir = temporaryFolder()
  const log = join(temporaryFolder(), 'log')
  writeFileSync(log, '')
  leaveStaleLocks(indexDir)
  const outcomes = await Promise.all(
    Array.from({ length: processes }, () => run('test/build/lock-contender.ts', [indexDir, log, '8', `${times}`])),
  )
  for (const { code, stderr } of outcomes) assert.equal(code, 0, stderr)
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n')
  assert.equal(lines.length, 2 * processes * 8 * times)
  for (let i = 0; i < lines.length; i += 2) {
    assert.deepEqual([lines[i]![0], lines[i + 1]], ['+', `-${lines[i]!.slice(1)}`], `line ${i + 1} of the log`)
  }
  assert.deepEqual(readdirSync(indexDir), ['.lock'])
})

it('a living holder is named within two seconds, and leaves the lock to the next', async () => {
  const indexDir = temporaryFolder()
  const unlock = await lockBuilds(indexDir)
  const asked = performance.now()
  await assert.rejects(build(aSnapshot(), indexDir, new Progress()), {
    message: `another build is running (process ${process.pid})`,
  })
  assert.ok(performance.now() - asked > 500, 'a short build is waited for')
  assert.equal(readdirSync(indexDir).length, 1, 'the holder’s lock alone is there')
  const waiting = lockBuilds(indexDir)
  await sleep(100)
  await unlock()
  await (await waiting)()
  assert.deepEqual(readdirSync(indexDir), [])
})

it('another process’ lock is heard by a build and by a rollback', { timeout: 60_000 }, async () => {
  const indexDir = temporaryFolder()
  await build(aSnapshot(), indexDir, new Progress())
  const { pid } = process
  writeFileSync(join(indexDir, `.lock-${pid}-${existsSync('/proc/self/stat') ? startOf(pid) : 0}-aa`), '')
  const commands = [
    ['build/main.ts', ['--snapshots', aSnapshot(), '--out', indexDir]],
    ['build/rollback.ts', [readFileSync(join(indexDir, 'current'), 'utf8').trim()]],
  ] as const
  const env = { INDEX_DIR: indexDir, ...withLimits({ buildLockMsMax: 200 }) }
  for (const { code, stderr } of await Promise.all(commands.map(([script, args]) => run(script, args, env)))) {
    assert.equal(code, 1)
    assert.equal(stderr, `another build is running (process ${pid})\n`)
  }
})

it('a holder that is killed is no hindrance, also as long as nobody has taken notice of its end', async () => {
  const indexDir = temporaryFolder()
  const log = join(temporaryFolder(), 'log')
  writeFileSync(log, '')
  const contender = start('test/build/lock-contender.ts', [indexDir, log, '1', '1000000'])
  const ended = once(contender, 'exit')
  while (!readFileSync(log, 'utf8').includes('+')) await sleep(5)
  while (!readdirSync(indexDir).some((name) => name.startsWith('.lock-'))) await sleep(1)
  contender.kill('SIGKILL')
  await ended
  await (await lockBuilds(indexDir))()
  assert.deepEqual(readdirSync(indexDir), [])

  const { pid, parent } = await unreapedProcess()
  try {
    writeFileSync(join(indexDir, `.lock-${pid}-${startOf(pid)}-aa`), '')
    await (await lockBuilds(indexDir))()
  } finally {
    parent.kill('SIGKILL')
  }
})

it('a build removes all that killed builds left, and nothing else', async () => {
  const indexDir = temporaryFolder()
  const staging = join(indexDir, '.staging-4711')
  mkdirSync(join(staging, 'deeper'), { recursive: true })
  writeFileSync(join(staging, 'cards-000.msgpack'), 'half a file')
  mkdirSync(join(indexDir, '.removing-2026-11-20-0123456789ab'))
  writeFileSync(join(indexDir, '.staging-current'), 'half a na')
  leaveStaleLocks(indexDir)
  writeFileSync(join(indexDir, 'notes of the operator'), '')
  const { manifest } = await build(aSnapshot(), indexDir, new Progress())
  const expected = ['build.msgpack', 'current', manifest.version, 'notes of the operator']
  assert.deepEqual(readdirSync(indexDir).sort(), expected.sort())
})
