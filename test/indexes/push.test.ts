/** A pushed version is complete when `current` names it, also after crashes, repeated pushes, and different files there. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { before, beforeEach, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { loadVersion, verifyVersion } from '../../src/indexes/load.ts'
import { filesOf, readCurrent, readManifest, reportName } from '../../src/indexes/manifest.ts'
import { checksumOfFile } from '../../src/indexes/plain-file.ts'
import { diskErrorText } from '../../src/indexes/publish/durable.ts'
import { push } from '../../src/indexes/publish/push-version.ts'
import { amount } from '../support/amount.ts'
import {
  cardPrices,
  folderOnOtherDisk,
  projectDir,
  run,
  runHere,
  start,
  temporaryFolder,
  withoutOtherDisk,
} from '../support/command.ts'
import { syncedBy } from '../support/synced.ts'
import { bytesOf, makeCurrent, publishMade } from '../support/versions.ts'

const indexDir = temporaryFolder()
const contents = {
  'cards-000.msgpack': bytesOf(1, 3_000_000),
  'ids.msgpack': bytesOf(2, 50_000),
  'search.msgpack': bytesOf(3, 1000),
}
const nextContents = { ...contents, 'ids.msgpack': bytesOf(4, 60_000) }
const bytes = Object.values(contents).reduce((sum, content) => sum + content.length, 0)
let version: string
let next: string
let target: string

before(() => {
  next = publishMade(indexDir, nextContents, { asOf: '2026-11-21' })
  version = publishMade(indexDir, contents)
})
beforeEach(() => {
  makeCurrent(indexDir, version)
  target = temporaryFolder()
})

/** The version that `current` names there, whole; else `current` is absent. */
async function assertWhole(folder = target): Promise<string | undefined> {
  const current = await readCurrent(folder)
  if (current === undefined) return undefined
  for (const file of filesOf(await readManifest(folder, current))) {
    const { name, ...sum } = file
    assert.deepEqual(await checksumOfFile(join(folder, current, name)), sum, name)
  }
  return current
}

const hidden = () => readdirSync(target, { recursive: true, encoding: 'utf8' }).filter((name) => /(^|\/)\./.test(name))

describe('A push of a version', () => {
  it('A push copies all files of a version, and a second push copies none', async () => {
    assert.deepEqual(await push(indexDir, target), { version, files: 3, bytes })
    assert.equal(await assertWhole(), version)
    const { mtimeMs, ino } = statSync(join(target, 'current'))
    assert.deepEqual(await push(indexDir, target), { version, files: 0, bytes: 0 })
    assert.deepEqual([statSync(join(target, 'current')).mtimeMs, statSync(join(target, 'current')).ino], [mtimeMs, ino])
    assert.deepEqual(readdirSync(target).sort(), [version, 'current'])
  })

  it('A pushed version becomes current only after its files and folders are flushed to the disk', async (context) => {
    const synced = await syncedBy(context, target, () => push(indexDir, target))
    const staged = [...Object.keys(contents), 'manifest.json'].map((name) => `.pushing/${name}`)
    const actual = synced.map((name) => name.replace(/^\.pushing-\w{12}/, '.pushing'))
    assert.deepEqual(actual, [...staged, version, '', '.pushing/current', ''])
  })

  it('A push leaves other versions in the target, and makes one that is already there current again', async () => {
    await push(indexDir, target)
    makeCurrent(indexDir, next)
    await push(indexDir, target)
    assert.equal(await assertWhole(), next)
    makeCurrent(indexDir, version)
    assert.equal((await push(indexDir, target)).files, 0)
    assert.equal(await assertWhole(), version)
  })

  it('A push works to another disk', { skip: withoutOtherDisk }, async () => {
    const folder = folderOnOtherDisk()
    assert.equal((await push(indexDir, folder)).bytes, bytes)
    assert.equal(await assertWhole(folder), version)
  })

  it('A push copies only the files that an interrupted push did not copy', async () => {
    mkdirSync(join(target, version))
    linkSync(join(indexDir, version, 'cards-000.msgpack'), join(target, version, 'cards-000.msgpack'))
    assert.deepEqual(await push(indexDir, target), { version, files: 2, bytes: 51_000 })
    assert.equal(await assertWhole(), version)
  })

  it('A missing or damaged version is not pushed', async () => {
    await assert.rejects(push(temporaryFolder(), target), /^Error: no version is published in \S+ yet$/)
    await push(indexDir, target)
    const damaged = temporaryFolder()
    const other = publishMade(damaged, nextContents)
    writeFileSync(join(damaged, other, 'ids.msgpack'), bytesOf(5, 60_000))
    await assert.rejects(push(damaged, target), /ids\.msgpack has a wrong checksum$/)
    assert.equal(await assertWhole(), version, 'current is as it was')
    assert.deepEqual(hidden(), [])
    unlinkSync(join(damaged, other, 'ids.msgpack'))
    await assert.rejects(push(damaged, target), /ENOENT.*what is current there is as it was$/)
  })
})

describe('The report of a pushed version', () => {
  const reported = (seed: number) => {
    const folder = temporaryFolder()
    assert.equal(publishMade(folder, contents, { report: bytesOf(seed, 900) }), version)
    return folder
  }
  const reportBytes = (folder: string) => readFileSync(join(folder, version, reportName))

  it('A push includes the version’s report, complete, as one of the version’s files', async () => {
    assert.deepEqual(await push(reported(10), target), { version, files: 4, bytes: bytes + 900 })
    assert.equal(await assertWhole(), version)
    assert.ok(reportBytes(target).equals(bytesOf(10, 900)))
  })

  it('A version that several machines push keeps the report of the first push', async () => {
    await push(reported(10), target)
    assert.equal((await push(reported(11), target)).files, 0)
    assert.ok(reportBytes(target).equals(bytesOf(10, 900)))
    assert.equal(await assertWhole(), version)
    // A push that ended before its manifest.
    unlinkSync(join(target, version, 'manifest.json'))
    assert.equal((await push(reported(11), target)).files, 0)
    assert.ok(reportBytes(target).equals(bytesOf(10, 900)))
    assert.equal(await assertWhole(), version)
  })

  it('A report is complete after many simultaneous pushes', async () => {
    const folders = Array.from({ length: amount(4, 20) }, (_, i) => reported(20 + i))
    const pushing = folders.map((folder) => start(cardPrices, ['push', target], { INDEX_DIR: folder }))
    const codes = await Promise.all(pushing.map(async (child) => (await once(child, 'exit'))[0]))
    assert.deepEqual([...new Set(codes)], [0])
    assert.equal(await assertWhole(), version)
  })

  it('A push, a load and a verification refuse a version with a damaged report', async () => {
    const folder = reported(10)
    await push(folder, target)
    writeFileSync(join(target, version, reportName), bytesOf(12, 900))
    await assert.rejects(push(folder, target), /report\.json lies there with other content/)
    for (const work of [loadVersion, verifyVersion]) {
      await assert.rejects(work(target, version), /report\.json has a wrong checksum$/)
    }
    writeFileSync(join(folder, version, reportName), bytesOf(13, 900))
    await assert.rejects(push(folder, temporaryFolder()), /report\.json has a wrong checksum$/)
  })

  it('A version without a report, as an older release pushes it, is loaded and verified', async () => {
    const folder = reported(10)
    unlinkSync(join(folder, version, reportName))
    assert.deepEqual([...(await loadVersion(folder, version)).files.keys()].sort(), Object.keys(contents).sort())
    await verifyVersion(folder, version)
    await push(folder, target)
    assert.equal((await readManifest(target, version)).report, undefined)
    assert.equal(await assertWhole(), version)
  })
})

describe('The target of a push', () => {
  for (const [what, names] of [
    ['that is a new disk', ['lost+found', '.Trash']],
    ['that has versions beside other files', ['index.html', '2026-11-19-0123456789ab']],
    ['whose version was removed', ['index.html', 'current']],
  ] as const) {
    it(`A push accepts a target ${what}`, async () => {
      for (const name of names) writeFileSync(join(target, name), `${next}\n`)
      await push(indexDir, target)
      assert.equal(await assertWhole(), version)
    })
  }

  it('A push refuses a target that is missing or has only other files, and leaves it as it is', async () => {
    await assert.rejects(
      push(indexDir, join(target, 'x')),
      /^Error: the folder \S+ does not exist: create it if versions/,
    )
    writeFileSync(join(target, 'index.html'), '')
    await assert.rejects(push(indexDir, target), /^Error: \S+ has other files and no version: name the folder/)
    assert.deepEqual(readdirSync(target), ['index.html'])
  })
})

describe('The files in the target', () => {
  it('A push fails if the target has a file of the version with other bytes, and leaves that file as it is', async () => {
    for (const name of ['ids.msgpack', 'manifest.json']) {
      const folder = temporaryFolder()
      mkdirSync(join(folder, version))
      const path = join(folder, version, name)
      const content =
        name === 'ids.msgpack'
          ? bytesOf(6, 50_000)
          : JSON.stringify({ ...(await readManifest(indexDir, version)), files: [] })
      writeFileSync(path, content)
      await assert.rejects(push(indexDir, folder), /lies there with other content, and a version is never changed/)
      assert.deepEqual(readFileSync(path), Buffer.from(content))
      assert.ok(!existsSync(join(folder, 'current')))
    }
  })

  it('A push removes the temporary folders that a killed push left over a day ago', async () => {
    const left = ['.pushing-another-machine-1-1-00000000', '.pushing-0123456789ab', '.pushing-0123456789ac']
    for (const name of left) mkdirSync(join(target, name))
    const long = new Date(Date.now() - 2 * 86_400_000)
    for (const name of left.slice(0, 2)) utimesSync(join(target, name), long, long)
    const others = ['2026-01-01-0123456789ab', 'of somebody else']
    for (const name of others) {
      mkdirSync(join(target, name))
      utimesSync(join(target, name), long, long)
    }
    await push(indexDir, target)
    assert.deepEqual(hidden(), [left[2]])
    for (const name of others) assert.ok(existsSync(join(target, name)), `${name} stays, however old it is`)
  })
})

it('Several pushes at once leave each version whole, and one of them current', async () => {
  const other = temporaryFolder()
  publishMade(other, nextContents, { asOf: '2026-11-21' })
  for (let round = 0; round < 5; round++) {
    const folder = temporaryFolder()
    await Promise.all([push(indexDir, folder), push(other, folder), push(indexDir, folder)])
    assert.ok([version, next].includes((await assertWhole(folder))!))
    assert.deepEqual(readdirSync(folder).sort(), [version, next, 'current'].sort())
  }
})

it('A push killed at any moment leaves a whole version current, and the next push completes the work', {
  timeout: 300_000,
}, async () => {
  const env = { INDEX_DIR: indexDir }
  const from = performance.now()
  const whole = temporaryFolder()
  assert.deepEqual(await run(cardPrices, ['push', whole], env), {
    code: 0,
    stdout: `version ${version} is current in ${whole}; copied 3 files, 3.1 MB\n`,
    stderr: '',
  })
  const wholeMs = performance.now() - from
  const rounds = amount(2, 4)
  for (let round = 0; round < rounds; round++) {
    makeCurrent(indexDir, round % 2 === 0 ? next : version)
    const child = start(cardPrices, ['push', target], env)
    const exited = once(child, 'exit')
    await pause(wholeMs * (0.5 + round / (2 * rounds - 2)))
    child.kill('SIGKILL')
    await exited
    await assertWhole()
  }
  const long = new Date(Date.now() - 2 * 86_400_000)
  for (const name of hidden().filter((path) => !path.includes('/'))) utimesSync(join(target, name), long, long)
  await push(indexDir, target)
  assert.equal(await assertWhole(), version)
  assert.deepEqual(hidden(), [])
})

describe('card-prices push', () => {
  it('The command push says in one line what is wrong', async () => {
    await push(indexDir, target)
    const nowhere = await runHere(['push'], { INDEX_DIR: indexDir })
    assert.equal(nowhere.code, 2)
    assert.match(nowhere.stderr, /^missing required argument 'DIR'\nTry: card-prices push --help\n$/)
    const file = join(target, 'current')
    const wrong = await runHere(['push', file], { INDEX_DIR: indexDir })
    assert.equal(wrong.code, 1)
    assert.equal(
      wrong.stderr,
      `${file}: must be a folder, and is a file (ENOTDIR); what is current there is as it was\n`,
    )
    for (const code of 'ENOSPC EDQUOT EFBIG EACCES EPERM EROFS EIO EMFILE ENFILE EEXIST ENOTDIR'.split(' ')) {
      const said = diskErrorText(Object.assign(new Error('as the system says it'), { code }))
      assert.match(said, new RegExp(`^[a-z].+ \\(${code}\\)(: .+, then try again|: see to the disk)?$`))
    }
  })
})

/** Users and their groups. */
const [operator, web, stranger] = [65_531, 65_532, 65_533]

function withoutOthers(): string | false {
  if (process.getuid?.() !== 0) return 'needs root, to run commands as other users'
  const { status } = spawnSync('cat', [join(projectDir, 'package.json')], { uid: operator, stdio: 'ignore' })
  return status !== 0 && 'needs a clone that other users can read'
}

describe('The permissions of a pushed version', { skip: withoutOthers() }, () => {
  let from: string
  /** As the operator, with the unit's umask. */
  const pushHere = () =>
    execFileSync('sh', ['-c', `umask 077; exec ${join(projectDir, 'bin/card-prices')} push "$1"`, '-', target], {
      uid: operator,
      gid: operator,
      env: { ...process.env, INDEX_DIR: from, HOME: '/' },
      encoding: 'utf8',
      stdio: 'pipe',
    })
  const canRead = (user: number, path: string): boolean =>
    spawnSync('cat', [path], { uid: user, gid: user, stdio: 'ignore' }).status === 0
  const readers = (path: string) => [operator, web, stranger].map((user) => canRead(user, path))
  const modes = () =>
    ['', version, `${version}/manifest.json`, `${version}/ids.msgpack`, 'current'].map((path) => {
      const { mode, gid } = statSync(join(target, path))
      return `${(mode & 0o7777).toString(8)} ${gid}`
    })

  beforeEach(() => {
    // Their parent must let others through: one of the test's own, since the folder of all temporary files is for all.
    const parent = temporaryFolder()
    chmodSync(parent, 0o711)
    from = join(parent, 'from')
    target = join(parent, 'target')
    for (const folder of [target, from]) {
      mkdirSync(folder)
      chownSync(folder, operator, operator)
    }
    cpSync(indexDir, from, { recursive: true })
    for (const name of readdirSync(from, { recursive: true, encoding: 'utf8' })) {
      const path = join(from, name)
      chownSync(path, operator, operator)
      chmodSync(path, statSync(path).isDirectory() ? 0o700 : 0o600)
    }
  })

  for (const [mode, group, files, folders, read] of [
    [0o2750, web, '640', '2750', [true, true, false]],
    [0o755, operator, '644', '755', [true, true, true]],
    [0o700, operator, '600', '700', [true, false, false]],
    [0o2770, web, '640', '2750', [true, true, false]],
  ] as const) {
    it(`A version pushed under umask 077 into a target of mode ${mode.toString(8)} is readable by the target’s readers`, () => {
      chownSync(target, operator, group)
      chmodSync(target, mode)
      pushHere()
      assert.deepEqual(modes(), [
        `${mode.toString(8)} ${group}`,
        ...[folders, files, files, files].map((one) => `${one} ${group}`),
      ])
      for (const path of ['current', `${version}/manifest.json`, `${version}/search.msgpack`]) {
        assert.deepEqual(readers(join(target, path)), read, path)
      }
    })
  }

  it('A push repairs the permissions that an earlier push left', () => {
    chownSync(target, operator, web)
    chmodSync(target, 0o2750)
    pushHere()
    chmodSync(join(target, version), 0o2700)
    for (const name of readdirSync(join(target, version))) chmodSync(join(target, version, name), 0o600)
    pushHere()
    for (const name of readdirSync(join(target, version))) {
      assert.deepEqual(readers(join(target, version, name)), [true, true, false], name)
    }
  })

  it('A push fails with one line and sets no `current` if readers of the target could not read the version', () => {
    chownSync(target, operator, web)
    chmodSync(target, 0o750)
    assert.throws(pushHere, ({ status, stderr }: { status: number; stderr: string }) => {
      assert.match(stderr, /^\S+ can't be read by all who can read \S+ \(mode 750, group \d+; .*push again.*\n$/)
      return status === 1
    })
    assert.ok(!existsSync(join(target, 'current')))
  })
})
