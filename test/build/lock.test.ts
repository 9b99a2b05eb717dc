/** One build at a time, beside other builds and after builds that were killed. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from '../../build/build.ts'
import { lockBuilds } from '../../src/indexes/publish/lock.ts'
import { amount } from '../support/amount.ts'
import { run, start, temporaryFolder, withLimits } from '../support/command.ts'
import { aSnapshot, snapshotOf } from '../support/snapshot.ts'

const lockName = '.lock.db'
const holderName = '.lock-holder'

/** A process that has the lock, and its end. */
async function holderOf(indexDir: string) {
  const log = join(temporaryFolder(), 'log')
  writeFileSync(log, '')
  const contender = start('test/build/lock-contender.ts', [indexDir, log, '1', '1', '60000'])
  const ended = once(contender, 'exit')
  while (!readFileSync(log, 'utf8').includes('+')) await sleep(5)
  const kill = async () => {
    contender.kill('SIGKILL')
    await ended
  }
  return { pid: contender.pid!, kill }
}

const skipWithoutRoot = process.geteuid?.() !== 0 && 'needs root, who alone gives files away'

it('the file of a lock that root takes belongs to the folder’s owner, who can lock it next', {
  skip: skipWithoutRoot,
}, async () => {
  const indexDir = temporaryFolder()
  chownSync(indexDir, 10_001, 10_002)
  chmodSync(indexDir, 0o770)
  const unlock = await lockBuilds(indexDir)
  unlock()
  const { uid, gid, mode } = statSync(join(indexDir, lockName))
  assert.deepEqual({ uid, gid, mode: (mode & 0o777).toString(8) }, { uid: 10_001, gid: 10_002, mode: '660' })
})

it('no two hold the lock at once: contenders in several processes', { timeout: 120_000 }, async () => {
  const [processes, times] = [amount(2, 4), amount(2, 3)]
  const indexDir = temporaryFolder()
  const log = join(temporaryFolder(), 'log')
  writeFileSync(log, '')
  const outcomes = await Promise.all(
    Array.from({ length: processes }, () => run('test/build/lock-contender.ts', [indexDir, log, '8', `${times}`, '1'])),
  )
  for (const { code, stderr } of outcomes) assert.equal(code, 0, stderr)
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n')
  assert.equal(lines.length, 2 * processes * 8 * times)
  for (let i = 0; i < lines.length; i += 2) {
    assert.deepEqual([lines[i]![0], lines[i + 1]], ['+', `-${lines[i]!.slice(1)}`], `line ${i + 1} of the log`)
  }
  assert.deepEqual(readdirSync(indexDir), [lockName])
})

it('a living holder is named within two seconds, and leaves the lock to the next', async () => {
  const indexDir = temporaryFolder()
  const unlock = await lockBuilds(indexDir)
  const asked = performance.now()
  const since = readFileSync(join(indexDir, holderName), 'utf8').trim().split(' since ')[1]!
  assert.ok(Math.abs(Date.now() - Date.parse(since)) < 60_000)
  await assert.rejects(build(snapshotOf(aSnapshot), indexDir), {
    message: `another build is running (process ${process.pid} on ${hostname()}, since ${since})`,
  })
  assert.ok(performance.now() - asked > 500, 'a short build is waited for')
  const waiting = lockBuilds(indexDir)
  await sleep(100)
  unlock()
  const unlockNext = await waiting
  unlockNext()
  assert.deepEqual(readdirSync(indexDir), [lockName])
})

it('another process’ lock is heard by a build and by a rollback', { timeout: 60_000 }, async () => {
  const indexDir = temporaryFolder()
  await build(snapshotOf(aSnapshot), indexDir)
  const { pid, kill } = await holderOf(indexDir)
  const commands = [
    ['build/build-command.ts', ['--snapshots', snapshotOf(aSnapshot), '--out', indexDir]],
    ['build/rollback.ts', [readFileSync(join(indexDir, 'current'), 'utf8').trim()]],
  ] as const
  const env = { INDEX_DIR: indexDir, ...withLimits({ buildLockMsMax: 200 }) }
  try {
    for (const { code, stderr } of await Promise.all(commands.map(([script, args]) => run(script, args, env)))) {
      assert.equal(code, 1)
      assert.match(stderr, new RegExp(`^another build is running \\(process ${pid} on .*, since .*Z\\)\n$`))
    }
  } finally {
    await kill()
  }
})

it('a holder that is killed is no hindrance, and its line names nobody else', async () => {
  const indexDir = temporaryFolder()
  const killed = await holderOf(indexDir)
  await killed.kill()
  assert.match(readFileSync(join(indexDir, holderName), 'utf8'), new RegExp(`^process ${killed.pid} `))
  const unlock = await lockBuilds(indexDir)
  await assert.rejects(lockBuilds(indexDir), new RegExp(`\\(process ${process.pid} on `))
  unlock()
  assert.deepEqual(readdirSync(indexDir), [lockName])
})

describe('a lock that', () => {
  it('has no line, or a damaged one, is reported by its file', async () => {
    const indexDir = temporaryFolder()
    const unlock = await lockBuilds(indexDir)
    const path = join(indexDir, lockName)
    const message = `another build is running (which one is not known: ${path} is locked, or its file system has no locks)`
    const holder = join(indexDir, holderName)
    for (const line of [undefined, '', 'process 1 on \u001b[31m, since 2026-11-25T06:30:00Z\n', 'x'.repeat(100_000)]) {
      if (line === undefined) rmSync(holder)
      else writeFileSync(holder, line)
      await assert.rejects(lockBuilds(indexDir), { message })
    }
    unlock()
  })

  it('can’t be taken is reported by one line', async () => {
    const indexDir = temporaryFolder()
    const path = join(indexDir, lockName)
    const advice = 'remove it if it is no empty file'
    writeFileSync(path, 'notes of the operator')
    await assert.rejects(build(snapshotOf(aSnapshot), indexDir), {
      message: `${path} can't be locked (file is not a database): ${advice}`,
    })
    rmSync(path)
    mkdirSync(path)
    await assert.rejects(build(snapshotOf(aSnapshot), indexDir), {
      message: `${path} can't be locked (unable to open database file): ${advice}`,
    })
  })

  // Root may write any file.
  if (process.getuid?.() !== 0) {
    it('this user may not write is not taken for one that is free', async () => {
      const indexDir = temporaryFolder()
      writeFileSync(join(indexDir, lockName), '')
      chmodSync(join(indexDir, lockName), 0o444)
      await assert.rejects(build(snapshotOf(aSnapshot), indexDir), /can't be written by this user \(EACCES\)/)
    })
  }
})

it('a build removes all that killed builds left, and nothing else', async () => {
  const indexDir = temporaryFolder()
  const staging = join(indexDir, '.staging-4711')
  mkdirSync(join(staging, 'deeper'), { recursive: true })
  writeFileSync(join(staging, 'cards-000.msgpack'), 'half a file')
  mkdirSync(join(indexDir, '.removing-2026-11-20-0123456789ab'))
  writeFileSync(join(indexDir, '.staging-current'), 'half a na')
  // Of earlier releases.
  writeFileSync(join(indexDir, '.lock-4711-1000-0a0b0c0d'), '')
  writeFileSync(join(indexDir, '.lock'), '4711 12345')
  writeFileSync(join(indexDir, 'notes of the operator'), '')
  const { manifest } = await build(snapshotOf(aSnapshot), indexDir)
  const expected = [lockName, 'build.msgpack', 'current', manifest.version, 'notes of the operator']
  assert.deepEqual(readdirSync(indexDir).sort(), expected.sort())
})
