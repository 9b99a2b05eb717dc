/** The folder of versions: one build at a time, beside others and after builds that were killed, and which versions are kept. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BuildResult, build } from '../../build/build.ts'
import { formatVersion } from '../../src/indexes/format.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { isVersionName } from '../../src/indexes/manifest.ts'
import { lockBuilds } from '../../src/indexes/publish/lock.ts'
import { publishedVersions } from '../../src/indexes/publish/versions.ts'
import { isLocked, tryLock } from '../../src/platform/file-lock.ts'
import { amount } from '../support/amount.ts'
import { run, runHere, start, temporaryFolder } from '../support/command.ts'
import { aSnapshot, snapshotOf } from '../support/snapshot.ts'
import { publishMade, versionNamed } from '../support/versions.ts'
import { currentOf, snapshotWith } from './compiled.ts'

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

it('A lock file that root creates belongs to the owner and the group of its folder', {
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

it('Several processes never hold the build lock at the same time', { timeout: 300_000 }, async () => {
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

it('Checking a lock that nobody holds leaves no file descriptor open', { skip: !existsSync('/proc/self/fd') }, () => {
  const path = join(temporaryFolder(), lockName)
  tryLock(path)!.close()
  const open = () => readdirSync('/proc/self/fd').length
  const before = open()
  for (let i = 0; i < 20; i++) assert.equal(isLocked(path), false)
  assert.ok(open() < before + 10, `${open()} descriptors, ${before} before`)
})

it('A build waits a moment for another build, then fails and names it', async () => {
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

it('A build and a rollback name the process that holds the lock, which is free once that process is killed', {
  timeout: 300_000,
}, async () => {
  const indexDir = temporaryFolder()
  await build(snapshotOf(aSnapshot), indexDir)
  const left = readdirSync(indexDir)
  const { pid, kill } = await holderOf(indexDir)
  const commands = [
    ['build', ['--snapshots', snapshotOf(aSnapshot), '--out', indexDir]],
    ['rollback', [currentOf(indexDir)]],
  ] as const
  try {
    for (const [name, args] of commands) {
      const { code, stderr } = await runHere([name, ...args], { INDEX_DIR: indexDir })
      assert.equal(code, 1)
      assert.match(stderr, new RegExp(`^another build is running \\(process ${pid} on .*, since .*Z\\)\n$`))
    }
  } finally {
    await kill()
  }
  assert.match(readFileSync(join(indexDir, holderName), 'utf8'), new RegExp(`^process ${pid} `))
  const unlock = await lockBuilds(indexDir)
  await assert.rejects(lockBuilds(indexDir), new RegExp(`\\(process ${process.pid} on `))
  unlock()
  assert.deepEqual(readdirSync(indexDir), left)
})

describe('A lock of INDEX_DIR', () => {
  it('A process that can’t read who holds the lock names the lock file in its error', async () => {
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

  it('A build that can’t open its lock file fails with one line', async () => {
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
    it('A build fails if its user may not write the lock file', async () => {
      const indexDir = temporaryFolder()
      writeFileSync(join(indexDir, lockName), '')
      chmodSync(join(indexDir, lockName), 0o444)
      await assert.rejects(build(snapshotOf(aSnapshot), indexDir), /can't be written by this user \(EACCES\)/)
    })
  }
})

it('A build removes the files that killed builds left, and keeps all other files', async () => {
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

it('Versions built while the clock was ahead are ordered and removed like any others', async () => {
  const indexDir = temporaryFolder()
  const future: string[] = []
  for (const price of [1, 2, 3]) {
    const { manifest } = await build(snapshotWith(2, 1, price), indexDir)
    future.push(manifest.version)
    const later = { ...manifest, builtAt: `2099-01-0${price}T00:00:00.000Z` }
    writeFileSync(join(indexDir, manifest.version, 'manifest.json'), JSON.stringify(later))
  }
  const { version } = (await build(snapshotWith(2, 1, 4), indexDir)).manifest
  assert.equal(currentOf(indexDir), version)
  assert.deepEqual(readdirSync(indexDir).filter(isVersionName).sort(), [...future.slice(1), version].sort())
  const listed = (await publishedVersions(indexDir)).map((manifest) => manifest.version)
  assert.deepEqual(listed, [version, future[2], future[1]])
  assert.equal((await loadVersion(indexDir, version)).manifest.version, version)
})

it('A version that is published again counts as the last published one', async () => {
  const indexDir = temporaryFolder()
  const versions: string[] = []
  const files: number[] = []
  for (const price of [2, 3, 2, 4]) {
    versions.push((await build(snapshotWith(2, 1, price), indexDir)).manifest.version)
    files.push(statSync(join(indexDir, versions.at(-1)!, 'ids.msgpack')).ino)
  }
  assert.deepEqual([versions[2], files[2]], [versions[0], files[0]], 'the same snapshot has the same version and files')
  const published = (await publishedVersions(indexDir)).map((manifest) => manifest.version)
  assert.deepEqual(published, [versions[3], versions[2], versions[1]])
  await build(snapshotWith(2, 1, 5), indexDir)
  assert.ok(!existsSync(join(indexDir, versions[1]!)), 'the one published longest ago goes')
  assert.ok(existsSync(join(indexDir, versions[0]!)))
})

it('The command rollback --list shows all versions, newest first, and refuses a version as an argument', {
  timeout: 300_000,
}, async () => {
  const indexDir = temporaryFolder()
  const list = (...args: string[]) => runHere(['rollback', '--list', ...args], { INDEX_DIR: indexDir })
  const none = `no version is published in ${indexDir} yet\n`
  assert.deepEqual(await list(), { code: 1, stdout: '', stderr: none })
  const published: BuildResult['manifest'][] = []
  for (const count of [7, 8, 1109]) published.push((await build(snapshotWith(count, 0), indexDir)).manifest)
  const [first, second, third] = published.map(({ version }) => version) as [string, string, string]
  writeFileSync(join(indexDir, 'current'), `${second}\n`)
  const rows = published.toReversed().map(({ version, counts, builtAt }) => {
    const cells = [version, 'unknown', counts.cards.toLocaleString('en').padStart(5)]
    const time = `${builtAt.slice(0, 19).replace('T', ' ')} UTC${version === second ? '  current' : ''}`
    return [...cells, time].join('  ')
  })
  const listed = ['version               as of    cards  published', ...rows, ''].join('\n')
  assert.deepEqual(await list(), { code: 0, stdout: listed, stderr: '' })
  const wrong = await list(first)
  assert.equal(wrong.code, 2)
  assert.equal(wrong.stderr, `--list takes no version (${first})\nTry: card-prices rollback --help\n`)
  const kept = [third, second, first].join(', ')
  for (const [args, code, said] of [
    [[], 0, `version ${first} is current`],
    [[], 1, `${first} is the oldest version that is kept`],
    [['none'], 1, `there is no version none; kept are ${kept}`],
    [[third], 0, `version ${third} is current`],
  ] as const) {
    const [stdout, stderr] = code === 0 ? [`${said}\n`, ''] : ['', `${said}\n`]
    assert.deepEqual(await runHere(['rollback', ...args], { INDEX_DIR: indexDir }), { code, stdout, stderr })
  }
  rmSync(join(indexDir, third, 'manifest.json'))
  const lines = (await list()).stdout.split('\n')
  assert.deepEqual([lines.length, ...lines.slice(-3)], [5, rows.at(-1), `${third} is current, and can't be read`, ''])
})

it('A build keeps the last three versions of each format, and lists only those of its own format', async () => {
  const indexDir = temporaryFolder()
  const made = (format: unknown, day: number, builtAt: unknown = `2026-11-0${day}T00:00:00.000Z`) =>
    publishMade(
      indexDir,
      { 'cards-000.msgpack': Buffer.from(`${format} ${day}`) },
      { change: (manifest) => ({ ...manifest, format, builtAt }) },
    )
  const [older, newer] = [formatVersion - 1, formatVersion + 1]
  const ofOlder = [1, 2, 3, 4, 5].map((day) => made(older, day))
  const ofNewer = [2, 1].map((day) => made(newer, day))
  // Neither is a version of any release; the last one's folder is empty.
  const damaged = [made('2', 9), made(older, 9, 7), versionNamed(1)]
  mkdirSync(join(indexDir, damaged[2]!))
  rmSync(join(indexDir, 'current'))
  const own: string[] = []
  for (const price of [2, 3, 4, 5]) own.push((await build(snapshotWith(2, 1, price), indexDir)).manifest.version)
  const kept = readdirSync(indexDir).filter(isVersionName)
  assert.deepEqual(kept.sort(), [...ofOlder.slice(2), ...ofNewer, ...own.slice(1)].sort())
  const found = (await publishedVersions(indexDir)).map(({ version }) => version)
  assert.deepEqual(found, own.slice(1).reverse())
})
