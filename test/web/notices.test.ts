/** The next page says what was done, once, and nothing that was not done. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { accounts } from '../support/command.ts'
import { send } from '../support/service.ts'
import { Person, textOf } from './person.ts'
import { servePages } from './service-here.ts'

describe('a notice', () => {
  const service = servePages()
  const { storeDir } = service
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

  it('says once that a session has ended, and a person without one reads nothing of it', async () => {
    const { person, name } = await shop()
    await accounts(storeDir, 'sign-out', name)
    for (const path of ['/dashboard', '/dashboard/keys', '/dashboard/look-up']) {
      const { status, headers } = await send(service.pages, path, { headers: { cookie: person.cookie } })
      assert.deepEqual([status, headers.location], [303, '/'])
    }
    await person.open('/dashboard/keys')
    assert.match(said(person)[0]!, /^Your session has ended\./)
    assert.equal(person.cookie, '')
    await person.open('/')
    assert.deepEqual(said(person), [])
    await new Person(service.pages).open('/dashboard').then(({ body }) => assert.doesNotMatch(body, /role="status"/))
  })

  it('says that a person is signed out', async () => {
    const { person } = await shop()
    await person.press('Sign out')
    assert.deepEqual(said(person), ['You are signed out.'])
  })
})
