/** The guide: docs/api.md as a page, all of it, with the reader's own address. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeHTMLStrict } from 'entities'
import { guideFor } from '../../src/web/guide.ts'
import { accounts, build, documentText } from '../support/command.ts'
import { send } from '../support/service.ts'
import { snapshotOf } from '../support/snapshot.ts'
import { textOf, weightOf } from './person.ts'
import { servePages } from './service-here.ts'

const api = 'https://api.example'
const text = documentText('docs/api.md')

/** The text of what can be copied. */
const codeIn = (page: string): string[] =>
  [...page.matchAll(/<pre tabindex="0"><code id="[^"]*">(.*?)<\/code><\/pre>/gs)].map(([, lines]) =>
    decodeHTMLStrict(lines!),
  )

describe('the guide', () => {
  const { contents, text: page } = guideFor({ api, port: undefined, examples: undefined })
  const service = servePages()

  it('has every heading, in their order, and a contents that leads to each chapter and recipe', () => {
    const headings = [...text.replaceAll(/^```.*?^```$/gms, '').matchAll(/^(#+) (.*)$/gm)]
    const shown = [...page.matchAll(/<h(\d) id="([^"]*)">(.*?)<\/h\1>/g)]
    const wanted = headings.map(([, marks, heading]) => `${marks!.length} ${heading!.replaceAll('`', '')}`)
    assert.deepEqual(
      shown.map(([, level, , heading]) => `${level} ${textOf(heading!)}`),
      wanted,
    )
    const links = [...contents.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id!)
    const ids = shown.map(([, , id]) => id!)
    assert.equal(new Set(ids).size, ids.length)
    assert.ok(links.every((id) => ids.includes(id)))
    for (const id of ['quick-start', 'keys', 'errors', 'quotas', 'recipes', 'find-a-card'])
      assert.ok(links.includes(id))
    for (const [, id] of page.matchAll(/href="#([^"]*)"/g)) assert.ok(ids.includes(id!), id)
  })

  it('leaves no Markdown as it is', () => {
    const prose = page.replaceAll(/<(pre|code)\b.*?<\/\1>/gs, '')
    assert.doesNotMatch(prose, /```|\*\*|\]\(|^[#|-] |!\[/m)
  })

  it('has all code, with the address of the reader’s own server and without what another one prints', () => {
    const plain = codeIn(page)
    for (const [, block] of text.matchAll(/^```(?:js|py)\n(.*?)\n```$/gms)) {
      const own = block!
        .replaceAll('http://127.0.0.1:8080', api)
        .replaceAll(/^(.*(?:log|print)\(.*\)) +(?:\/\/|#).*/gm, '$1')
      assert.ok(plain.includes(own), block)
    }
    assert.doesNotMatch(page, /class="response"[^>]*><code>\{&quot;data|241\.6|sample data/)
    for (const [line] of text.matchAll(/^curl .*$/gm))
      assert.ok(plain.includes(line.replaceAll('http://127.0.0.1:8080', api)), line)
    assert.ok(!page.includes('127.0.0.1:8080'))
  })

  const tabbed = [
    ...['quick-start', 'keys', 'errors', 'quotas', 'find-a-card', 'look-up-many-cards', 'match-a-stock-list'],
    ...['see-how-a-price-changed', 'see-what-moved', 'list-games-and-sets', 'download-a-game'],
    ...['keep-a-shops-prices-current', 'continue-after-429-and-503'],
  ]
  it('has tabs for curl, JavaScript and Python in each chapter and recipe', () => {
    for (const chapter of tabbed) {
      const own = page.split(`id="${chapter}"`)[1]!.split(/<h[23] /)[0]!
      const tabs = [...own.matchAll(/role="tab" id="([^"]*)" aria-controls="([^"]*)"[^>]*>([^<]*)</g)]
      const labels = tabs.map(([, , , label]) => label)
      assert.deepEqual(labels, ['curl', 'JavaScript', 'Python'], chapter)
      for (const [, id, panel] of tabs) assert.ok(own.includes(`role="tabpanel" id="${panel}" aria-labelledby="${id}"`))
    }
  })

  it('says where the API listens if the address of the pages stands for it', () => {
    const { text: shown } = guideFor({ api, port: 8080, examples: undefined })
    assert.match(shown, /requests to <code>https:\/\/api\.example<\/code>\. If that address .*, use port 8080 /)
    assert.doesNotMatch(page, /port 8080/)
  })

  it('is a page of at most 120 kB with all its parts', async () => {
    const { status, body } = await send(service.pages, '/docs')
    assert.equal(status, 200)
    assert.equal(body.match(/<main\b/g)?.length, 1)
    assert.match(body, /<a href="\/docs\/reference">/)
    assert.ok(body.includes(service.address))
    const { bytes } = await weightOf(service.pages, '/docs')
    assert.ok(bytes <= 120_000, `${bytes} bytes`)
  })
})

describe('the guide of a server with other cards than the sample', () => {
  const service = servePages(async (indexDir) => {
    const set = { game: 'mtg', code: 'lea', name: 'Limited Edition Alpha', releaseDate: '1993-08-05' }
    const card = (number: number, name: string, market: number) => ({
      ...{ id: `mtg-lea-${number}`, game: 'mtg', name, setCode: 'lea', number: String(number), rarity: 'Rare' },
      ...{ prices: { market, low: 1, mid: 2, high: 3 }, updatedAt: '2026-11-20T06:00:00Z' },
    })
    const cards = [card(1, 'Fire & Ice', 900), card(2, 'Black Lotus', 500), card(3, 'Mox Ruby', 400)]
    const history = 'date,id,market,low,high\n2026-10-21,mtg-lea-2,300,1,3\n2026-11-20,mtg-lea-2,500,1,3\n'
    const files = { 'sets/mtg.ndjson': [set], 'cards/mtg.ndjson': cards, 'history/2026-11.csv': history }
    const { code, stderr } = await build(snapshotOf(files), indexDir)
    assert.equal(code, 0, stderr)
  })

  it('has requests that it answers, with its own answers, and names nothing that it does not have', async () => {
    const { key } = await accounts(service.storeDir, 'create', 'reader', '--plan', 'business')
    const { body } = await send(service.pages, '/docs')
    const main = body.slice(body.indexOf('<article>'), body.indexOf('</article>'))
    const codes = codeIn(main)
    for (const code of codes) assert.doesNotMatch(code, /base1|mtg-unh|\bswu\b|pokemon-|[Cc]harizard\b/, code)
    const parts = [
      ...main.matchAll(
        /<code id="[^"]*">(curl .*?)<\/code>(?:.*?)<\/div>\n(<pre class="response"[^>]*><code>(.*?)<\/code>)?/gs,
      ),
    ]
    assert.ok(parts.length > 15, `${parts.length} requests in ${codes.join('\n')}`)
    let answered = 0
    for (const [, escapedLine, , shown] of parts) {
      const line = decodeHTMLStrict(escapedLine!)
      assert.doesNotMatch(line, /fire/i, 'an address must escape it')
      const [url] = /http:\/\/127\.0\.0\.1:\d+[^' ]*/.exec(line) ?? []
      const sent = /-d '([^']*)'/.exec(line)?.[1]
      const headers = {
        ...(line.includes('X-API-Key') ? { 'x-api-key': key } : {}),
        'content-type': 'application/json',
        ...(line.includes('If-Match') ? { 'if-match': '"other"' } : {}),
      }
      const path = url!.slice(service.address.length)
      const request = sent === undefined ? { headers } : { method: 'POST', headers, body: sent }
      const { status, body } = await send(service.address, path, request)
      const given = shown === undefined ? undefined : decodeHTMLStrict(shown)
      if (given?.startsWith('{') !== true) assert.equal(status, 200, line)
      else assert.deepEqual(JSON.parse(given), JSON.parse(body), line)
      if (given?.startsWith('{') === true && status === 200) answered++
      if (status === 200 && body.startsWith('{"data":[')) assert.notDeepEqual(JSON.parse(body).data, [], line)
    }
    assert.ok(answered >= 12, `${answered}`)
  })
})
