/** The page cache: which pages it keeps, for how long, and in how much memory. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hashOf, PageCache } from '../../src/api/page-cache.ts'
import type { Body } from '../../src/catalog/card-fields.ts'
import { pagesBytesMax } from '../../src/limits.ts'

const list = 'searchCards'
const pageOf = (n: number, bytes = 4000) => new Uint8Array(bytes).fill(n)

const get = (pages: PageCache, query: string, of = list): Body | undefined => pages.get(of, query, hashOf(of, query))
const add = (pages: PageCache, query: string, page: Body): void => pages.add(list, query, hashOf(list, query), page)

function addTwice(pages: PageCache, query: string, page: Body): void {
  add(pages, query, page)
  add(pages, query, page)
}

/** Adds pages until all that was there is dropped. */
function fill(pages: PageCache): void {
  for (let i = 0; i < pagesBytesMax / 4000; i++) addTwice(pages, `q=${i}`, pageOf(i))
}

describe('The page cache', () => {
  it('The page cache keeps a copy of a page that is added twice, and returns it only for its list and query', () => {
    const pages = new PageCache()
    const buffer = pageOf(1)
    addTwice(pages, 'q=a', buffer)
    buffer.fill(2)
    add(pages, 'q=b', buffer)
    assert.deepEqual(get(pages, 'q=a'), pageOf(1))
    assert.equal(get(pages, 'q=b'), undefined, 'requested once')
    assert.equal(get(pages, 'q=A'), undefined)
    assert.equal(get(pages, 'q=a', 'listCards'), undefined)
  })

  it('The page cache drops the oldest page when a newer one needs its memory', () => {
    const pages = new PageCache()
    addTwice(pages, 'q=dropped', pageOf(1))
    fill(pages)
    addTwice(pages, 'q=kept', pageOf(2))
    for (let i = 0; i < 100; i++) addTwice(pages, `q=late ${i}`, pageOf(3, i))
    assert.equal(get(pages, 'q=dropped'), undefined)
    assert.deepEqual(get(pages, 'q=kept'), pageOf(2))
    assert.deepEqual(get(pages, 'q=late 99'), pageOf(3, 99))
  })

  it('The page cache tells apart queries with equal hashes, and keeps both', () => {
    const pages = new PageCache()
    for (let i = 0; i < 2; i++) pages.add(list, 'q=a', 7, pageOf(1))
    for (let i = 0; i < 2; i++) pages.add(list, 'q=c', 7 + 2 ** 20, pageOf(3))
    assert.deepEqual(pages.get(list, 'q=a', 7), pageOf(1))
    // The lower byte of Ā is 0.
    for (let i = 0; i < 2; i++) pages.add(list, 'q=Ā', 7, pageOf(4))
    for (const other of [list, 'listCards', 'SearchCards', 'searchCard'])
      for (const query of ['q=b', 'q=', 'sq=a', 'q=\0', ...(other === list ? [] : ['q=a'])])
        assert.equal(pages.get(other, query, 7), undefined, `${other} ${query}`)
  })

  it('The page cache drops all pages when another version is served', () => {
    const pages = new PageCache()
    pages.useVersion('one')
    addTwice(pages, 'q=a', pageOf(1))
    pages.useVersion('one')
    assert.deepEqual(get(pages, 'q=a'), pageOf(1))
    pages.useVersion('two')
    add(pages, 'q=a', pageOf(2))
    assert.equal(get(pages, 'q=a'), undefined)
    add(pages, 'q=a', pageOf(2))
    assert.deepEqual(get(pages, 'q=a'), pageOf(2))
  })

  it('The page cache counts hits and misses over all versions', () => {
    const pages = new PageCache()
    get(pages, 'q=a')
    addTwice(pages, 'q=a', pageOf(1))
    for (let i = 0; i < 3; i++) get(pages, 'q=a')
    pages.useVersion('another')
    get(pages, 'q=a')
    assert.deepEqual([...pages.counts], [3, 2])
  })
})
