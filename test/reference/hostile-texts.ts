/** Texts that a careless search would stumble over. */

import { drawBelow, drawFrom, type Random } from '../support/random.ts'
import type { ScanCard } from './scan.ts'
import { mistyped, wordsOf } from './search-queries.ts'

const lengthMax = 200
const pieces = [
  ...[
    '\0',
    '\t',
    '\u001b[2J',
    '\ud800',
    '\udc00x',
    '😀',
    '👩‍👩‍👧',
    '\u202e',
    '\u200f',
    '\u200b',
    '\ufeff',
    '\u0301',
    '\u3099',
    '\ufdfa',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '%',
    '\\',
    '"',
    '(',
    '[',
    '*',
    '+',
    '...',
    '―',
    'ﬃ',
    '\uffff',
    'İ',
    '½',
    '™',
  ],
]
const alphabet = [...'abcdefghijklmnopqrstuvwxyz0123456789ンーリの種一é_ "\u0301\u200f']

/** `count` texts of at most 200 UTF-16 units: each letter 200 times, and mixtures of signs, words and misspelt words. */
export function hostileTexts(random: Random, cards: readonly ScanCard[], count: number): string[] {
  const repeated = alphabet.flatMap((letter) => [letter.repeat(lengthMax), `${letter} `.repeat(lengthMax / 2)])
  const word = () => drawFrom(random, wordsOf(drawFrom(random, cards).name)) ?? ''
  const misspelt = () => {
    const drawn = word()
    return drawn.length < 3 ? drawn : mistyped(random, drawn)
  }
  const makers: (() => string)[] = [
    () => drawFrom(random, pieces),
    () => String.fromCharCode(drawBelow(random, 0x10000)),
    () => `${word()} `,
    () => `${misspelt()} `,
    () => `${drawFrom(random, alphabet)} `,
    () =>
      String.fromCharCode(
        97 + drawBelow(random, 26),
        97 + drawBelow(random, 26),
        97 + drawBelow(random, 26),
        97 + drawBelow(random, 26),
        32,
      ),
  ]
  const texts = new Set(repeated)
  while (texts.size < count) {
    const length = 1 + drawBelow(random, lengthMax)
    const only = drawBelow(random, 2) === 0 ? drawFrom(random, makers) : undefined
    let text = ''
    while (text.length < length) text += (only ?? drawFrom(random, makers))() || ' '
    texts.add(text.slice(0, lengthMax))
  }
  return [...texts]
}
