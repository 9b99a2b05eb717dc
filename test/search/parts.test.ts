/** The parts of search that are cleverer than they need be to be right, each against the plain way. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fold } from '../../src/search/fold.ts'
import { sortWindow } from '../../src/search/select.ts'
import { countBits, countTypos } from '../../src/search/typos.ts'
import { hostileTexts } from '../naive/hostile-texts.ts'
import { plainWords, typosBetween } from '../naive/scan.ts'
import { drawBelow, drawFrom, randomFrom, shuffled } from '../support/random.ts'

test('words are folded as sign after sign would be', () => {
  const random = randomFrom(31)
  const names = [
    'Pokémon',
    '\u212aelvin',
    "Urza's Saga",
    "`A.B_c-d' 7x\t\u0000Zz",
    'カプ・コケコ',
    'リザードンｅｘ',
    'Ærathi',
    'デルタ種',
    '２Ｄ',
    'ŉ',
    'ΟΔΥΣΣΕΥΣ',
    '한글',
  ]
  const texts = hostileTexts(
    random,
    names.map((name) => ({ name, game: 0, setNumber: 0, rarity: null })),
    5000,
  )
  for (const text of [...names, ...texts]) assert.deepEqual(fold(text), plainWords(text), JSON.stringify(text))
})

test('typos are counted as the table of distances counts them', () => {
  const random = randomFrom(32)
  const word = (length: number) => Array.from({ length }, () => drawFrom(random, ['a', 'b', 'c'])).join('')
  for (let i = 0; i < 30_000; i++) {
    const asked = word(1 + drawBelow(random, 9))
    const text = word(1 + drawBelow(random, 9))
    const max = drawBelow(random, 3)
    const units = Uint16Array.from(`xx${text}yy`, (letter) => letter.charCodeAt(0))
    const typos = countTypos(asked, 0, units, 2, 2 + text.length, max)
    const expected = typosBetween(asked, text)
    if (expected <= max) assert.equal(typos, expected, `${asked} ${text}`)
    else assert(typos > max, `${asked} ${text}: ${typos}, not over ${max}`)
  }
})

test('bits are counted', () => {
  const random = randomFrom(33)
  for (let i = 0; i < 1000; i++) {
    const bits = drawBelow(random, 2 ** 32)
    assert.equal(countBits(bits), bits.toString(2).replaceAll('0', '').length)
    assert.equal(countBits(bits | 0), countBits(bits))
  }
})

test('a sorted window holds what a full sort puts there', () => {
  const random = randomFrom(34)
  for (let i = 0; i < 500; i++) {
    const count = 1 + drawBelow(random, 400)
    const sorted = Array.from({ length: count }, (_, place) => 3 * place)
    const runs = shuffled(random, sorted)
    const values = Uint32Array.from(
      drawBelow(random, 2) === 0 ? runs : [...sorted.slice(count / 2), ...sorted.slice(0, count / 2)],
    )
    const from = drawBelow(random, count)
    const to = from + 1 + drawBelow(random, count - from)
    sortWindow(values, count, from, to)
    assert.deepEqual([...values.subarray(from, to)], sorted.slice(from, to))
  }
})
