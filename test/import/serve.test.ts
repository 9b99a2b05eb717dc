/** Imports as the documents have them: a mirror and its archive, prices in euros and how they are served, sealed products. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { type MirrorPrice, type MirrorProduct, mirrorGroups } from '../fetch/mirror-groups.ts'
import { documentText, temporaryFolder } from '../support/command.ts'
import {
  assertRefused,
  cardsById,
  contentOf,
  copyOf,
  errorsOf,
  historyOf,
  importInto,
  importNew,
  runImportHere,
} from '../support/import.ts'
import { archiveDays, withGroups, writeArchive, writeMirror } from '../support/mirror.ts'
import { serveHere } from '../support/servers-here.ts'
import { send } from '../support/service.ts'
import { allPrintings, scryfallCard, shop } from './magic.ts'
import { bulkOf, command, day, file, market, pricesOf, tcgcsv } from './market-files.ts'

it('The commands in docs/data.md import a mirror and its archive, and each card has its prices', async () => {
  const out = temporaryFolder()
  const given: Readonly<Record<string, string>> = { DIR: writeMirror(), ARCHIVE_DIR: writeArchive(), prices: out }
  const documented = [...documentText('docs/data.md').matchAll(/^card-prices import (tcgcsv\S* [^&\n]*)$/gm)]
  assert.equal(documented.length, 2, 'a mirror and its archive')
  for (const [, args] of documented) {
    const words = args!.split(' ').map((word) => given[word] ?? word)
    const { code, stderr } = await runImportHere(...words, '--out', out)
    assert.equal(code, 0, stderr)
  }
  assert.equal(readdirSync(join(out, 'history')).length, archiveDays.length + 1)
  const isCard = ({ number, rarity }: MirrorProduct) => number !== undefined || (rarity ?? 'Code Card') !== 'Code Card'
  const expected = mirrorGroups.flatMap(({ products }) =>
    products.filter(isCard).flatMap(({ id, prices }) => {
      const rows: readonly (Partial<MirrorPrice> | undefined)[] = prices?.length ? prices : [undefined]
      return rows.map(({ subType = null, market = null, low = null, mid = null, high = null } = {}) =>
        JSON.stringify([id, subType, { market, low, mid, high }]),
      )
    }),
  )
  const cards = [...cardsById(out).values()]
  const written = cards.map(({ tcgplayerId, printing, prices }) => JSON.stringify([tcgplayerId, printing, prices]))
  assert.deepEqual(written.sort(), expected.sort())
})

describe('A folder in euros', () => {
  const euros = { ...day, currency: 'EUR' } as const
  const bulk = bulkOf(
    command,
    scryfallCard(2, 'Cityscape Leveler', '233', { tcgplayer_id: 452002, prices: { usd: '3', eur: null } }),
  )

  it('A folder in euros has euros in searches, movers, histories, health and bulk files', async () => {
    const { out } = await importNew('tcgcsv', [writeMirror()], { currency: 'EUR' })
    await importInto(out, 'scryfall', [bulk], day)
    const later = bulkOf({ ...command, prices: { ...command.prices, eur: '2.40', eur_foil: null } })
    await importInto(out, 'scryfall', [later], { date: '2026-11-21' })
    const urza = cardsById(out).get('mtg-bro-070')
    assert.deepEqual(urza.prices, { market: 2.4, low: null, mid: null, high: null })
    assert.deepEqual(
      [urza.sources, urza.updatedAt, urza.markets.map((one: { market: string }) => one.market).sort()],
      [['cardmarket', 'tcgplayer', 'scryfall'], '2026-11-21T00:00:00Z', ['cardmarket', 'tcgplayer']],
    )
    assert.deepEqual(cardsById(out).get('pokemon-swsh12-139-holofoil').prices.market, null)
    const history = readdirSync(join(out, 'history')).sort()
    assert.deepEqual(history, ['2026-11-20-prices-in-euros.csv.gz', '2026-11-21-prices-in-euros.csv.gz'])
    assert.ok(historyOf(out, history[0]!).includes('2026-11-20,mtg-bro-070-foil,1.2,,'))
    assert.ok(historyOf(out, history[1]!).includes('2026-11-21,mtg-bro-070,2.4,,'))
    const here = await serveHere(out)
    try {
      const ask = (path: string) => send(here.address('B'), path, { headers: { 'x-api-key': here.keys.business } })
      const ids = async (path: string) => (await ask(path)).json.data.map(({ id }: { id: string }) => id)
      assert.equal((await ask('/healthz')).json.currency, 'EUR')
      assert.deepEqual(await ids('/v1/search?q=urza&min_price=2.4&max_price=9'), ['mtg-bro-070'])
      assert.deepEqual(await ids('/v1/search?q=urza&min_price=2.41&max_price=9'), [])
      const movers = (await ask('/v1/movers?period=1d&min_price=0')).json.data
      assert.deepEqual([movers[0].id, movers[0].change.from, movers[0].change.to], ['mtg-bro-070', 0.8, 2.4])
      const { history } = (await ask('/v1/cards/mtg-bro-070/prices?days=7')).json.data
      assert.equal(history.map((row: { market: number }) => row.market).join(), '0.8,2.4')
      const { currency, markets } = (await ask('/v1/cards/mtg-bro-070?view=extended')).json.data
      assert.deepEqual([currency, markets.at(-1).market, markets.at(-1).price], ['EUR', 'tcgplayer', 0.2])
      const lines = gunzipSync((await ask('/v1/bulk/mtg')).bytes).toString()
      assert.ok(lines.includes('"currency":"EUR"') && !/"prices":[^}]*}[^}]*"currency":"USD","tcgplayerId"/.test(lines))
      // Pages and the description have it from there.
      assert.equal(JSON.parse(contentOf(out)['about.json']!).currency, 'EUR')
    } finally {
      await here.close()
    }
  })

  it('A folder keeps its currency, and changes it only with --force, which begins the history anew', async () => {
    const out = copyOf(tcgcsv)
    await importInto(out, 'scryfall', [bulk], day)
    const before = contentOf(out)
    const refused = 'has prices in USD, and --currency says EUR: --force imports in EUR and begins its history anew'
    assert.equal(await errorsOf(importInto(out, 'scryfall', [bulk], euros)), `${out}: ${refused}`)
    assert.deepEqual(contentOf(out), before)
    await importInto(out, 'scryfall', [bulk], { ...euros, force: true })
    assert.deepEqual(readdirSync(join(out, 'history')), ['2026-11-20-prices-in-euros.csv.gz'])
    assert.equal(JSON.parse(contentOf(out)['about.json']!).currency, 'EUR')
    assert.equal(JSON.parse(contentOf(out)['import/choices.json']!).currency, 'EUR')
    await importInto(out, 'tcgcsv', [writeMirror()])
    assert.equal(cardsById(out).get('mtg-bro-070').prices.market, 0.8)
    assert.deepEqual(readdirSync(join(out, 'history')), ['2026-11-20-prices-in-euros.csv.gz'])
    const guide = file('console-name,product-name,manual-only-price\nPokemon Base Set,Alakazam #1,$900\n', 'guide.csv')
    const inDollars = "pricecharting: has prices in US dollars, and the folder's are in EUR: take the layer away"
    await assertRefused(
      importInto(out, 'pricecharting', [guide]),
      `${out}: ${inDollars} (card-prices import overlay --remove "pricecharting" --out ${out})`,
    )
    const dated = temporaryFolder()
    mkdirSync(join(dated, '2026-11-19/3/604'), { recursive: true })
    writeFileSync(join(dated, '2026-11-19/3/604/prices'), '{"success":true,"errors":[],"results":[]}')
    // The folder's currency, and no advice to change about.json.
    for (const given of [{}, { currency: 'USD', force: true } as const])
      assert.match(
        await errorsOf(importInto(out, 'tcgcsv-archive', [dated], given)),
        /^[^\n]*: is in EUR: the history of these files is in US dollars\n1 error; /,
      )
    await importInto(out, 'overlay', [file('id,key,price\nmtg-bro-070,near_mint,1\n', 'mine.csv')], day)
    const dollars = { ...day, currency: 'USD', force: true } as const
    const earlier = "mine: may have prices in the earlier currency, and the folder's are in USD: take the layer away"
    await assertRefused(
      importInto(out, 'scryfall', [bulk], dollars),
      `${out}: ${earlier} (card-prices import overlay --remove "mine" --out ${out})`,
    )
    assert.equal((await runImportHere('overlay', '--remove', 'mine', '--out', out)).code, 0)
    await importInto(out, 'scryfall', [bulk], dollars)
    assert.deepEqual(cardsById(out).get('mtg-bro-070').prices, cardsById(tcgcsv).get('mtg-bro-070').prices)
    assert.equal(JSON.parse(contentOf(out)['about.json']!).currency, 'USD')
  })

  it('A folder in euros has MTGJSON’s 90 days at Cardmarket as its history', async () => {
    const out = temporaryFolder()
    const paper = {
      tcgplayer: shop('USD', { normal: { '2026-11-18': 1, '2026-11-19': 3, '2026-11-20': 2.5 } }),
      cardmarket: shop('EUR', { normal: { '2026-11-18': 1, '2026-11-20': 1.54 } }),
      aaa: shop('EUR', { normal: { '2026-11-20': 9 } }),
    }
    const printings = file(allPrintings(), 'AllPrintings.json')
    const files = [printings, pricesOf(paper)]
    await importInto(out, 'mtgjson', files)
    const { historyRows } = await importInto(out, 'mtgjson', files, { currency: 'EUR', force: true })
    assert.equal(historyRows, 3)
    const days = ['2026-11-18-mtgjson.csv.gz', '2026-11-20-mtgjson.csv.gz', '2026-11-20-prices-in-euros.csv.gz']
    assert.deepEqual(readdirSync(join(out, 'history')).sort(), days, 'also one whose bytes are those of the dollars')
    assert.deepEqual(historyOf(out, '2026-11-18-mtgjson.csv.gz'), ['2026-11-18,mtg-bro-70,1,,'])
    assert.deepEqual(historyOf(out, '2026-11-20-prices-in-euros.csv.gz'), ['2026-11-20,mtg-bro-70,1.54,,'])
    const { prices, markets } = cardsById(out).get('mtg-bro-70')
    assert.deepEqual([prices.market, markets.length], [1.54, 2])
    assert.deepEqual(markets.at(-1), market('tcgplayer', 'USD', 2.5))
  })
})

describe('Sealed products', () => {
  const box = 'pokemon-swsh12-451402'

  it('Sealed products become cards with --sealed, with lasting ids, until --no-sealed', async () => {
    const out = copyOf(tcgcsv)
    assert.ok(!cardsById(out).has(box))
    const mirror = writeMirror()
    const run = (...args: string[]) => runImportHere('tcgcsv', mirror, '--out', out, ...args)
    const { code, stdout, stderr } = await run('--sealed')
    assert.equal(code, 0, stderr)
    assert.match(stdout, /^game .* sealed .*$/m)
    const { name, rarity, number, printing, tcgplayerId, prices, setCode } = cardsById(out).get(box)
    assert.deepEqual(
      [name, rarity, number, printing, tcgplayerId, prices.market, setCode],
      ['Silver Tempest Elite Trainer Box', 'Sealed', null, null, 451402, 60, 'swsh12'],
    )
    assert.equal(cardsById(out).size, cardsById(tcgcsv).size + 4, 'no code card among them')
    assert.equal((await run()).code, 0)
    assert.ok(cardsById(out).has(box))
    const renamed = withGroups({
      3170: (group) => ({
        ...group,
        products: group.products.map((product) =>
          product.id === 451402 ? { ...product, name: 'ETB', prices: [{ subType: 'Normal', market: 66 }] } : product,
        ),
      }),
    })
    await importInto(out, 'tcgcsv', [writeMirror(renamed)], { date: '2026-11-21' })
    assert.deepEqual([cardsById(out).get(box).name, cardsById(out).get(box).prices.market], ['ETB', 66])
    assert.ok(historyOf(out, '2026-11-20-tcgcsv.csv.gz').includes(`2026-11-20,${box},60,,`))
    const unsealed = ['--no-sealed', '--date', '2026-11-22']
    const refused = await run(...unsealed)
    const line = `${out}: was imported with --sealed, and --no-sealed says otherwise: --force changes it\n`
    assert.deepEqual([refused.code, refused.stderr], [1, line])
    assert.ok(cardsById(out).has(box))
    assert.equal((await run(...unsealed, '--force')).code, 0)
    assert.ok(!cardsById(out).has(box))
  })
})
