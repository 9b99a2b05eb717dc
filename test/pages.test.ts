/** The pages kept of lists: what was added is found as it was, what is asked for stays, and memory has a bound. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Pages } from '../src/catalog/pages.ts'
import { pagesBytesMax } from '../src/limits.ts'

const pageOf = (n: number, bytes = 4000) => new Uint8Array(bytes).fill(n)
const many = 4 * Math.ceil(pagesBytesMax / 4000)

describe('pages', () => {
  it('are found as they were added, though the buffer they came from is written anew', () => {
    const pages = new Pages()
    const buffer = pageOf(1)
    pages.add('q=a', buffer)
    buffer.fill(2)
    pages.add('q=b', buffer)
    assert.deepEqual(pages.get('q=a'), pageOf(1))
    assert.deepEqual(pages.get('q=b'), pageOf(2))
    assert.equal(pages.get('q=A'), undefined)
  })

  it('stay while they are asked for, and go when they are not', () => {
    const pages = new Pages()
    pages.add('q=asked', pageOf(7))
    pages.add('q=forgotten', pageOf(8))
    for (let i = 0; i < many; i++) {
      pages.add(`q=${i}`, pageOf(i))
      assert.deepEqual(pages.get('q=asked'), pageOf(7))
    }
    assert.equal(pages.get('q=forgotten'), undefined)
  })

  it('take no more memory than their bound', () => {
    const pages = new Pages()
    for (let i = 0; i < many; i++) pages.add(`q=${i}`, pageOf(i))
    let bytes = 0
    // The newest first: to look at an old page makes it young, and may drop older ones.
    for (let i = many - 1; i >= 0; i--) bytes += pages.get(`q=${i}`)?.length ?? 0
    assert.ok(bytes > pagesBytesMax / 4 && bytes <= pagesBytesMax, `${bytes} bytes`)
  })
})
