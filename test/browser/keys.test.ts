/** Keys in a browser: shown once, copied, and in force on PORT when the next page is shown. test/web/keys.test.ts has the forms. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { skipWithout } from '../support/programs.ts'
import type { Visitor } from './browser.ts'
import { PagesHere } from './pages-here.ts'

const caption = 'Keys of this account'

describe('in a browser', { skip: skipWithout('chromium') }, () => {
  const here = new PagesHere()
  const shown = ({ page }: Visitor) => page.getByRole('status')
  const keyShown = async (visitor: Visitor): Promise<string> =>
    (await shown(visitor).innerText()).match(/cpl_live_[0-9A-Za-z]{38}/)![0]

  it('a new key is shown once, is copied by its button, and works at once', async () => {
    const permissions = ['clipboard-read', 'clipboard-write']
    await here.visitShop(
      async (visitor) => {
        await visitor.createKey('staging')
        const key = await keyShown(visitor)
        assert.equal(await here.statusWith(key), 200)
        await visitor.press('Copy key')
        await visitor.page.getByText('Copied', { exact: true }).waitFor()
        assert.equal(await visitor.page.evaluate('navigator.clipboard.readText()'), key)
        await visitor.page.reload()
        await visitor.row('staging').waitFor()
        assert.equal(await shown(visitor).count(), 0)
        assert.ok(!(await visitor.page.content()).includes(key))
        assert.match(await visitor.row('staging').innerText(), /\tnever\t/)
      },
      { permissions },
    )
  })

  it('where nothing may be copied, “Copy key” selects the key', async () => {
    await here.visitShop(async (visitor) => {
      await visitor.createKey('staging')
      // As where the page came over http from another machine.
      await visitor.page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
      await visitor.press('Copy key')
      await visitor.page.getByText('Selected: copy it now').waitFor()
      assert.equal(await visitor.page.evaluate('String(getSelection())'), await keyShown(visitor))
    })
  })

  it('a key that expires says on which day, in the reader’s own way', async () => {
    await here.visitShop(
      async (visitor) => {
        await visitor.createKey('short', '2027-02-03')
        assert.equal(await here.statusWith(await keyShown(visitor)), 200)
        assert.equal((await visitor.rows(caption))[2]![4], '03.02.2027')
      },
      { locale: 'de-DE' },
    )
  })
})
