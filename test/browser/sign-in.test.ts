/** Signing in and out in a browser: links, sessions, and what is left of a dashboard when its session has ended. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { noReplication } from '../../src/accounts/replication/replication.ts'
import { SignIns } from '../../src/accounts/sign-ins.ts'
import { signInLinkMsMax } from '../../src/limits.ts'
import { Store } from '../../src/store/store.ts'
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

  it('the first page says what this is, and leads to the reference and to signing in', async () => {
    await here.visit(async (visitor) => {
      await visitor.open('/')
      await isSignedOut(visitor)
      await visitor.page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'Docs' }).click()
      await visitor.heading('Guide').waitFor()
      await visitor.page.getByRole('link', { name: 'Reference' }).first().click()
      await visitor.heading('Reference').waitFor()
    })
  })

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

  it('a page that the browser keeps in its memory shows nothing until it is loaded again', async () => {
    await here.visitShop(async ({ page }) => {
      const heading = page.getByRole('heading', { level: 1 })
      assert.equal(await heading.isVisible(), true)
      await page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
      assert.equal(await heading.isVisible(), false)
    })
  })

  it('a link that is used, old or wrong says so, and what to do', async () => {
    const { name } = await here.shop()
    const used = await linkTo(name)
    const store = new Store(here.storeDir)
    const signIns = new SignIns(store, noReplication())
    const { token } = await signIns.makeLink(name, Date.now() - signInLinkMsMax)
    await store.close()
    await here.visit(async (visitor) => {
      await visitor.open(used)
      await visitor.press('Sign in')
      const table = [
        [used, 410, 'has already been used'],
        [`/sign-in/${token}`, 410, 'has expired'],
        [`/sign-in/${'A'.repeat(43)}`, 404, 'This sign-in link does not exist'],
        [`${used}x`, 404, 'This sign-in link does not exist'],
      ] as const
      for (const [path, status, message] of table) {
        await visitor.open(path, status)
        await visitor.page.getByText(message).waitFor()
        await visitor.page.getByText(/ask the operator for a new one/i).waitFor()
        assert.equal(await visitor.button('Sign in').count(), 0)
      }
      await visitor.page.getByRole('link', { name: 'Back to home' }).click()
      await visitor.page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'Dashboard' }).waitFor()
    })
  })

  it('a link that another one used up while its page was open is refused by its button', async () => {
    const { name } = await here.shop()
    const link = await linkTo(name)
    await here.visit(async (late) => {
      await late.open(link)
      await here.visit(async (visitor) => {
        await visitor.open(link)
        await visitor.press('Sign in')
        await visitor.heading(name).waitFor()
      })
      late.announce(410)
      await late.press('Sign in')
      await late.heading('Link expired').waitFor()
    })
  })

  it('two people have two sessions, and each ends alone', async () => {
    await here.visitShop(async (one, { name }) => {
      await here.visit(async (two) => {
        await two.signIn(here.storeDir, name)
        await two.press('Sign out')
        await isSignedOut(two)
      })
      await one.page.reload()
      await one.heading(name).waitFor()
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

  it('an account’s name is shown as it is, with any characters', async () => {
    await here.visit(async (visitor) => {
      for (const given of ['店'.repeat(100), '<script>alert(1)</script>', '"&amp;\'']) {
        const { name } = await here.shop('free', given)
        await visitor.signIn(here.storeDir, name)
        assert.equal(await visitor.page.getByRole('heading', { level: 1 }).innerText(), name)
        assert.ok((await visitor.page.title()).startsWith(`${name} · `))
      }
    })
  })
})
