/** Printings, external ids and the currency of imports. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { build } from '../../build/build.ts'
import { type MirrorGroup, mirrorGroups } from '../fetch/mirror-groups.ts'
import { temporaryFolder } from '../support/command.ts'
import { cardsById, errorsOf, file, importInto, importNew } from '../support/import.ts'
import { writeMirror } from '../support/mirror.ts'
import { allPrices, allPrintings, brothersWar, scryfallCards, uuid } from './magic.ts'

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
    const { out } = await importNew('mtgjson', [printings, prices])
    assert.deepEqual(reportedBy(out, 'mtg-bro-70'), ['Normal', uuid(1001), uuid(1)])
    assert.deepEqual(reportedBy(out, 'mtg-bro-70-foil'), ['Foil', uuid(1001), uuid(1)])
    assert.deepEqual(reportedBy(out, 'mtg-bro-216-etched'), ['Etched', null, uuid(3)])
    // The next import reads what this one stores.
    await importInto(out, 'mtgjson', [prices])
    assert.deepEqual(reportedBy(out, 'mtg-bro-70'), ['Normal', uuid(1001), uuid(1)])
  })

  it('of Scryfall gives finishes and its ids; of both, those of both', async () => {
    const { out } = await importNew('scryfall', [bulk], { date: '2026-11-20' })
    assert.deepEqual(reportedBy(out, 'mtg-bro-70-foil'), ['Foil', uuid(1001), null])
    assert.deepEqual(reportedBy(out, 'mtg-bro-99b'), ['Normal', uuid(1002), null])
    await importInto(out, 'mtgjson', [printings, prices])
    assert.deepEqual(reportedBy(out, 'mtg-bro-70'), ['Normal', uuid(1001), uuid(1)])
  })

  it('of TCGCSV gives the sub-type, also of a product that has one alone', async () => {
    const { out } = await importNew('tcgcsv', [mirror])
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

  for (const [about, after] of [
    [undefined, '{"currency":"USD"}\n'],
    ['{"currency":"US$","title":"Ours"}', '{"currency":"US$","title":"Ours"}'],
    ['{"currency":"usd"}', '{"currency":"usd"}'],
    ['\ufeff{"title":"Ours"}', '{"title":"Ours","currency":"USD"}\n'],
    ['{"title":5}', '{"title":5}'],
    ['{"title":"Ours"}', '{"title":"Ours","currency":"USD"}\n'],
    ['{"title":', '{"title":'],
    ['[]', '[]'],
  ] as const) {
    it(`is that of the sources, unless the operator’s own file has one: ${about ?? 'no file'}`, async () => {
      const out = temporaryFolder()
      if (about !== undefined) writeFileSync(join(out, 'about.json'), about)
      await importInto(out, 'tcgcsv', [mirror])
      assert.equal(aboutIn(out), after)
      assert.deepEqual((await importInto(out, 'tcgcsv', [mirror])).changed, [])
    })
  }

  describe('that about.json names', () => {
    const euros = '{"currency":"EUR"}'
    const wrongOf = (source: string) =>
      `currency: must be USD, or absent: the prices of ${source} are in US dollars ("EUR")`
    const unpriced = mirrorGroups.map((group) => ({
      ...group,
      products: group.products.map((product) => ({ ...product, prices: [] })),
    }))
    const guide = file('guide.csv', 'console-name,product-name,manual-only-price\nPokemon Base Set,Alakazam #1,$900\n')
    const overlay = file('euros.csv', 'id,key,price\npokemon-bs-001,market,12.5\n')
    const buildOf = (out: string) => build(out, temporaryFolder())

    /** Folders whose prices so far have no known currency. */
    const folders: readonly (readonly [source: string, paths: readonly string[], before?: readonly MirrorGroup[]])[] = [
      ['tcgcsv', [mirror]],
      ['scryfall', [bulk]],
      ['mtgjson', [printings, prices]],
      ['pricecharting', [guide], unpriced],
    ]
    for (const [source, paths, before] of folders) {
      it(`must be that of ${source}, for its import and for a build after it`, async () => {
        const out = temporaryFolder()
        const about = join(out, 'about.json')
        const write = () => writeFileSync(about, euros)
        write()
        if (before !== undefined) await importInto(out, 'tcgcsv', [writeMirror(before)])
        assert.equal(
          await errorsOf(importInto(out, source, paths, { date: '2026-11-20' })),
          `${about}: ${wrongOf(source)}\n1 error; nothing was written`,
        )
        rmSync(about)
        await importInto(out, source, paths, { date: '2026-11-20' })
        write()
        const message = `about.json: ${wrongOf(source)}\n1 problem; nothing was published`
        await assert.rejects(buildOf(out), { message })
        rmSync(about)
        await buildOf(out)
      })
    }

    it('is the operator’s word beside overlays alone, until an archive brings dollars', async () => {
      const out = temporaryFolder()
      writeFileSync(join(out, 'about.json'), euros)
      await importInto(out, 'tcgcsv', [writeMirror(unpriced)])
      await importInto(out, 'overlay', [overlay])
      assert.equal(aboutIn(out), euros)
      await buildOf(out)
      const archive = importInto(out, 'tcgcsv-archive', [mirror], { date: '2026-11-19' })
      assert.ok((await errorsOf(archive)).includes(wrongOf('tcgcsv-archive')))
    })
  })

  it('is absent where cards of the operator’s own lie beside those of the sources', async () => {
    const out = temporaryFolder()
    mkdirSync(join(out, 'cards'))
    const own = { id: 'pokemon-own-1', game: 'pokemon', name: 'Mine', setCode: 'bs' }
    writeFileSync(join(out, 'cards/mine.ndjson'), `${JSON.stringify(own)}\n`)
    await importInto(out, 'tcgcsv', [mirror])
    assert.equal(aboutIn(out), undefined)
  })
})
