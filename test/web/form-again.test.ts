/** A form that is sent after its session has ended: what was typed stands on the same address, and is sent again after signing in. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { accounts } from '../support/command.ts'
import { fixtureIndex } from '../support/sample.ts'
import { formsIn, Person, textOf } from './person.ts'
import { servePages } from './service-here.ts'

describe('A form whose session has ended', () => {
  const service = servePages(fixtureIndex)
  /** As a browser sends it that tells nothing of where a form comes from. */
  const untold = { origin: 'null' }

  const isSentAgain = (page: string) => formsIn(page).find(({ buttons }) => buttons.includes('Send again'))!

  async function namesOf(account: string): Promise<string[]> {
    return (await accounts(service.storeDir, 'keys', account)).map(({ name }: { readonly name: string }) => name)
  }

  for (const [what, headers] of [
    ['', {} as Record<string, string>],
    [', though its browser tells nothing of where it comes from', untold as Record<string, string>],
  ] as const) {
    it(`A form keeps what was typed when its session has ended, and is sent again after signing in${what}`, async () => {
      const { person, name } = await service.shop('free', '/dashboard/keys')
      const form = formsIn(person.page!.body).find(({ buttons }) => buttons.includes('Create key'))!
      const typed = { name: 'Till "7" <b>', expires: '2031-01-31' }
      await accounts(service.storeDir, 'sign-out', name)
      const reply = await person.submit(form, typed, headers)
      assert.equal(reply.status, 401)
      assert.match(textOf(reply.body), /Your session has ended Nothing was changed\. .* a new link/)
      assert.match(reply.body, /name="name"[^>]*value="Till &quot;7&quot; &lt;b&gt;"/)
      assert.match(reply.body, /name="expires"[^>]*value="2031-01-31"/)
      const again = isSentAgain(reply.body)
      assert.equal(again.action, '/dashboard/keys')
      assert.deepEqual(await namesOf(name), ['default'])
      const next = await Person.signedIn(service.pages, service.storeDir, name)
      let answer = await next.submit(again, { name: 'Till 7' }, headers)
      if (headers === untold) {
        // Its token is of no session: it is shown once more, with one.
        assert.deepEqual([answer.status, await namesOf(name)], [403, ['default']])
        assert.match(answer.body, /name="name"[^>]*value="Till 7"/)
        answer = await next.submit(isSentAgain(answer.body), {}, headers)
      }
      assert.equal(answer.status, 200)
      assert.match(textOf(answer.body), /The key Till 7 is created\./)
    })
  }

  it('A form that renames or ends a key says that its session has ended, and changes nothing', async () => {
    const { person, name, keyId } = await service.shop('free')
    await accounts(service.storeDir, 'sign-out', name)
    for (const change of ['rename', 'regenerate', 'revoke']) {
      const reply = await person.post(`/dashboard/keys/${keyId}/${change}`, 'name=Ours')
      assert.equal(reply.status, 401)
      assert.match(reply.body, /Your session has ended.* value="Ours"/s)
    }
    assert.deepEqual(await namesOf(name), ['default'])
  })

  it('A form from another site is refused, with a session or without', async () => {
    const { person, name } = await service.shop('free')
    const evil = { origin: 'https://evil.example' }
    assert.equal((await person.post('/dashboard/keys', 'name=x', evil)).status, 403)
    await accounts(service.storeDir, 'sign-out', name)
    const reply = await person.post('/dashboard/keys', 'name=x', evil)
    assert.equal(reply.status, 403)
    assert.doesNotMatch(reply.body, /Send again/)
  })
})
