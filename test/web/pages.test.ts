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
import { reserveAccounts } from '../../src/accounts/shared.ts'
import { SignIns, startSession } from '../../src/accounts/sign-ins.ts'
import { dateOfDay, dayEndMs, dayOfMs } from '../../src/calendar.ts'
import type { About } from '../../src/indexes/about-file.ts'
import { loadVersion, type VersionFiles } from '../../src/indexes/load.ts'
import type { Manifest } from '../../src/indexes/manifest.ts'
import { PostgresConnection } from '../../src/postgres/connection.ts'
import { RefusedCounts } from '../../src/quota/live-usage.ts'
import { StoreError, UnknownOutcome } from '../../src/store/accounts-error.ts'
import { Store } from '../../src/store/store.ts'
import { packageVersion, softwareVersion } from '../../src/version.ts'
import { Description } from '../../src/web/docs/description.ts'
import { makeLookUps } from '../../src/web/shared/look-ups.ts'
import { seal } from '../../src/web/shared/shown-once.ts'
import type { App } from '../../src/web/site.ts'
import { CurrentData, type Site } from '../../src/web/site.ts'
import { temporaryFolder } from '../support/command.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'
import { addVersion, versionNamed } from '../support/versions.ts'
import { type DeskHere, makeDesk } from './desk-here.ts'
import { rowsOf, textOf } from './person.ts'
import { appOf } from './service-here.ts'

// Days are those of UTC, wherever the server stands.
process.env['TZ'] = 'America/New_York'
// Command lines are those of an installed program.
process.env['CARD_PRICES_PROGRAM'] = 'card-prices'

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
after(() => Promise.all([store, desk.store, desk.crowd].map((each) => each.close())))
const accounts = reserveAccounts(store.dir, false)
const apps: Record<string, App> = {}
const versions: VersionFiles[] = []
/** By account: its session and the id of its first key. */
const people: Record<string, { readonly cookie: string; readonly keyId: string }> = {}
let desk: DeskHere
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
  desk = await makeDesk(now)
  for (const [name, cookie] of Object.entries(desk.cookies)) people[name] = { cookie, keyId: '' }
  Object.assign(places, desk.places)
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
  const site = (more: Partial<Site>, url = 'https://prices.example', its = store) =>
    appOf(its, {
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
  const others = new OthersUsage(new PostgresConnection('postgres://127.0.0.1:1'), store)
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
  const { newest, before } = desk.places
  const deskSite = (more: Partial<Site>, its = desk.store) => site(more, 'https://prices.example', its)
  Object.assign(apps, {
    desk: deskSite({ ...desk.one, ...dataOf(few, { currency: 'EUR' }, { version: newest!, asOf: '2026-11-21' }) }),
    'desk-shared': deskSite({ ...desk.shared, ...dataOf(few, {}, { version: before!, asOf: '2026-11-22' }) }),
    'desk-lost': deskSite({ ...desk.lost, data: new CurrentData() }),
    'desk-away': deskSite({
      ...desk.one,
      ...away(new StoreError('away'), { refresh: () => Promise.reject(new StoreError('away')) }),
    }),
    'desk-crowded': deskSite({ ...desk.crowded, ...dataOf(few, {}, { asOf: null }) }, desk.crowd),
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
    'X-Forwarded-For': site === 'busy' ? '192.0.2.0' : `10.0.${++visitors >> 8}.${visitors & 255}`,
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
    .replaceAll(/(2026-11-\d\d-|undated-)[0-9a-f]{12}/g, '$1…')
    .replaceAll(/\/(assets|brand)\/[0-9a-f]{12}\//g, '/$1/…/')
    .replace(/(<title>Guide .*<div class="guide">).*(<\/article>)/, '$1…$2')
    .replaceAll(softwareVersion, 'VERSION')
    .replaceAll(packageVersion, 'VERSION')
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

async function openDesk(site: string, path: string, who = 'operator'): Promise<string> {
  const reply = await apps[site]!.request(path, { headers: { cookie: desk.cookies[who]! } })
  assert.equal(reply.status, 200, path)
  return reply.text()
}

/** The page's terms with what stands beside them. */
const factsOf = (page: string) =>
  Object.fromEntries(
    [...page.matchAll(/<dt>(.*?)<\/dt>\s*<dd>(.*?)<\/dd>/gs)].map(([, term, text]) => [term, textOf(text!)]),
  )

it('The operator’s page of versions shows each figure, price and day of the versions and their changes', async () => {
  const page = await openDesk('desk', '/operator/versions')
  const rows = (caption: string) => rowsOf(page, caption).slice(1)
  const { undated, first, before, newest } = desk.places
  assert.deepEqual(
    rows('Versions on disk').map((cells) => cells.slice(0, 6)),
    [
      [newest, '21 Nov 2026', '123,400', '1,234', '22 Nov 2026, 07:08 UTC', '123.5 MB'],
      [before, '20 Nov 2026', '1,200', '12', '21 Nov 2026, 06:30 UTC', '123.5 MB'],
      [first, '19 Nov 2026', '200', '2', '20 Nov 2026, 06:00 UTC', '123.5 MB'],
      [undated, 'unknown', '100', '1', '18 Nov 2026, 23:59 UTC', '123.5 MB'],
    ],
  )
  const riser = `Riser ${markup} Base ${markup} 4`
  const gone = `Gone Base ${markup}`
  const changes = {
    'Cards by game': [
      ['Pokémon', '1,200', '7', '34'],
      ['Magic: The Gathering', '0', '1', '2'],
    ],
    'Largest rises: 1': [[riser, '1,234.56 from 1,000.00 ▲ up +234.56 ( +23.5 %)']],
    'Largest falls: 1': [[gone, '9.80 from 10.10 ▼ down −0.30 ( −3.0 %)']],
    'New sets: 2': [
      [`Base ${markup} Pokémon`, '9 Jan 1999', '102'],
      ['Alpha Magic: The Gathering', 'unknown', '1'],
    ],
    'New cards: the first 2 of 1200': [
      [riser, '1,234.50'],
      [gone, 'unknown'],
    ],
    'Gone cards: 1': [[gone, '0.05']],
    'Cards without a price now: 1': [[riser, '9.99']],
  }
  for (const [caption, wanted] of Object.entries(changes)) assert.deepEqual(rows(caption), wanted, caption)
})

it('The operator’s pages of accounts show each figure and day', async () => {
  const page = await openDesk('desk', '/operator/accounts/0')
  const usage = rowsOf(page, 'Requests a day').slice(1)
  assert.deepEqual(
    [usage.length, usage[0], usage[1], usage[29]],
    [30, ['22 Nov 2026', '1,234'], ['21 Nov 2026', '5'], ['24 Oct 2026', '10,000']],
  )
  assert.equal(usage.filter(([, requests]) => requests !== '0').length, 3)
  assert.match(textOf(page), / 1,234 of 10,000 requests used today\. 11,239 requests in 30 days\. /)
  assert.deepEqual(factsOf(page), { Plan: 'Trader', State: 'live', Created: '20 Nov 2026, 20:34 UTC', Number: '0' })
  assert.deepEqual(
    rowsOf(page, 'Keys of the account')
      .slice(1)
      .map(([name, , ...cells]) => [name!.split(' ')[0], ...cells]),
    [
      ['default', '20 Nov 2026, 20:34 UTC', '22 Nov 2026, 11:34 UTC', 'never', 'Revoke'],
      ['todayKey', '21 Nov 2026, 06:34 UTC', 'never', '22 Nov 2026', 'Revoke'],
      ['soonKey', '21 Nov 2026, 06:34 UTC', '22 Nov 2026, 10:34 UTC', '22 Nov 2026, 13:34 UTC', 'Revoke'],
      ['expiredKey', '21 Nov 2026, 06:34 UTC', 'never', '22 Nov 2026, 12:34 UTC', 'expired'],
      ['revokedKey', '21 Nov 2026, 06:34 UTC', 'never', 'never', 'revoked'],
    ],
  )
  const listed = async (site: string) => rowsOf(await openDesk(site, '/operator/accounts'), 'Accounts').slice(1)
  const [suspended, used] = [`Ünïque ${markup} suspended`, '22 Nov 2026, 11:34 UTC']
  assert.deepEqual(await listed('desk'), [
    ['acme', 'Trader', '3', '1,234', '11,239', used],
    ['changed', 'Free', '1', '0', '0', 'never'],
    ['quiet', 'Business', '0', '60', '60', 'never'],
    [suspended, 'Free', '1', '0', '0', 'never'],
  ])
  assert.deepEqual(await listed('desk-shared'), [
    ['acme', 'Trader', '3', '1,334', '11,539', used],
    ['changed', 'Free', '1', '104', '312', used],
    ['quiet', 'Business', '0', '162', '366', 'never'],
    [suspended, 'Free', '1', '101', '303', used],
  ])
})

it('The operator’s page Today shows each figure and day', async () => {
  const page = await openDesk('desk', '/operator')
  const { places } = desk
  assert.deepEqual(factsOf(page), {
    'Prices of': '21 Nov 2026 , yesterday',
    Version: places['newest'],
    Built: '21 Nov 2026, 01:02 UTC',
    'Served here since': '22 Nov 2026, 11:34 UTC',
    Cards: '6',
    Sets: '2',
    'Counted to quotas': '1,294',
    'No or wrong key (401)': '26',
    'Refused (403)': '200',
    'Over quota (429)': '2,000',
    'Failed (5xx)': '220,000',
  })
  const hours = rowsOf(page, 'Requests by hour (UTC)').slice(1)
  assert.deepEqual(
    [hours.length, ...hours.slice(0, 4), hours.at(-1)],
    [
      13,
      ['12:00', '222,222', '20', '200', '2,000', '220,000'],
      ['11:00', '0', '0', '0', '0', '0'],
      ['10:00', '1,406', '6', '0', '0', '0'],
      ['09:00', '0', '0', '0', '0', '0'],
      ['00:00', '0', '0', '0', '0', '0'],
    ],
  )
  assert.deepEqual(rowsOf(page, 'The last run of each source').slice(1), [
    [
      'tcgcsv',
      '22 Nov 2026, 06:05 UTC in 1 h 5 min',
      'imported',
      '21 Nov 2026',
      '12,345 cards, 1,001 of them new',
      versionNamed(2),
    ],
    ['mtgjson', '22 Nov 2026, 05:00 UTC in 1 min', `away no answer ${markup}`, '', '', ''],
    ['pokedata', '22 Nov 2026, 06:05 UTC in 1 h 5 min', 'failed no such file', '19 Nov 2026', '', ''],
    ['scryfall', '22 Nov 2026, 06:05 UTC in 1 h 5 min', 'nothing new', '', '', ''],
  ])
  assert.deepEqual(rowsOf(page, 'Sets of tcgcsv that keep earlier prices').slice(1), [
    ['pokemon/swsh12', `1000 cards ${markup}`, '3'],
    ['mtg/lea', '2 cards', '1'],
  ])
  const shared = await openDesk('desk-shared', '/operator')
  assert.deepEqual(rowsOf(shared, 'Servers that share the accounts').slice(1), [
    ['prices1:8080', versionNamed(3), '0.3 s ago'],
    ['prices2:8080', 'unknown', '61.3 s ago'],
  ])
  assert.equal(factsOf(shared)['Counted to quotas'], '1,597')
  assert.equal(factsOf(shared)['Prices of'], '22 Nov 2026 , today')
})

it('The operator reads accounts and the audit log page by page, and the whole log as CSV', async () => {
  const linksOf = (page: string) =>
    [...page.matchAll(/<a class="button" href="([^"]*)">(Previous|Next|Older entries)</g)].map(([, to, text]) => [
      text,
      to!.replaceAll('&amp;', '&'),
    ])
  const accountsOn: number[] = []
  let accountsPage: string | undefined = '/operator/accounts?plan=free'
  while (accountsPage !== undefined) {
    const body = await openDesk('desk-crowded', accountsPage, 'crowd')
    accountsOn.push(rowsOf(body, 'Accounts').length - 1)
    accountsPage = linksOf(body).find(([text]) => text === 'Next')?.[1]
  }
  assert.deepEqual(accountsOn, [50, 50, 1])

  const entries: number[] = []
  let next: string | undefined = '/operator/log'
  while (next !== undefined) {
    const body = await openDesk('desk-crowded', next, 'crowd')
    entries.push(rowsOf(body, 'Entries of the audit log').length - 1)
    next = linksOf(body)[0]?.[1]
  }
  assert.deepEqual(entries, [50, 50, 50, 50, 26], 'two for each account, 20 more for one, and two of the operator')
  const shop = await openDesk('desk-crowded', '/operator/accounts/0', 'crowd')
  assert.equal(rowsOf(shop, 'Entries of the audit log').length - 1, 20, 'the newest ones')
  const csv = await openDesk('desk-crowded', '/operator/log.csv', 'crowd')
  const lines = csv.split('\r\n').slice(1, -1)
  assert.deepEqual([lines.length, new Set(lines).size], [226, 226])
  assert.match(lines[0]!, /^2026-11-22T12:34:56\.000Z,operator page,sign-in link used,,,operator$/)
  assert.match(lines.at(-1)!, /^2026-11-22T11:34:56\.000Z,command op@host,account created,shop 1,,free$/)
})

it('Each page, form and response to a script is as recorded, and runs only code of its own origin', async () => {
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

it('Each page that is opened prolongs a session, even a public page, and requests of an open page do not', async () => {
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

it('A session of the operator is prolonged by each page, and ends an hour after the last one', async () => {
  const statuses = []
  for (const hours of [0.9, 1.8, 2.7, 4]) {
    time = now + hours * hour
    statuses.push(
      (await apps['desk-crowded']!.request('/operator/log', { headers: { cookie: desk.cookies['crowd']! } })).status,
    )
  }
  time = now
  assert.deepEqual(statuses, [200, 200, 200, 403])
})

it('The guide and the reference are those of the version that is served now', async () => {
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
