/** A server with pages, before it has a version and with each: the operator's about.json, the description, and the addresses in both. */
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { describeInterface } from '../../src/api/description/document.ts'
import { wrongLinksPerMinuteMax } from '../../src/limits.ts'
import { itInAll } from '../support/amount.ts'
import { accounts, build, temporaryFolder, withModules } from '../support/command.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { type Service, send, startService } from '../support/service.ts'
import { snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'
import { Person, rowsOf } from './person.ts'
import { apiUrl, assertShown, webUrl } from './shown-address.ts'
import { guessLinks } from './wrong-links.ts'

describe('The pages’ address, title and currency', () => {
  const [storeDir, indexDir, probeDir] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
  const snapshots = fixtureSnapshot()
  let service: Service
  let person: Person

  /** Publishes a version with that about.json, and waits until the pages know of it. */
  async function tell(about: Readonly<Record<string, string>>, title: string): Promise<void> {
    writeFileSync(join(snapshots, 'about.json'), JSON.stringify(about))
    await build(snapshots, indexDir)
    await until(`the pages are called ${title}`, async () => (await send(service.pages, '/')).body.includes(title))
  }

  before(async () => {
    await accounts(storeDir, 'create', 'acme', '--plan', 'trader')
    const dirs = { STORE_DIR: storeDir, INDEX_DIR: indexDir, PROBE_DIR: probeDir }
    const env = {
      ...dirs,
      API_FORM: 'B',
      API_URL: `${apiUrl}/`,
      WEB_URL: webUrl,
      WEB_PORT: '0',
      METRICS_PORT: '0',
      ...withModules('test/web/pages-probe.cjs'),
    }
    service = await startService(env)
    person = await Person.signedIn(service.pages, storeDir, 'acme', webUrl)
  })
  after(() => service.stop())

  /** The description as the pages give it: that of programs, with their address first. */
  async function isTheSameDescription(): Promise<boolean> {
    const own = await send(service.address, '/openapi.json')
    const reply = await send(service.pages, '/openapi.json')
    if (reply.status !== 200) return false
    const servers = [{ url: apiUrl }, { url: '/' }]
    return JSON.stringify(reply.json) === JSON.stringify({ ...own.json, servers })
  }

  it('A server without a version serves the API description of its form, and /healthz answers 503', async () => {
    const reply = await send(service.address, '/openapi.json')
    const expected = JSON.parse(Buffer.from(describeInterface('B', {})).toString())
    assert.deepEqual([reply.status, reply.json], [200, expected])
    assert.equal((await send(service.address, '/healthz')).status, 503)
  })

  describe('The pages of a version with about.json', () => {
    before(async () => {
      await build(snapshots, indexDir)
      const { pages } = service
      await until('they know of it', async () => (await send(pages, '/status')).body.includes('Prices are served'))
    })

    it('The pages and the metrics show API_URL as the API’s address', async () => {
      await until('the description is there', isTheSameDescription)
      await assertShown(service, person, apiUrl, apiUrl)
    })

    it('The pages count wrong links by the connection’s address if no proxy is trusted', async () => {
      assert.ok((await guessLinks(service.pages)) <= 2 * wrongLinksPerMinuteMax)
    })

    it('The pages show the title, contact and currency of about.json', async () => {
      assert.equal((await person.open('/dashboard/cards/mtg-lea-new')).status, 404)
      snapshotOf({ 'cards/new.ndjson': [{ id: 'mtg-lea-new', game: 'mtg', name: 'New', setCode: 'lea' }] }, snapshots)
      await tell({ title: 'Karten & <Preise>', contact: 'https://laden.example/?a&b', currency: 'EUR' }, 'Karten')
      assert.equal((await person.open('/dashboard/cards/mtg-lea-new')).status, 200, 'cards are those of the version')
      const { body } = await person.open('/dashboard/look-up?q=charizard')
      assert.match(body, /<footer>\s*<p>Contact: <a href="https:\/\/laden\.example\/\?a&amp;b" rel="noreferrer">/)
      assert.equal(rowsOf(body, 'Cards found')[0]!.at(-1), 'Market price (EUR)')
      const infoOf = async () => (await send(service.address, '/openapi.json')).json.info
      await until('programs see the title', async () => (await infoOf()).title === 'Karten & <Preise>')
      assert.equal((await infoOf())['x-currency'], 'EUR')
    })

    itInAll(
      'The API description on the pages is that of the served version, even after their thread is replaced',
      async () => {
        await tell({ title: 'Cards' }, 'Cards')
        const isNew = async () => (await send(service.pages, '/openapi.json')).json?.info.title === 'Cards'
        await until('the description is the new version’s', isNew)
        await until('it is that of programs', isTheSameDescription)
        writeFileSync(join(probeDir, 'throw'), '')
        const isUp = () => isTheSameDescription().catch(() => false)
        await until('it died', async () => !existsSync(join(probeDir, 'throw')) && !(await isUp()))
        await until('its replacement has it', isUp)
      },
    )
  })
})
