/** Usage on the dashboard: today's is live, other days as the command `usage` has them. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { dateOfDay, dayOfMs } from '../../src/calendar.ts'
import { usageDaysShown } from '../../src/limits.ts'
import { Store } from '../../src/store/store.ts'
import { accounts } from '../support/command.ts'
import { fixtureIndex } from '../support/sample.ts'
import { send } from '../support/service.ts'
import { Person, rowsOf, textOf } from './person.ts'
import { servePages } from './service-here.ts'

describe('usage', () => {
  const today = dayOfMs(Date.now())
  let key: string
  const service = servePages(async (indexDir) => {
    await fixtureIndex(indexDir)
    key = (await accounts(storeDir, 'create', 'acme', '--plan', 'trader')).key
    const store = new Store(storeDir)
    store.write(() => {
      store.addUsage(today, 0, 1230)
      store.addUsage(today - 1, 0, 77)
      store.addUsage(today - usageDaysShown + 1, 0, 5)
      store.addUsage(today - usageDaysShown, 0, 9)
    })
    await store.close()
  })
  const { storeDir } = service
  let person: Person
  before(async () => {
    person = await Person.signedIn(service.pages, storeDir, 'acme')
  })

  const usageNow = async () =>
    (await send(service.pages, '/dashboard/usage.json', { headers: { cookie: person.cookie } })).json

  it('tells plan, today’s requests as text and meter, and when the quota comes back', () => {
    const { body } = person.page!
    const midnight = new Date((today + 1) * 86_400_000).toISOString()
    const used =
      /Usage Plan: Trader 1,230 of 10,000 requests used today\. Resets at 00:00 UTC \(in (\d+ h ?)?(\d+ min)? \)/
    assert.match(textOf(body), used)
    assert.doesNotMatch(body, /other servers/, 'a server alone misses no requests')
    assert.match(body, /<meter [^>]*min="0" max="10000" value="1230"/)
    assert.ok(body.includes(`<time datetime="${midnight}">00:00 UTC</time>`))
    assert.match(body, /<strong id="used"><data value="1230">1,230<\/data> of <data value="10000">10,000<\/data>/)
  })

  it('has the last 90 days as a table, the newest first, folded under its chart', () => {
    const { body } = person.page!
    assert.match(body, /role="img" aria-label="Requests a day"/)
    const [head, ...rows] = rowsOf(body, 'Requests a day')
    assert.deepEqual(head, ['Date (UTC)', 'Requests'])
    assert.equal(rows.length, 90)
    assert.deepEqual([rows[0]![1], rows[1]![1], rows[2]![1], rows[89]![1]], ['1,230', '77', '0', '5'])
    assert.ok(body.includes(`<tr><th scope="row"><time datetime="${dateOfDay(today)}">`))
  })

  it('is up to date with the very last request, and asking for it counts and prolongs nothing', async () => {
    for (let sent = 1; sent <= 5; sent++) {
      assert.equal((await send(service.address, '/v1/games', { headers: { 'x-api-key': key } })).status, 200)
      assert.equal((await usageNow()).text, `1,23${sent} of 10,000`)
    }
    const now = await usageNow()
    assert.deepEqual(Object.keys(now), ['date', 'used', 'limit', 'text', 'resetsAt', 'resetsIn', 'refused'])
    assert.deepEqual([now.date, now.used, now.limit], [dateOfDay(today), 1235, 10_000])
    assert.ok((await person.open('/dashboard')).body.includes('1,235 of 10,000'))
    await accounts(storeDir, 'set-plan', 'acme', 'business')
    assert.equal((await usageNow()).text, '1,235 of 100,000')
  })

  it('is of 7, 30 or 90 days', async () => {
    for (const [days, count] of Object.entries({ 7: 7, 30: 30, 90: 90, 8: 90, '-7': 90, x: 90 })) {
      const { body } = await person.open(`/dashboard?days=${days}`)
      assert.equal(rowsOf(body, 'Requests a day').length, 1 + count, days)
      assert.match(body, new RegExp(`<a href="/dashboard\\?days=${count}#usage" aria-current="true">${count} days</a>`))
    }
  })

  describe('at the end of the quota', () => {
    const refusals = 3
    let spent: Person
    before(async () => {
      const { key } = await accounts(storeDir, 'create', 'spent', '--plan', 'free')
      const store = new Store(storeDir)
      store.write(() => store.addUsage(today, store.accountNumber('spent')!, 199))
      await store.close()
      spent = await Person.signedIn(service.pages, storeDir, 'spent')
      assert.match(spent.page!.body, /id="exhausted" hidden>/)
      const statuses: number[] = []
      for (let i = 0; i <= refusals; i++) {
        statuses.push((await send(service.address, '/v1/games', { headers: { 'x-api-key': key } })).status)
      }
      assert.deepEqual(statuses, [200, ...Array(refusals).fill(429)])
    })

    it('a notice says until when requests are refused, how many were, and whom to ask', async () => {
      service.data.about = { contact: 'preise@laden.example' }
      const { body } = await spent.open('/dashboard')
      service.data.about = {}
      const notice = /<div class="notice bad" id="exhausted" role="status">(.*?)<\/div>/s.exec(body)![1]!
      assert.match(
        textOf(notice),
        /^Today’s quota is used up\. Requests are refused until 00:00 UTC \(in [\dhmin ]+ \)\. Refused today: 3 \. For more requests a day, ask preise@laden\.example \.$/,
      )
      assert.match(notice, /<a href="mailto:preise@laden\.example"/)
    })

    it('scripts get it as well, and others’ refusals are not counted in', async () => {
      const headers = { cookie: spent.cookie }
      const now = (await send(service.pages, '/dashboard/usage.json', { headers })).json
      assert.deepEqual([now.used, now.limit, now.refused], [200, 200, refusals])
      assert.match(now.resetsIn, /^(\d+ h ?)?(\d+ min)?$/)
      assert.equal((await usageNow()).refused, 0)
    })
  })

  it('of an account without any says what to do first', async () => {
    await accounts(storeDir, 'create', 'new', '--plan', 'free')
    const other = await Person.signedIn(service.pages, storeDir, 'new')
    const { body } = other.page!
    assert.match(body, /0 of 200.*No requests in the last 90 days\. <a href="#start">Start<\/a> has one you can copy/s)
    const start = textOf(body.slice(body.indexOf('id="start"')))
    assert.ok(start.includes(`curl -H 'X-API-Key: YOUR_KEY' '${service.address}/v1/search?q=charizard&limit=3'`), start)
  })
})
