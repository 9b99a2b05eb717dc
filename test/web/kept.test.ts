/** The lists that a browser keeps: what is written to its storage, read, restored and refused. */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import * as kept from '../../src/web/lists/kept.browser.ts'

/** As a browser has it, with a bound in characters. */
class Storage {
  readonly #items = new Map<string, string>()
  max = 5_000_000
  get length() {
    return this.#items.size
  }
  key = (i: number) => [...this.#items.keys()][i] ?? null
  getItem = (key: string) => this.#items.get(key) ?? null
  removeItem = (key: string) => void this.#items.delete(key)
  setItem(key: string, value: string) {
    if (value.length > this.max) throw Object.assign(new Error('full'), { name: 'QuotaExceededError' })
    this.#items.set(key, value)
  }
}

const list = (name: string, more: Partial<kept.KeptList> = {}): kept.KeptList => ({
  version: 1,
  name,
  text: '1 Onyx',
  game: '',
  columns: null,
  choices: [],
  valued: {
    at: '2026-11-12T10:00:00.000Z',
    currency: 'EUR',
    cents: 210,
    cards: 1,
    lines: [['1', 1, 'mtg-lea-x1', 210]],
  },
  before: null,
  ...more,
})
const names = () => kept.keptLists().map(kept.nameOf)

describe('Lists that a browser keeps', () => {
  let storage: Storage
  const use = (value: PropertyDescriptor) =>
    Object.defineProperty(globalThis, 'localStorage', { configurable: true, ...value })
  beforeEach(() => {
    storage = new Storage()
    use({ value: storage })
  })

  it('A browser reads a stored list back as it was, and gives a second list a key of its own', () => {
    const key = kept.keep(list('box', { columns: [['Held', 'quantity']], choices: [['2-2', 'mtg-lea-x1']] }))
    assert.notEqual(kept.keep(list('deck')), key)
    assert.deepEqual(names(), ['box', 'deck'])
    assert.deepEqual(kept.keptList(key)?.list?.choices, [['2-2', 'mtg-lea-x1']])
    kept.keep(list('binder'), key)
    assert.deepEqual(names(), ['binder', 'deck'])
  })

  it('A browser with 20 lists refuses another one with a sentence, and still replaces one that it has', () => {
    const keys = Array.from({ length: 20 }, (_, i) => kept.keep(list(`list ${i}`)))
    assert.throws(() => kept.keep(list('one more')), /at most 20 lists/)
    kept.keep(list('renamed'), keys[0])
    assert.deepEqual([kept.fill(kept.keptLists()).lists, kept.fill(kept.keptLists()).isNearlyFull], [20, true])
  })

  it('A browser stores at most 4 MB of lists in UTF-8, and the page knows when four fifths are used', () => {
    kept.keep(list('long', { text: 'é'.repeat(1.5 * 2 ** 20) }))
    assert.equal(kept.fill(kept.keptLists()).isNearlyFull, false)
    kept.keep(list('longer', { text: 'e'.repeat(0.5 * 2 ** 20) }))
    assert.equal(kept.fill(kept.keptLists()).isNearlyFull, true)
    assert.throws(() => kept.keep(list('longest', { text: 'e'.repeat(2 ** 20) })), /at most 4 MB/)
    assert.deepEqual(names(), ['long', 'longer'])
  })

  it('A list that the browser can’t store, for lack of storage or of space, is refused with a sentence', () => {
    storage.max = 10
    assert.throws(() => kept.keep(list('box')), kept.NotKept)
    use({
      get() {
        throw new Error('SecurityError')
      },
    })
    assert.deepEqual(kept.keptLists(), [])
    assert.throws(() => kept.keep(list('box')), /does not let the page keep anything/)
    assert.throws(() => kept.remove('card-prices-list:1'), kept.NotKept)
  })

  for (const [what, raw, isLater] of [
    ['no JSON', '{"version":1,', false],
    ['null', 'null', false],
    ['an array', '[]', false],
    [
      'a list that lacks its lines',
      JSON.stringify(list('box', { valued: { ...list('').valued, lines: 7 as never } })),
      false,
    ],
    [
      'an amount that is a text',
      JSON.stringify(list('box', { before: { at: list('').valued.at, currency: '', amounts: ['1' as never] } })),
      false,
    ],
    ['a version of tomorrow', JSON.stringify({ version: 2, name: 'box', lists: {} }), true],
  ] as const) {
    it(`A stored value (${what}) is not opened as a list, stays stored as it is, and is in the exported file`, () => {
      storage.setItem('card-prices-list:1', raw)
      storage.setItem('another site’s', raw)
      const [found] = kept.keptLists()
      assert.deepEqual(found, { key: 'card-prices-list:1', raw, list: undefined, isLater })
      kept.keep(list('deck'))
      assert.equal(storage.getItem('card-prices-list:1'), raw)
      const file = kept.fileOf(kept.keptLists())
      use({ value: new Storage() })
      assert.deepEqual(kept.restore(file), { added: 2, known: 0, left: 0, reason: undefined })
      assert.equal(localStorage.getItem('card-prices-list:1'), raw)
    })
  }

  it('A restored file adds its lists to those in the browser: equal ones once, different ones under a second key', () => {
    const key = kept.keep(list('box'))
    const file = kept.fileOf(kept.keptLists())
    assert.deepEqual(kept.restore(file), { added: 0, known: 1, left: 0, reason: undefined })
    kept.keep(list('box of today'), key)
    assert.equal(kept.restore(file).added, 1)
    assert.deepEqual(names(), ['box', 'box of today'])
  })

  it('A file with more lists than fit restores those that fit, and says why the others do not', () => {
    const many = Array.from({ length: 22 }, (_, i) => ({
      key: `card-prices-list:${i}`,
      raw: JSON.stringify(list(`${i}`)),
    }))
    const { added, left, reason } = kept.restore(
      JSON.stringify({ format: 'card-prices-lists', version: 1, lists: many }),
    )
    assert.deepEqual([added, left], [20, 2])
    assert.match(reason!, /at most 20 lists/)
  })

  for (const file of [
    '',
    '[]',
    '{"format":"other"}',
    '{"format":"card-prices-lists","version":2,"lists":[]}',
    '{"format":"card-prices-lists","version":1,"lists":[{"key":"x","raw":"y"}]}',
  ]) {
    it(`A restore refuses the file ${JSON.stringify(file)} with a sentence`, () => {
      assert.throws(() => kept.restore(file), kept.NotKept)
    })
  }

  it('The new value of a stored list is compared with that of the last earlier day, even on a day’s second visit', () => {
    const first = list('box')
    const on = (at: string, cents: number | null) => ({
      ...first.valued,
      at,
      cents,
      lines: [['1', 1, 'mtg-lea-x1', cents]] as const,
    })
    const amounts = (of: kept.KeptList, at: string) => [...kept.amountsOf(of, kept.earlier(of, new Date(at)))]
    assert.deepEqual(amounts(first, '2026-11-20T10:00:00.000Z'), [['1', 210]])
    const second = kept.withValues(first, on('2026-11-20T10:00:00.000Z', 300))
    assert.deepEqual(amounts(second, '2026-11-20T12:00:00.000Z'), [['1', 210]])
    const third = kept.withValues(second, on('2026-11-20T12:00:00.000Z', 310))
    assert.deepEqual(amounts(third, '2026-11-20T12:30:00.000Z'), [['1', 210]])
    assert.deepEqual(amounts(third, '2026-11-22T12:00:00.000Z'), [['1', 310]])
    const unpriced = kept.withValues(third, on('2026-11-22T12:00:00.000Z', null))
    assert.deepEqual(amounts(unpriced, '2026-11-23T12:00:00.000Z'), [])
  })
})
