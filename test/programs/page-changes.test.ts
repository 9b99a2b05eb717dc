/** Keys that a page changes while the accounts' store goes away: no secret is lost, and no page says what is not so. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Person, shownKey, textOf } from '../support/person.ts'
import { skipWithout } from '../support/programs.ts'
import { type RedisServer, startRedis } from '../support/redis.ts'
import type { Service } from '../support/service.ts'
import { Fleet, statusFor } from '../support/sharing-servers.ts'
import { until } from '../support/until.ts'
import { CuttingLine } from './cutting-line.ts'

const skip = skipWithout('redis-server')
/** Words on the line: one who is no server asks for changes, accounts are changed, a key is put away for the next page. */
const [asking, changing, keeping] = ['"whole":true},"nextAccount"', '"marks":[', ':new-key:']
let redis: RedisServer
let fleet: Fleet
let line: CuttingLine
let service: Service

before(async () => {
  if (skip) return
  redis = await startRedis()
  fleet = await Fleet.of(redis)
  line = await CuttingLine.open(Number(new URL(redis.url).port))
  await fleet.do('office', 'create', 'first', '--plan', 'free')
  service = await fleet.start('a', { ACCOUNTS_STORE: `redis://127.0.0.1:${line.port}`, QUOTA_STORE: '', WEB_PORT: '0' })
})

after(async () => {
  if (skip) return
  await service.stop()
  line.close()
  await redis.stop()
})

let shops = 0
async function shop() {
  const name = `shop ${++shops}`
  const { key } = await fleet.do('office', 'create', name, '--plan', 'trader')
  const { url } = await fleet.do('a', 'sign-in', name)
  const person = new Person(service.pages)
  await until('the page of the link', async () => (await person.open(new URL(url).pathname)).status === 200)
  await person.press('Sign in')
  await person.open('/dashboard/keys')
  return { name, key, person }
}

const changes: readonly (readonly [what: string, press: (person: Person) => Promise<unknown>, button: string])[] = [
  ['created', async () => undefined, 'Create key'],
  ['regenerated', (person) => person.press('Regenerate'), 'Yes, regenerate'],
]

describe('a key', { skip }, () => {
  for (const [what, ask, button] of changes) {
    it(`that is ${what} and can't wait for the next page is shown at once`, async () => {
      const { key, person } = await shop()
      await ask(person)
      line.cutAt({ words: keeping, when: 'unheard', staysAway: false })
      const reply = await person.press(button, { name: 'made' })
      assert.ok(line.isCut)
      assert.equal(reply.status, 200)
      assert.match(reply.body, /<div role="status".*cpl_live_.*<button[^>]*>Copy key<\/button>/s)
      assert.equal(await statusFor(service, shownKey(reply.body)!), 200)
      assert.equal(await statusFor(service, key), what === 'created' ? 200 : 401)
      await until('pages are there again', async () => (await person.open('/dashboard/keys')).status === 200)
      assert.equal(shownKey(person.page!.body), undefined, 'and never again')
      await service.logs(/a new key could not wait for the next page/)
      assert.ok(!person.seen.some((text) => service.log().includes(shownKey(text) ?? '-')))
    })

    it(`that is ${what} with the store's answer lost is shown when the store is asked again`, async () => {
      const { person } = await shop()
      await ask(person)
      line.cutAt({ words: changing, when: 'unanswered', staysAway: false })
      const reply = await person.press(button, { name: 'made' })
      assert.ok(line.isCut)
      assert.equal(await statusFor(service, shownKey(reply.body)!), 200)
    })

    it(`that may be ${what} is not said to be as before`, async () => {
      const { name, key, person } = await shop()
      await ask(person)
      line.cutAt({ words: changing, when: 'unanswered', staysAway: true })
      const reply = await person.press(button, { name: 'made' })
      assert.ok(line.isCut)
      line.mend()
      assert.equal(reply.status, 503)
      assert.match(textOf(reply.body), /We don’t know yet whether this change was made/)
      assert.equal((await fleet.do('office', 'keys', name)).length, what === 'created' ? 2 : 1)
      const expected = what === 'created' ? 200 : 401
      await until('the server knows', async () => (await statusFor(service, key)) === expected)
    })

    it(`that is not ${what} is said to be as before`, async () => {
      const { name, key, person } = await shop()
      await ask(person)
      line.cutAt({ words: asking, when: 'answered', staysAway: true })
      const reply = await person.press(button, { name: 'made' })
      assert.ok(line.isCut)
      line.mend()
      assert.equal(reply.status, 503)
      assert.match(textOf(reply.body), /Your keys work as before/)
      assert.equal((await fleet.do('office', 'keys', name)).length, 1)
      await until('it is let in', async () => (await statusFor(service, key)) === 200)
    })
  }
})
