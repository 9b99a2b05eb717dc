/** Prices on the pages: how they have changed, the movers of the week, and what a list is worth. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { decodeHTMLStrict } from 'entities'
import {
  listBytesMax,
  listFormBytesMax,
  listLineCharsMax,
  listLinesMax,
  listLinesPerLookUp,
  strangerListLinesMax,
  strangerLookUpsPerMinuteMax,
} from '../../src/limits.ts'
import { accounts, build } from '../support/command.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { type Reply, send } from '../support/service.ts'
import { snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'
import { head, listBody, listType, opened } from './open-form.ts'
import { formsIn, type Person, rowsOf, textOf } from './person.ts'
import { servePages } from './service-here.ts'

const formula = '=HYPERLINK("http://evil.example";"1")'
const odd = [
  { id: 'mtg-lea-x1', game: 'mtg', name: formula, setCode: 'lea', number: '-5', prices: { market: 1.15 } },
  {
    id: 'mtg-lea-x2',
    game: 'mtg',
    name: 'Onyx',
    setCode: 'lea',
    number: '7',
    prices: { market: 2.1, conditions: { near_mint: 2.3 } },
  },
  { id: 'mtg-base1-x3', game: 'mtg', name: 'Onyx', setCode: 'base1', number: '8', prices: { market: 0.07 } },
]
describe('The value of a list on the pages', () => {
  const files = { 'cards/odd.ndjson': odd, 'about.json': '{"currency":"EUR"}' }
  const service = servePages((indexDir) => build(snapshotOf(files, fixtureSnapshot()), indexDir), true)
  let addresses = 0
  const signedIn = async () => (await service.shop('free', '/dashboard/value')).person

  const totalOf = ({ body }: Reply) => /data-total>(.*?)<\/p>/s.exec(body)?.[1]
  const countsOf = ({ body }: Reply) =>
    Object.fromEntries(
      [...body.matchAll(/data-count="(\w+)"><data value="(\d+)"/g)].map(([, name, value]) => [name, Number(value)]),
    )

  const wrongIn = ({ body }: Reply) => textOf(/id="list-wrong" role="alert">(.*?)<\/p>/s.exec(body)?.[1] ?? '')
  const listIn = ({ body }: Reply) => decodeHTMLStrict(/<textarea[^>]*>\n(.*?)<\/textarea>/s.exec(body)![1]!)

  it('The form of ambiguous lines adds the chosen candidate to the total, and no card that was not offered', async () => {
    const person = await signedIn()
    const lines = 'Quantity,Name,Condition\n3,Onyx,NM\n1,Charizard,NM\n'
    await person.press('Value it', { list: lines })
    const [, , row] = rowsOf(person.page!.body, 'Ambiguous lines')[1]!
    const options = 'Choose a card Onyx · Base Set · 8 · 0.07 Onyx · Limited Edition Alpha · 7 · 2.30'
    assert.equal(row, `${options} more cards for this line`)
    const chosen = await person.press('Update the total', { list: lines, 'card-2': 'mtg-lea-x2' })
    assert.equal(textOf(totalOf(chosen)!), '357.02 EUR')
    const wrong = { 'card-2': 'pokemon-base1-004', 'card-3': 'mtg-lea-x2' }
    const other = await person.press('Update the total', { list: lines, ...wrong })
    assert.equal(textOf(totalOf(other)!), '350.12 EUR')
  })

  it('The CSV of a list has no formula', async () => {
    const person = await signedIn()
    const text = `name,number,set\n"${formula.replaceAll('"', '""')}",-5,LEA\n@onyx,,\n"Onyx",8,base1\n`
    const { body } = await person.post('/dashboard/value.csv', new URLSearchParams({ list: text }).toString())
    const quoted = formula.replaceAll('"', '""')
    assert.deepEqual(body.split('\r\n'), [
      '\ufeffline,quantity,name,set,number,printing,rarity,condition,unit price,amount,currency,match,id,text',
      `2,1,"'${quoted}",Limited Edition Alpha,'-5,,,,1.15,1.15,EUR,exact,mtg-lea-x1,"""${quoted.replaceAll('"', '""')}"",-5,LEA"`,
      `3,1,'@onyx,,,,,,,,,ambiguous,,"'@onyx,,"`,
      '4,1,Onyx,Base Set,8,,,,0.07,0.07,EUR,exact,mtg-base1-x3,"""Onyx"",8,base1"',
      '',
    ])
  })

  /** As a browser sends a form with a file. */
  function withFile(
    bytes: Buffer,
    headers: Record<string, string>,
    text = 'passed over',
    path = '/value',
  ): Promise<Reply> {
    const part = (name: string, more = '') => `--b1\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`
    const body = Buffer.concat([
      Buffer.from(`${part('list')}${text}\r\n${part('file', '; filename="a.csv"')}`),
      bytes,
      Buffer.from(`\r\n${part('game')}pokemon\r\n--b1--\r\n`),
    ])
    const type = { 'content-type': 'multipart/form-data; boundary=b1' }
    return send(service.pages, path, { method: 'POST', headers: { ...type, ...headers }, body: body as never })
  }

  it('A list’s file is read in place of its field, in each encoding that spreadsheets write', async () => {
    const text = 'name;set\r\nCharizard;Base Set\r\nÉ;Base Set\r\n'
    const marked = `\ufeff${text}`
    const encodings = [
      Buffer.from(text),
      Buffer.from(marked),
      Buffer.from(marked, 'utf16le'),
      Buffer.from(text, 'latin1'),
    ]
    for (const bytes of encodings) {
      const reply = await withFile(bytes, { 'x-forwarded-for': `192.0.2.${++addresses}` })
      assert.deepEqual([reply.status, textOf(totalOf(reply) ?? '')], [200, '350.13 EUR'], reply.body)
      assert.match(reply.body, /É;Base Set/)
    }
    assert.equal((await withFile(Buffer.alloc(0), {}, '1 Charizard')).status, 200)
  })

  const wrong: readonly (readonly [name: string, list: string, status: number, message: RegExp])[] = [
    ['headings alone', 'Deck\n// Lands\n', 400, /no line with a card/],
    ['too many lines', '1 Forest\n'.repeat(strangerListLinesMax + 1), 400, /Without an account, .* at most 100 lines/],
    ['too many blank lines', '\n'.repeat(10 * listLinesMax).concat('a'), 400, /at most 100 lines/],
    ['a line without end', 'x'.repeat(11_000), 400, /at most 100 lines/],
    ['too many bytes', 'x'.repeat(listBytesMax + listLinesMax + 1), 413, /A list has at most 2 MB/],
    ['as many lines as may be', '1 Forest\n'.repeat(strangerListLinesMax), 200, /^$/],
    ['as many blank lines', '\n'.repeat(2 * strangerListLinesMax - 1).concat('a'), 200, /^$/],
    ['as many long lines', `${'x'.repeat(listLineCharsMax)}\n`.repeat(27), 200, /^$/],
  ]
  it('A wrong list is shown with the reason beside the field', async () => {
    for (const [name, text, status, message] of wrong) {
      const reply = await withFile(Buffer.from(text), { 'x-forwarded-for': `192.0.2.${++addresses}` }, '')
      assert.equal(reply.status, status, name)
      assert.match(wrongIn(reply), message, name)
    }
  })

  it('A list of JSON, XML or HTML gets 400, a sentence that names the format, and its text back in the field', async () => {
    const texts = {
      JSON: '{"cards": [{"name": "Charizard", "count": 4}]}',
      XML: '<?xml version="1.0"?>\n<cards><card name="Charizard"/></cards>',
      HTML: '<!doctype html>\n<table><tr><td>4 Charizard</td></tr></table>',
    }
    const { cookie } = await signedIn()
    for (const [form, text] of Object.entries(texts)) {
      for (const path of ['/value', '/value.csv', '/dashboard/value', '/dashboard/value.csv']) {
        const headers = path.startsWith('/dashboard') ? { cookie } : { 'x-forwarded-for': `192.0.2.${++addresses}` }
        const reply = await withFile(Buffer.from(text), headers, '', path)
        const [says, shown] = [wrongIn(reply), listIn(reply)]
        assert.deepEqual([reply.status, shown, totalOf(reply)], [400, text, undefined], `${form} ${path}`)
        assert.match(says, new RegExp(`^This is ${form}, not a list of cards\\. .* Your list is still here\\.$`))
      }
    }
  })

  const usedOf = async (person: Person): Promise<number> =>
    JSON.parse((await person.open('/dashboard/usage.json')).body).used

  it('A list counts a request for each 20 lines, and a list too long for the rest of the quota gets 429', async () => {
    const { person, key } = await service.shop('free', '/dashboard/value')
    const { cookie } = person
    const sent = (lines: number, path = '/dashboard/value') =>
      withFile(Buffer.from('1 Onyx\n'.repeat(lines)), { cookie }, '', path)
    const long = await sent(2001)
    assert.deepEqual([long.status, countsOf(long)['unmatched'], await usedOf(person)], [200, 2001, 101])
    assert.equal((await sent(1, '/dashboard/value.csv')).status, 200)
    const headers = { 'x-api-key': key }
    const { headers: limits } = await send(service.address, '/v1/games', { headers })
    assert.equal(limits['x-ratelimit-remaining'], '97')
    const refused = await sent(97 * 20 + 1)
    assert.equal(refused.status, 429)
    assert.match(refused.headers['retry-after'] as string, /^\d+$/)
    assert.match(wrongIn(refused), /^1,940 lines can be valued today: 97 requests .* this list has 1,941 lines/)
    assert.equal(listIn(refused), '1 Onyx\n'.repeat(97 * 20 + 1))
    assert.equal(await usedOf(person), 103)
    assert.equal((await sent(97 * 20)).status, 200)
    assert.match(wrongIn(await sent(1)), /^No lines can be valued today: 0 requests .* resets at 00:00 UTC \(in \d/)
    assert.equal((await send(service.address, '/v1/games', { headers })).status, 429)
    assert.equal((await person.open('/dashboard/look-up?q=onyx')).status, 200, 'look-ups do not count')
  })

  /** Sends a list from the account, and disconnects. */
  async function leaving(
    { cookie }: Person,
    list: string,
    leaves: (socket: Socket) => Promise<unknown>,
    path = '/dashboard/value',
  ): Promise<void> {
    const body = listBody(list)
    const more = `Cookie: ${cookie}\r\nOrigin: ${service.pages}\r\n`
    const socket = await opened(service.pages, head(path, listType, body.length, more) + body)
    await leaves(socket.pause())
    socket.destroy()
  }

  it('A list whose reader leaves is refunded the requests of lines that were not valued', async () => {
    const { person } = await service.shop('trader', '/dashboard/value')
    // The field alone is more than a connection holds.
    const list = `1 ${'&'.repeat(180)}\n`.repeat(listLinesMax)
    await leaving(person, list, () => until('it is counted', async () => (await usedOf(person)) === 500))
    await until('it is given back', async () => (await usedOf(person)) === 0)
    const lines = 4000
    const read = async (socket: Socket) => {
      let text = ''
      for await (const piece of socket.setEncoding('utf8').resume()) {
        text += piece
        if (text.split('1 Onyx').length > lines) return
      }
      assert.fail(text.slice(0, 1000))
    }
    await leaving(person, '1 Onyx\n'.repeat(listLinesMax), read, '/dashboard/value.csv')
    await until('some is given back', async () => (await usedOf(person)) < 500)
    const used = await usedOf(person)
    assert.ok(used >= lines / listLinesPerLookUp, `${used} requests for over ${lines} lines`)
  })

  it('A pasted list whose reader leaves while it waits is not valued, and uses no requests', async () => {
    const { person } = await service.shop('trader', '/dashboard/value')
    const { cookie } = person
    const long = '1 Onyx\n'.repeat(listLinesMax)
    const valued = [1, 2].map(() => withFile(Buffer.from(long), { cookie }, '', '/dashboard/value.csv'))
    await until('they are valued', async () => (await usedOf(person)) > 0)
    await Promise.all([1, 2, 3].map(() => leaving(person, long, () => pause(20))))
    for (const { status } of await Promise.all(valued)) assert.equal(status, 200)
    const next = await withFile(Buffer.from(long), { cookie }, '', '/dashboard/value.csv')
    assert.deepEqual([next.status, await usedOf(person)], [200, 1500])
  })

  it('A slow list reports how many lines are done, and then shows its result alone', async (t) => {
    const { cookie } = await signedIn()
    let now = performance.now()
    // Each look at the clock takes a while.
    const mocked = t.mock.method(performance, 'now', () => (now += 10))
    const { body } = await withFile(Buffer.from('1 Onyx\n'.repeat(200)), { cookie }, '', '/dashboard/value')
    mocked.mock.restore()
    const marks = [
      ...body.matchAll(
        /<p><progress max="200" value="(\d+)" aria-label="Lines valued"><\/progress> (\d+) of 200 lines<\/p>/g,
      ),
    ]
    assert.ok(marks.length > 1, `${marks.length} marks`)
    for (const [i, [, value, text]] of marks.entries()) {
      assert.equal(value, text)
      assert.ok(Number(value) > Number(marks[i - 1]?.[1] ?? 0))
    }
    assert.ok(body.lastIndexOf('<progress') < body.indexOf('class="valued"'))
    assert.equal(countsOf({ body } as Reply)['unmatched'], 200)
    const quick = await withFile(Buffer.from('1 Onyx\n'), { cookie }, '', '/dashboard/value')
    assert.doesNotMatch(quick.body, /<progress/)
  })

  it('The list of a stranger counts as one look-up for each 20 lines', async () => {
    const from = { 'x-forwarded-for': '192.0.2.240' }
    const bytes = Buffer.from('1 Onyx\n'.repeat(strangerListLinesMax))
    const looks = strangerListLinesMax / listLinesPerLookUp
    for (let i = 0; i < strangerLookUpsPerMinuteMax / looks; i++)
      assert.equal((await withFile(bytes, from)).status, 200)
    const refused = await withFile(bytes, from)
    assert.equal(refused.status, 429)
    assert.match(refused.headers['retry-after'] as string, /^\d+$/)
    assert.match(wrongIn(refused), /Try again in \d+ s\..* 20 lines count as one card/)
    assert.equal(listIn(refused), `${bytes}`)
  })

  it('A list stays in its field if the session has ended or the account is suspended', async () => {
    const list = '1 Onyx\n2 <b>\n'
    const { person, name } = await service.shop('free', '/dashboard/value')
    await accounts(service.storeDir, 'suspend', name)
    const suspended = await person.press('Value it', { list })
    assert.deepEqual([suspended.status, listIn(suspended)], [403, list])
    assert.match(wrongIn(suspended), /account is suspended/)
    await accounts(service.storeDir, 'resume', name)
    const { action } = formsIn(person.page!.body).find(({ buttons }) => buttons.includes('Value it'))!
    await accounts(service.storeDir, 'sign-out', name)
    for (const path of ['/dashboard/value', '/dashboard/value.csv']) {
      const ended = await person.post(path, new URLSearchParams({ list }).toString())
      assert.deepEqual([ended.status, listIn(ended)], [401, list])
      assert.match(wrongIn(ended), /^Your session has ended\. Your list is still here\. Sign in again in another tab/)
      assert.equal(formsIn(ended.body).find(({ buttons }) => buttons.includes('Value it'))!.action, action)
    }
  })

  it('The buttons choose the cheapest or the newest card of each line, and undo that', async () => {
    const person = await signedIn()
    const lines = 'Quantity,Name\n3,Onyx\n1,Charizard\n1,Onyx\n'
    const base = { list: lines, 'card-2': 'mtg-lea-x2' }
    const press = async (button: string, fields: Record<string, string>) => {
      const reply = await person.press(button, fields)
      const chosen = [...reply.body.matchAll(/<option value="([^"]+)" selected data-unit/g)].map(([, id]) => id)
      return [textOf(totalOf(reply)!), ...chosen]
    }
    assert.deepEqual(await press('Value it', base), ['356.43 EUR', 'mtg-lea-x2'])
    const cheapest = await press('Cheapest of each', { ...base, pick: 'cheapest' })
    assert.deepEqual(cheapest, ['350.41 EUR', 'mtg-base1-x3', 'mtg-base1-x3'])
    const [, undo] = /name="undo" value="([^"]*)">Undo</.exec(person.page!.body)!
    const picked = { list: lines, 'card-2': 'mtg-base1-x3', 'card-4': 'mtg-base1-x3' }
    assert.deepEqual(await press('Undo', { ...picked, undo: undo! }), ['356.43 EUR', 'mtg-lea-x2'])
    const newest = await press('Newest of each', { ...picked, pick: 'newest' })
    assert.deepEqual(newest, ['350.41 EUR', 'mtg-base1-x3', 'mtg-base1-x3'])
  })

  it('A list from another site, or one too large, is refused', async () => {
    const from = (headers: Record<string, string>, size = 10) =>
      withFile(Buffer.alloc(size, 97), { 'x-forwarded-for': '192.0.2.250', ...headers })
    assert.equal((await from({ origin: 'https://evil.example' })).status, 403)
    assert.equal((await from({ 'sec-fetch-site': 'cross-site' })).status, 403)
    const { cookie } = await signedIn()
    for (const path of ['/value', '/value.csv', '/dashboard/value', '/dashboard/value.csv']) {
      const reply = await withFile(Buffer.from('1 Onyx'), { cookie, origin: 'null' }, '', path)
      assert.deepEqual(
        [reply.status, reply.headers['content-type']?.slice(0, 8)],
        [200, path.endsWith('v') ? 'text/csv' : 'text/htm'],
      )
    }
    assert.equal((await from({}, listFormBytesMax)).status, 413)
  })

  it('A list is stored nowhere: not in the log, not in the store', async () => {
    const person = await signedIn()
    const secret = 'Xyzzyplugh Quuxcard'
    await person.press('Value it', { list: `1 ${secret}\n1 Charizard\n` })
    assert.match(person.page!.body, new RegExp(secret))
    assert.ok(!service.log().includes('Xyzzyplugh'))
    for (const name of readdirSync(service.storeDir)) {
      assert.ok(!readFileSync(join(service.storeDir, name)).includes('Xyzzyplugh'), name)
    }
  })
})
