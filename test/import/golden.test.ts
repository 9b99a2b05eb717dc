/**
 * What imports of this folder's files wrote at release 2.0.0 is what they write, but for sets without cards. A change here changes what
 * operators' folders hold: read the files before you take a new digest.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { mirrorGroups } from '../fetch/mirror-groups.ts'
import { temporaryFolder } from '../support/command.ts'
import { contentOf, file, importInto } from '../support/import.ts'
import { writeMirror } from '../support/mirror.ts'
import { allPrices, allPrintings, scryfallCards } from './magic.ts'

const date = '2026-11-20'
const mirror = writeMirror(mirrorGroups)
const guide = `id,console-name,product-name,loose-price,graded-price,manual-only-price
1,Pokemon Silver Tempest,Lugia VSTAR #139,$4.50,$20.00,"$1,234.56"
2,Pokemon Base Set,Alakazam #1,$40.00,,$900
7,Lorcana The First Chapter,Elsa - Spirit of Winter #42,$1.00,$0.00,$80
`
const bulk = scryfallCards.map((card) => `${JSON.stringify(card)}\n`).join('')
const steps = {
  tcgcsv: (out: string, more: object) => importInto(out, 'tcgcsv', [mirror], more),
  scryfall: (out: string, more: object) => importInto(out, 'scryfall', [file('bulk.jsonl', bulk)], { date, ...more }),
  mtgjson: (out: string, more: object) =>
    importInto(out, 'mtgjson', [file('AllPrintings.json', allPrintings()), file('AllPrices.json', allPrices())], more),
  pricecharting: (out: string) => importInto(out, 'pricecharting', [file('guide.csv', guide)], { date }),
}

/** Of the names and contents of a folder's files, unpacked. */
function digestOf(out: string, folder: 'cards' | 'sets' | 'history' | 'import'): string {
  const hash = createHash('sha256')
  for (const [name, content] of Object.entries(contentOf(out))) {
    if (!name.startsWith(`${folder}/`) || name === 'import/choices.json') continue
    hash.update(`${name}\n`)
    hash.update(name.endsWith('.gz') ? gunzipSync(Buffer.from(content, 'latin1')) : Buffer.from(content, 'latin1'))
  }
  return hash.digest('hex').slice(0, 16)
}

describe('The folders that imports write, as recorded', () => {
  for (const [what, names, more, digests] of [
    ['TCGCSV', ['tcgcsv'], {}, 'a4e529ce64901561 f7141a8d31e582a2 765533244decfd41 393004f7a0e14644'],
    [
      'TCGCSV with sealed products',
      ['tcgcsv'],
      { sealed: true },
      '57a4abf3ac241c59 033cd442deca50eb 46f866326ce822ff 6ffb9a2e62043d25',
    ],
    [
      'TCGCSV in euros',
      ['tcgcsv'],
      { currency: 'EUR' },
      'f2291f08b7e86f23 f7141a8d31e582a2 e3b0c44298fc1c14 393004f7a0e14644',
    ],
    ['Scryfall', ['scryfall'], {}, '681e01357ba67dd7 37ed528fe703c5d1 e3b0c44298fc1c14 a3c9be3833500514'],
    [
      'Scryfall in euros',
      ['scryfall'],
      { currency: 'EUR' },
      '0fe9589df186df6e 37ed528fe703c5d1 6f106e995d8bbd2b a3c9be3833500514',
    ],
    ['MTGJSON', ['mtgjson'], {}, '2efa01dcdc213fc5 158ce5ba39c7c9d3 a4512fea88560c8d 1a012be5d0e7a6eb'],
    [
      'MTGJSON in euros',
      ['mtgjson'],
      { currency: 'EUR' },
      'c94e1d4785ac15fb 158ce5ba39c7c9d3 dc59cdd216e26500 1a012be5d0e7a6eb',
    ],
    [
      'TCGCSV, MTGJSON, Scryfall and PriceCharting',
      ['tcgcsv', 'mtgjson', 'scryfall', 'pricecharting'],
      {},
      '7ecb534faa4ed824 d9bde463496bbeed 095aa69a366ea7bd 906410e7d0c7deb6',
    ],
    [
      'Scryfall, MTGJSON, then TCGCSV',
      ['scryfall', 'mtgjson', 'tcgcsv'],
      {},
      '589a63668760fa64 d9bde463496bbeed 519e501f20af7cce b681231771e6c444',
    ],
    [
      'TCGCSV, MTGJSON and Scryfall in euros',
      ['tcgcsv', 'mtgjson', 'scryfall'],
      { currency: 'EUR' },
      '342c3abfcf10574d d9bde463496bbeed 31dad6156cb8dbd8 7019a3859cc0a581',
    ],
  ] as const) {
    it(`An import writes the recorded bytes: ${what}`, async () => {
      const out = temporaryFolder()
      for (const name of names) await steps[name](out, more)
      assert.equal(
        ['cards', 'sets', 'history', 'import'].map((folder) => digestOf(out, folder as 'cards')).join(' '),
        digests,
      )
    })
  }
})
