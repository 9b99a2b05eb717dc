/** Keys on the dashboard: what is shown, what each form does on PORT at once, what can't be done, and what the next page says of it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dateOfDay, dayOfMs } from '../../src/calendar.ts'
import { type ExpiryForm, expiryOf } from '../../src/web/account/expiry.ts'
import { accounts } from '../support/command.ts'
import { send } from '../support/service.ts'
import { formsIn, Person, rowsOf, shownKey } from './person.ts'
import { servePages } from './service-here.ts'

// Without a version, a key that is accepted gets 503, another 401.
const service = servePages()
const { storeDir } = service

describe('Keys on the dashboard', () => {
  const account = () => service.shop('trader', '/dashboard/keys')

  async function isLetIn(key: string): Promise<boolean> {
    const { status } = await send(service.address, '/v1/games', { headers: { 'x-api-key': key } })
    assert.ok(status === 503 || status === 401, `${status}`)
    return status === 503
  }

  const keyRows = (person: Person) => rowsOf(person.page!.body, 'Keys of this account').slice(1)
  const formWith = ({ page }: Person, button: string) =>
    formsIn(page!.body).find(({ buttons }) => buttons.includes(button))!
  const today = dayOfMs(Date.now())

  describe('A new key', () => {
    it('A new key is shown once, works at once, and is on no page, address or log line afterwards', async () => {
      const { person, name } = await account()
      const reply = await person.press('Create key', { name: 'staging', expires: dateOfDay(today + 30) })
      const key = shownKey(reply.body)!
      assert.ok(await isLetIn(key))
      const seen = person.seen.filter((text) => text.includes(key))
      assert.equal(seen.length, 1, 'the page that shows it, no address and no header')
      const shown = person.seen.filter((text) => text.startsWith('/dashboard/keys?done=created&key='))
      assert.equal(shown.length, 1)
      assert.ok(!(await person.open(shown[0]!)).body.includes(key), 'reloaded')
      assert.ok(!(await person.open('/dashboard/keys')).body.includes('role="status"'))
      assert.ok(!service.log().includes(key))
      assert.match(service.log(), /a key was created on a page/)
      const row = keyRows(person).find(([of]) => of === 'staging')!
      assert.equal(row[1], `${key.slice(0, 13)}…`)
      const [, listed] = await accounts(storeDir, 'keys', name)
      assert.equal(listed.expiresAt, `${dateOfDay(today + 31)}T00:00:00.000Z`, 'the end of the day')
    })

    it('A new key is shown only to the session that made it', async () => {
      const { person, name } = await account()
      const other = await Person.signedIn(service.pages, storeDir, name)
      const form = formWith(person, 'Create key')
      const body = new URLSearchParams({ ...form.fields, name: 'mine' }).toString()
      const headers = { cookie: person.cookie, 'content-type': 'application/x-www-form-urlencoded' }
      const { headers: answer } = await send(service.pages, form.action, { method: 'POST', headers, body })
      const path = answer.location!.split('#')[0]!
      const [given] = answer['set-cookie']!
      assert.match(given!, /^cpl_new_key=[\w-]+; Max-Age=60; Path=\/dashboard\/keys; HttpOnly; SameSite=Lax$/)
      for (const each of [person, other]) each.cookie = `${each.cookie}; ${given!.split(';')[0]}`
      assert.equal(shownKey((await other.open(path)).body), undefined)
      assert.notEqual(shownKey((await person.open(path)).body), undefined)
    })

    it('A new key may have any name, which is shown as it is', async () => {
      const { person } = await account()
      const names = [
        'x'.repeat(100),
        'カード店のサーバー',
        '<script>alert(1)</script>',
        '"\'&amp;',
        'a&b=c',
        '🃏'.repeat(32),
      ]
      for (const [i, name] of names.entries()) {
        const reply = await person.press('Create key', { name })
        assert.equal(reply.status, 200)
        assert.equal(keyRows(person)[i + 1]![0], name)
        assert.ok(!reply.body.includes('<script>alert'))
      }
    })
  })

  describe('A live key', () => {
    it('A key is regenerated on a page that asks first: the old key stops working, and the new one is shown once', async () => {
      const { person, key } = await account()
      assert.ok(await isLetIn(key))
      await person.press('Regenerate')
      assert.ok(await isLetIn(key), 'the question changes nothing')
      const next = shownKey((await person.press('Yes, regenerate')).body)!
      assert.notEqual(next, key)
      assert.deepEqual([await isLetIn(key), await isLetIn(next)], [false, true])
      assert.ok(!(await person.open('/dashboard/keys')).body.includes(next))
    })

    it('A key is revoked on a page that asks first, and is then listed last, as revoked', async () => {
      const { person, key } = await account()
      await person.press('Create key', { name: 'later' })
      await person.press('Revoke')
      await person.press('Yes, revoke')
      assert.equal(await isLetIn(key), false)
      const [first, last] = keyRows(person)
      assert.deepEqual([first![0], last![0]], ['later', 'default'])
      assert.match(last![5]!, /^revoked /)
      await person.press('Revoke')
      await person.press('Yes, revoke')
      assert.deepEqual(
        [first![0], last![0]],
        keyRows(person).map(([name]) => name),
        'the newest ended key first',
      )
    })

    it('A form for a key that was revoked meanwhile gets 409 and changes nothing', async () => {
      const { person, name, keyId } = await account()
      await person.press('Regenerate')
      const open = person.page!
      await accounts(storeDir, 'revoke', keyId)
      const before = await accounts(storeDir, 'keys', name)
      for (const change of ['regenerate', 'rename', 'revoke']) {
        const reply = await person.post(`/dashboard/keys/${keyId}/${change}`, 'name=x')
        assert.equal(reply.status, 409)
        assert.match(reply.body, /The key default is already revoked/)
      }
      person.page = open
      assert.equal((await person.press('Yes, regenerate')).status, 409)
      assert.deepEqual(await accounts(storeDir, 'keys', name), before)
    })

    it('A form for a key of another account gets 404 and changes nothing', async () => {
      const [one, other] = [await account(), await account()]
      const before = await accounts(storeDir, 'keys', other.name)
      const strange = ['key_0000000000', '..%2f..', '%00', 'a'.repeat(5000), '%E6%97%A5'.repeat(700)]
      for (const keyId of [other.keyId, ...strange]) {
        for (const change of ['regenerate', 'rename', 'revoke']) {
          const path = `/dashboard/keys/${keyId}/${change}`
          assert.equal((await one.person.open(path)).status, 404)
          assert.equal((await one.person.post(path, 'name=stolen')).status, 404)
        }
      }
      assert.deepEqual(await accounts(storeDir, 'keys', other.name), before)
      assert.ok(await isLetIn(other.key))
    })
  })

  it('A page shows no notice of a change that was not made, whatever its address says', async () => {
    const [{ person, keyId }, other] = [await account(), await account()]
    await accounts(storeDir, 'revoke', other.keyId)
    for (const query of [
      `done=revoked&key=${keyId}`,
      `done=created&key=${keyId}`,
      `done=regenerated&key=${keyId}`,
      `done=revoked&key=${other.keyId}`,
      'done=revoked&key=none',
      'done=revoked',
      `done=%3Cb%3E&key=${keyId}`,
    ]) {
      assert.equal((await person.open(`/dashboard/keys?${query}`)).status, 200)
      assert.ok(!person.page!.body.includes('role="status"'), query)
    }
  })
})

const noon = Date.parse('2026-11-23T12:00:00Z')

describe('The expiry of a new key', () => {
  const table: readonly (readonly [form: ExpiryForm, expected: string | null | RegExp])[] = [
    [{}, null],
    [{ expires: '', expiresIn: '' }, null],
    [{ expiresIn: '30' }, '2026-12-24T00:00:00.000Z'],
    [{ expiresIn: '365' }, '2027-11-24T00:00:00.000Z'],
    [{ expires: '2027-01-31', expiresIn: '30' }, '2027-02-01T00:00:00.000Z'],
    [{ expires: '2026-11-23' }, '2026-11-24T00:00:00.000Z'],
    [{ expires: '2026-11-22' }, /past/],
    [{ expires: '2027-02-30' }, /not a date/],
    [{ expires: 'soon', expiresIn: '30' }, /not a date/],
    [{ expiresIn: '31' }, /Choose a preset/],
    [{ expiresIn: '1e3' }, /Choose a preset/],
  ]
  for (const [form, expected] of table) {
    it(`The expiry of a new key made with ${JSON.stringify(form)} is ${expected}`, () => {
      const found = expiryOf(form, noon)
      if (expected instanceof RegExp) assert.match(String(found), expected)
      else assert.equal(typeof found === 'number' ? new Date(found).toISOString() : found, expected)
    })
  }
})
