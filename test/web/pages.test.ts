/**
 * Whole responses of the pages, compared with pages.txt. It has a request and its response on a line, without what differs from run to
 * run. A part of several pages is there once, as `⟦NAME part⟧`, and then `⟦NAME⟧`. After a change of a page,
 * `RECORD=1 node --import tsx --test test/web/pages.test.ts` records them again: read the difference. A new request is a line
 * `SITE ACCOUNT METHOD PATH FORM: `.
 */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { after, before, it } from 'node:test'
import pino from 'pino'
import { OthersUsage } from '../../src/accounts/fleet/others-usage.ts'
import { createAccount, createKey, revokeKey, suspendAccount } from '../../src/accounts/registry.ts'
import { noReplication, type Replication } from '../../src/accounts/replication/replication.ts'
import { ReplicationConnection } from '../../src/accounts/replication/replication-connection.ts'
import { reserveAccounts } from '../../src/accounts/shared.ts'
import { SignIns, startSession } from '../../src/accounts/sign-ins.ts'
import { dateOfDay, dayEndMs, dayOfMs } from '../../src/calendar.ts'
import type { About } from '../../src/indexes/about-file.ts'
import { loadVersion, type VersionFiles } from '../../src/indexes/load.ts'
import type { Manifest } from '../../src/indexes/manifest.ts'
import { RefusedCounts } from '../../src/quota/live-usage.ts'
import { StoreError, UnknownOutcome } from '../../src/store/accounts-error.ts'
import { Store } from '../../src/store/store.ts'
import { softwareVersion } from '../../src/version.ts'
import { Description } from '../../src/web/description.ts'
import { makeLookUps } from '../../src/web/look-ups.ts'
import { seal } from '../../src/web/shown-once.ts'
import type { App } from '../../src/web/site.ts'
import { CurrentData, type Site } from '../../src/web/site.ts'
import { temporaryFolder } from '../support/command.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'
import { addVersion } from '../support/versions.ts'
import { appOf } from './service-here.ts'

// Days are those of UTC, wherever the server stands.
process.env['TZ'] = 'America/New_York'

const file = new URL('pages.txt', import.meta.url)
const isRecording = process.env['RECORD'] === '1'
const now = Date.parse('2026-11-22T12:34:56Z')
/** The time of the pages. */
let time = now
const [today, hour] = [dayOfMs(now), 3_600_000]

/** By game and name, prices by days before 2026-11-20. */
const histories: readonly [game: string, name: string, prices: Readonly<Record<number, number>>][] = [
  ['pokemon', 'Riser', { 0: 1234.5, 1: 1240, 7: 1000, 30: 1234.5, 371: 2000 }],
  ['pokemon', 'Faller', { 0: 9, 7: 10 }],
  ['pokemon', 'Penny', { 0: 0.02, 7: 0.01 }],
  ['mtg', 'Other', { 0: 30, 7: 10 }],
  ['mtg', 'Still', { 0: 5 }],
  ['mtg', 'Gone', { 7: 3, 30: 5 }],
]
const moved = histories.map(([game, name, { 0: market }]) => ({
  ...aCard,
  game,
  name,
  id: `${game}-${name.toLowerCase()}`,
  prices: { market },
}))
const rows = histories.flatMap(([, , prices], i) =>
  Object.entries(prices).map(([age, price]) => `${dateOfDay(today - 2 - Number(age))},${moved[i]!.id},${price},,`),
)
const markup = '<b>1</b> & "co"'
const card = (id: string, name: string, number: string | null, more: object = {}) => ({
  id,
  game: 'mtg',
  name,
  setCode: id.split('-')[1],
  number,
  ...more,
})
const odd = [
  card('mtg-lea-x1', markup, null, { rarity: '<b>' }),
  card('mtg-lea-x2', 'Onyx', '7', { prices: { market: 2.1, conditions: { near_mint: 2.3 } } }),
  card('mtg-base1-x3', 'Onyx', '8', { prices: { market: 0.07 } }),
  card('mtg-base1-x4', 'Onyx', null, { printing: 'Foil', image: 'https://prices.example/own.png' }),
]

/** Each construct of the API's description, as the reference shows it. */
const ref = (name: string) => ({ $ref: `#/components/${name}` })
const json = (examples: object) => ({ 'application/json': { schema: ref('schemas/card'), examples } })
const csv = { schema: { type: 'string' }, examples: { csv: { summary: 'GET /v1/cards/b', value: 'id\na\n' } } }
const operation = {
  operationId: 'getCard',
  tags: ['Card prices'],
  summary: 'A card',
  description: 'With `prices`.',
  parameters: [
    {
      name: 'id',
      in: 'path',
      required: true,
      description: '*Id*',
      schema: { type: 'string', minLength: 1, maxLength: 9 },
    },
    { name: 'view', in: 'query', required: false, description: 'Which', schema: { enum: ['a', 'b'], default: 'a' } },
    ref('parameters/Limit'),
  ],
  requestBody: { description: 'Some *ids*', content: json({ body: { value: { ids: ['<'] } } }) },
  responses: {
    200: {
      description: 'Found',
      content: { ...json({ one: { summary: 'POST /v1/cards/a', value: { id: 'a' } } }), 'text/csv': csv },
    },
    404: ref('responses/Missing'),
  },
}
const most = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 20 }
const properties = {
  id: { type: 'string', maxLength: 9 },
  at: { type: 'string', format: 'date' },
  kind: { const: 1 },
  of: { additionalProperties: { type: 'number', minimum: 0, maximum: 5 } },
  on: { type: 'boolean', additionalProperties: false },
  cards: { items: { properties: { name: { anyOf: [ref('schemas/none'), { type: 'null' }] } } }, maxItems: 5 },
}
const described = {
  info: { title: 'Cards’', version: '1', description: 'All *prices*.' },
  servers: [{ url: '/' }],
  tags: [{ name: 'Card prices', description: 'Now & then' }],
  paths: { '/v1/cards/{id}': { post: operation } },
  components: {
    parameters: { Limit: { name: 'limit', in: 'header', required: false, description: 'Most', schema: most } },
    responses: { Missing: { description: 'No card' } },
    schemas: { card: { description: 'A *card*', required: ['id', 'at'], properties }, none: {} },
  },
}

const about: About = {
  title: 'Karten & <Preise>',
  contact: 'https://laden.example/?a&b',
  terms: 'https://laden.example/agb',
  plans: { free: 0, trader: 14.99, business: 89 },
  currency: 'EUR',
  accent: '#7a1f5c',
  status: 'https://status.example',
  images: ['https://images.example'],
  logo: { type: 'image/png', bytes: Buffer.from('a logo') },
}

const store = new Store(temporaryFolder())
after(() => store.close())
const accounts = reserveAccounts(store.dir, false)
const apps: Record<string, App> = {}
const versions: VersionFiles[] = []
/** By account: its session and the id of its first key. */
const people: Record<string, { readonly cookie: string; readonly keyId: string }> = {}
/** Parts of addresses by the names that pages.txt has for them. */
const places: Record<string, string> = {}
/** Of the present request. */
let logged: string[] = []

const away = (error: Error, more: Partial<Replication>) => ({
  replication: { ...noReplication(), change: () => Promise.reject(error), ...more },
})

before(async () => {
  for (const [name, plan] of Object.entries({ free: 'free', trader: 'trader', full: 'free', spent: 'free' } as const)) {
    const { keyId } = createAccount(store, name, plan, now - 40 * hour)
    const session = store.change(() => startSession(store, store.accountNumber(name)!, now))
    people[name] = { cookie: `cpl_session=${session}`, keyId }
    const made = `cpl_new_key=${seal(session, keyId, `cpl_live_${'a'.repeat(38)}`)}`
    people[`${name}-again`] = { cookie: `cpl_session=${session}; ${made}`, keyId }
  }
  people['gone'] = { cookie: 'cpl_session=none', keyId: '' }
  const ends = { today: dayEndMs(today), soon: now + hour, expired: now - 1, revoked: null }
  for (const [name, expiresAt] of Object.entries(ends)) {
    const { keyId } = createKey(store, 'trader', { name: `${name} ${markup}`, expiresAt }, now - 30 * hour)
    if (expiresAt === null) revokeKey(store, keyId, now - hour)
    places[name] = keyId
  }
  for (let i = 1; i < 10; i++) createKey(store, 'full', { name: `key ${i}`, expiresAt: null }, now)
  suspendAccount(store, 'full', markup, now - hour)
  store.write(() => {
    store.addUsage(today, store.accountNumber('spent')!, 200)
    store.addUsage(today - 2, store.accountNumber('trader')!, 1234)
  })
  new RefusedCounts(accounts.quota).add(store.accountNumber('spent')!, today)
  const signIns = new SignIns(store, noReplication())
  places['good'] = (await signIns.makeLink('free', now)).token
  places['old'] = (await signIns.makeLink('free', now - hour)).token
})

before(async () => {
  const indexDir = temporaryFolder()
  const files = {
    'cards/odd.ndjson': [...moved, ...odd],
    'history/3.csv': `date,id,market,low,high\n${rows.join('\n')}\n`,
  }
  const versionOf = async (snapshot: string) => loadVersion(indexDir, await addVersion(indexDir, snapshot))
  const version = await versionOf(snapshotOf(files, fixtureSnapshot()))
  const sets = { ...files, 'sets/s.ndjson': [aSet, { ...aSet, game: 'mtg' }] }
  const few = await versionOf(snapshotOf({ ...sets, 'cards/odd.ndjson': moved }))
  const alike = moved.map((one) => ({ ...one, name: `Charizard ${one.name}` }))
  const best = { ...alike[0], id: 'pokemon-best', prices: { market: 9999 } }
  const charizards = await versionOf(snapshotOf({ ...sets, 'cards/odd.ndjson': [...alike, best] }))
  const single = await versionOf(snapshotOf({ ...sets, 'cards/odd.ndjson': [alike[4]!] }))
  versions.push(version, few)
  const broken = { ...version, files: new Map() }
  const dataOf = ({ manifest, files }: VersionFiles, about: About, more: Partial<Manifest> = {}) => {
    const data = new CurrentData()
    data.show({ manifest: { ...manifest, builtAt: '2026-11-21T01:02:03Z', ...more }, files }, now - hour)
    data.about = about
    return { data }
  }
  const description = new Description()
  description.show(Buffer.from(JSON.stringify(described)))
  const err = ({ message }: Error) => message
  const options = { base: null, timestamp: false, level: 'info', serializers: { err } } as const
  const log = pino(options, { write: (line: string) => logged.push(line) })
  const site = (more: Partial<Site>, url = 'https://prices.example') =>
    appOf(store, {
      accounts,
      url,
      api: 'https://api.example',
      description,
      log,
      trustsProxy: true,
      clock: () => time,
      ...dataOf(version, {}),
      ...more,
    })
  const others = new OthersUsage(new ReplicationConnection('redis://127.0.0.1:1'), store)
  const lookUps = makeLookUps()
  for (const asker of [0, '192.0.2.0']) {
    for (const limit of Object.values(lookUps)) {
      limit.take(asker, now - 29_001)
      limit.add(asker, 1000)
    }
  }
  Object.assign(apps, {
    plain: site({}),
    branded: site(dataOf(version, about), 'http://127.0.0.1:8081'),
    closed: site(dataOf(few, { public: false, contact: 'the desk', plans: { trader: 5 } })),
    few: site(dataOf(charizards, {}, { asOf: null })),
    empty: site({ data: new CurrentData(), description: new Description(), others }),
    single: site(dataOf(single, {})),
    busy: site({ lookUps }),
    broken: site(dataOf(broken, {})),
    away: site(away(new StoreError('away'), { refresh: () => Promise.reject(new StoreError('away')) })),
    unchanged: site(away(new StoreError('away'), {})),
    unknown: site(away(new UnknownOutcome('unknown'), {})),
    unconfirmed: site({ replication: noReplication(async () => 'prices2 did not confirm it') }),
  })
})

/** A script, a style or a target of forms that does not come from this origin. */
const foreign = /<script(?![^>]*\ssrc="\/assets\/)|\son\w+="|\sstyle="|<style|\saction="(?!\/[^/])/
let visitors = 0
/** The headers of the first page. */
const usual = new Map<string, string>()

/** The response on one line: its status, its headers as far as they differ from the first page's, its body, and the log. */
async function responseTo(request: string): Promise<string> {
  const [site = '', who = '', method = '', path = '', form] = request.split(' ')
  const { cookie = '', keyId = '' } = people[who] ?? {}
  const headers = {
    cookie,
    'X-Forwarded-For': `192.0.2.${site === 'busy' ? 0 : ++visitors}`,
    ...(who === 'evil' && { Origin: 'https://evil.example' }),
    ...(form && { 'Content-Type': 'application/x-www-form-urlencoded' }),
    ...(form && { 'Content-Length': `${Buffer.byteLength(form)}` }),
  }
  const address = path.replace(/\{(\w+)\}/, (_, name) => places[name] ?? keyId)
  logged = []
  const env = { outgoing: new EventEmitter() }
  const reply = await apps[site]!.request(address, { method, headers, ...(form && { body: form }) }, env)
  const given = [...reply.headers].filter(([name, value]) => value !== usual.get(name))
  if (usual.size === 0) for (const [name, value] of given) usual.set(name, value)
  const body = await reply.text()
  assert.doesNotMatch(body, foreign, request)
  const ids: string[] = []
  return `${reply.status} ${JSON.stringify(given)} ${body} ${logged.join('')}`
    .trimEnd()
    .replaceAll('\r', '␍')
    .replaceAll('\n', '⏎')
    .replaceAll(/cpl_live_\w+/g, 'cpl_live_')
    .replaceAll(/key_\w{10}/g, (id) => `key_${ids.indexOf(id) === -1 ? ids.push(id) : ids.indexOf(id) + 1}`)
    .replaceAll(/(name="form" value="|\/sign-in\/|cpl_\w+=)[\w-]{20,}/g, '$1…')
    .replaceAll(/(2026-11-20-)[0-9a-f]{12}/g, '$1…')
    .replaceAll(/\/(assets|brand)\/[0-9a-f]{12}\//g, '/$1/…/')
    .replace(/(<title>Guide .*<div class="guide">).*(<\/article>)/, '$1…$2')
    .replaceAll(softwareVersion, 'VERSION')
}

function readRecorded(): string[] {
  const parts = new Map<string, string>()
  return readFileSync(file, 'utf8')
    .replaceAll(/⟦(\w+)(?: ([^⟧]*))?⟧/g, (_, name, part) => {
      if (part !== undefined) parts.set(name, part)
      return parts.get(name)!
    })
    .trimEnd()
    .split('\n')
}

/** The lines of the file: a part that several of them have is named by its element, and written out in the first one. */
function withPartsOnce(lines: readonly string[]): string[] {
  const partsOf = (line: string) =>
    line.split(/(?=<!doctype|⏎<(?:title|meta name|link|main|nav|form|section|table|label|footer|h\d|p)\b)/)
  const all = lines.flatMap(partsOf)
  const names = new Map<string, string>()
  const counts: Record<string, number> = {}
  const named = (part: string) => {
    if (part.length < 40 || all.indexOf(part) === all.lastIndexOf(part)) return part
    if (names.has(part)) return `⟦${names.get(part)}⟧`
    const element = /<!?(\w+)/.exec(part)![1]!
    counts[element] = (counts[element] ?? 0) + 1
    names.set(part, `${element}${counts[element]}`)
    return `⟦${names.get(part)} ${part}⟧`
  }
  return lines.map((line) => partsOf(line).map(named).join(''))
}

it('each page, form and answer to a script is as it was recorded, and all that runs in it is of this origin', async () => {
  const recorded = readRecorded()
  const lines: string[] = []
  for (const wanted of recorded) {
    const request = wanted.slice(0, wanted.indexOf(': '))
    const came = `${request}: ${await responseTo(request)}`
    lines.push(came)
    if (came === wanted || isRecording) continue
    const at = [...Array(Math.max(came.length, wanted.length)).keys()].findIndex((i) => came[i] !== wanted[i])
    const part = (text: string) => text.slice(Math.max(at - 60, 0)).slice(0, 260)
    assert.fail(`${request}\nwanted: …${part(wanted)}…\ncame:   …${part(came)}…`)
  }
  if (isRecording) writeFileSync(file, `${withPartsOnce(lines).join('\n')}\n`)
})

it('a session is prolonged by each page, also by one for everybody, and not by what an open page asks for', async () => {
  const headers = { cookie: people['full']!.cookie }
  const statusOf = async (path: string, hours: number) => {
    time = now + hours * hour
    return (await apps['plain']!.request(path, { headers })).status
  }
  const visits = {
    '/dashboard': 11,
    '/status': 22,
    '/dashboard/keys': 33,
    '/dashboard/usage.json': 44,
    '/dashboard/value': 46,
  }
  const statuses = []
  for (const [path, hours] of Object.entries(visits)) statuses.push(await statusOf(path, hours))
  time = now
  assert.deepEqual(statuses, [200, 200, 200, 200, 303])
})

it('the guide and the reference are those of the version that is served now', async () => {
  const [data, description] = [new CurrentData(), new Description()]
  const app = appOf(store, { accounts, url: 'http://127.0.0.1:1', data, description })
  const titles = ['pokemon-base1-004', 'another']
  for (const [i, version] of versions.entries()) {
    data.show(version, now)
    description.show(Buffer.from(JSON.stringify({ ...described, info: { ...described.info, title: titles[i] } })))
    for (const path of ['/docs', '/docs/reference', '/openapi.json']) {
      const body = await (await app.request(path)).text()
      assert.equal(body.includes('pokemon-base1-004'), i === 0, `${path} of version ${i}`)
    }
  }
})
