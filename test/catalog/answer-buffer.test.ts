/** Pages put together from texts: what is copied is what was there. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnswerBuffer, Items, SharedText } from '../../src/catalog/answer-buffer.ts'
import { drawBelow, randomFrom } from '../support/random.ts'

test('A response page has the exact bytes of its parts, wherever they start and end', () => {
  const text = Buffer.from('é漢😀\u007f\u07ff\uffff\u{10ffff} "x"'.repeat(40))
  const shared = new Uint8Array(new SharedArrayBuffer(text.length))
  shared.set(text)
  const source = new SharedText(shared)
  const random = randomFrom(6)
  const items = new Items(20)
  for (let round = 0; round < 500; round++) {
    // A small one grows on the way.
    const page = new AnswerBuffer(16)
    let expected = ''
    items.count = 0
    for (let i = 0; i < 20; i++) {
      const from = drawBelow(random, text.length)
      const to = from + drawBelow(random, text.length - from + 1)
      items.add(source, from, to)
      expected += (i === 0 ? '' : ',') + text.toString('latin1', from, to)
    }
    assert.equal(Buffer.from(page.list(items, ']}')).toString('latin1'), `{"data":[${expected}]}`)
  }
})

test('A decimal number is written as JSON.stringify writes it', () => {
  const random = randomFrom(7)
  const special = [0, 1, 9, 10, 99, 100, 101, 110, 2 ** 31 - 1, 2 ** 31, 999_999_999_900, 1_000_000_000_000]
  const page = new AnswerBuffer(16)
  for (let round = 0; round < 5000; round++) {
    const size = special[round] ?? drawBelow(random, 10 ** (1 + drawBelow(random, 12)))
    const units = round % 2 === 0 || size === 0 ? size : -size
    for (const scale of [10, 100] as const) {
      page.start('[')
      page.addDecimal(units, scale)
      assert.equal(Buffer.from(page.finish(']')).toString(), JSON.stringify([units / scale]))
    }
  }
})
