/** Keys in a browser: made, copied, renamed, regenerated, revoked, and in force on PORT when the next page is shown. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createKey } from '../../src/accounts/registry.ts'
import { Store } from '../../src/store/store.ts'
import { accounts } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { until } from '../support/until.ts'
import type { Visitor } from './browser.ts'
import { PagesHere } from './pages-here.ts'

const caption = 'Keys of this account'
const columns = ['Name', 'Key', 'Created', 'Last used', 'Expires']

describe('in a browser', { skip: skipWithout('chromium') }, () => {
  const here = new PagesHere()
  const shown = ({ page }: Visitor) => page.getByRole('status')
  const keyShown = async (visitor: Visitor): Promise<string> =>
    (await shown(visitor).innerText()).match(/cpl_live_[0-9A-Za-z]{38}/)![0]
  const names = async (visitor: Visitor) => (await visitor.rows(caption)).slice(1).map(([name]) => name)

  it('the table has its columns, and a live key’s row its buttons', async () => {
    await here.visitShop(async (visitor, { key }) => {
      await visitor.tab('Keys')
      assert.deepEqual(
        await visitor.page.getByRole('table', { name: caption }).getByRole('columnheader').allInnerTexts(),
        columns,
      )
      const row = visitor.row('default')
      const buttons = () => row.getByRole('button').allInnerTexts()
      assert.deepEqual(await buttons(), ['Rename'])
      await row.getByText('More').click()
      assert.deepEqual(await buttons(), ['Rename', 'Regenerate', 'Revoke'])
      await visitor.page.keyboard.press('Escape')
      await until('the menu is closed', async () => (await buttons()).length === 1)
      assert.ok((await visitor.row('default').innerText()).includes(key.slice(0, 13)))
      assert.ok(!(await visitor.page.content()).includes(key))
    })
  })

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

  it('Regenerate and Revoke ask on a page that names the key, and the old secret is refused at once', async () => {
    await here.visitShop(async (visitor, { key }) => {
      await visitor.createKey('staging')
      const staging = await keyShown(visitor)
      await visitor.pressIn('staging', 'Regenerate')
      await visitor.heading('Regenerate the key staging?').waitFor()
      await visitor.page.getByRole('link', { name: 'No, go back' }).click()
      await visitor.heading('Keys').waitFor()
      assert.equal(await here.statusWith(staging), 200)
      await visitor.pressIn('staging', 'Regenerate')
      await visitor.press('Yes, regenerate')
      const next = await keyShown(visitor)
      assert.deepEqual([await here.statusWith(staging), await here.statusWith(next)], [401, 200])
      await visitor.pressIn('default', 'Revoke')
      await visitor.heading('Revoke the key default?').waitFor()
      assert.equal(await here.statusWith(key), 200)
      await visitor.press('Yes, revoke')
      await visitor.heading('Keys').waitFor()
      assert.equal(await here.statusWith(key), 401)
      assert.deepEqual(await names(visitor), ['staging', 'default'])
      assert.match(await visitor.row('default').innerText(), /revoked/)
      assert.equal(await visitor.row('default').getByRole('button').count(), 0)
    })
  })

  it('live keys come first, then those that are revoked or expired, which have no buttons', async () => {
    await here.visitShop(async (visitor, { name, keyId }) => {
      const store = new Store(here.storeDir)
      createKey(store, name, 'gone', Date.now() - 1, Date.now() - 2)
      await store.close()
      await accounts(here.storeDir, 'create-key', name, '--name', 'live')
      await accounts(here.storeDir, 'revoke', keyId)
      await visitor.tab('Keys')
      assert.equal((await names(visitor))[0], 'live')
      assert.deepEqual((await names(visitor)).slice(1).sort(), ['default', 'gone'])
      assert.match(await visitor.row('gone').innerText(), /expired/)
      for (const name of ['default', 'gone']) assert.equal(await visitor.row(name).getByRole('button').count(), 0)
    })
  })

  it('a key is renamed to what looks like markup, Japanese or quotes, which stays text on every page', async () => {
    await here.visitShop(async (visitor, { key }) => {
      let now = 'default'
      await visitor.tab('Keys')
      for (const name of ['<script>alert(1)</script>', '店'.repeat(100), '"><img src=x>']) {
        await visitor.pressIn(now, 'Rename')
        await visitor.heading(`Rename the key ${now}`).waitFor()
        assert.equal(await visitor.page.getByLabel('Name', { exact: true }).inputValue(), now)
        await visitor.page.getByLabel('Name', { exact: true }).fill(name)
        await visitor.press('Rename')
        await visitor.row(name).waitFor()
        await visitor.pressIn(name, 'Revoke')
        await visitor.heading(`Revoke the key ${name}?`).waitFor()
        await visitor.page.getByRole('link', { name: 'No, go back' }).click()
        now = name
      }
      assert.equal(await here.statusWith(key), 200)
    })
  })

  it('a name of more than 100 characters is refused beside its field, with what was typed, in both forms', async () => {
    await here.visitShop(async (visitor) => {
      visitor.announce(400)
      const field = visitor.page.getByLabel('Name', { exact: true })
      await visitor.createKey('x'.repeat(101), '2030-01-01')
      await visitor.page.getByRole('alert').filter({ hasText: '1 to 100 characters' }).waitFor()
      assert.equal(await field.inputValue(), 'x'.repeat(101))
      assert.equal(await visitor.page.getByLabel('Expires', { exact: true }).inputValue(), '2030-01-01')
      assert.equal(await field.getAttribute('aria-invalid'), 'true')
      await visitor.tab('Keys')
      await visitor.pressIn('default', 'Rename')
      await field.fill('日本'.repeat(51))
      await visitor.press('Rename')
      await visitor.page.getByRole('alert').filter({ hasText: '1 to 100 characters' }).waitFor()
      assert.equal(await field.inputValue(), '日本'.repeat(51))
    })
  })

  it('ten live keys are the most: the form says why, and takes one when one is revoked', async () => {
    await here.visitShop(async (visitor, { name }) => {
      for (let i = 2; i < 10; i++) await accounts(here.storeDir, 'create-key', name, '--name', `key ${i}`)
      await visitor.createKey('key 10')
      await visitor.page.getByText('10 live keys, the maximum').waitFor()
      assert.equal(await visitor.button('Create key').isEnabled(), false)
      await visitor.pressIn('key 10', 'Revoke')
      await visitor.press('Yes, revoke')
      await visitor.row('key 10').getByText('revoked').waitFor()
      await visitor.createKey('key 11')
      await visitor.row('key 11').waitFor()
    })
  })

  it('a key that was revoked while a page was open is not changed: the page says so', async () => {
    await here.visitShop(async (visitor, { name, keyId }) => {
      await accounts(here.storeDir, 'create-key', name, '--name', 'other')
      const [, other] = await accounts(here.storeDir, 'keys', name)
      visitor.announce(409)
      await visitor.tab('Keys')
      await accounts(here.storeDir, 'revoke', keyId)
      await visitor.pressIn('default', 'Regenerate')
      await visitor.page.getByText('The key default is already revoked, so nothing was changed.').waitFor()
      await visitor.open('/dashboard/keys')
      await visitor.pressIn('other', 'Regenerate')
      await accounts(here.storeDir, 'revoke', other.keyId)
      const before = await accounts(here.storeDir, 'keys', name)
      await visitor.press('Yes, regenerate')
      await visitor.page.getByText('The key other is already revoked, so nothing was changed.').waitFor()
      assert.deepEqual(await accounts(here.storeDir, 'keys', name), before)
      await visitor.page.getByRole('link', { name: 'Back to the dashboard' }).click()
      await visitor.tab('Keys')
      assert.equal(await visitor.page.getByText('More').count(), 0)
    })
  })
})
