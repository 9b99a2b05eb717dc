/** The guide and the reference as pages, with the reader's own address; and how what the pages send is compressed. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { decodeHTMLStrict } from 'entities'
import { Hono } from 'hono'
import { describeInterface } from '../../src/api/description/document.ts'
import { loadAssets } from '../../src/web/assets.ts'
import { guideFor } from '../../src/web/docs/guide.ts'
import { guideExamplesOf } from '../../src/web/docs/guide-examples.ts'
import { compressed, compressedBytesMin } from '../../src/web/shared/shared-content.ts'
import type { PageEnv } from '../../src/web/site.ts'
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

describe('The guide', () => {
  const { contents, text: page } = guideFor({ api, port: undefined, examples: undefined })

  it('The guide has every heading of docs/api.md in order, and contents that lead to each chapter and recipe', () => {
    const headings = [...text.replaceAll(/^```.*?^```$/gms, '').matchAll(/^(#+) (.*)$/gm)]
    const shown = [...page.matchAll(/<h(\d) id="([^"]*)">(.*?)<\/h\1>/g)]
    const wanted = headings.map(([, marks, heading]) => `${marks!.length} ${heading!.replaceAll('`', '')}`)
    const found = shown.map(([, level, , heading]) => `${level} ${textOf(heading!)}`)
    assert.deepEqual(found, wanted)
    const links = [...contents.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id!)
    const ids = shown.map(([, , id]) => id!)
    assert.equal(new Set(ids).size, ids.length)
    assert.ok(links.every((id) => ids.includes(id)))
    for (const id of ['quick-start', 'keys', 'errors', 'quotas', 'recipes', 'find-a-card'])
      assert.ok(links.includes(id))
    for (const [, id] of page.matchAll(/href="#([^"]*)"/g)) assert.ok(ids.includes(id!), id)
  })

  it('The guide shows no Markdown', () => {
    const prose = page.replaceAll(/<(pre|code)\b.*?<\/\1>/gs, '')
    assert.doesNotMatch(prose, /```|\*\*|\]\(|^[#|-] |!\[/m)
  })

  it('The guide has all code of docs/api.md with its own server’s address, and no output of another server', () => {
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
    'quick-start',
    'keys',
    'errors',
    'quotas',
    'find-a-card',
    'look-up-many-cards',
    'match-a-stock-list',
    'see-how-a-price-changed',
    'see-what-moved',
    'list-games-and-sets',
    'download-a-game',
    'keep-a-shops-prices-current',
    'continue-after-429-and-503',
  ]
  it('The guide has tabs for curl, JavaScript and Python in each chapter and recipe', () => {
    for (const chapter of tabbed) {
      const own = page.split(`id="${chapter}"`)[1]!.split(/<h[23] /)[0]!
      const tabs = [...own.matchAll(/role="tab" id="([^"]*)" aria-controls="([^"]*)"[^>]*>([^<]*)</g)]
      const labels = tabs.map(([, , , label]) => label)
      assert.deepEqual(labels, ['curl', 'JavaScript', 'Python'], chapter)
      for (const [, id, panel] of tabs) assert.ok(own.includes(`role="tabpanel" id="${panel}" aria-labelledby="${id}"`))
    }
  })

  it('A guide that can show only the address of the pages also names the API’s port', () => {
    const { text: shown } = guideFor({ api, port: 8080, examples: undefined })
    assert.match(shown, /requests to <code>https:\/\/api\.example<\/code>\. If that address .*, use port 8080 /)
    assert.doesNotMatch(page, /port 8080/)
  })
})

/** It has other cards than the sample. */
const service = servePages(async (indexDir) => {
  const set = { game: 'mtg', code: 'lea', name: 'Limited Edition Alpha', releaseDate: '1993-08-05' }
  const sets = [set, { ...set, code: 'a b' }, { ...set, code: 'odd', name: 'A & B' }]
  const card = (number: number, name: string, market: number, more = {}) => ({
    id: `mtg-lea-${number}`,
    game: 'mtg',
    name,
    setCode: 'lea',
    number: String(number),
    rarity: 'Rare',
    prices: { market, low: 1, mid: 2, high: 3 },
    updatedAt: '2026-11-20T06:00:00Z',
    ...more,
  })
  const plain = [card(2, 'Black Lotus', 500), card(3, 'Mox Ruby', 400)]
  const alike = [4, 5].map((number) => card(number, 'Two Alike', 880, { number: '9' }))
  const texts = [{ setCode: 'a b' }, { setCode: 'odd' }, { number: '4★' }].map((more, i) =>
    card(i + 6, 'Odd', 890, more),
  )
  const cards = [card(1, 'Fire & Ice', 900), ...plain, ...alike, ...texts]
  const history = 'date,id,market,low,high\n2026-10-21,mtg-lea-2,300,1,3\n2026-11-20,mtg-lea-2,500,1,3\n'
  const files = { 'sets/mtg.ndjson': sets, 'cards/mtg.ndjson': cards, 'history/2026-11.csv': history }
  const { code, stderr } = await build(snapshotOf(files), indexDir)
  assert.equal(code, 0, stderr)
})

describe('The guide of a server with other cards than the sample’s', () => {
  it('The guide uses the dearest card that a stock list finds and whose texts need no escapes', async () => {
    const examples = guideExamplesOf((await service.data.open())!)!
    const names = 'Charizard charizard char luffy monkey d luffy monkey+d+luffy chart'
    const own = 'Black Lotus black lotus blac black lotus black lotus black+lotus chart'
    assert.equal(examples.in(names), own)
    const rest = examples.in('pokemon-base1-004 mtg-unh-023 Base Set Base+Set base1 4/102 pokemon swu')
    assert.equal(rest, 'mtg-lea-2 mtg-lea-4 Limited Edition Alpha Limited+Edition+Alpha lea 2 mtg mtg')
    for (const line of ['curl', "curl 'http://server/v1/cards/none'", "curl 'http://server/v1/none'"]) {
      assert.equal(examples.answerTo(line), undefined, line)
    }
  })

  it('The guide has requests that its server answers, with that server’s responses, and no card that it lacks', async () => {
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

it('The reference has each operation and schema of the description, and no dead link', async () => {
  const { body } = await send(service.pages, '/docs/reference')
  const { paths, components } = JSON.parse(Buffer.from(describeInterface('A', {})).toString())
  const operations = Object.values<Record<string, { operationId: string }>>(paths).flatMap((of) => Object.values(of))
  const shown = [...body.matchAll(/<section class="operation" aria-labelledby="(\w+)">/g)].map(([, id]) => id)
  assert.deepEqual(shown.sort(), operations.map(({ operationId }) => operationId).sort())
  for (const name of Object.keys(components.schemas)) assert.ok(body.includes(`<h3 id="schema-${name}">`), name)
  for (const [, id] of body.matchAll(/href="#([^"]*)"/g)) assert.ok(body.includes(`id="${id}"`), id)
})

describe('The weight of the pages', () => {
  for (const path of ['/docs', '/docs/reference']) {
    it(`The page ${path} takes at most 120 kB with all its parts`, async () => {
      const { bytes } = await weightOf(service.pages, path)
      assert.ok(bytes <= 120_000, `${bytes} bytes`)
    })
  }

  const assets = loadAssets()
  const paths = [
    '/openapi.json',
    ...['style.css', 'icon.svg', 'figures.js', 'uplot.js', 'uplot.css'].map((name) => assets.path(name)),
  ]
  /** test/api/formats.test.ts has the many ways to write one. */
  const accepted: readonly (readonly [list: string | undefined, encoding: 'gzip' | undefined])[] = [
    [undefined, undefined],
    ['br', undefined],
    ['*, gzip;q=0.000', undefined],
    ['gzip, deflate, br, zstd', 'gzip'],
  ]
  for (const path of paths) {
    it(`The file ${path.slice(path.lastIndexOf('/'))} comes in the encoding of Accept-Encoding, with Vary`, async () => {
      const { status, bytes: plain } = await send(service.pages, path)
      assert.equal(status, 200)
      assert.ok(plain.length > 100)
      for (const [list, encoding] of accepted) {
        const headers: Record<string, string> = list === undefined ? {} : { 'accept-encoding': list }
        const reply = await send(service.pages, path, { headers })
        assert.equal(reply.status, 200)
        assert.equal(reply.headers['content-encoding'], encoding, list)
        assert.equal(reply.headers.vary, 'Accept-Encoding')
        assert.equal(reply.headers['content-length'], `${reply.bytes.length}`)
        assert.ok(plain.equals(encoding === undefined ? reply.bytes : gunzipSync(reply.bytes)), list)
        const head = await send(service.pages, path, { method: 'HEAD', headers })
        assert.deepEqual([head.status, head.body, head.headers['content-encoding']], [200, '', encoding])
        for (const name of ['content-type', 'cache-control', 'vary'])
          assert.equal(head.headers[name], reply.headers[name])
      }
    })
  }
})

it('A response above 1 KB is compressed for a client that accepts it', async () => {
  const app = new Hono<PageEnv>()
  const texts = { '/small': 'x'.repeat(compressedBytesMin - 2), '/large': 'é'.repeat(compressedBytesMin) }
  for (const [path, text] of Object.entries(texts)) app.get(path, (context) => compressed(context, context.json(text)))
  for (const [path, text] of Object.entries(texts)) {
    for (const accepted of [undefined, 'identity', 'gzip;q=0', 'br, gzip']) {
      const reply = await app.request(path, accepted === undefined ? {} : { headers: { 'Accept-Encoding': accepted } })
      const encoding = path === '/large' && accepted === 'br, gzip' ? 'gzip' : null
      assert.equal(reply.headers.get('Content-Encoding'), encoding)
      assert.equal(reply.headers.get('Vary'), 'Accept-Encoding')
      const bytes = Buffer.from(await reply.arrayBuffer())
      assert.equal(JSON.parse((encoding === null ? bytes : gunzipSync(bytes)).toString()), text)
    }
  }
})
