/** Pages of people without an account: the first page, look-ups within a limit, cards, and the status. Never a history or a key. */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { strangerLookUpsPerMinuteMax, strangerSuggestionsPerMinuteMax } from '../../src/limits.ts'
import { exampleQuery } from '../../src/web/guide-examples.ts'
import { build, temporaryFolder } from '../support/command.ts'
import { charizardHistory, fixtureSnapshot } from '../support/fixture.ts'
import { type Reply, send } from '../support/service.ts'
import { rowsOf, textOf, weightOf } from './person.ts'
import { servePages, startServiceHere } from './service-here.ts'

describe('people without an account', () => {
  const service = servePages((indexDir) => build(fixtureSnapshot(), indexDir), true)
  let addresses = 0
  /** Each page is opened from another address, which a proxy names. */
  const open = (path: string, from = `2001:db8::${++addresses}`): Promise<Reply> =>
    send(service.pages, path, { headers: { 'x-forwarded-for': from } })

  beforeEach(() => {
    service.data.about = {}
  })

  describe('the first page', () => {
    it('has a field, a real card with its price and year, the request and response that give it, and the plans', async () => {
      const { body } = await open('/')
      assert.match(body, /<h1>Trading card prices<\/h1>/)
      assert.match(body, /<form method="get" action="\/look-up"[^>]*>\s*<label for="card-name">Card name</)
      assert.match(body, new RegExp(`<h2 id="example"><a href="/cards/pokemon-base1-004">${exampleQuery}</a>`, 'i'))
      const text = textOf(body)
      assert.match(
        text,
        /Charizard Base Set · 004 · Rare Holo 350\.13 .* in 7 days 21 Nov 2025 2\.00 to 6\.01 19 Nov 2026 /,
      )
      assert.match(body, /<svg class="price-line" role="img" aria-label="Market price of Charizard over the last year"/)
      assert.ok(text.includes(`curl -H 'X-API-Key: YOUR_KEY' \\ '${service.address}/v1/cards/pokemon-base1-004'`), text)
      const [, answer] = /aria-label="Response"><code>(.*?)<\/code>/s.exec(body)!
      assert.match(answer!, /<mark>&quot;market&quot;: 350\.13<\/mark>/)
      const { data } = JSON.parse(textOf(answer!))
      assert.deepEqual([data.id, data.prices.market], ['pokemon-base1-004', 350.13])
      const plans = Object.fromEntries(rowsOf(body, 'Plans'))
      assert.deepEqual(plans, { Plan: 'Requests a day', Free: '200', Trader: '10,000', Business: '100,000' })
      assert.doesNotMatch(text, /Ask for an account/)
      assert.match(body, /<meta name="description" content="[^"]{50,}"/)
    })

    it('has prices of plans and a button to the contact where about.json has them', async () => {
      const plans = { free: 0, trader: 14.99, business: 89 }
      for (const [contact, href] of [
        ['preise@laden.example', 'mailto:preise@laden.example'],
        ['https://laden.example/konto', 'https://laden.example/konto'],
        ['the desk in the hall', undefined],
      ] as const) {
        service.data.about = { contact, plans, currency: 'EUR', terms: 'https://laden.example/agb' }
        const { body } = await open('/')
        const prices = rowsOf(body, 'Plans').map((row) => row[1])
        assert.deepEqual(prices, ['Price', 'free', '14.99 EUR a month', '89 EUR a month'])
        assert.equal(/<a class="button primary" href="([^"]*)"[^>]*>Ask for an account</.exec(body)?.[1], href)
        assert.match(body, /<a href="https:\/\/laden\.example\/agb" rel="noreferrer">Terms<\/a>/)
      }
    })

    it('takes at most 60 kB in 5 answers', async () => {
      const { responses, bytes } = await weightOf(service.pages, '/')
      assert.ok(responses <= 5 && bytes <= 60_000, `${bytes} bytes in ${responses} responses`)
    })
  })

  describe('the foot of a page', () => {
    const contacts = [
      ['preise@laden.example', 'mailto:preise@laden.example'],
      ['mailto:preise@laden.example', 'mailto:preise@laden.example'],
      ['javascript:alert(1)', undefined],
      ['the desk in the hall', undefined],
    ] as const
    for (const [contact, href] of contacts) {
      it(`leads with the contact ${contact} ${href === undefined ? 'nowhere' : `to ${href}`}`, async () => {
        service.data.about = { contact }
        const foot = /<footer>\s*(<p>.*?<\/p>)/.exec((await open('/')).body)![1]!
        assert.equal(/href="([^"]*)"/.exec(foot)?.[1], href)
        assert.equal(textOf(foot), `Contact: ${contact}`)
      })
    }
  })

  it('find cards, which lead to their pages; names come while one types', async () => {
    const { body } = await open('/look-up?q=charizard')
    assert.deepEqual(rowsOf(body, 'Cards found')[1], ['Charizard', 'Pokémon', 'Base Set', '004', 'Rare Holo', '350.13'])
    assert.match(body, /<th scope="row"><a href="\/cards\/pokemon-base1-004">/)
    assert.match(body, /<title>charizard · Look up · /)
    const names = await open('/suggestions.json?q=char')
    assert.deepEqual(names.json, { names: ['Charizard', 'Charizard Hunter'] })
    assert.equal((await open('/look-up')).status, 200)
    assert.equal((await open('/look-up?q=')).status, 400)
    assert.equal((await open('/cards/none')).status, 404)
  })

  it('see the prices of a card now, in a page that can be shared, and never its history', async () => {
    const { body } = await open('/cards/pokemon-base1-004?period=all')
    assert.match(textOf(body), /Charizard Pokémon · Base Set · 004 · Rare Holo Market price 350\.13/)
    assert.match(body, /<title>Charizard · Base Set · 004 · /)
    assert.equal(rowsOf(body, 'Conditions').length, 1 + 3)
    for (const [name, value] of [
      ['og:title', 'Charizard · Base Set · 004'],
      ['og:description', 'Charizard \\(Base Set, 004, Rare Holo, Pokémon\\): market price 350\\.13\\.'],
      ['og:url', `${service.pages}/cards/pokemon-base1-004`],
    ])
      assert.match(body, new RegExp(`<meta property="${name}" content="${value}">`))
    const bare = await open('/cards/pokemon-base1-x')
    assert.match(bare.body, / content="Unknown All \(Base Set, Pokémon\): its market price is unknown\.">/)
    assert.match(textOf(body), /come with the Trader plan and above: see the plans/)
    for (const { date, market } of charizardHistory)
      assert.ok(!body.includes(date) && !body.includes(`>${market.toFixed(2)}<`), date)
    assert.doesNotMatch(body, /data-chart|cpl_live_|aria-label="Changes"/)
  })

  it('see a picture of a host that about.json names, and a link to any other', async () => {
    const policy = ({ headers }: Reply) => /img-src ([^;]*);/.exec(headers['content-security-policy'] as string)![1]
    const path = '/cards/pokemon-base1-004'
    const linked = await open(path)
    assert.equal(policy(linked), "'self'")
    assert.doesNotMatch(linked.body, /<img/)
    assert.match(linked.body, /<a href="https:\/\/images\.example\/charizard\.webp" rel="noreferrer" [^>]*>Picture of/)
    service.data.about = { images: ['https://images.example', 'https://other.example'] }
    for (const each of [path, '/']) {
      const shown = await open(each)
      assert.equal(policy(shown), "'self' https://images.example")
      assert.match(shown.body, /<img class="picture" src="https:\/\/images\.example\/charizard\.webp" alt="Charizard"/)
    }
    const { body } = await open(path)
    assert.match(body, /<meta property="og:image" content="https:\/\/images\.example\/charizard\.webp">/)
    assert.equal(policy(await open('/status')), "'self'")
  })

  it('get 20 look-ups a minute an address, of searches and cards together', async () => {
    const paths = ['/look-up?q=forest', '/cards/pokemon-base1-004']
    const ask = (count: number, from: string) =>
      Promise.all(Array.from({ length: count }, (_, i) => open(paths[i % 2]!, from)))
    const first = await ask(strangerLookUpsPerMinuteMax, '192.0.2.1')
    assert.ok(first.every(({ status }) => status === 200))
    for (const reply of await ask(4, '192.0.2.1')) {
      assert.equal(reply.status, 429)
      const [, seconds] = /can look up 20 cards a minute\. Try again in (\d+) s/.exec(textOf(reply.body))!
      assert.equal(reply.headers['retry-after'], seconds)
    }
    assert.equal((await open(paths[0]!, '192.0.2.2')).status, 200)
    assert.equal((await open('/', '192.0.2.1')).status, 200)
    const letters = strangerSuggestionsPerMinuteMax + 1
    const typed = await Promise.all(Array.from({ length: letters }, () => open('/suggestions.json?q=a', '192.0.2.1')))
    assert.equal(typed.filter(({ status }) => status === 429).length, 1)
  })

  it('with an account, and only with one, find the history on the same address', async () => {
    const { person } = await service.shop('trader')
    const { body } = await person.open('/cards/pokemon-base1-004?period=all')
    assert.equal(rowsOf(body, 'Price history').length, 1 + charizardHistory.length)
    assert.match(body, /href="\/cards\/pokemon-base1-004\?period=30d#price-history"/)
    const found = await person.open('/look-up?q=charizard')
    assert.match(found.body, /<th scope="row"><a href="\/dashboard\/cards\/pokemon-base1-004">/)
  })

  it('look nothing up where about.json says that it is not public', async () => {
    service.data.about = { public: false }
    for (const path of ['/look-up?q=charizard', '/cards/pokemon-base1-004']) {
      const { status, headers } = await open(path)
      assert.deepEqual([status, headers.location], [303, '/'], path)
    }
    assert.equal((await open('/suggestions.json?q=char')).status, 403)
    for (const path of ['/', '/docs', '/status'])
      assert.doesNotMatch((await open(path)).body, /Card name|href="\/cards/)
    const { person } = await service.shop('trader')
    assert.equal((await person.open('/cards/pokemon-base1-004')).status, 200)
  })

  it('read on the status page whether prices are served, of which date, and since when', async () => {
    const { body } = await open('/status')
    const served = /Status Prices are served\. Prices of 20 Nov 2026 \(UTC\) Served since \d+ \w+ \d{4}, \d\d:\d\d UTC/
    assert.match(textOf(body), served)
    const none = await startServiceHere({ storeDir: temporaryFolder() })
    assert.match(textOf((await send(none.pages, '/status')).body), /Status No prices are served/)
    service.data.about = { status: 'https://status.laden.example' }
    assert.match((await open('/')).body, /<a href="https:\/\/status\.laden\.example" rel="noreferrer">Status</)
    await none.stop()
  })

  it('see the operator’s accent and logo, under addresses that change with them', async () => {
    const logo = { type: 'image/svg+xml', bytes: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') } as const
    const partsOf = async () => {
      const { body } = await open('/')
      return [/rel="stylesheet" href="([^"]*)"/, /class="name has-logo" href="\/"><img src="([^"]*)"/].map(
        (form) => form.exec(body)?.[1],
      )
    }
    const [plain] = await partsOf()
    service.data.about = { accent: '#7a1f5c', logo }
    const [style, picture] = await partsOf()
    assert.notEqual(style, plain)
    const sent = await send(service.pages, style!)
    assert.match(sent.body, /:root\{--accent:#7a1f5c;/)
    assert.ok(sent.body.startsWith((await send(service.pages, plain!)).body))
    const shown = await send(service.pages, picture!)
    assert.deepEqual([shown.body, shown.headers['content-type']], [logo.bytes.toString(), logo.type])
    assert.match(shown.headers['content-security-policy'] as string, /^default-src 'none'; .*sandbox$/)
    service.data.about = { accent: '#005a3c' }
    assert.notEqual((await partsOf())[0], style)
    assert.equal((await send(service.pages, style!)).status, 200, 'a page that is open still finds it')
    assert.equal((await send(service.pages, '/brand/000000000000/style.css')).status, 404)
  })
})
