/** Printings, external ids and the currency of imports. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { temporaryFolder } from '../support/command.ts'
import { cardsById, importInto } from '../support/import.ts'
import { writeMirror } from '../support/mirror.ts'
import { allPrices, allPrintings, brothersWar, scryfallCards, uuid } from './magic.ts'

const files = temporaryFolder()
function file(name: string, content: string): string {
  const path = join(files, name)
  writeFileSync(path, content)
  return path
}
const linked = brothersWar.cards.map((card, i) =>
  i === 0 ? { ...card, identifiers: { ...card.identifiers, scryfallId: uuid(1001).toUpperCase() } } : card,
)
const printings = file('AllPrintings.json', allPrintings({ BRO: { ...brothersWar, cards: linked } }))
const prices = file('AllPrices.json', allPrices())
const bulk = file('default-cards.jsonl', scryfallCards.map((card) => `${JSON.stringify(card)}\n`).join(''))
const mirror = writeMirror()

const reportedBy = (out: string, id: string) => {
  const { printing, scryfallId, mtgjsonId } = cardsById(out).get(id)
  return [printing, scryfallId, mtgjsonId]
}

describe('an import', () => {
  it('of MTGJSON gives finishes as printings, its ids, and Scryfall’s where it knows them', async () => {
    const out = temporaryFolder()
    await importInto(out, 'mtgjson', [printings, prices])
    assert.deepEqual(reportedBy(out, 'mtg-bro-70'), ['Normal', uuid(1001), uuid(1)])
    assert.deepEqual(reportedBy(out, 'mtg-bro-70-foil'), ['Foil', uuid(1001), uuid(1)])
    assert.deepEqual(reportedBy(out, 'mtg-bro-216-etched'), ['Etched', null, uuid(3)])
    // The next import reads what this one stores.
    await importInto(out, 'mtgjson', [prices])
    assert.deepEqual(reportedBy(out, 'mtg-bro-70'), ['Normal', uuid(1001), uuid(1)])
  })

  it('of Scryfall gives finishes and its ids; of both, those of both', async () => {
    const out = temporaryFolder()
    await importInto(out, 'scryfall', [bulk], { date: '2026-11-20' })
    assert.deepEqual(reportedBy(out, 'mtg-bro-70-foil'), ['Foil', uuid(1001), null])
    assert.deepEqual(reportedBy(out, 'mtg-bro-99b'), ['Normal', uuid(1002), null])
    await importInto(out, 'mtgjson', [printings, prices])
    assert.deepEqual(reportedBy(out, 'mtg-bro-70'), ['Normal', uuid(1001), uuid(1)])
  })

  it('of TCGCSV gives the sub-type, also of a product that has one alone', async () => {
    const out = temporaryFolder()
    await importInto(out, 'tcgcsv', [mirror])
    const cards = [...cardsById(out).values()]
    const several = cards.filter(({ name }) => /\[.+\]$/.test(name))
    assert.ok(several.length > 0)
    for (const { name, printing } of several) assert.ok(name.endsWith(`[${printing}]`), name)
    assert.ok(cards.some(({ name, printing }) => printing === 'Holofoil' && !name.includes('[')))
    for (const { prices: priced, printing } of cards) if (priced.market !== null) assert.notEqual(printing, null)
  })
})

describe('the currency', () => {
  const aboutIn = (out: string) =>
    existsSync(join(out, 'about.json')) ? readFileSync(join(out, 'about.json'), 'utf8') : undefined

  it('is that of the sources, and stays over imports', async () => {
    const out = temporaryFolder()
    await importInto(out, 'tcgcsv', [mirror])
    assert.equal(aboutIn(out), '{"currency":"USD"}\n')
    const { changed } = await importInto(out, 'tcgcsv', [mirror])
    assert.deepEqual(changed, [])
  })

  for (const [about, after] of [
    ['{"currency":"EUR","title":"Ours"}', '{"currency":"EUR","title":"Ours"}'],
    ['{"title":"Ours"}', '{"title":"Ours","currency":"USD"}\n'],
    ['{"title":', '{"title":'],
    ['[]', '[]'],
  ] as const) {
    it(`is the operator’s where his own file has one: ${about}`, async () => {
      const out = temporaryFolder()
      writeFileSync(join(out, 'about.json'), about)
      await importInto(out, 'tcgcsv', [mirror])
      assert.equal(aboutIn(out), after)
    })
  }

  it('is absent where cards of the operator’s own lie beside those of the sources', async () => {
    const out = temporaryFolder()
    mkdirSync(join(out, 'cards'))
    writeFileSync(
      join(out, 'cards/mine.ndjson'),
      '{"id":"pokemon-own-1","game":"pokemon","name":"Mine","setCode":"bs"}\n',
    )
    await importInto(out, 'tcgcsv', [mirror])
    assert.equal(aboutIn(out), undefined)
  })
})
