/** Usage on the dashboard: today's is live, other days as the command `usage` has them. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { dateOfDay, dayOfMs } from '../../src/calendar.ts'
import { usageDaysShown } from '../../src/limits.ts'
import { Store } from '../../src/store/store.ts'
import { accounts, temporaryFolder } from '../support/command.ts'
import { Person, rowsOf, textOf } from '../support/person.ts'
import { fixtureIndex } from '../support/sample.ts'
import { send } from '../support/service.ts'
import { type ServiceHere, startServiceHere } from '../support/service-here.ts'

describe('usage', () => {
  const [storeDir, indexDir] = [temporaryFolder(), temporaryFolder()]
  const today = dayOfMs(Date.now())
  let service: ServiceHere
  let person: Person
  let key: string
  before(async () => {
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
    service = await startServiceHere({ storeDir, indexDir })
    person = await Person.signedIn(service.pages, storeDir, 'acme')
  })
  after(() => service.stop())

  const usageNow = async () =>
    (await send(service.pages, '/dashboard/usage.json', { headers: { cookie: person.cookie } })).json

  it('tells plan, today’s requests as text and meter, and when the quota comes back', () => {
    const { body } = person.page!
    const midnight = new Date((today + 1) * 86_400_000).toISOString()
    assert.match(textOf(body), /Usage Plan: Trader 1,230 of 10,000 requests used today\. The quota comes back at/)
    assert.match(body, /<meter [^>]*min="0" max="10000" value="1230"/)
    assert.ok(body.includes(`<time datetime="${midnight}">`))
    assert.ok(
      body.includes('<strong id="used"><data value="1230">1,230</data> of <data value="10000">10,000</data></strong>'),
    )
  })

  it('has the last 90 days as a table, the newest first, beside its chart', () => {
    const { body } = person.page!
    assert.match(body, /role="img" aria-label="Requests a day"/)
    const [head, ...rows] = rowsOf(body, 'Requests a day')
    assert.deepEqual(head, ['Date (UTC)', 'Requests'])
    assert.equal(rows.length, 90)
    assert.deepEqual([rows[0]![1], rows[1]![1], rows[2]![1], rows[89]![1]], ['1,230', '77', '0', '5'])
    assert.ok(body.includes(`data-date="${dateOfDay(today)}"`))
  })

  it('is up to date with the very last request, and asking for it counts and prolongs nothing', async () => {
    for (let sent = 1; sent <= 5; sent++) {
      assert.equal((await send(service.address, '/v1/games', { headers: { 'x-api-key': key } })).status, 200)
      assert.equal((await usageNow()).text, `1,23${sent} of 10,000`)
    }
    const now = await usageNow()
    assert.deepEqual(Object.keys(now), ['date', 'used', 'limit', 'text', 'resetsAt'])
    assert.deepEqual([now.date, now.used, now.limit], [dateOfDay(today), 1235, 10_000])
    assert.ok((await person.open('/dashboard')).body.includes('1,235 of 10,000'))
    await accounts(storeDir, 'set-plan', 'acme', 'business')
    assert.equal((await usageNow()).text, '1,235 of 100,000')
  })

  it('of an account without any says what to do first', async () => {
    await accounts(storeDir, 'create', 'new', '--plan', 'free')
    const other = await Person.signedIn(service.pages, storeDir, 'new')
    assert.match(
      other.page!.body,
      /0 of 200.*No request was counted in the last 90 days: see <a href="#start">Start<\/a>/s,
    )
    const start = textOf(other.page!.body.slice(other.page!.body.indexOf('id="start"')))
    assert.ok(start.includes(`curl -H 'X-API-Key: YOUR_KEY' '${service.address}/v1/search?q=charizard&limit=3'`), start)
  })
})
