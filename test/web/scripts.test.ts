/** The scripts of the pages, each on markup as its page has it: what they do without a layout. test/browser/ has the rest. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { build } from '../support/command.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'
import { runInWindow } from './in-window.ts'
import { servePages } from './service-here.ts'

const json = (value: unknown) =>
  new Response(JSON.stringify(value), { headers: { 'content-type': 'application/json' } })

it('Figures on a page keep their decimals and sign, days their date, and moments get a title', async () => {
  const { document } = await runInWindow(
    'shared/figures',
    `<data id="price" value="1234.50"></data><data id="down" value="-3.10"></data><data id="up" value="+2.0"></data>
    <time id="day" datetime="2026-11-20"></time><span class="utc"><time id="utc" datetime="2026-11-20T00:00:00Z">00:00 UTC</time></span>`,
  )
  const text = (id: string) => document.getElementById(id)!.textContent
  assert.deepEqual([text('price'), text('down'), text('up')], ['1,234.50', '−3.10', '+2.0'])
  assert.equal(text('day'), 'Nov 20, 2026')
  assert.equal(text('utc'), '00:00 UTC')
  assert.notEqual(document.getElementById('utc')!.title, '')
})

it('The copy button appears, copies its element’s text, and selects it if copying is not allowed', async () => {
  const markup = '<code id="key">cpl</code><button data-copy="key" hidden>Copy</button><span id="key-copied"></span>'
  const { document, window, text } = await runInWindow('shared/copy', markup)
  const button = document.querySelector('button')!
  assert.equal(button.hidden, false)
  button.click()
  await until('it is copied', () => text('#key-copied') !== '')
  assert.equal(text('#key-copied'), 'Copied')
  assert.equal(await window.navigator.clipboard.readText(), 'cpl')
  window.navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))
  button.click()
  await until('it is selected', () => text('#key-copied') !== 'Copied')
  assert.equal(String(window.getSelection()), 'cpl')
})

describe('Charts', () => {
  /** Stands for uPlot, which needs a canvas: takes what it is given, and points where it is told. */
  class Plot {
    static readonly paths = { bars: () => () => null }
    static made: Plot
    readonly cursor: { idx: number | null } = { idx: null }
    // biome-ignore lint/suspicious/noExplicitAny: the options are uPlot's
    readonly options: any
    data: number[][]
    constructor(options: object, data: number[][]) {
      this.options = options
      this.data = data
      Plot.made = this
    }
    setData(data: number[][]): void {
      this.data = data
    }
    valToPos = (value: number) => value
    setSize(): void {}
    setCursor({ left }: { left: number }): void {
      this.cursor.idx = left < 0 ? null : this.data[0]!.indexOf(left)
      for (const tell of this.options.hooks.setCursor) tell(this)
    }
  }
  const row = (date: string, market: string, low: string) => `<tr>
    <th><time datetime="${date}">${date}</time></th>
    <td>${market && `<data value="${market}">${market}</data>`}</td><td><data value="${low}">${low}</data></td></tr>`
  const page = (kind: string, ...rows: string[]) => `<p id="prices-pointed"></p>
    <div data-chart="${kind}" data-table="prices" tabindex="0"></div>
    <table id="prices"><thead><tr><th>Date</th><th>Market</th><th>Low</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
  const second = (date: string) => Date.parse(date) / 1000

  it('Charts are drawn from their table, the oldest day first, and keys move through the days, each given in words', async () => {
    Object.defineProperty(globalThis, 'uPlot', { value: Plot, configurable: true })
    const rows = [row('2026-11-20', '2.5', '2'), row('2026-11-19', '', '1.5'), row('2026-11-18', '1', '0.5')]
    const { document, window, send, text } = await runInWindow('shared/charts', page('band', ...rows))
    const { made } = Plot
    const days = ['2026-11-18', '2026-11-19', '2026-11-20'].map(second)
    assert.deepEqual(made.data, [days, [1, null, 2.5], [0.5, 1.5, 2]])
    const told = { last: '2026-11-20 · Market 2.5 · Low 2', first: '2026-11-18 · Market 1 · Low 0.5' }
    assert.equal(text('#prices-pointed'), told.last)
    const press = (key: string, more: object = {}) => {
      const event = new window.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more })
      send('[data-chart]', event)
      return [text('#prices-pointed').slice(0, 10), event.defaultPrevented]
    }
    assert.deepEqual(
      [press('ArrowLeft'), press('ArrowLeft'), press('ArrowLeft'), press('ArrowRight'), press('PageUp'), press('End')],
      ['2026-11-19', '2026-11-18', '2026-11-18', '2026-11-19', '2026-11-18', '2026-11-20'].map((day) => [day, true]),
    )
    assert.deepEqual([press('Home'), text('#prices-pointed')], [['2026-11-18', true], told.first])
    assert.deepEqual(
      [press('End', { ctrlKey: true }), press('x')],
      [...Array(2)].map(() => ['2026-11-18', false]),
    )
    send('[data-chart]', 'blur')
    assert.equal(text('#prices-pointed'), told.last)
    document.querySelector('data').value = '7'
    send('table', 'figures')
    assert.deepEqual(made.data[1], [1, null, 7])
    const [, prices] = made.options.axes
    const two = { minimumFractionDigits: 2 }
    assert.deepEqual(
      prices.values(made, [1, 1.5], 1, 40, 0.5),
      ['1', '1.5'].map((each) => Number(each).toLocaleString(undefined, two)),
    )
    assert.deepEqual(made.options.scales.x.range(made, 5, 9), [5, 9])
  })

  it('Charts show a single day in the middle, and bars from 0 on', async () => {
    Object.defineProperty(globalThis, 'uPlot', { value: Plot, configurable: true })
    await runInWindow('shared/charts', page('band', row('2026-11-20', '2.5', '2')))
    const [day, half] = [second('2026-11-20'), 43_200]
    assert.deepEqual(Plot.made.options.scales.x.range(Plot.made, day, day), [day - half, day + half])
    await runInWindow('shared/charts', page('bars', row('2026-11-20', '2', '2')))
    const { x, y } = Plot.made.options.scales
    assert.deepEqual(
      [x.range(Plot.made, day, day), y.range(Plot.made, 7, 100)],
      [
        [day - half, day + half],
        [0, 105],
      ],
    )
    assert.deepEqual(y.range(Plot.made, 0, 1), [0, 5])
  })

  it('The axis of a price chart follows the market price, however far away a low or a high is', async () => {
    Object.defineProperty(globalThis, 'uPlot', { value: Plot, configurable: true })
    await runInWindow('shared/charts', page('band', row('2026-11-20', '91', '0.01'), row('2026-11-19', '100', '9999')))
    const { y } = Plot.made.options.scales
    const [low, high] = y.range(Plot.made, 0.01, 9999)
    assert.ok(low > 85 && low < 91 && high > 100 && high < 105, `${low} to ${high}`)
    Plot.made.setData([[1], [null as never], [4]])
    assert.deepEqual(y.range(Plot.made, 4, 4), [3.6, 4.4])
    Plot.made.setData([[1], [0], [4]])
    assert.deepEqual(y.range(Plot.made, 0, 4), [0, 1])
  })
})

it('A preset fills in the expiry date, a typed date chooses its preset, and Escape closes a menu', async () => {
  const { document, window, send } = await runInWindow(
    'account/keys',
    `<input id="expires"><input type="radio" name="expires-in" data-date="2026-12-26"><input type="radio" name="expires-in" data-date="">
    <details class="menu" open><summary>More</summary></details>`,
  )
  const date = document.querySelector('#expires')!
  const [month, never] = document.querySelectorAll('[name="expires-in"]')
  send('[data-date="2026-12-26"]', 'change')
  assert.equal(date.value, '2026-12-26')
  date.value = ''
  send('#expires', 'input')
  assert.deepEqual([month!.checked, never!.checked], [false, true])
  document.dispatchEvent(new window.KeyboardEvent('keydown', { key: 'Escape' }))
  assert.equal(document.querySelector('details')!.open, false)
})

it('A chosen language is shown in every example that has it, and arrow keys go round', async () => {
  const sample = (n: number, ...languages: string[]) =>
    `<div role="tablist">${languages.map((l) => `<button role="tab" aria-controls="${l}-${n}">${l}</button>`).join('')}</div>
    ${languages.map((l) => `<div role="tabpanel" id="${l}-${n}"></div>`).join('')}`
  const { document, window } = await runInWindow(
    'docs/tabs',
    sample(1, 'curl', 'Python') + sample(2, 'curl', 'Python') + sample(3, 'curl'),
  )
  const chosen = () => [...document.querySelectorAll('.chosen')].map(({ id }: { id: string }) => id)
  const tab = (id: string) => document.querySelector(`[aria-controls="${id}"]`)!
  tab('Python-1').click()
  assert.deepEqual(chosen(), ['Python-1', 'Python-2'])
  assert.deepEqual([tab('Python-1').ariaSelected, tab('curl-1').ariaSelected], ['true', 'false'])
  tab('Python-1').dispatchEvent(new window.KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))
  assert.deepEqual(chosen(), ['curl-1', 'curl-2', 'curl-3'])
  tab('curl-1').dispatchEvent(new window.KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true }))
  assert.deepEqual(chosen(), ['Python-1', 'Python-2', 'curl-3'])
})

it('Suggestions are requested when typing pauses, chosen with arrow keys, and searched for with Enter', async () => {
  const asked: string[] = []
  const { document, window, send } = await runInWindow(
    'shared/suggest',
    `<form><input id="q" data-suggestions="/suggestions.json"><input name="game" value=""></form>`,
    async (address) => {
      asked.push(address)
      return json({
        names: address.includes('cha') ? ['Charm', 'Charizard', 'Charmander'] : ['Charizard', 'Charmander'],
      })
    },
  )
  const field = document.querySelector('#q')!
  let submitted = 0
  field.form!.requestSubmit = () => submitted++
  field.focus()
  for (const typed of ['c', 'ch']) {
    field.value = typed
    send('#q', 'input')
  }
  const list = document.querySelector('[role="listbox"]')!
  await until('names are shown', () => !list.hidden)
  assert.deepEqual(asked, ['/suggestions.json?q=ch&of=cards'])
  assert.equal(document.querySelector('[aria-live="polite"]').textContent, '2 suggestions')
  const press = (key: string) =>
    send('#q', new window.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
  const active = () =>
    [...list.children].find(({ ariaSelected }: { ariaSelected: string }) => ariaSelected === 'true')?.textContent
  for (const expected of ['Charizard', 'Charmander', undefined, 'Charizard']) {
    press('ArrowDown')
    assert.equal(active(), expected)
  }
  field.value = 'cha'
  send('#q', 'input')
  await until('more names are shown', () => list.children.length === 3)
  assert.equal(active(), 'Charizard', 'what somebody points at stays')
  for (const _ of ['Charm', 'the field', 'Charmander']) press('ArrowUp')
  assert.equal(active(), 'Charmander')
  press('Enter')
  assert.deepEqual([field.value, submitted, list.hidden], ['Charmander', 1, true])
  press('ArrowDown')
  press('Escape')
  assert.equal(list.hidden, true)
})

it('The reference’s request form sends path, query and key and shows the response, and is hidden for another origin', async () => {
  const markup = (
    api: string,
  ) => `<article data-api="${api}"><p data-untried>elsewhere</p><input id="key" value="cpl"><div hidden>
    <form data-method="GET" data-path="/v1/cards/{id}/history"><input data-in="path" name="id" value="a/b">
    <input data-in="query" name="period" value="7d"><input data-in="query" name="format" value=""><pre hidden></pre></form></div></article>`
  const asked: unknown[] = []
  const { document, send } = await runInWindow('docs/try', markup('https://prices.example'), async (address, sent) => {
    asked.push([address, sent?.method, sent?.headers])
    return json({ data: 1 })
  })
  assert.equal(document.querySelector('[data-untried]')!.hidden, true)
  send('form', 'submit')
  const shown = document.querySelector('pre')!
  await until('the answer is shown', () => !shown.hidden)
  assert.deepEqual(asked, [['https://prices.example/v1/cards/a%2Fb/history?period=7d', 'GET', { 'X-API-Key': 'cpl' }]])
  assert.match(shown.textContent, /^200 \n\n\{\n {2}"data": 1\n\}$/)
  const elsewhere = await runInWindow('docs/try', markup('https://api.example'))
  assert.equal(elsewhere.document.querySelector('form')!.parentElement!.hidden, true)
})

it('Usage is updated by its script, which says when the quota is used up', async () => {
  const now = {
    date: '2026-11-26',
    used: 200,
    limit: 200,
    text: '200 of 200',
    resetsAt: 0,
    resetsIn: '1 h',
    refused: 3,
  }
  const { document, text } = await runInWindow(
    'account/usage',
    `<p id="used"><data value="7">7</data> of <data value="200">200</data></p><meter id="used-meter" max="200" value="7"></meter>
    <div id="exhausted" hidden><span id="refused" hidden><data value="0">0</data></span></div><span class="resets-in">2 h</span>
    <table><tr><td><time datetime="2026-11-26"></time></td><td><data value="7">7</data></td></tr></table>`,
    async (address) => {
      assert.equal(address, '/dashboard/usage.json')
      return json(now)
    },
  )
  await until('it is up to date', () => text('#used data') === '200')
  assert.deepEqual([text('.resets-in'), text('#refused'), text('td data')], ['1 h', '3', '200'])
  assert.equal(document.querySelector('#exhausted')!.hidden, false)
  assert.equal(document.querySelector('meter')!.ariaValueText, '200 of 200')
})

it('A page that comes back from the browser’s memory is loaded again', async () => {
  const { document, window } = await runInWindow('shared/fresh', '<p>page</p>')
  const event = (name: string, persisted: boolean) =>
    window.dispatchEvent(Object.assign(new window.Event(name), { persisted }))
  let reloads = 0
  window.location.reload = () => reloads++
  Object.assign(globalThis, { location: { reload: () => reloads++ } })
  event('pagehide', true)
  assert.equal(document.body.hidden, true)
  event('pageshow', false)
  assert.equal(reloads, 0)
  event('pageshow', true)
  assert.equal(reloads, 1)
})

describe('The script of lists', () => {
  const onyx = [
    { id: 'mtg-lea-x2', game: 'mtg', name: 'Onyx', setCode: 'lea', number: '7', prices: { market: 2.1 } },
    { id: 'mtg-base1-x3', game: 'mtg', name: 'Onyx', setCode: 'base1', number: '8', prices: { market: 0.07 } },
  ]
  const service = servePages((dir) => build(snapshotOf({ 'cards/onyx.ndjson': onyx }, fixtureSnapshot()), dir))

  it('The script of lists shows the value of the list in its field, and keeps the list if the server can’t be reached', async () => {
    const { person } = await service.shop('trader', '/dashboard/value')
    let isAway = false
    const { document, text, window } = await runInWindow('lists/value', person.page!.body, async (address, sent) => {
      if (isAway) throw new TypeError('fetch failed')
      const form = new URLSearchParams()
      // The field for a file is empty.
      for (const [name, field] of sent!.body as FormData) if (typeof field === 'string') form.set(name, field)
      return new Response((await person.post(new URL(address).pathname, form.toString())).bytes)
    })
    const field = document.querySelector('textarea[name="list"]')
    const list = '3 Onyx\n1 Charizard\n1 Nobody'
    field.value = list
    const submit = () =>
      document.querySelector('form.value-list').dispatchEvent(new window.Event('submit', { cancelable: true }))
    assert.equal(submit(), false, 'the browser does not send the form itself')
    await until('it is valued', () => document.querySelector('.valued') !== null)
    const total = () => text('[data-total] data')
    const counted = () =>
      ['priced', 'ambiguous', 'unmatched'].map((name) => text(`[data-count="${name}"] data`)).join(' ')
    assert.deepEqual([total(), counted()], ['350.13', '1 1 1'])
    isAway = true
    submit()
    await until('it says so', () => document.querySelector('#list-wrong') !== null)
    assert.match(text('#list-wrong'), /^The server could not be reached\. Your list is still here: try again\.$/)
    assert.equal(field.value, list)
    assert.equal(document.querySelector('.primary').disabled, false)
  })
})

it('A set’s page says how many numbers the browser’s lists have, what the others cost, and marks each own card', async () => {
  const card = (id: string) => `<tr><th><a href="/cards/${id}">${id}</a></th></tr>`
  const kept = (lines: unknown[]) =>
    JSON.stringify({
      version: 1,
      name: 'box',
      text: '',
      game: '',
      columns: null,
      choices: [],
      valued: { at: '2026-11-12T10:00:00.000Z', currency: '', cents: 0, cards: 1, lines },
      before: null,
    })
  const { document, window } = await runInWindow('shared/copy', '')
  window.localStorage.setItem('card-prices-list:1', kept([['1', 2, 'a-reverse', 5]]))
  window.localStorage.setItem(
    'card-prices-list:2',
    kept([
      ['1', 1, 'b', null],
      ['2', 1, null, null],
    ]),
  )
  document.write(`<p class="kept-of-set" data-numbers="/sets/x/y?format=numbers">none</p>
    <section><h2 id="cards"></h2><table><tbody>${['a', 'a-reverse', 'b', 'c', 'd'].map(card).join('')}</tbody></table></section>`)
  Object.assign(globalThis, {
    fetch: async () =>
      json([
        { ids: ['a', 'a-reverse'], cents: 10 },
        { ids: ['b'], cents: 300 },
        { ids: ['c'], cents: 4120 },
        { ids: ['d'], cents: null },
      ]),
  })
  const script: string = '../../src/web/sets/kept-set.browser.ts'
  await import(script)
  const said = () => document.querySelector('.kept-of-set').textContent
  await until('it says so', () => said() !== 'none')
  assert.equal(said(), 'You have 2 of 4; the missing ones cost 41.20, without 1 whose price is unknown.')
  assert.deepEqual(
    [...document.querySelectorAll('.own a')].map(({ textContent }: { textContent: string }) => textContent),
    ['a-reverse, 2 in your lists', 'b, 1 in your lists'],
  )
})
