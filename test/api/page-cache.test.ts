/** The pages kept of lists: what is found is what was added last, what is asked for again stays, memory has a bound. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PageCache } from '../../src/api/page-cache.ts'
import { pagesBytesMax } from '../../src/limits.ts'
import { amount } from '../support/amount.ts'
import { drawBelow, randomFrom } from '../support/random.ts'

const pageOf = (n: number, bytes = 4000) => new Uint8Array(bytes).fill(n)
const many = Math.ceil(pagesBytesMax / 4000)

function addTwice(pages: PageCache, query: string, page: Uint8Array): void {
  pages.add(query, 0, page)
  pages.add(query, 0, page)
}

describe('pages', () => {
  it('are kept when they are asked for again, though the buffer they came from is written anew', () => {
    const pages = new PageCache()
    const buffer = pageOf(1)
    addTwice(pages, 'q=a', buffer)
    buffer.fill(2)
    pages.add('q=b', 0, buffer)
    assert.deepEqual(pages.get('q=a', 0), pageOf(1))
    assert.equal(pages.get('q=b', 0), undefined, 'asked for once')
    assert.equal(pages.get('q=A', 0), undefined)
  })

  it('go when newer ones need their place, and come back at once', () => {
    const pages = new PageCache()
    addTwice(pages, 'q=first', pageOf(7))
    for (let i = 0; i < many / 2; i++) addTwice(pages, `q=${i}`, pageOf(i))
    assert.deepEqual(pages.get('q=first', 0), pageOf(7))
    for (let i = 0; i < many; i++) addTwice(pages, `q=${i}`, pageOf(i))
    assert.equal(pages.get('q=first', 0), undefined)
    pages.add('q=first', 0, pageOf(8))
    assert.deepEqual(pages.get('q=first', 0), pageOf(8))
  })

  it('are all kept while there is room', () => {
    const pages = new PageCache()
    const queries = Array.from({ length: 4000 }, (_, i) => `q=${i}`)
    for (const query of queries) pages.add(query, 0, pageOf(1, 100))
    for (const query of queries) pages.add(query, 0, pageOf(1, 100))
    assert.deepEqual(
      queries.filter((query) => pages.get(query, 0) === undefined),
      [],
    )
  })

  it('are those that were added last, in any sequence', () => {
    const pages = new PageCache()
    const random = randomFrom(5)
    const last = new Map<string, Uint8Array>()
    const ofSet = new Set(['', 'q=é', 'q=\ud83d\ude00'])
    let found = 0
    for (let step = 0; step < amount(10_000, 40_000); step++) {
      const number = drawBelow(random, amount(5000, 20_000))
      const query =
        number < ofSet.size ? [...ofSet][number]! : `q=${number % 7 === 0 ? 'x'.repeat(number % 90) : number}`
      const kept = pages.get(query, 0)
      if (kept !== undefined) {
        assert.deepEqual(kept, last.get(query))
        found++
      }
      const page = pageOf(step, drawBelow(random, 9000))
      pages.add(query, 0, page)
      last.set(query, page)
    }
    assert.ok(found > amount(500, 2000), `${found} found`)
  })

  it('of another version are forgotten', () => {
    const pages = new PageCache()
    pages.useVersion('one')
    addTwice(pages, 'q=a', pageOf(1))
    pages.useVersion('one')
    assert.deepEqual(pages.get('q=a', 0), pageOf(1))
    pages.useVersion('two')
    assert.equal(pages.get('q=a', 0), undefined)
    pages.add('q=a', 0, pageOf(2))
    assert.equal(pages.get('q=a', 0), undefined)
    pages.add('q=a', 0, pageOf(2))
    assert.deepEqual(pages.get('q=a', 0), pageOf(2))
  })

  it('are of their own query alone, though another has its hash', () => {
    const [one, other] = ['q=5tw1n54na', 'q=7jtox32qc']
    const pages = new PageCache()
    addTwice(pages, one, pageOf(1))
    assert.equal(pages.get(other, 0), undefined)
    pages.add(other, 0, pageOf(2))
    assert.deepEqual(pages.get(other, 0), pageOf(2), 'the slot is the other’s now')
    assert.equal(pages.get(one, 0), undefined)
  })

  it('fill the memory to its end, and are written over one by one from its start', () => {
    const pages = new PageCache()
    const bytes = pagesBytesMax / 1024
    const queries = Array.from({ length: 1024 }, (_, i) => `q=${1000 + i}`)
    const page = (n: number) => pageOf(n, bytes - 8 - 'q=1000'.length)
    for (const [i, query] of queries.entries()) addTwice(pages, query, page(i))
    assert.deepEqual(pages.get(queries[0]!, 0), page(0))
    assert.deepEqual(pages.get(queries.at(-1)!, 0), page(1023))
    addTwice(pages, 'q=next', page(7))
    assert.equal(pages.get(queries[0]!, 0), undefined, 'written over')
    assert.deepEqual(pages.get(queries[1]!, 0), page(1))
    assert.deepEqual(pages.get('q=next', 0), page(7))
  })

  it('that are larger than all the memory are not kept', () => {
    const pages = new PageCache()
    addTwice(pages, 'q=a', pageOf(1))
    addTwice(pages, 'q=b', pageOf(2, pagesBytesMax))
    assert.equal(pages.get('q=b', 0), undefined)
    assert.deepEqual(pages.get('q=a', 0), pageOf(1))
  })

  it('count requests and hits, over all versions', () => {
    const pages = new PageCache()
    const figures = () => [pages.hits, pages.misses]
    assert.deepEqual(figures(), [0, 0])
    assert.equal(pages.get('q=a', 0), undefined)
    addTwice(pages, 'q=a', pageOf(1))
    assert.deepEqual(figures(), [0, 1])
    for (let i = 0; i < 3; i++) pages.get('q=a', 0)
    pages.get('q=b', 0)
    assert.deepEqual(figures(), [3, 2])
    pages.useVersion('another')
    pages.get('q=a', 0)
    assert.deepEqual(figures(), [3, 3])
  })
})
