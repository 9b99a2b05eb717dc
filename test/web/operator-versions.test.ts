/** The operator's versions: what changed in each, and another one made current and back, on a real server. */
import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { build } from '../../build/build.ts'
import { accounts, copyOf, temporaryFolder } from '../support/command.ts'
import { type Service, send, startService } from '../support/service.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'
import { Person, rowsOf } from './person.ts'

const storeDir = temporaryFolder()
const indexDir = temporaryFolder()
const script = '<script>alert(1)</script>'

/** Many cards, of which each day has others, at other prices. */
function snapshot(day: number): string {
  const newest = { ...aSet, code: 'new', name: `Newest ${script}`, releaseDate: '2026-11-01' }
  const cards = Array.from({ length: 300 }, (_, i) => {
    const number = i + (day === 20 ? 0 : 20)
    return {
      ...aCard,
      id: `${aCard.id}-${number}`,
      name: `Card ${number} ${script}`,
      number: `${number}`,
      setCode: number >= 300 ? 'new' : 'base1',
      updatedAt: `2026-11-${day}T06:00:00Z`,
      prices: { market: number === 50 && day === 21 ? null : number === 60 && day === 21 ? 240 : number },
    }
  })
  return snapshotOf({ 'sets/a.ndjson': day === 20 ? [aSet] : [aSet, newest], 'cards/a.ndjson': cards })
}

let service: Service
let old: string
let now: string

before(async () => {
  old = (await build(snapshot(20), indexDir)).manifest.version
  now = (await build(snapshot(21), indexDir)).manifest.version
  service = await startService({
    STORE_DIR: storeDir,
    INDEX_DIR: indexDir,
    LOG_LEVEL: 'info',
    WEB_PORT: '0',
    OPERATOR_PAGES: 'on',
  })
})
after(() => service.stop())

async function signedIn(): Promise<Person> {
  const person = new Person(service.pages)
  await person.open(new URL((await accounts(storeDir, 'sign-in', '--operator')).url).pathname)
  await person.press('Sign in')
  return person
}

const served = async () => (await send(service.address, '/healthz')).json.version
const current = () => readFileSync(join(indexDir, 'current'), 'utf8').trim()

describe('The operator’s page of versions', () => {
  it('The page of versions lists the versions on the disk, and what changed in the current one', async () => {
    const person = await signedIn()
    const { status, body } = await person.open('/operator/versions')
    assert.equal(status, 200)
    assert.match(body, /<h1>Versions<\/h1>/)
    assert.match(body, /<a href="\/operator\/versions" aria-current="page">Versions<\/a>/)
    const rows = rowsOf(body, 'Versions on disk').slice(1)
    assert.deepEqual(
      rows.map(([name, asOf, cards, sets, , size, last]) => [name, asOf, cards, sets, size, last]),
      [
        [now, '21 Nov 2026', '300', '2', rows[0]![5], 'current'],
        [old, '20 Nov 2026', '300', '1', rows[1]![5], 'Make current'],
      ],
    )
    assert.match(rows[0]![5]!, /^\d\.\d MB$/)
    assert.deepEqual(rowsOf(body, 'Cards by game').slice(1), [['Pokémon', '20', '20', '2']])
    const sets = rowsOf(body, 'New sets: 1').slice(1)
    assert.deepEqual(sets, [[`Newest ${script} Pokémon`, '1 Nov 2026', '20']])
    const added = rowsOf(body, 'New cards: 20').slice(1)
    assert.deepEqual([added.length, added[0]], [20, [`Card 300 ${script} Newest ${script} 300`, '300.00']])
    assert.match(body, new RegExp(`<a href="/cards/${aCard.id}-300">Card 300`))
    assert.deepEqual(rowsOf(body, 'Gone cards: 20').slice(1)[19], [`Card 19 ${script} Base Set 19`, '19.00'])
    assert.match(body, new RegExp(`<a href="/cards/${aCard.id}-0">Card 0`))
    const rise = rowsOf(body, 'Largest rises: 1').slice(1)
    assert.deepEqual(rise, [[`Card 60 ${script} Base Set 60`, '240.00 from 60.00 ▲ up +180.00 ( +300.0 %)']])
    assert.match(body, /Largest falls: none\./)
    const lost = rowsOf(body, 'Cards without a price now: 1').slice(1)
    assert.deepEqual(lost, [[`Card 50 ${script} Base Set 50`, '50.00']])
    assert.ok(!body.includes(script), 'names are escaped')
  })

  it('The page of versions shows another version by its link, and 404 for an unknown one', async () => {
    const person = await signedIn()
    const { body } = await person.open(`/operator/versions?version=${old}`)
    assert.match(body, new RegExp(`>What changed in ${old}<`))
    assert.match(body, /It is compared with none: no version was current before it\./)
    for (const version of ['../..', '2026-11-20-0123456789ab', 'constructor']) {
      const query = `version=${encodeURIComponent(version)}&done=${encodeURIComponent(version)}`
      const other = await person.open(`/operator/versions?${query}`)
      assert.equal(other.status, 200)
      assert.match(other.body, /There is no such version here, or no longer\./)
      assert.doesNotMatch(other.body, /role="status"/)
      const ask = `/operator/versions/${encodeURIComponent(version)}/current`
      assert.deepEqual([(await person.open(ask)).status, (await person.post(ask, '')).status], [404, 404])
    }
  })

  it('The page of versions makes an old version current and back, and asks first', async () => {
    const person = await signedIn()
    for (const [from, to] of [
      [now, old],
      [old, now],
    ] as const) {
      await person.open('/operator/versions')
      const asked = await person.press('Make current')
      assert.match(asked.body, new RegExp(`<h1>Make ${to} current\\?</h1>`))
      assert.match(asked.body, /<a class="button" href="\/operator\/versions">No, go back<\/a>/)
      assert.equal(current(), from, 'a question changes nothing')
      const { status, body } = await person.press('Yes, make current')
      assert.equal(status, 200)
      assert.match(body, new RegExp(`role="status"><p>The version <em>${to}</em> is current\\.`))
      assert.equal(current(), to)
      await until('it is served', async () => (await served()) === to)
      const again = await person.post(`/operator/versions/${to}/current`, '')
      assert.deepEqual([again.status, /is current already, so nothing was changed/.test(again.body)], [409, true])
    }
    assert.match(
      service.log(),
      new RegExp(`"version":"${old}","before":"${now}","msg":"a version was made current on a page"`),
    )
  })

  it('The page of versions says in one line why a version was not made current, and nothing changes', async () => {
    const person = await signedIn()
    const path = join(indexDir, old, 'report.json')
    const content = readFileSync(path)
    writeFileSync(path, content.toString().replace('first', 'other'))
    try {
      await person.open('/operator/versions')
      await person.press('Make current')
      const { status, body } = await person.press('Yes, make current')
      assert.equal(status, 409)
      assert.match(body, /role="alert"><p>The version was not made current: \S+report\.json has a wrong checksum</)
      assert.equal(current(), now)
      const shown = await person.open(`/operator/versions?version=${old}`)
      assert.match(shown.body, /role="alert"><p>\S+report\.json has a wrong checksum</)
      rmSync(path)
      const missing = await person.open(`/operator/versions?version=${old}`)
      assert.match(missing.body, /There is no report: another release built or downloaded it\./)
    } finally {
      writeFileSync(path, content)
    }
  })

  it('The page of versions is closed to strangers, accounts and other sites', async () => {
    await accounts(storeDir, 'create', 'acme', '--plan', 'free')
    const account = await Person.signedIn(service.pages, storeDir, 'acme')
    const path = `/operator/versions/${old}/current`
    for (const person of [new Person(service.pages), account]) {
      assert.equal((await person.open('/operator/versions')).status, 403)
      assert.deepEqual([(await person.open(path)).status, (await person.post(path, '')).status], [403, 401])
    }
    const operator = await signedIn()
    assert.equal((await operator.post(path, '', { origin: 'https://elsewhere.example' })).status, 403)
    assert.equal((await operator.post(path, '', { origin: 'null' })).status, 403)
    assert.equal(current(), now)
  })
})

it('The page of versions says if there is no version, or if the current one can’t be read', async () => {
  const folder = copyOf(indexDir)
  const [store, dirs] = [temporaryFolder(), { INDEX_DIR: folder }]
  const other = await startService({ ...dirs, STORE_DIR: store, WEB_PORT: '0', OPERATOR_PAGES: 'on' })
  try {
    const person = new Person(other.pages)
    await person.open(new URL((await accounts(store, 'sign-in', '--operator')).url).pathname)
    await person.press('Sign in')
    writeFileSync(join(folder, now, 'manifest.json'), '{')
    const damaged = await person.open('/operator/versions')
    assert.match(damaged.body, new RegExp(`role="alert"><p>${now} is current, and can’t be read\\.`))
    assert.equal(rowsOf(damaged.body, 'Versions on disk').length, 2)
    writeFileSync(join(folder, 'current'), 'x')
    assert.match(
      (await person.open('/operator/versions')).body,
      /role="alert"><p>\S+ names no version \(&quot;x&quot;\)/,
    )
    rmSync(folder, { recursive: true })
    assert.match((await person.open('/operator/versions')).body, /No version is published here yet\./)
  } finally {
    await other.stop()
  }
})
