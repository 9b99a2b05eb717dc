/**
 * What the operator's pages show, made in the test's own process: accounts and keys in each state, versions with each kind of
 * report, runs of updates, requests by hour, and what the doctor found. All of it follows from the time that is given.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OthersUsage } from '../../src/accounts/fleet/others-usage.ts'
import {
  createAccount,
  createKey,
  deleteAccount,
  type ListedKey,
  resumeAccount,
  revokeKey,
  suspendAccount,
} from '../../src/accounts/registry.ts'
import { noReplication } from '../../src/accounts/replication/replication.ts'
import type { ServerStatus } from '../../src/accounts/replication/servers.ts'
import { reserveAccounts } from '../../src/accounts/shared.ts'
import { OperatorSignIns } from '../../src/accounts/sign-ins.ts'
import { dayEndMs, dayMs, dayOfMs } from '../../src/calendar.ts'
import type { Manifest } from '../../src/indexes/manifest.ts'
import { type Comparison, type Report, writeReport } from '../../src/indexes/report-file.ts'
import type { LastUpdate } from '../../src/last-updates.ts'
import { answersAt, countersOf, reserveBlocks, routeNumber, statuses } from '../../src/metrics/thread-counters.ts'
import { PostgresConnection } from '../../src/postgres/connection.ts'
import { StoreError } from '../../src/store/accounts-error.ts'
import { Store } from '../../src/store/store.ts'
import { addDesk } from '../../src/web/operator/desk.ts'
import { type DoctorResult, DoctorRuns } from '../../src/web/operator/doctor-runs.ts'
import { RequestHours, reserveRequestHours } from '../../src/web/operator/request-hours.ts'
import { seal } from '../../src/web/shared/shown-once.ts'
import type { Desk, Site } from '../../src/web/site.ts'
import { temporaryFolder } from '../support/command.ts'
import { quietUpdate } from '../support/last-update.ts'
import { publishMade, versionNamed } from '../support/versions.ts'

const hour = 3_600_000
const markup = '<b>1</b> & "co"'

/** What a site with a desk needs. */
type DeskParts = Pick<Site, 'accounts' | 'desk'> & Partial<Site>

export interface DeskHere {
  /** Both are the caller's to close. */
  readonly store: Store
  /** With more than a page of accounts and of entries of the audit log. */
  readonly crowd: Store
  /** Cookies by the names of those who have them. */
  readonly cookies: Readonly<Record<string, string>>
  /** Ids of keys, tokens of links and names of versions. */
  readonly places: Readonly<Record<string, string>>
  /** Of one server that has everything. Its data is that of the current version. */
  readonly one: DeskParts
  /** Of one that shares its accounts, takes its versions from another one, and serves one that is not current. */
  readonly shared: DeskParts
  /** Of one that has nothing, and whose accounts' store is away. */
  readonly lost: DeskParts
  readonly crowded: DeskParts
}

/** The doctor's result is given: no process runs. */
class GivenRuns extends DoctorRuns {
  readonly #result: DoctorResult | undefined
  constructor(result: DoctorResult | undefined) {
    super()
    this.#result = result
  }
  override latest(): DoctorResult | undefined {
    return this.#result
  }
  override async run(): Promise<DoctorResult> {
    if (this.#result === undefined) throw new Error('the doctor can’t be run')
    return { ...this.#result, at: this.#result.at + 60_000 }
  }
}

class GivenUsage extends OthersUsage {
  readonly #isAway: boolean
  readonly #now: number
  constructor(store: Store, now: number, isAway: boolean) {
    super(new PostgresConnection('postgres://127.0.0.1:1'), store)
    this.#isAway = isAway
    this.#now = now
  }
  #answer<T>(answer: T): T {
    if (this.#isAway) throw new StoreError('the store is away')
    return answer
  }
  override async ofAccount(account: number, first: number, last: number): Promise<number[]> {
    return this.#answer(Array.from({ length: last - first + 1 }, (_, i) => (i % 10 === 9 ? 100 + account : 0)))
  }
  override async onDay(): Promise<Uint32Array> {
    return this.#answer(Uint32Array.of(100, 101, 102))
  }
  override async usedAnywhere(keys: readonly ListedKey[]): Promise<ListedKey[]> {
    return this.#answer(keys.map((key) => ({ ...key, lastUsedAt: Math.max(key.lastUsedAt ?? 0, this.#now - hour) })))
  }
}

export async function makeDesk(now: number): Promise<DeskHere> {
  const [store, crowd] = [new Store(temporaryFolder()), new Store(temporaryFolder())]
  const keys = store.as('command op@host', () => putAccounts(store, now))
  crowd.as('command op@host', () => {
    for (let i = 1; i <= 102; i++) createAccount(crowd, `shop ${i}`, i === 51 ? 'trader' : 'free', now - hour)
    for (let i = 0; i < 10; i++) {
      suspendAccount(crowd, 'shop 1', undefined, now - 2 * i - 2)
      resumeAccount(crowd, 'shop 1', now - 2 * i - 1)
    }
  })
  const signIns = new OperatorSignIns(store, noReplication())
  const linkAt = async (time: number) => (await store.as('command op@host', () => signIns.makeLink(time))).token
  const sessionIn = async (signIns: OperatorSignIns, token: string) =>
    ((await signIns.useLink(token, now)) as { session: string }).session
  const used = await linkAt(now)
  const session = await sessionIn(signIns, used)
  const ofCrowd = new OperatorSignIns(crowd, noReplication())
  const crowdLink = await crowd.as('command op@host', () => ofCrowd.makeLink(now))
  const waits = (number: number, secrets: object) =>
    `cpl_operator=${session}; cpl_new_key=${seal(session, `account ${number}`, JSON.stringify(secrets))}`
  const token = 't'.repeat(43)
  const cookies = {
    operator: `cpl_operator=${session}`,
    'operator-key': waits(0, { key: `cpl_live_${'a'.repeat(38)}`, token }),
    'operator-link': waits(1, { token }),
    'operator-leaving': `cpl_operator=${await sessionIn(signIns, await linkAt(now))}`,
    'operator-ended': `cpl_operator=${'e'.repeat(43)}`,
    crowd: `cpl_operator=${await sessionIn(ofCrowd, crowdLink.token)}`,
  }
  const links = {
    deskLink: await linkAt(now),
    nextLink: await linkAt(now),
    usedLink: used,
    oldLink: await linkAt(now - hour),
  }
  const { indexDir, versions } = publishVersions()
  writeFileSync(join(indexDir, 'updates.json'), JSON.stringify(updates))
  const empty = temporaryFolder()
  writeFileSync(join(empty, 'current'), versionNamed(1))
  const requests = requestsUntil(now)
  const deskOf = (more: Partial<Desk>): Desk => ({
    signIns,
    requests,
    indexDir,
    isDownloading: false,
    addPages: addDesk,
    doctor: new GivenRuns({ at: now - 5 * 60_000, findings }),
    ...more,
  })
  const accounts = reserveAccounts(store.dir, false)
  const ofShared = { servers: async () => servers, confirm: async () => 'prices2 did not confirm it' }
  const away = { servers: () => Promise.reject(new StoreError(`the store is away ${markup}`)) }
  return {
    store,
    crowd,
    cookies,
    places: { ...keys, ...links, ...versions },
    one: { accounts, desk: deskOf({}) },
    shared: {
      accounts,
      desk: deskOf({ isDownloading: true, doctor: new GivenRuns({ at: now, findings: findings.slice(0, 1) }) }),
      others: new GivenUsage(store, now, false),
      replication: { ...noReplication(), ...ofShared },
    },
    lost: {
      accounts,
      desk: deskOf({ indexDir: empty, doctor: new GivenRuns(undefined), requests: requestsOf(reserveBlocks(1)) }),
      others: new GivenUsage(store, now, true),
      replication: { ...noReplication(), ...away, change: () => Promise.reject(new StoreError('away')) },
    },
    crowded: { accounts: reserveAccounts(crowd.dir, false), desk: deskOf({ signIns: ofCrowd }) },
  }
}

/** Returns the ids of keys by their names. */
function putAccounts(store: Store, now: number): Record<string, string> {
  const today = dayOfMs(now)
  const { keyId: liveKey } = createAccount(store, 'acme', 'trader', now - 40 * hour)
  createAccount(store, `Ünïque ${markup}`, 'free', now - 30 * hour)
  const { keyId: forgotten } = createAccount(store, 'quiet', 'business', now - 100 * dayMs)
  createAccount(store, 'deleted', 'free', now - 3 * hour)
  const { keyId: changedKey } = createAccount(store, 'changed', 'free', now - 2 * hour)
  revokeKey(store, forgotten, now - 95 * dayMs)
  deleteAccount(store, 'deleted', now - hour)
  suspendAccount(store, `Ünïque ${markup}`, `unpaid ${markup}`, now - hour)
  const made: Record<string, string> = { liveKey, changedKey }
  const ends = { todayKey: dayEndMs(today), soonKey: now + hour, expiredKey: now, revokedKey: null }
  for (const [name, expiresAt] of Object.entries(ends)) {
    const { keyId } = createKey(store, 'acme', { name: `${name} ${markup}`, expiresAt }, now - 30 * hour)
    if (expiresAt === null) revokeKey(store, keyId, now - hour)
    made[name] = keyId
  }
  store.write(() => {
    store.putKeyUse(store.key(liveKey)!.number, now / 1000 - 3600)
    store.putKeyUse(store.key(made['soonKey']!)!.number, now / 1000 - 7200)
    // The day before the 30 days that the pages show is not in their sums.
    for (const [daysAgo, requests] of [
      [0, 1234],
      [1, 5],
      [29, 10_000],
      [30, 700_000],
    ] as const) {
      store.addUsage(today - daysAgo, 0, requests)
    }
    store.addUsage(today, 2, 60)
  })
  return made
}

/** Requests of yesterday, of the hour before the last one, and of the present hour. */
function requestsUntil(now: number): RequestHours {
  const blocks = reserveBlocks(2)
  const requests = requestsOf(blocks)
  const cells = blocks.map((block) => countersOf(block).answers)
  const count = (status: number, added: number) => {
    for (const answers of cells) answers[answersAt(routeNumber('/v1/games'), statuses.indexOf(status))]! += added
  }
  count(200, 5000)
  requests.read((dayOfMs(now) - 1) * dayMs)
  count(200, 1000)
  requests.read(now - dayMs)
  requests.read(now - 3 * hour)
  count(200, 700)
  count(401, 3)
  requests.read(now - 2 * hour)
  for (const [i, status] of [200, 401, 403, 429, 500, 503].entries()) count(status, 10 ** i)
  return requests
}

const requestsOf = (blocks: readonly SharedArrayBuffer[]) => new RequestHours(reserveRequestHours(), blocks)

const card = { id: 'pokemon-riser', name: `Riser ${markup}`, set: `Base ${markup}`, number: '4' }
const unnumbered = { ...card, id: 'mtg-gone', name: 'Gone', number: null }
const none = { count: 0, first: [] }

const compared = (base: string): Comparison => ({
  base: { version: base, asOf: '2026-11-20' },
  games: [
    { game: 'pokemon', new: 1200, gone: 7, changed: 34 },
    { game: 'mtg', new: 0, gone: 1, changed: 2 },
  ],
  newCards: {
    count: 1200,
    first: [
      { ...card, price: 1234.5 },
      { ...unnumbered, price: null },
    ],
  },
  goneCards: { count: 1, first: [{ ...unnumbered, price: 0.05 }] },
  newSets: {
    count: 2,
    first: [
      { game: 'pokemon', code: 'base1', name: `Base ${markup}`, releaseDate: '1999-01-09', cards: 102 },
      { game: 'mtg', code: 'lea', name: 'Alpha', releaseDate: null, cards: 1 },
    ],
  },
  unpricedCards: { count: 1, first: [{ ...card, before: 9.99 }] },
  up: [{ ...card, before: 1000, price: 1234.56, percent: 23.5 }],
  down: [{ ...unnumbered, before: 10.1, price: 9.8, percent: -3 }],
})

const unlike = (base: string): Comparison => ({
  base: { version: base, asOf: null },
  games: [],
  newCards: none,
  goneCards: none,
  newSets: none,
  unpricedCards: none,
  up: [],
  down: [],
})

/** The last one is current. Their files are not those of an index: the pages read manifests and reports alone. */
function publishVersions() {
  const indexDir = temporaryFolder()
  const publish = (asOf: string, builtAt: string, cards: number, report?: Report) =>
    publishMade(
      indexDir,
      { 'ids.msgpack': Buffer.from(asOf), 'catalog.msgpack': Buffer.from(builtAt) },
      {
        asOf,
        ...(report && { report: Buffer.concat(writeReport(report)) }),
        change: (manifest: Manifest) => ({
          ...manifest,
          builtAt,
          counts: { cards, sets: cards / 100, historyRows: 5 },
          files: manifest.files.map((file, i) => ({ ...file, bytes: [120_000_000, 3_456_000][i] })),
          ...(asOf === 'undated' && { asOf: null }),
        }),
      },
    )
  const undated = publish('undated', '2026-11-18T23:59:59Z', 100)
  const first = publish('2026-11-19', '2026-11-20T06:00:00Z', 200, { base: null, reason: 'first' })
  const before = publish('2026-11-20', '2026-11-21T06:30:00Z', 1200, unlike(first))
  const newest = publish('2026-11-21', '2026-11-22T07:08:09Z', 123_400, compared(before))
  return { indexDir, versions: { undated, first, before, newest } }
}

const update: LastUpdate = {
  ...quietUpdate,
  startedAt: '2026-11-22T05:00:00Z',
  endedAt: '2026-11-22T06:05:00Z',
  isNew: true,
  requests: 12,
  bytes: 345,
}
const updates = {
  tcgcsv: {
    ...update,
    counts: { sets: 3, cards: 12_345, prices: 6, newIds: 1001 },
    day: '2026-11-21',
    version: versionNamed(2),
    snapshots: '/srv/prices of cards',
    held: [
      { game: 'pokemon', code: 'swsh12', runs: 3, figures: `1000 cards ${markup}` },
      { game: 'mtg', code: 'lea', runs: 1, figures: '2 cards' },
    ],
  },
  mtgjson: { ...update, success: false, isAway: true, error: `no answer ${markup}`, endedAt: '2026-11-22T05:00:01Z' },
  pokedata: { ...update, success: false, error: 'no such file', day: '2026-11-19' },
  scryfall: { ...update, isNew: false, held: [{ game: 'mtg', code: '2ed', runs: 2, figures: 'few' }] },
}

const findings: DoctorResult['findings'] = [
  { part: 'data', state: 'ok', found: 'it is new', advice: null },
  { part: 'backup', state: 'warn', found: `there is none ${markup}`, advice: 'Make one & keep it.' },
  { part: 'disk', state: 'bad', found: 'it is full', advice: null },
]

const status = { store: 'ours', version: null, number: 7, nextAccount: 3, nextKey: 4, isConnected: true }
const servers: readonly ServerStatus[] = [
  { ...status, address: 'prices2:8080', silentMs: 61_250 },
  { ...status, address: 'prices1:8080', version: versionNamed(3), silentMs: 340 },
]
