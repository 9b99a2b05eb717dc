/** Texts that a careless search would stumble over. */

import { drawBelow, drawFrom, type Random } from '../support/random.ts'
import type { ScanCard } from './scan.ts'
import { mistyped, wordsOf } from './search-queries.ts'

const lengthMax = 200
const pieces = [
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
  '\uffff',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  ...'%\\"([*+―ﬃİ½™',
  '...',
]
const letters = 'abcdefghijklmnopqrstuvwxyz'
const alphabet = [...letters, ...'0123456789ンーリの種一é_ "\u0301\u200f']

/** One character each that unfolds to many, to several words, or to none. */
const unfolding = [...'\ufdfa\ufdfb㏂㌀㋿⒇⑽½ﬃ각\u0344´(', 'ẛ̣', '[ ] ', '()', '［］']

/** Draws texts of at most `lengthMax` UTF-16 units: mixtures of signs, words and misspelt words, or one of them all along. */
export function hostileTextsOf(random: Random, cards: readonly Pick<ScanCard, 'name'>[]): () => string {
  const word = () => drawFrom(random, wordsOf(drawFrom(random, cards).name)) ?? ''
  const misspelt = () => {
    const drawn = word()
    return drawn.length < 3 ? drawn : mistyped(random, drawn)
  }
  const makers: (() => string)[] = [
    () => drawFrom(random, pieces),
    () => drawFrom(random, unfolding),
    () => String.fromCharCode(drawBelow(random, 0x10000)),
    () => `${word()} `,
    () => `${misspelt()} `,
    () => `${drawFrom(random, alphabet)} `,
    () => `${Array.from({ length: 4 }, () => drawFrom(random, [...letters])).join('')} `,
  ]
  return () => {
    const length = 1 + drawBelow(random, lengthMax)
    const only = drawBelow(random, 2) === 0 ? drawFrom(random, makers) : undefined
    const repeated = drawBelow(random, 8) === 0 ? (only?.() ?? '') : ''
    let text = ''
    while (text.length < length) text += repeated || (only ?? drawFrom(random, makers))() || ' '
    return text.slice(0, lengthMax)
  }
}

/** `count` of them, and each letter 200 times. */
export function hostileTexts(random: Random, cards: readonly Pick<ScanCard, 'name'>[], count: number): string[] {
  const texts = new Set(
    [...alphabet, ...unfolding].flatMap((letter) =>
      [letter, `${letter} `].map((one) => one.repeat(lengthMax).slice(0, lengthMax)),
    ),
  )
  const draw = hostileTextsOf(random, cards)
  while (texts.size < count) texts.add(draw())
  return [...texts]
}
