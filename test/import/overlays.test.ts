/** Overlays: their names, what stands between their fields, and the history of market prices that they give. */
import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { mirrorGroups } from '../fetch/mirror-groups.ts'
import { temporaryFolder } from '../support/command.ts'
import { cardsById, contentOf, copyOf, errorsOf, historyOf, importInto, runImportHere } from '../support/import.ts'
import { mirrorDay, writeMirror } from '../support/mirror.ts'

const charizard = 'pokemon-bs-004-holofoil'
const unpriced = 'fab-arc-arc000'
const nextDay = '2026-11-21'

function file(name: string, ...rows: string[]): string {
  const path = join(temporaryFolder(), name)
  writeFileSync(path, ['id,key,price', ...rows, ''].join('\n'))
  return path
}

const imported = temporaryFolder()
await importInto(imported, 'tcgcsv', [writeMirror(mirrorGroups)])
const sourcesOf = (out: string) => cardsById(out).get(charizard).sources
const run = (...args: string[]) => runImportHere('overlay', ...args)

describe('a layer', () => {
  const damaged = `${charizard},damaged,250`
  const psa10 = `${charizard},psa_10,12000`

  it('is named by its file or by --as, is replaced by the same name, and taken away by --remove', async () => {
    const out = copyOf(imported)
    const at = ['--out', out, '--date', mirrorDay]
    assert.equal((await run(file('sales.csv', damaged), ...at)).code, 0)
    assert.equal((await run(file('2026-11-20.csv', psa10), '--as', 'Our auctions', ...at)).code, 0)
    assert.deepEqual(sourcesOf(out), ['tcgplayer', 'Our auctions', 'sales'])
    assert.equal((await run(file('2026-11-21.csv', `${charizard},psa_9,9`), '--as', 'Our auctions', ...at)).code, 0)
    assert.deepEqual(cardsById(out).get(charizard).prices.graded, { psa_9: 9 })
    assert.equal((await run('--remove', 'Our auctions', '--out', out)).code, 0)
    assert.deepEqual(sourcesOf(out), ['tcgplayer', 'sales'])
    assert.equal((await run('--remove', 'sales', '--out', out)).code, 0)
    assert.deepEqual(cardsById(out), cardsById(imported), 'nothing of them is left')
    assert.deepEqual(readdirSync(join(out, 'import/kept')), ['tcgcsv.ndjson'])
  })

  it('that is not there is an error that names the others', async () => {
    const out = copyOf(imported)
    await importInto(out, 'overlay', [file('sales.csv', damaged)])
    const before = contentOf(out)
    const { code, stderr } = await run('--remove', 'sale', '--out', out)
    assert.deepEqual([code, contentOf(out)], [1, before])
    assert.match(stderr, /: has no layer sale \(its layers: sales\)\n/)
  })

  it('may also be the price guides', async () => {
    const out = copyOf(imported)
    const guide = join(temporaryFolder(), 'guide.csv')
    writeFileSync(guide, 'console-name,product-name,manual-only-price\nPokemon Base Set,Alakazam #1,$900\n')
    await importInto(out, 'pricecharting', [guide])
    assert.equal((await run('--remove', 'pricecharting', '--out', out)).code, 0)
    assert.deepEqual(cardsById(out), cardsById(imported))
  })

  it('can not have the name of a source', async () => {
    const importing = importInto(copyOf(imported), 'overlay', [file('tcgplayer.csv', damaged)])
    assert.match(await errorsOf(importing), /tcgplayer\.csv: has the name of a source: name its layer with --as/)
  })

  const wrongs: readonly (readonly [args: readonly string[], text: RegExp])[] = [
    [['overlay', 'x.csv', '--as', '../x'], /^--as: must be 1 to 40 letters, .* \(\.\.\/x\)\n/],
    [['overlay', 'x.csv', '--as', 'scryfall'], /^--as: must not be the name of a source \(scryfall\)\n/],
    [['overlay', 'x.csv', '--remove', 'x'], /^overlay takes FILE\.csv\n/],
    [['overlay'], /^overlay takes FILE\.csv\n/],
    [['tcgcsv', 'x', '--as', 'x'], /^--as: only for overlay\n/],
    [['tcgcsv', '--remove', 'x'], /^--remove: only for overlay\n/],
  ]
  for (const [args, text] of wrongs) {
    it(`${args.join(' ')} is wrong usage`, async () => {
      const { code, stderr } = await runImportHere(...args)
      assert.equal(code, 2)
      assert.match(stderr, text)
    })
  }
})

describe('the fields of an overlay', () => {
  const rows = [
    ['id', 'note', 'key', 'price'],
    [charizard, 'an "old"\none; two, three\tfour', 'damaged', '250.5'],
    [charizard, '', 'psa_10', '12000'],
  ]
  const quoted = (field: string) => (/[",;\t\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)
  for (const separator of [',', ';', '\t']) {
    for (const [start, end] of [
      ['', '\n'],
      ['\ufeff', '\r\n'],
    ] as const) {
      it(`have ${JSON.stringify(separator)} between them, after ${JSON.stringify(start)}`, async () => {
        const out = copyOf(imported)
        const path = join(temporaryFolder(), 'own.csv')
        writeFileSync(path, start + rows.map((row) => row.map(quoted).join(separator) + end).join(''))
        const { report } = await importInto(out, 'overlay', [path])
        assert.equal(report.game(null).leftOut.size, 0)
        const { conditions, graded } = cardsById(out).get(charizard).prices
        assert.deepEqual([conditions, graded], [{ damaged: 250.5 }, { psa_10: 12000 }])
      })
    }
  }
})

describe('a market price of an overlay', () => {
  const ownFile = (day: string): string => `${day}-your-overlays.csv.gz`
  const market = file('own.csv', `${charizard},market,400.5`, `${unpriced},market,0.07`, `${unpriced},psa_10,7`)

  it('stands first in sources, and is the row of the day, before and after the next day', async () => {
    const out = copyOf(imported)
    await importInto(out, 'overlay', [market], { date: mirrorDay })
    assert.deepEqual(sourcesOf(out), ['own', 'tcgplayer'])
    const rows = (day: string) => [`${day},${unpriced},0.07,,`, `${day},${charizard},400.5,200,900`]
    assert.deepEqual(historyOf(out, ownFile(mirrorDay)), rows(mirrorDay))
    assert.deepEqual(readdirSync(join(out, 'history')), [`${mirrorDay}-tcgcsv.csv.gz`, ownFile(mirrorDay)])
    await importInto(out, 'tcgcsv', [writeMirror(mirrorGroups)], { date: nextDay })
    assert.deepEqual(historyOf(out, ownFile(nextDay)), rows(nextDay))
    assert.deepEqual(historyOf(out, ownFile(mirrorDay)), rows(mirrorDay), 'the day before stays')
    const before = contentOf(out)
    await importInto(out, 'tcgcsv', [writeMirror(mirrorGroups)], { date: nextDay })
    assert.deepEqual(contentOf(out), before)
  })

  it('is of the newer day: its own, or that of the source', async () => {
    for (const [date, day] of [
      ['2026-11-19', mirrorDay],
      [nextDay, nextDay],
    ] as const) {
      const out = copyOf(imported)
      await importInto(out, 'overlay', [market], { date })
      assert.equal(historyOf(out, ownFile(day)).length, 2)
      assert.equal(readdirSync(join(out, 'history')).length, 2)
    }
  })

  it('of the last of two layers counts', async () => {
    const out = copyOf(imported)
    await importInto(out, 'overlay', [market], { date: mirrorDay, as: 'a' })
    await importInto(out, 'overlay', [file('x.csv', `${charizard},market,5`)], { date: mirrorDay, as: 'b' })
    assert.deepEqual(sourcesOf(out), ['b', 'a', 'tcgplayer'])
    assert.match(historyOf(out, ownFile(mirrorDay)).join(), /holofoil,5,200,900/)
  })

  it("of a layer that is taken away leaves the source's row", async () => {
    const out = copyOf(imported)
    await importInto(out, 'overlay', [market], { date: mirrorDay })
    await importInto(out, 'overlay', [], { remove: 'own' })
    assert.deepEqual(contentOf(join(out, 'history')), contentOf(join(imported, 'history')))
    assert.deepEqual(cardsById(out), cardsById(imported))
  })
})
