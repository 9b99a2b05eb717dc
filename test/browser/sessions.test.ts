/** Sessions and secrets in a real browser: signing in and out, and where a key's text and an account's pages are after they were shown. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page, Response } from 'playwright-core'
import { accounts } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { until } from '../support/until.ts'
import { launchBrowser, type Visitor, visit } from './browser.ts'
import { PagesHere } from './pages-here.ts'

describe('The sessions of a browser', { skip: skipWithout('chromium') }, () => {
  const here = new PagesHere()

  /**
   * All that the browser sends from now on (addresses and headers), and all pages that it gets, until `end`. A page waits until it is
   * recorded: after the next navigation its text is gone.
   */
  async function record({ context, page }: Visitor) {
    const sent: string[] = []
    const pages: string[] = []
    const waiting: Promise<unknown>[] = []
    const keepAnswer = async (response: Response) => {
      const request = response.request()
      const headers = [await request.allHeaders(), await response.allHeaders()]
      sent.push(request.url(), ...headers.map((ofOne) => JSON.stringify(ofOne)))
    }
    const hear = (response: Response) => waiting.push(keepAnswer(response))
    context.on('response', hear)
    const network = await context.newCDPSession(page)
    network.on('Fetch.requestPaused', ({ requestId, responseStatusCode }) => {
      const kept = async () => {
        if (responseStatusCode !== 303) {
          const { body, base64Encoded } = await network.send('Fetch.getResponseBody', { requestId })
          pages.push(base64Encoded ? Buffer.from(body, 'base64').toString() : body)
        }
        await network.send('Fetch.continueRequest', { requestId })
      }
      waiting.push(kept())
    })
    await network.send('Fetch.enable', { patterns: [{ resourceType: 'Document', requestStage: 'Response' }] })
    /** An icon may come later still: its headers are lost if the browser is closed at that moment. */
    async function end() {
      context.off('response', hear)
      await network.send('Fetch.disable')
      await Promise.all(waiting)
    }
    return { sent, pages, end }
  }

  it('A new key’s text is only on the page that first shows it, and in no address, header, storage or log', async () => {
    await here.visitShop(
      async (visitor, { name, key }) => {
        const { page } = visitor
        const recorded = await record(visitor)
        await visitor.createKey('staging')
        const made = await visitor.shownKey()
        await visitor.press('Copy key')
        await page.getByText('Copied', { exact: true }).waitFor()
        assert.equal(await page.evaluate('navigator.clipboard.readText()'), made)
        assert.equal(await here.statusWith(made), 200)
        await page.reload()
        await visitor.row('staging').waitFor()
        assert.equal(await page.getByRole('status').count(), 0)
        await visitor.lookUp('charizard')
        await page.getByRole('link', { name: 'Charizard', exact: true }).click()
        await visitor.heading('Charizard').waitFor()
        await page.goBack()
        await page.getByRole('table', { name: 'Cards found' }).waitFor()
        await page.goBack()
        await page.goBack()
        await visitor.row('staging').waitFor()
        await visitor.pressIn('staging', 'Regenerate')
        await visitor.press('Yes, regenerate')
        const next = await visitor.shownKey()
        await visitor.open('/docs')
        await visitor.open('/')
        for (const secret of [made, next]) assert.equal(await here.statusWith(secret), secret === next ? 200 : 401)
        await recorded.end()
        const countIn = (texts: readonly string[], secret: string) =>
          texts.filter((text) => text.includes(secret)).length
        assert.ok(recorded.pages.length >= 8, `${recorded.pages.length} pages`)
        const actual = [made, next, key].map((secret) => countIn(recorded.pages, secret))
        assert.deepEqual(actual, [1, 1, 0])
        const stored = (await page.evaluate(
          'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
        )) as string
        const { url } = await accounts(here.storeDir, 'sign-in', name)
        const others = [...recorded.sent, stored, here.service.log()]
        for (const secret of [made, next, key, new URL(url).pathname]) assert.equal(countIn(others, secret), 0)
        assert.deepEqual(
          recorded.sent.filter((text) => /"referer":"[^"]/i.test(text)),
          [],
        )
        await here.service.logs(/a key was regenerated on a page/)
      },
      { permissions: ['clipboard-read', 'clipboard-write'] },
    )
  })

  it('The button “Copy key” selects the key if the browser has no clipboard', async () => {
    await here.visitShop(async (visitor) => {
      await visitor.createKey('staging')
      // As where the page came over http from another machine.
      await visitor.page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
      await visitor.press('Copy key')
      await visitor.page.getByText('Selected: copy it now').waitFor()
      assert.equal(await visitor.page.evaluate('String(getSelection())'), await visitor.shownKey())
    })
  })

  interface Shown {
    readonly path: string
    readonly text: string
    /** It is still the page that is to be left. */
    readonly isLeft: boolean
  }
  /** The inner text of a body that is not drawn is all its text, of which nobody sees anything. */
  const seen = `({
    path: location.pathname,
    text: document.body.checkVisibility() ? document.body.innerText : '',
    isLeft: document.body.dataset.left === ''
  })`
  /** The visible text at this moment; undefined while one page takes another's place. */
  const shownBy = (page: Page): Promise<Shown | undefined> => page.evaluate<Shown>(seen).catch(() => undefined)

  it('Going back after “Sign out” shows no page of the account, even if the browser caches pages', async () => {
    const { name } = await here.shop()
    // The driver switches off that a browser shows a page again as it was left.
    const browser = await launchBrowser(['--disable-back-forward-cache'])
    try {
      await visit(browser, here.service.pages, async (visitor) => {
        const { page } = visitor
        visitor.announce(401)
        await visitor.signIn(here.storeDir, name)
        await visitor.tab('Keys')
        await visitor.pressIn('default', 'Revoke')
        await visitor.heading('Revoke the key default?').waitFor()
        await visitor.press('Sign out')
        await visitor.heading('Trading card prices').waitFor()
        for (let i = 0; i < 2; i++) {
          await page.evaluate('document.body.dataset.left = ""')
          // The page may be gone before the driver has heard that it was told to go.
          await page.evaluate('history.back()').catch(() => undefined)
          await until('the page before has led to the first one', async () => {
            const shown = await shownBy(page)
            if (shown === undefined || shown.isLeft) return false
            assert.ok(!shown.text.includes(name), shown.path)
            return shown.path === '/' && shown.text.includes('the operator gives out sign-in links')
          })
        }
      })
    } finally {
      await browser.close()
    }
  })

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

  it('A sign-in link shows the account’s name, its button opens the dashboard, and “Sign out” ends the session', async () => {
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
    ['a click on a key’s button', (visitor) => visitor.pressIn('default', 'Rename'), ended],
    ['a click on “Sign out”', (visitor) => visitor.press('Sign out'), 'You are signed out.'],
    ['a reload', ({ page }) => page.reload(), ended],
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
    it(`A page whose session the operator has ended leads to the first page on ${what}`, async () => {
      await here.visitShop(async (visitor, { name }) => {
        await visitor.tab('Keys')
        await endSession(visitor, name, () => click(visitor), said)
        await visitor.open('/')
        assert.equal(await visitor.page.getByRole('status').count(), 0, 'it is said once')
      })
    })
  }

  it('An open usage page goes to the first page when the operator ends the account’s session', async () => {
    await here.visitShop((visitor, { name }) => endSession(visitor, name, () => visitor.page.waitForURL('/'), ended))
  })
})
