/** Keys on the dashboard: what is shown, what each form does on PORT at once, what can't be done, and what the next page says of it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dateOfDay, dayOfMs } from '../../src/calendar.ts'
import { type ExpiryForm, expiryOf } from '../../src/web/pages/expiry.ts'
import { accounts } from '../support/command.ts'
import { send } from '../support/service.ts'
import { formsIn, Person, rowsOf, shownKey, textOf } from './person.ts'
import { servePages } from './service-here.ts'

// Without a version, a key that is accepted gets 503, another 401.
const service = servePages()
const { storeDir } = service

describe('keys on the dashboard', () => {
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

  describe('a key that is created', () => {
    it('is shown once, works at once, and is on no page, address or log line afterwards', async () => {
      const { person, name } = await account()
      const reply = await person.press('Create key', { name: 'staging', expires: dateOfDay(today + 30) })
      const key = shownKey(reply.body)!
      assert.match(reply.body, /<div role="status"[^>]*>.*cpl_live_.*<button[^>]*>Copy key<\/button>/s)
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

    it('is shown to the session that made it alone', async () => {
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

    it('has any name and shows it as it is', async () => {
      const { person } = await account()
      const markup = '<script>alert(1)</script>'
      const names = ['x'.repeat(100), 'カード店のサーバー', markup, '"\'&amp;', 'a&b=c', '🃏'.repeat(32)]
      for (const [i, name] of names.entries()) {
        const reply = await person.press('Create key', { name })
        assert.equal(reply.status, 200)
        assert.equal(keyRows(person)[i + 1]![0], name)
        assert.ok(!reply.body.includes('<script>alert'))
      }
      await person.press('Revoke', {}, 3)
      assert.ok(textOf(person.page!.body).includes(`Revoke the key ${markup}?`))
    })

    const refused: readonly (readonly [fields: Record<string, string>, message: RegExp])[] = [
      [{ name: '' }, /id="name-wrong"[^>]*>The name of a key is 1 to 100 characters long/],
      [{ name: 'x'.repeat(101) }, /id="name-wrong"[^>]*>The name of a key is 1 to 100/],
      [{ name: '日'.repeat(101) }, /id="name-wrong"/],
      [{ name: 'a\u0000b' }, /id="name-wrong"[^>]*>The name of a key holds no control characters/],
      [{ name: '-rf' }, /id="name-wrong"/],
      [{ name: 'ok', expires: '2020-01-01' }, /id="expires-wrong"[^>]*>This date is in the past/],
      [{ name: 'ok', expires: 'soon' }, /id="expires-wrong"[^>]*>This is not a date/],
      [{ name: 'ok', expires: '2027-02-30' }, /id="expires-wrong"/],
    ]
    it('is refused beside its field, with what was typed, and nothing is made', async () => {
      const { person, name } = await account()
      const before = await accounts(storeDir, 'keys', name)
      for (const [fields, message] of refused) {
        const reply = await person.press('Create key', fields)
        assert.equal(reply.status, 400)
        assert.match(reply.body, message)
        const [, field] = /id="(\w+)-wrong"/.exec(reply.body)!
        assert.match(reply.body, new RegExp(`<input id="${field}" [^>]*aria-describedby="${field}-wrong"`))
        assert.equal(formWith(person, 'Create key').fields['name'], fields['name'])
      }
      assert.deepEqual(await accounts(storeDir, 'keys', name), before)
    })

    it('is the tenth at most, and the form says why', async () => {
      const { person, name } = await account()
      const form = formWith(person, 'Create key')
      for (let i = 2; i <= 10; i++) assert.equal((await person.submit(form, { name: `key ${i}` })).status, 200)
      assert.match(person.page!.body, /10 live keys, the maximum\. Revoke one to create another/)
      assert.match(person.page!.body, /<fieldset disabled>/)
      const eleventh = await person.submit(form, { name: 'key 11' })
      assert.equal(eleventh.status, 400)
      assert.match(eleventh.body, /id="form-wrong"[^>]*>The account shop \d+ has 10 live keys/)
      assert.equal((await accounts(storeDir, 'keys', name)).length, 10)
      await person.open('/dashboard/keys')
      await person.press('Revoke')
      await person.press('Yes, revoke')
      assert.equal((await person.press('Create key', { name: 'key 11' })).status, 200)
    })
  })

  describe('a live key', () => {
    it('is regenerated by a page that names it: the old one ends, the new one is shown once', async () => {
      const { person, key } = await account()
      assert.ok(await isLetIn(key))
      await person.press('Regenerate')
      assert.match(textOf(person.page!.body), /Regenerate the key default\? .*Yes, regenerate/)
      assert.ok(await isLetIn(key), 'the question changes nothing')
      const next = shownKey((await person.press('Yes, regenerate')).body)!
      assert.notEqual(next, key)
      assert.deepEqual([await isLetIn(key), await isLetIn(next)], [false, true])
      assert.ok(!(await person.open('/dashboard/keys')).body.includes(next))
    })

    it('is revoked by a page that names it, and is shown as such, last', async () => {
      const { person, key } = await account()
      await person.press('Create key', { name: 'later' })
      await person.press('Revoke')
      assert.match(textOf(person.page!.body), /Revoke the key default\?/)
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

    it('that was revoked while its page was open is 409, and nothing is changed', async () => {
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

    it('of another account is 404 in every form, and nothing is changed', async () => {
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
})

const noon = Date.parse('2026-11-23T12:00:00Z')

describe('the expiry of a new key', () => {
  const table: readonly (readonly [form: ExpiryForm, expected: string | null | RegExp])[] = [
    [{}, null],
    [{ expires: '', expiresIn: '' }, null],
    [{ expiresIn: '30' }, '2026-12-24T00:00:00.000Z'],
    [{ expiresIn: '90' }, '2027-02-22T00:00:00.000Z'],
    [{ expiresIn: '365' }, '2027-11-24T00:00:00.000Z'],
    [{ expires: '2027-01-31', expiresIn: '30' }, '2027-02-01T00:00:00.000Z'],
    [{ expires: '2026-11-23' }, '2026-11-24T00:00:00.000Z'],
    [{ expires: '2026-11-22' }, /past/],
    [{ expires: '2027-02-30' }, /not a date/],
    [{ expires: 'soon', expiresIn: '30' }, /not a date/],
    [{ expiresIn: '31' }, /Choose a preset/],
    [{ expiresIn: '1e3' }, /Choose a preset/],
    [{ expiresIn: '-30' }, /Choose a preset/],
  ]
  for (const [form, expected] of table) {
    it(`${JSON.stringify(form)} is ${expected}`, () => {
      const found = expiryOf(form, noon)
      if (expected instanceof RegExp) assert.match(String(found), expected)
      else assert.equal(typeof found === 'number' ? new Date(found).toISOString() : found, expected)
    })
  }
})

describe('a notice', () => {
  const shop = () => service.shop('free', '/dashboard/keys')
  const said = ({ page }: Person) =>
    [...page!.body.matchAll(/<(p|div) role="status"[^>]*>(.*?)<\/\1>/gs)].map(([, , text]) => textOf(text!))

  it('says what was done to a key, on its tab', async () => {
    const { person } = await shop()
    const steps: readonly (readonly [press: () => Promise<unknown>, said: RegExp])[] = [
      [() => person.press('Create key', { name: 'till <4>' }), /^The key till <4> is created\. Copy it now/],
      [() => person.press('Rename', {}, 1).then(() => person.press('Rename', { name: 'till 5' })), /now called till 5/],
      [
        () => person.press('Regenerate', {}, 1).then(() => person.press('Yes, regenerate')),
        /^The key till 5 has a new secret, and the old one no longer works\. Copy it now/,
      ],
      [() => person.press('Revoke', {}, 1).then(() => person.press('Yes, revoke')), /^The key till 5 is revoked\.$/],
    ]
    for (const [press, expected] of steps) {
      await press()
      assert.match(person.page!.body, /<a href="\/dashboard\/keys" aria-current="page">/)
      const [notice, ...others] = said(person)
      assert.match(notice!, expected)
      assert.deepEqual(others, [])
      await person.open('/dashboard/keys')
      assert.deepEqual(said(person), [])
    }
  })

  it('says nothing that was not done, with any address', async () => {
    const [{ person, keyId }, other] = [await shop(), await shop()]
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
      assert.deepEqual(said(person), [], query)
    }
  })
})
