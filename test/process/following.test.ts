/** What `current` names is taken up, whatever comes first and whatever goes wrong, or refused with one line. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { follow } from '../../src/follow.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { currentStamp } from '../../src/indexes/sources/folder.ts'
import { temporaryFolder } from '../support/command.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { type Service, send, startService } from '../support/service.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'
import { addVersion, columnsOf, damagedCopy, makeCurrent, versionNamed } from '../support/versions.ts'

const indexDir = temporaryFolder()
let first: string
let second: string

before(async () => {
  first = await addVersion(indexDir, fixtureSnapshot())
  second = await addVersion(indexDir, snapshotOf({ 'sets/a.ndjson': [aSet], 'cards/a.ndjson': [aCard] }))
  makeCurrent(indexDir, first)
})

const versionOf = async ({ address }: Service): Promise<string | undefined> =>
  (await send(address, '/healthz')).json.version
/** The kernel spreads connections over the threads: so many reach each of two but once in a million. */
const versionsOf = async (service: Service) =>
  new Set(await Promise.all(Array.from({ length: 20 }, () => versionOf(service))))
const refusals = ({ log }: Service) =>
  log()
    .split('\n')
    .filter((line) => line.includes('refused'))

describe('current', { concurrency: 2 }, () => {
  it('may be there before the files: they are taken up when they have come', async () => {
    const folder = temporaryFolder()
    renameSync(join(indexDir, second), join(folder, 'beside'))
    const service = await startService({ INDEX_DIR: indexDir, STORE_DIR: temporaryFolder() })
    makeCurrent(indexDir, second)
    await until('it is refused', () => refusals(service).length > 0)
    assert.ok(
      service
        .log()
        .includes(`${join(indexDir, second, 'manifest.json')} is not there: is the version still being copied?`),
    )
    assert.equal(await versionOf(service), first, 'the old version goes on')
    renameSync(join(folder, 'beside'), join(indexDir, second))
    await until('it is taken up', async () => (await versionOf(service)) === second)
    assert.equal(refusals(service).length, 1, 'one line')
    makeCurrent(indexDir, first)
    await until('the next one is taken up at once', async () => (await versionOf(service)) === first, 5000)
    assert.equal(await service.stop(), 0)
  })

  it('may come into a folder that is not there at the start', async () => {
    const folder = join(temporaryFolder(), 'not', 'there')
    const service = await startService({ INDEX_DIR: folder, STORE_DIR: temporaryFolder() })
    assert.match(service.log(), new RegExp(`there is no folder ${folder}: build one there .* or correct INDEX_DIR`))
    assert.equal((await send(service.address, '/healthz')).status, 503)
    mkdirSync(folder, { recursive: true })
    const version = await addVersion(folder, fixtureSnapshot())
    makeCurrent(folder, version)
    await until('it is taken up', async () => (await versionOf(service)) === version)
    assert.equal(await service.stop(), 0)
  })

  it('is read again when there are descriptors again', async () => {
    const folder = temporaryFolder()
    const versions = [await addVersion(folder, fixtureSnapshot())]
    versions.push(await addVersion(folder, snapshotOf({ 'sets/a.ndjson': [aSet], 'cards/a.ndjson': [aCard] })))
    makeCurrent(folder, versions[0]!)
    const service = await startService({ INDEX_DIR: folder, STORE_DIR: temporaryFolder() })
    const { pid } = service.child
    const limit = (count: number) => execFileSync('prlimit', [`--pid=${pid}`, `--nofile=${count}:4096`])
    limit(readdirSync(`/proc/${pid}/fd`).length)
    makeCurrent(folder, versions[1]!)
    await until('it is refused', () => refusals(service).length > 0)
    limit(1024)
    await until('it is taken up', async () => (await versionOf(service)) === versions[1])
    assert.match(refusals(service)[0]!, new RegExp(`${folder}/\\S+ can't be \\S+ \\S*\\(?EMFILE\\)`))
    assert.equal(await service.stop(), 0)
  })
})

it('a version whose checksums fit and whose content does not is refused by all threads, and none dies', async () => {
  const folder = temporaryFolder()
  const version = await addVersion(folder, fixtureSnapshot())
  makeCurrent(folder, version)
  const good = await loadVersion(folder, version)
  const service = await startService({ INDEX_DIR: folder, STORE_DIR: temporaryFolder(), THREADS: '2' })
  const numbers = columnsOf(good).filter(({ name }) => /At$|^at$|cardName|nameGame/.test(name))
  const tried = process.env['ALL_COLUMNS'] ? numbers : numbers.filter(({ file }, i) => numbers[i + 1]?.file !== file)
  assert.ok(tried.length >= 4)
  for (const [number, { file, start, bytes }] of tried.entries()) {
    const damaged = versionNamed(number)
    damagedCopy(folder, good, damaged, file, (all) => all.fill(0xff, start + bytes - 1, start + bytes))
    makeCurrent(folder, damaged)
    await until(`${file} is refused`, () => service.log().includes(join(folder, damaged, file)))
    assert.equal(refusals(service).length, number + 1, 'one line')
    assert.deepEqual([...(await versionsOf(service))], [version])
  }
  assert.equal(service.log().trim().split('\n').length, tried.length, 'nothing else happened')
  assert.equal(await service.stop(), 0)
})

it('what is refused is tried again after 1, 2 s, and at once when current changes; what is said again is not', async () => {
  const folder = temporaryFolder()
  const taken: number[] = []
  const heard: string[] = []
  let reason = 'one'
  const following = follow(() => currentStamp(folder), '', {
    take: async () => {
      taken.push(performance.now())
      if (reason !== '') throw new Error(reason)
    },
    onRefusal: (why) => heard.push(why),
  })
  const name = (version: number) => makeCurrent(folder, versionNamed(version))
  await sleep(600)
  assert.deepEqual(taken, [], 'nothing is there')
  name(1)
  await until('it is tried three times', () => taken.length === 3)
  assert.ok(taken[1]! - taken[0]! >= 990 && taken[2]! - taken[1]! >= 1990)
  assert.deepEqual(heard, ['one'])
  reason = 'two'
  name(2)
  const changed = performance.now()
  await until('it is tried at once', () => taken.length === 4)
  assert.ok(taken[3]! - changed < 3000, 'before the four seconds are over')
  await until('the delays begin anew', () => taken.length === 5)
  assert.ok(taken[4]! - taken[3]! < 1990)
  assert.deepEqual(heard, ['one', 'two'])
  reason = ''
  await until('it is taken', () => taken.length === 6)
  await sleep(600)
  assert.equal(taken.length, 6, 'and then left alone')
  following.end()
})

it('a current that can not be looked at is told with its path, one that is not there is none', async () => {
  const folder = temporaryFolder()
  assert.equal(await currentStamp(folder), '')
  writeFileSync(join(folder, 'current'), 'x')
  const stamp = await currentStamp(folder)
  assert.notEqual(stamp, '')
  makeCurrent(folder, 'x')
  assert.notEqual(await currentStamp(folder), stamp)
  rmSync(join(folder, 'current'))
  const long = join(folder, 'x'.repeat(300))
  await assert.rejects(currentStamp(long), new RegExp(`^Error: ${long}/current can't be looked at \\(ENAMETOOLONG\\)$`))
})
