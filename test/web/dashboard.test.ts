/** Usage and cards on the pages, for accounts and for people without one: what is shown, and how often it may be. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { dayOfMs } from '../../src/calendar.ts'
import {
  strangerCardsPerMinuteMax,
  strangerLookUpsPerMinuteMax,
  strangerSuggestionsPerMinuteMax,
  suggestionsPerMinuteMax,
  usageDaysShown,
} from '../../src/limits.ts'
import { Store } from '../../src/store/store.ts'
import { accounts, build } from '../support/command.ts'
import { charizardHistory, fixtureSnapshot } from '../support/fixture.ts'
import { type Reply, send } from '../support/service.ts'
import { snapshotOf } from '../support/snapshot.ts'
import { Person, rowsOf, textOf, weightOf } from './person.ts'
import { servePages } from './service-here.ts'

const today = dayOfMs(Date.now())
const markup = '<script>alert(1)</script> & "co"'
const odd = [
  { id: 'mtg-lea-x1', game: 'mtg', name: markup, setCode: 'lea', number: null, rarity: '<b>' },
  { id: 'mtg-lea-x3', game: 'mtg', name: '_____', setCode: 'lea' },
  { id: 'mtg-lea-x2', game: 'mtg', name: 'Long '.repeat(40).trim(), setCode: 'lea' },
]
let key: string
const service = servePages(async (indexDir) => {
  await build(snapshotOf({ 'cards/odd.ndjson': odd }, fixtureSnapshot()), indexDir)
  key = (await accounts(storeDir, 'create', 'acme', '--plan', 'trader')).key
  const store = new Store(storeDir)
  store.write(() => {
    store.addUsage(today, 0, 1230)
    store.addUsage(today - 1, 0, 77)
    store.addUsage(today - usageDaysShown + 1, 0, 5)
    store.addUsage(today - usageDaysShown, 0, 9)
  })
  await store.close()
}, true)
const { storeDir } = service

describe('Usage on the dashboard', () => {
  let person: Person
  before(async () => {
    person = await Person.signedIn(service.pages, storeDir, 'acme')
  })

  const usageNow = async ({ cookie } = person) =>
    (await send(service.pages, '/dashboard/usage.json', { headers: { cookie } })).json

  it('The usage on the dashboard includes the very last request, and reading it counts no request', async () => {
    for (let sent = 1; sent <= 5; sent++) {
      assert.equal((await send(service.address, '/v1/games', { headers: { 'x-api-key': key } })).status, 200)
      assert.equal((await usageNow()).text, `1,23${sent} of 10,000`)
    }
    assert.ok((await person.open('/dashboard')).body.includes('1,235 of 10,000'))
    await accounts(storeDir, 'set-plan', 'acme', 'business')
    assert.equal((await usageNow()).text, '1,235 of 100,000')
  })

  it('The dashboard shows the usage of 7, 30 or 90 days, and of 90 for any other number', async () => {
    for (const [days, count] of Object.entries({ 7: 7, 30: 30, 90: 90, 8: 90, '-7': 90, x: 90 })) {
      const { body } = await person.open(`/dashboard?days=${days}`)
      const rows = rowsOf(body, 'Requests a day')
      assert.deepEqual([rows.length, rows.at(-1)![1]], [1 + count, count === usageDaysShown ? '5' : '0'], days)
    }
  })

  it('The dashboard shows the account’s requests that the quota refused, and none of other accounts', async () => {
    const { person: spent, name, key } = await service.shop()
    const store = new Store(storeDir)
    store.write(() => store.addUsage(today, store.accountNumber(name)!, 199))
    await store.close()
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) {
      statuses.push((await send(service.address, '/v1/games', { headers: { 'x-api-key': key } })).status)
    }
    assert.deepEqual(statuses, [200, 429, 429, 429])
    const now = await usageNow(spent)
    assert.deepEqual([now.used, now.limit, now.refused], [200, 200, 3])
    assert.equal((await usageNow()).refused, 0)
  })
})

describe('A look-up on the dashboard', () => {
  it('A look-up finds Japanese names and names of only signs, and shows markup as text', async () => {
    const { person } = await service.shop()
    const ofSigns = rowsOf((await person.press('Search', { q: '_____' })).body, 'Cards found').slice(1)
    assert.deepEqual([ofSigns.length, ofSigns[0]?.[0]], [1, '_____'])
    assert.equal(rowsOf((await person.press('Search', { q: 'ザード' })).body, 'Cards found')[1]![0], 'リザードン')
    const reply = await person.press('Search', { q: 'script alert' })
    assert.equal(rowsOf(reply.body, 'Cards found')[1]![0], markup)
    assert.ok(!reply.body.includes('<script>alert'))
    assert.match(textOf((await person.open('/dashboard/cards/mtg-lea-x1')).body), /Rarity <b> /)
    assert.ok((await person.open('/dashboard/look-up?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E')).status === 200)
    assert.ok(!person.page!.body.includes('<script>alert'))
  })

  it('A look-up finds a card by its whole id, and by its name with its number before or after it', async () => {
    const { person } = await service.shop()
    const id = 'pokemon-base1-004'
    for (const q of [id, ` ${id} `, 'charizard 4/102', 'charizard 004', '#4 charizard']) {
      const rows = rowsOf((await person.press('Search', { q })).body, 'Cards found').slice(1)
      const shown = rows.map((row) => row.slice(0, 4))
      assert.deepEqual(shown, [['Charizard', 'Base Set 004', 'Rare Holo', '350.13']], q)
    }
  })

  it('Suggestions on the dashboard are limited per minute apart from look-ups, and need a session', async () => {
    const { person } = await service.shop()
    const ask = (q: string) => person.open(`/dashboard/suggestions.json?q=${encodeURIComponent(q)}`)
    for (const q of ['', '  ', 'x'.repeat(201), 'zzz']) assert.deepEqual(JSON.parse((await ask(q)).body), { names: [] })
    for (let asked = 4; asked < suggestionsPerMinuteMax; asked++) assert.equal((await ask('a')).status, 200)
    assert.equal((await ask('a')).status, 429)
    assert.equal((await send(service.pages, '/dashboard/suggestions.json?q=a')).status, 401)
    // A look-up is another count.
    assert.equal((await person.open('/dashboard/look-up?q=charizard')).status, 200)
  })

  it('A card’s page has the history of the chosen period', async () => {
    const { person } = await service.shop('trader')
    const whole = { '?period=1y': 5, '?period=all': 6 }
    const windows = { '?period=30d': 3, '': 4, '?period=90d': 4, ...whole, '?period=never': 4 }
    for (const [period, days] of Object.entries(windows)) {
      const { body } = await person.open(`/dashboard/cards/pokemon-base1-004${period}`)
      const dates = [...body.matchAll(/<tr><th scope="row"><time datetime="([^"]*)"/g)].map(([, date]) => date!)
      const newest = charizardHistory.slice(-days).map(({ date }) => date)
      assert.deepEqual(dates, newest.toReversed(), period)
    }
  })

  it('A page of an unknown card is 404, whatever its id', async () => {
    const { person } = await service.shop()
    for (const id of ['none', 'x'.repeat(2000), '%F0%9F%83%8F', '..%2f..', '%00']) {
      assert.equal((await person.open(`/dashboard/cards/${id}`)).status, 404, id)
    }
  })

  it('An account has 60 look-ups a minute over all its sessions, which do not count against its quota', async () => {
    const { person, name } = await service.shop()
    const path = '/dashboard/cards/pokemon-base1-004'
    // At once, so that a slow machine is still in the same minute.
    await Promise.all(Array.from({ length: 58 }, () => person.open(path)))
    for (const allowed of [path, '/dashboard/look-up?q=forest']) assert.equal((await person.open(allowed)).status, 200)
    for (const refused of [path, '/dashboard/look-up?q=forest']) {
      const reply = await person.open(refused)
      assert.equal(reply.status, 429)
      const [, seconds] = /can look up 60 cards a minute on these pages\. Try again in (\d+) s/.exec(
        textOf(reply.body),
      )!
      assert.equal(reply.headers['retry-after'], seconds, refused)
    }
    const again = await Person.signedIn(service.pages, service.storeDir, name)
    assert.equal((await again.open(path)).status, 429)
    assert.equal((await again.open('/dashboard')).status, 200)
    assert.match(again.page!.body, /0 of 200/)
    const other = await service.shop()
    assert.equal((await other.person.open(path)).status, 200)
  })
})

describe('The pages for people without an account', () => {
  let addresses = 0
  /** Each page is opened from another address, which a proxy names. */
  const open = (path: string, from = `2001:db8::${++addresses}`): Promise<Reply> =>
    send(service.pages, path, { headers: { 'x-forwarded-for': from } })

  it('The first page loads at most 60 kB in 5 responses', async () => {
    const { responses, bytes } = await weightOf(service.pages, '/')
    assert.ok(responses <= 5 && bytes <= 60_000, `${bytes} bytes in ${responses} responses`)
  })

  it('A stranger gets 20 searches a minute and, apart from them, opens 100 cards', async () => {
    const refusals = [
      ['/look-up?q=forest', strangerLookUpsPerMinuteMax, /can look up 20 cards a minute\. Try again in (\d+) s/],
      ['/cards/pokemon-base1-004', strangerCardsPerMinuteMax, /can open 100 cards a minute\. Try again in (\d+) s/],
    ] as const
    for (const [path, most, sentence] of refusals) {
      const ask = (count: number) => Promise.all(Array.from({ length: count }, () => open(path, '192.0.2.1')))
      assert.ok((await ask(most)).every(({ status }) => status === 200))
      for (const reply of await ask(2)) {
        assert.equal(reply.status, 429)
        assert.equal(reply.headers['retry-after'], sentence.exec(textOf(reply.body))![1])
      }
      assert.equal((await open(path, '192.0.2.2')).status, 200)
    }
    assert.equal((await open('/', '192.0.2.1')).status, 200)
    const letters = strangerSuggestionsPerMinuteMax + 1
    const typed = await Promise.all(Array.from({ length: letters }, () => open('/suggestions.json?q=a', '192.0.2.1')))
    assert.equal(typed.filter(({ status }) => status === 429).length, 1)
  })

  it('The pages show the operator’s accent and logo, under addresses that change with them', async () => {
    const logo = { type: 'image/svg+xml', bytes: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') } as const
    const partsOf = async () => {
      const { body } = await open('/')
      return [/rel="stylesheet" href="([^"]*)"/, /class="name" href="\/"><img src="([^"]*)"/].map(
        (form) => form.exec(body)?.[1],
      )
    }
    const [plain] = await partsOf()
    service.data.about = { accent: '#7a1f5c', logo }
    const [style, picture] = await partsOf()
    assert.notEqual(style, plain)
    const sent = await send(service.pages, style!)
    assert.match(sent.body, /:root\{--accent:#7a1f5c;/)
    assert.ok(sent.body.startsWith((await send(service.pages, plain!)).body))
    const shown = await send(service.pages, picture!)
    assert.deepEqual([shown.body, shown.headers['content-type']], [logo.bytes.toString(), logo.type])
    assert.match(shown.headers['content-security-policy'] as string, /^default-src 'none'; .*sandbox$/)
    service.data.about = { accent: '#005a3c' }
    assert.notEqual((await partsOf())[0], style)
    assert.equal((await send(service.pages, style!)).status, 200, 'a page that is open still finds it')
    assert.equal((await send(service.pages, '/brand/000000000000/style.css')).status, 404)
  })
})
