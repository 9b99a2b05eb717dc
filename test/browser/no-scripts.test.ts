/** The pages without JavaScript: every form and flow works, and nothing is shown that takes a script. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { skipWithout } from '../support/programs.ts'
import { PagesHere } from './pages-here.ts'

const options = { javaScriptEnabled: false }

describe('The pages in a browser without scripts', { skip: skipWithout('chromium') }, () => {
  const here = new PagesHere()

  it('A person without scripts creates, renames, regenerates and revokes keys, and signs out', async () => {
    await here.visitShop(async (visitor) => {
      await visitor.createKey('staging', '2030-01-31')
      const key = await visitor.shownKey()
      assert.equal(await visitor.button('Copy key').count(), 0, 'it would do nothing')
      await visitor.pressIn('staging', 'Rename')
      await visitor.page.getByLabel('Name', { exact: true }).fill('新しい')
      await visitor.press('Rename')
      await visitor.pressIn('新しい', 'Regenerate')
      await visitor.press('Yes, regenerate')
      const next = await visitor.shownKey()
      assert.deepEqual([await here.statusWith(key), await here.statusWith(next)], [401, 200])
      await visitor.pressIn('新しい', 'Revoke')
      await visitor.press('Yes, revoke')
      await visitor.row('新しい').getByText('revoked').waitFor()
      assert.equal(await here.statusWith(next), 401)
      await visitor.press('Sign out')
      await visitor.heading('Trading card prices').waitFor()
    }, options)
  })

  it('A page without scripts shows usage, a search, prices and their history as texts and tables, and no empty charts', async () => {
    await here.visitShop(async (visitor) => {
      await visitor.page.getByText('0 of 10,000').waitFor()
      await visitor.page.getByText('Requests a day as a table').click()
      assert.equal((await visitor.rows('Requests a day')).length, 1 + 90)
      await visitor.lookUp('charizard')
      await visitor.page.getByRole('link', { name: 'Charizard', exact: true }).click()
      await visitor.page.getByRole('link', { name: 'all', exact: true }).click()
      await visitor.page.waitForURL(/period=all/)
      assert.equal((await visitor.rows('Price history')).length, 1 + 6)
      assert.equal(await visitor.page.getByRole('img', { name: 'Price history' }).count(), 0)
      await visitor.open('/docs/reference')
      await visitor.page.getByRole('link', { name: 'this server’s description' }).waitFor()
    }, options)
  })
})
