/** Signing in and out in a browser: links, sessions, and what is left of a dashboard when its session has ended. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { accounts } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import type { Visitor } from './browser.ts'
import { PagesHere } from './pages-here.ts'

describe('in a browser', { skip: skipWithout('chromium') }, () => {
  const here = new PagesHere()
  const linkTo = async (account: string) =>
    new URL((await accounts(here.storeDir, 'sign-in', account)).url).pathname as string

  /** On the first page, which says what to do. */
  async function isSignedOut(visitor: Visitor): Promise<void> {
    const { page } = visitor
    await visitor.heading('Trading card prices').waitFor()
    assert.equal(new URL(page.url()).pathname, '/')
    await page.getByText('the operator gives out sign-in links').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Dashboard' }).count(), 0)
  }

  it('a link leads to a page with the account’s name, its button to the dashboard, and “Sign out” back', async () => {
    const { name } = await here.shop()
    await here.visit(async (visitor) => {
      await visitor.open(await linkTo(name))
      await visitor.heading(`Sign in as ${name}`).waitFor()
      assert.deepEqual(await visitor.context.cookies(), [])
      await visitor.press('Sign in')
      for (const section of ['Usage', 'Start']) await visitor.heading(section).waitFor()
      for (const tab of ['Keys', 'Look up', 'Usage'] as const) await visitor.tab(tab)
      const [cookie, ...others] = await visitor.context.cookies()
      assert.deepEqual(
        [cookie!.name, cookie!.httpOnly, cookie!.sameSite, cookie!.path, others],
        ['cpl_session', true, 'Lax', '/', []],
      )
      await visitor.open('/')
      await visitor.page.getByRole('navigation').getByRole('link', { name: 'Dashboard' }).click()
      await visitor.press('Sign out')
      await isSignedOut(visitor)
      assert.deepEqual(await visitor.context.cookies(), [])
      await visitor.open('/dashboard')
      await isSignedOut(visitor)
    })
  })

  const ended = 'Your session has ended.'
  const clicks: readonly (readonly [what: string, click: (visitor: Visitor) => Promise<unknown>, said: string])[] = [
    ['a key’s button', (visitor) => visitor.pressIn('default', 'Rename'), ended],
    ['“Sign out”', (visitor) => visitor.press('Sign out'), 'You are signed out.'],
    ['a form', (visitor) => visitor.fillKey('late').then(() => visitor.press('Create key')), ended],
    ['a page that was opened again', ({ page }) => page.reload(), ended],
  ]
  const endSession = async (visitor: Visitor, name: string, lead: () => Promise<unknown>, said: string) => {
    visitor.announce(401)
    await accounts(here.storeDir, 'sign-out', name)
    await lead()
    await isSignedOut(visitor)
    await visitor.page.getByRole('status').filter({ hasText: said }).waitFor()
    assert.equal((await accounts(here.storeDir, 'keys', name)).length, 1)
  }
  for (const [what, click, said] of clicks) {
    it(`a session that the operator ends while a page is open leads to the first page by ${what}`, async () => {
      await here.visitShop(async (visitor, { name }) => {
        await visitor.tab('Keys')
        await endSession(visitor, name, () => click(visitor), said)
        await visitor.open('/')
        assert.equal(await visitor.page.getByRole('status').count(), 0, 'it is said once')
      })
    })
  }

  it('a session that ends while usage is shown leads there by itself', async () => {
    await here.visitShop((visitor, { name }) => endSession(visitor, name, () => visitor.page.waitForURL('/'), ended))
  })
})
