/** The operator's pages in a browser: the morning, a new customer, one who has to be stopped; for everybody, with and without scripts. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { accounts, build } from '../support/command.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { quietUpdate } from '../support/last-update.ts'
import { skipWithout } from '../support/programs.ts'
import { send } from '../support/service.ts'
import { aCard, snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'
import type { Visitor } from './browser.ts'
import { isForEverybody } from './for-everybody.ts'
import { PagesHere } from './pages-here.ts'

const times = { startedAt: '2026-11-26T05:00:00.000Z', endedAt: '2026-11-26T05:06:10.000Z' }
const update = {
  ...quietUpdate,
  ...times,
  isNew: true,
  requests: 9,
  bytes: 9,
  day: '2026-11-25',
  counts: { sets: 900, cards: 90_000, prices: 88_000, newIds: 31 },
}
/** As a good run, one whose publisher was away, and a run that held a set left them. */
const updates = {
  tcgcsv: {
    ...update,
    snapshots: '/srv/prices',
    held: [
      { game: 'pokemon', code: 'swsh12', runs: 2, figures: '40 of 45 cards that had a market price have none now' },
    ],
  },
  scryfall: {
    ...update,
    success: false,
    isAway: true,
    error: 'api.scryfall.com answered 503 three times',
    counts: null,
  },
}

for (const javaScriptEnabled of [true, false]) {
  describe(`The operator’s pages, ${javaScriptEnabled ? 'with' : 'without'} scripts`, {
    skip: skipWithout('chromium'),
  }, () => {
    const here = new PagesHere(fixtureSnapshot(), { OPERATOR_PAGES: 'on' })

    const visitDesk = (action: (visitor: Visitor) => Promise<void>) =>
      here.visit(
        async (visitor) => {
          const { url } = await accounts(here.storeDir, 'sign-in', '--operator')
          await visitor.open(new URL(url).pathname)
          await visitor.press('Sign in')
          await visitor.heading('Today').waitFor()
          await action(visitor)
        },
        { javaScriptEnabled },
      )
    const tab = async ({ page }: Visitor, name: string) =>
      page.getByRole('navigation', { name: 'Operator' }).getByRole('link', { name, exact: true }).click()

    it(`The operator sees a failed update, a held set and how to accept it, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      await visitDesk(async (visitor) => {
        writeFileSync(join(here.indexDir, 'updates.json'), JSON.stringify(updates))
        await visitor.open('/operator?check')
        await visitor.page.getByText('api.scryfall.com answered 503 three times').first().waitFor()
        await visitor.page.getByText(/update tcgcsv --out \/srv\/prices --accept pokemon\/swsh12$/).waitFor()
        await visitor.heading('What needs a look').waitFor()
        if (javaScriptEnabled) await isForEverybody(visitor)
        await tab(visitor, 'Audit log')
        await visitor.page.getByLabel('Action', { exact: true }).selectOption('sign-in link used')
        await visitor.press('Show')
        await visitor.page.getByRole('cell', { name: 'operator page' }).first().waitFor()
        if (javaScriptEnabled) await isForEverybody(visitor)
      })
    })

    it(`The operator makes an old version current, and the new one again, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      const changed = snapshotOf({ 'cards/more.ndjson': [{ ...aCard, id: 'pokemon-base1-900' }] }, fixtureSnapshot())
      assert.equal((await build(changed, here.indexDir)).code, 0)
      await visitDesk(async (visitor) => {
        await tab(visitor, 'Versions')
        await visitor.heading('Versions').waitFor()
        if (javaScriptEnabled) await isForEverybody(visitor)
        for (let times = 0; times < 2; times++) {
          const [version] = await visitor.page
            .getByRole('row')
            .filter({ hasText: 'Make current' })
            .first()
            .locator('th')
            .allInnerTexts()
          await visitor.press('Make current')
          if (javaScriptEnabled && times === 0) await isForEverybody(visitor)
          await visitor.press('Yes, make current')
          await visitor.page.getByRole('status').getByText(version!).waitFor()
          const served = async () => (await send(here.service.address, '/healthz')).json.version === version
          await until('it is served', served)
        }
      })
    })

    it(`The operator creates an account, suspends and resumes it, and revokes its key, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      const name = `長い名前 ${'x'.repeat(40)} ${javaScriptEnabled}`
      await visitDesk(async (visitor) => {
        await tab(visitor, 'Accounts')
        await visitor.page.getByLabel('Account name', { exact: true }).fill(name)
        await visitor.page.getByLabel('Plan of the account', { exact: true }).selectOption('trader')
        await visitor.press('New account')
        const said = await visitor.page.getByRole('status').first().innerText()
        const key = /cpl_live_[0-9A-Za-z]{38}/.exec(said)![0]
        assert.match(said, /\/sign-in\/[\w-]{43}/)
        if (javaScriptEnabled) await isForEverybody(visitor)
        assert.equal(await here.statusWith(key), 200)
        await until('it is seen', async () => {
          await visitor.open('/operator')
          return (await visitor.page.getByText('Counted to quotas').locator('xpath=..').innerText()).endsWith('1')
        })

        await visitor.open(`/operator/accounts?q=${encodeURIComponent(name)}`)
        if (javaScriptEnabled) await isForEverybody(visitor)
        await visitor.page.getByRole('link', { name, exact: true }).click()
        await visitor.page.getByLabel('Reason, which its people see').fill('unpaid since October')
        await visitor.press('Suspend')
        await visitor.page.getByRole('status').getByText('is suspended').waitFor()
        const refused = await send(here.service.address, '/v1/games', { headers: { 'x-api-key': key } })
        assert.deepEqual([refused.status, refused.json.error.code], [403, 'ACCOUNT_SUSPENDED'])
        if (javaScriptEnabled) await isForEverybody(visitor)
        await visitor.press('Resume')
        await visitor.page.getByRole('status').getByText('is resumed').waitFor()
        assert.equal(await here.statusWith(key), 200)
        await visitor.row('default').getByRole('button', { name: 'Revoke', exact: true }).click()
        await visitor.heading('Revoke the key default?').waitFor()
        if (javaScriptEnabled) await isForEverybody(visitor)
        await visitor.press('Yes, revoke')
        await visitor.page.getByRole('status').getByText('is revoked').waitFor()
        assert.equal(await here.statusWith(key), 401)
        await visitor.press('Sign out')
        visitor.announce(403)
        await visitor.page.goto('/operator')
        await visitor.page.getByText('card-prices accounts sign-in --operator').waitFor()
      })
    })
  })
}
