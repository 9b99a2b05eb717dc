/** A list that is refused is shown again as it was sent, and the choices of a list isolate names that turn their direction. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { responseSliceBytes } from '../../src/limits.ts'
import { amount } from '../support/amount.ts'
import { build } from '../support/command.ts'
import { drawBelow, drawFrom, randomFrom } from '../support/random.ts'
import { send } from '../support/service.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'
import { servePages } from './service-here.ts'

const pieces = ['&', '<', '&amp;', '&lt;', '&#60;', '</textarea>', '<script>', '"', "'", '>', 'a', ' ', '4 Onyx', '\n']
const ofUtf8 = ['é', '漢', '🃏', '\u0085', '\u202e']
const ofWindows = ['é', 'ÿ', '€']

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')
const windows = (text: string) => Buffer.from(text.replaceAll('€', '\x80'), 'latin1')

const encodings: readonly [name: string, letters: readonly string[], encode: (text: string) => Buffer][] = [
  ['UTF-8', ofUtf8, (text) => Buffer.from(text)],
  ['UTF-8 with a mark', ofUtf8, (text) => Buffer.from(`\ufeff${text}`)],
  ['UTF-16', ofUtf8, utf16],
  ['Windows-1252', ofWindows, windows],
]

describe('A list that is shown again', () => {
  const here = servePages()
  const random = randomFrom('list-again')

  async function shownAgain(file: Buffer): Promise<string> {
    const form = new FormData()
    form.set('file', new Blob([file]))
    const body = new Response(form)
    const headers = { 'content-type': body.headers.get('content-type')!, 'sec-fetch-site': 'same-origin' }
    const reply = await send(here.pages, '/value', {
      method: 'POST',
      headers,
      body: Buffer.from(await body.arrayBuffer()),
    })
    assert.equal(reply.status, 400, 'there are no cards, so no list is valued')
    const [, shown] = /<textarea id="list"[^>]*>\n([^<]*)<\/textarea>/.exec(reply.body)!
    return shown!
  }

  for (const [name, letters, encode] of encodings) {
    it(`A list in ${name} is shown again in its field with each character as it was sent`, async () => {
      for (let i = 0; i < amount(6, 100); i++) {
        const drawn = Array.from({ length: 1 + drawBelow(random, 12) }, () => drawFrom(random, [...pieces, ...letters]))
        // Its letters lie on the borders of slices, too.
        const text = `${letters[0]}${drawn.join('').repeat(1 + drawBelow(random, (3 * responseSliceBytes) / drawn.length))}`
        const shown = await shownAgain(encode(text))
        assert.doesNotMatch(shown, /&(?!(amp|lt|gt);)/)
        assert.ok(
          shown.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&') === text,
          `${JSON.stringify(drawn)}`,
        )
      }
    })
  }
})

describe('A choice of cards whose names turn their direction', () => {
  const names = { right: 'Base \u202eteS', left: 'עברית' }
  const here = servePages((indexDir) => {
    const files = {
      'sets/a.ndjson': Object.entries(names).map(([code, name]) => ({ ...aSet, code, name })),
      'cards/a.ndjson': Object.keys(names).map((setCode) => ({ ...aCard, id: `pokemon-${setCode}`, setCode })),
    }
    return build(snapshotOf(files), indexDir)
  })

  it('Each option of a choice of cards isolates its names, and has no character that changes the text direction', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
    const { body } = await send(here.pages, '/value', { method: 'POST', headers, body: 'list=Charizard' })
    const options = [...body.matchAll(/<option value="pokemon-[^>]*>([^<]*)</g)].map(([, text]) => text!)
    assert.equal(options.length, 2, body)
    assert.ok(
      options.some((text) => text.includes(`\u2068${names.left}\u2069 ·`)),
      options.join(),
    )
    assert.ok(
      options.some((text) => text.includes('\u2068Base teS\u2069 ·')),
      options.join(),
    )
  })
})
