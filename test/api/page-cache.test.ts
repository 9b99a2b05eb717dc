/** The page cache: which pages it keeps, for how long, and in how much memory. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PageCache } from '../../src/api/page-cache.ts'
import { pagesBytesMax } from '../../src/limits.ts'

const list = 'searchCards'
const pageOf = (n: number, bytes = 4000) => new Uint8Array(bytes).fill(n)

function addTwice(pages: PageCache, query: string, page: Uint8Array): void {
  pages.add(list, query, page)
  pages.add(list, query, page)
}

/** Adds pages until all that was there is dropped. */
function fill(pages: PageCache): void {
  for (let i = 0; i < pagesBytesMax / 4000; i++) addTwice(pages, `q=${i}`, pageOf(i))
}

describe('the page cache', () => {
  it('keeps a copy of a page that is requested twice, of its own list and query alone', () => {
    const pages = new PageCache()
    const buffer = pageOf(1)
    addTwice(pages, 'q=a', buffer)
    buffer.fill(2)
    pages.add(list, 'q=b', buffer)
    assert.deepEqual(pages.get(list, 'q=a'), pageOf(1))
    assert.equal(pages.get(list, 'q=b'), undefined, 'requested once')
    assert.equal(pages.get(list, 'q=A'), undefined)
    assert.equal(pages.get('listCards', 'q=a'), undefined)
  })

  it('drops the oldest page when a newer one needs its memory', () => {
    const pages = new PageCache()
    addTwice(pages, 'q=dropped', pageOf(1))
    fill(pages)
    addTwice(pages, 'q=kept', pageOf(2))
    for (let i = 0; i < 100; i++) addTwice(pages, `q=late ${i}`, pageOf(3, i))
    assert.equal(pages.get(list, 'q=dropped'), undefined)
    assert.deepEqual(pages.get(list, 'q=kept'), pageOf(2))
    assert.deepEqual(pages.get(list, 'q=late 99'), pageOf(3, 99))
  })

  it('is cleared for another version', () => {
    const pages = new PageCache()
    pages.useVersion('one')
    addTwice(pages, 'q=a', pageOf(1))
    pages.useVersion('one')
    assert.deepEqual(pages.get(list, 'q=a'), pageOf(1))
    pages.useVersion('two')
    pages.add(list, 'q=a', pageOf(2))
    assert.equal(pages.get(list, 'q=a'), undefined)
    pages.add(list, 'q=a', pageOf(2))
    assert.deepEqual(pages.get(list, 'q=a'), pageOf(2))
  })

  it('counts hits and misses over all versions', () => {
    const pages = new PageCache()
    pages.get(list, 'q=a')
    addTwice(pages, 'q=a', pageOf(1))
    for (let i = 0; i < 3; i++) pages.get(list, 'q=a')
    pages.useVersion('another')
    pages.get(list, 'q=a')
    assert.deepEqual([...pages.counts], [3, 2])
  })
})
