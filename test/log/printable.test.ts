/** Texts of others on a terminal. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { printable, printableLine, withoutControls } from '../../src/log/printable.ts'

const controls = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).filter((sign) =>
  /\p{Cc}/u.test(sign),
)
const directions = [...'\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069']

it('A terminal gets no control characters but tabs and line ends, and none that changes the text direction', () => {
  for (const sign of [...controls, ...directions, '\u2028', '\u2029']) {
    const code = `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
    const isKept = sign === '\t' || sign === '\n'
    assert.equal(printable(`a${sign}b`), isKept ? `a${sign}b` : `a${code}b`, code)
    assert.equal(printableLine(`a${sign}b`), `a${code}b`, code)
    assert.equal(withoutControls(`a${sign}b`), isKept ? `a${sign}b` : 'ab', code)
  }
  const plain = 'Pokémon カード ♂ 🃏 Ünïcode 👩‍👩‍👧 עברית\r\n\tnext'
  assert.deepEqual([printable(plain), withoutControls(plain)], [plain, plain])
})

it('JSON with control characters still parses to the same value after they are made printable', () => {
  const value = { name: [...controls, ...directions].join('x') }
  const text = printable(JSON.stringify(value))
  assert.match(text, /^[\x20-\x7e]*$/)
  assert.deepEqual(JSON.parse(text), value)
})
