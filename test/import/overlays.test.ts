/** Overlays: their names, what stands between their fields, and the history of market prices that they give. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type MirrorProduct, mirrorGroups } from '../fetch/mirror-groups.ts'
import { temporaryFolder } from '../support/command.ts'
import { assertRefused, cardsById, contentOf, copyOf, historyOf, importInto, runImportHere } from '../support/import.ts'
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

describe('The name of an overlay', () => {
  const damaged = `${charizard},damaged,250`
  const psa10 = `${charizard},psa_10,12000`

  it('An overlay is named by its file or --as, replaced under the same name, and removed by --remove', async () => {
    const out = copyOf(imported)
    const at = ['--out', out, '--date', mirrorDay]
    const sales = file('sales.csv', damaged)
    assert.equal((await run(sales, ...at)).code, 0)
    assert.match((await run(sales, ...at)).stdout, /\n2026-11-20: 0 history rows; nothing changed; \d+\.\d s\n$/)
    assert.equal((await run(file('2026-11-20.csv', psa10), '--as', 'Our auctions', ...at)).code, 0)
    assert.deepEqual(sourcesOf(out), ['tcgplayer', 'Our auctions', 'sales'])
    assert.equal((await run(file('2026-11-21.csv', `${charizard},psa_9,9`), '--as', 'Our auctions', ...at)).code, 0)
    assert.deepEqual(cardsById(out).get(charizard).prices.graded, { psa_9: 9 })
    assert.equal((await run('--remove', 'Our auctions', '--out', out)).code, 0)
    assert.deepEqual(sourcesOf(out), ['tcgplayer', 'sales'])
    const { stdout } = await run('--remove', 'sales', '--out', out)
    assert.match(stdout, /\n\nno day: 0 history rows; 2 files changed, 10 unchanged; \d+\.\d s\n$/)
    assert.deepEqual(cardsById(out), cardsById(imported), 'nothing of them is left')
    assert.deepEqual(readdirSync(join(out, 'import/kept')), ['tcgcsv.ndjson'])
  })

  it('A wrong name in --remove is an error that lists the overlays', async () => {
    const out = copyOf(imported)
    await importInto(out, 'overlay', [file('sales.csv', damaged)])
    const before = contentOf(out)
    const { code, stderr } = await run('--remove', 'sale', '--out', out)
    assert.deepEqual([code, contentOf(out)], [1, before])
    assert.equal(stderr, `${out}: has no layer sale (its layers: sales)\n1 error; nothing was written\n`)
    const removing = importInto(imported, 'overlay', [], { remove: 'x' })
    await assertRefused(removing, `${imported}: has no layer x (its layers: none)`)
  })

  it('An overlay has the name of its file without endings, and the day of its last change', async () => {
    const out = copyOf(imported)
    for (const name of ['A.CSV', 'b.csv.gz', 'c.gz', ' d .csv', '.csv', 'e.csv.txt']) {
      const path = file(name, `${unpriced},damaged,1`)
      if (/gz$/i.test(name)) writeFileSync(path, gzipSync(readFileSync(path)))
      utimesSync(path, 0, new Date('2026-11-18T12:00:00Z'))
      assert.equal((await importInto(out, 'overlay', [path])).date, '2026-11-18')
    }
    assert.deepEqual(cardsById(out).get(unpriced).sources, ['tcgplayer', '.csv', 'A', 'b', 'c', 'd', 'e.csv.txt'])
  })
})

describe('The fields of an overlay', () => {
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
      it(`An overlay may have ${JSON.stringify(separator)} between its fields, and ${JSON.stringify(start)} at the file’s start`, async () => {
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

describe('A market price of an overlay', () => {
  const ownFile = (day: string): string => `${day}-your-overlays.csv.gz`
  const market = file('own.csv', `${charizard},market,400.5`, `${unpriced},market,0.07`, `${unpriced},psa_10,7`)

  it('An overlay with a market price becomes a card’s first source, and gets a history row for the day of each import', async () => {
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

  it('The history row of an overlay’s market price is of the newer day of the overlay and the source', async () => {
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

  it('A card gets its market price from the last of two overlays that have one', async () => {
    const out = copyOf(imported)
    await importInto(out, 'overlay', [market], { date: mirrorDay, as: 'a' })
    await importInto(out, 'overlay', [file('x.csv', `${charizard},market,5`)], { date: mirrorDay, as: 'b' })
    assert.deepEqual(sourcesOf(out), ['b', 'a', 'tcgplayer'])
    assert.match(historyOf(out, ownFile(mirrorDay)).join(), /holofoil,5,200,900/)
  })

  it('After an overlay is removed, the cards and their history are as they were before it was imported', async () => {
    const out = copyOf(imported)
    await importInto(out, 'overlay', [market], { date: mirrorDay })
    await importInto(out, 'overlay', [], { remove: 'own' })
    assert.deepEqual(contentOf(join(out, 'history')), contentOf(join(imported, 'history')))
    assert.deepEqual(cardsById(out), cardsById(imported))
  })
})

describe('The card of a price guide’s row', () => {
  const product = (id: number, name: string, number: string, ...subTypes: string[]) => ({
    id,
    name,
    number,
    rarity: 'Rare',
    prices: subTypes.map((subType) => ({ subType, market: 1 })),
  })
  const group = (category: number, id: number, name: string, abbreviation: string, ...products: MirrorProduct[]) => ({
    category,
    id,
    name,
    abbreviation,
    published: '2020-01-01T00:00:00',
    products,
  })
  const promos = [
    group(
      ...([3, 21, 'SV: Scarlet & Violet Promo Cards', 'SVP'] as const),
      product(211, 'Pikachu - 085', '085', 'Holofoil'),
      product(212, 'Mewtwo', '012', 'Holofoil'),
    ),
    group(
      ...([3, 22, 'WoTC Promo', 'PR'] as const),
      product(221, 'Pikachu', '1', 'Normal'),
      product(222, 'Mewtwo', '12', 'Normal'),
    ),
    group(
      3,
      23,
      'Nintendo Promos',
      'NP',
      product(231, 'Pikachu', '085a', 'Normal'),
      product(232, 'Eevee', '99', 'Normal'),
    ),
    group(3, 24, 'Base Gallery', 'BG', product(241, 'Eevee', '99', 'Normal')),
    group(68, 25, 'One Piece Promotion Cards', 'OP-PR', product(251, 'Luffy', 'P-001', 'Foil')),
    group(71, 26, 'The First Chapter', '1', product(261, 'Elsa', '301/204', 'Normal', 'Cold Foil')),
    group(71, 27, 'Into the Inklands', '3', product(271, 'Elsa', '302/204', 'Normal')),
    group(3, 28, 'Crown Zenith', 'CRZ', product(281, 'Hisuian Voltorb', '002/159', 'Normal')),
    group(3, 29, 'Crown Zenith: Galarian Gallery', 'CRZ:GG', product(291, 'Hisuian Voltorb', 'GG06/GG70', 'Holofoil')),
    group(
      3,
      30,
      'SWSH09: Brilliant Stars Trainer Gallery',
      'SWSH09:TG',
      product(301, 'Flareon', 'TG01/TG30', 'Holofoil'),
    ),
    group(3, 33, 'Jungle', 'JU', product(331, 'Snorlax', '411/64', '1st Edition Holofoil', 'Unlimited Holofoil')),
    group(3, 34, 'Celebrations', 'CLB', product(341, 'Zekrom', '10/25', 'Holofoil')),
    group(3, 35, 'Celebrations: Classic Collection', 'CCC', product(351, 'Venusaur', '15/102', 'Holofoil')),
    group(3, 31, 'Shining Fates: Shiny Vault', 'SHF:SV', product(311, 'Rowlet', 'SV001/SV122', 'Holofoil')),
    group(
      ...([3, 32, 'SV: Prismatic Evolutions', 'PRE'] as const),
      product(321, 'Exeggcute', '401/131', 'Normal', 'Reverse Holofoil'),
      product(322, 'Exeggcute (Poke Ball Pattern)', '401/131', 'Holofoil'),
      product(323, 'Exeggcute (Master Ball Pattern)', '401/131', 'Holofoil'),
      product(324, 'Eevee', '402/131', 'Normal', 'Master Ball Pattern'),
    ),
  ]
  const mirror = writeMirror([
    group(
      ...([3, 1, 'SV03: Obsidian Flames', 'SV03'] as const),
      product(1, 'Pidgey', '016/197', 'Normal', 'Reverse Holofoil'),
      product(2, 'Charizard ex - 125/197', '125/197', 'Holofoil'),
      product(3, 'Mew', '151/197', 'Holofoil', 'Reverse Holofoil'),
      product(4, 'Nidoran♂', '055', 'Normal'),
      product(5, 'Onyx', '70', 'Cold Foil'),
    ),
    group(3, 2, 'SM - Ultra Prism', 'SM05', product(11, 'Lucario', '67/156', 'Normal')),
    group(3, 3, 'Base Set', 'BS', product(21, 'Charizard', '4', '1st Edition Holofoil', 'Unlimited Holofoil')),
    group(3, 4, 'Alpha Promos: Base Set', 'AP', product(31, 'Abra', '9', 'Normal')),
    group(85, 5, 'SV3: Ruler', 'SV3', product(41, 'Pidgey', '016', 'Normal')),
    group(
      ...([2, 6, 'Legend of Blue Eyes White Dragon', 'LOB'] as const),
      product(51, 'Aqua Madoor', 'LOB-027', '1st Edition'),
      product(52, 'Basic Insect', 'LOB-028', '1st Edition', 'Unlimited'),
    ),
    group(
      ...([68, 7, 'Paramount War', 'OP02'] as const),
      product(61, 'Monkey.D.Luffy (001)', 'OP02-001', 'Foil'),
      product(62, 'Monkey.D.Luffy (001) (Alternate Art)', 'OP02-001', 'Foil'),
      product(63, 'Nami (Parallel)', 'OP02-002', 'Foil'),
      product(64, 'Usopp', 'OP02-003', 'Normal'),
      product(65, 'Usopp', 'OP02-003', 'Foil'),
    ),
    ...promos,
  ])
  const of = {
    evolutions: 'Pokemon Prismatic Evolutions',
    flames: 'Pokemon Obsidian Flames',
    blueEyes: 'YuGiOh Legend of Blue Eyes White Dragon',
    war: 'One Piece Paramount War',
  }
  const noCard = 'no card of that game, set, number and name'
  const several = 'several cards of that game, set, number and name'
  const another = 'another row is of the same card'
  /** Product and printing that a guide with the row alone prices, or why it is left out. */
  const rows: readonly (readonly [console: string, product: string, found: string])[] = [
    [of.flames, 'Pidgey #16', '1 Normal'],
    [of.flames, 'Pidgey [Reverse Holo] #016', '1 Reverse Holofoil'],
    [of.flames, 'Pidgey [Foil] #16', '1 Reverse Holofoil'],
    [of.flames, 'Pidgey [Holo] #16', noCard],
    [of.flames, 'Pidgey [Cosmos] #16', noCard],
    ['Pokemon SV03: Obsidian Flames', 'CHARIZARD EX #125', '2 Holofoil'],
    ['Pokemon SV03', 'Charizard ex [Holo] #125', '2 Holofoil'],
    [of.flames, 'Charizard #125', noCard],
    [of.flames, 'Mew #151', several],
    [of.flames, 'Mew [Reverse] #151', '3 Reverse Holofoil'],
    [of.flames, 'Nidoran♀ #55', noCard],
    [of.flames, 'Nidoran #55', '4 Normal'],
    [of.flames, 'Onyx [Foil] #70', '5 Cold Foil'],
    [of.flames, 'Pidgey OBF-016', 'no number'],
    ['Pokemon Ultra Prism', 'Lucario #67', '11 Normal'],
    ['Pokemon Base Set', 'Charizard #4', several],
    ['Pokemon Base Set', 'Charizard [1st Edition] #4', '21 1st Edition Holofoil'],
    ['Pokemon Base Set', 'Abra #9', noCard],
    ['Pokemon Japanese Ruler', 'Pidgey #16', '41 Normal'],
    ['Pokemon Japanese Obsidian Flames', 'Pidgey #16', noCard],
    ['One Piece Japanese Paramount War', 'Monkey.D.Luffy OP02-001', noCard],
    [of.blueEyes, 'Aqua Madoor LOB-027', '51 1st Edition'],
    [of.blueEyes, 'Aqua Madoor #LOB-027', '51 1st Edition'],
    [of.blueEyes, 'Aqua Madoor [Unlimited] LOB-027', noCard],
    [of.blueEyes, 'Aqua Madoor LOB-028', noCard],
    [of.blueEyes, 'Aqua Madoor', 'no number'],
    [of.blueEyes, 'Basic Insect LOB-028', several],
    [of.war, 'Monkey.D.Luffy OP02-001', '61 Foil'],
    [of.war, 'Monkey.D.Luffy [Alternate Art] OP02-001', '62 Foil'],
    [of.war, 'Monkey.D.Luffy [Manga] OP02-001', noCard],
    [of.war, 'Nami OP02-002', noCard],
    [of.war, 'Usopp OP02-003', several],
    [of.war, 'Usopp [Foil] OP02-003', '65 Foil'],
    [of.war, 'Nami [Parallel] OP02-002', '63 Foil'],
    ['Pokemon Promo', 'Pikachu #85', '211 Holofoil'],
    ['Pokemon Promos', 'Pikachu #085a', '231 Normal'],
    ['Pokemon Promo', 'Pikachu #001', '221 Normal'],
    ['Pokemon Promo', 'Mewtwo #12', several],
    ['Pokemon WoTC Promo', 'Mewtwo #12', '222 Normal'],
    ['Pokemon Scarlet & Violet Promo', 'Mewtwo #12', '212 Holofoil'],
    ['Pokemon Promo', 'Mewtwo [Holo] #12', '212 Holofoil'],
    ['Pokemon Promo', 'Eevee #99', '232 Normal'],
    ['Pokemon Sword Promo', 'Pikachu #85', noCard],
    ['Pokemon Promo', 'Raichu #85', noCard],
    ['One Piece Promo', 'Luffy P-001', '251 Foil'],
    ['Lorcana First Chapter', 'Elsa #301', '261 Normal'],
    ['Lorcana First Chapter', 'Elsa [Foil] #301', '261 Cold Foil'],
    ['Lorcana Into Inklands', 'Elsa #302', '271 Normal'],
    ['Lorcana Chapter', 'Elsa #301', noCard],
    ['Pokemon Crown Zenith', 'Hisuian Voltorb #GG06', '291 Holofoil'],
    ['Pokemon Crown Zenith', 'Hisuian Voltorb #2', '281 Normal'],
    ['Pokemon Crown', 'Hisuian Voltorb #2', noCard],
    ['Pokemon Brilliant Stars', 'Flareon #TG01', '301 Holofoil'],
    ['Pokemon Shining Fates', 'Rowlet #SV001', '311 Holofoil'],
    ['Pokemon Celebrations', 'Venusaur #15', '351 Holofoil'],
    [of.evolutions, 'Exeggcute #401', '321 Normal'],
    [of.evolutions, 'Exeggcute [Reverse Holo] #401', '321 Reverse Holofoil'],
    [of.evolutions, 'Exeggcute [Master Ball] #401', '323 Holofoil'],
    [of.evolutions, 'Exeggcute [Poke Ball] #401', '322 Holofoil'],
    [of.evolutions, 'Exeggcute [Poké Ball Pattern] #401', '322 Holofoil'],
    [of.evolutions, 'Exeggcute [Friend Ball] #401', noCard],
    [of.evolutions, 'Eevee [Master Ball] #402', '324 Master Ball Pattern'],
  ]
  const numberOf = (name: string): string => name.split(/[ #]/).at(-1)!.replace(/^0+/, '')
  /** Of each row of a guide, the product and printing that has its price, or why it is left out. */
  const guideOf = async (...named: readonly (readonly string[])[]) => {
    const path = join(temporaryFolder(), 'guide.csv')
    const lines = named.map(([console, name], i) => `${console},${name},${100 + i}`)
    writeFileSync(path, ['console-name,product-name,manual-only-price', ...lines, ''].join('\n'))
    const { report } = await importInto(out, 'pricecharting', [path])
    const graded = [...cardsById(out).values()].filter(({ prices }) => prices.graded !== undefined)
    const leftOut = report.records.filter(({ kind }) => kind === 'left out')
    assert.equal(graded.length + leftOut.length, named.length)
    return named.map(([, name], i) => {
      const priced = graded.find(({ prices }) => prices.graded.psa_10 === (100 + i) / 100)
      if (priced) return `${priced.tcgplayerId} ${priced.printing}`
      return leftOut.find(({ record }) => numberOf(record) === numberOf(name!))?.reason
    })
  }
  const out = temporaryFolder()
  before(() => importInto(out, 'tcgcsv', [mirror]))
  it('A price guide’s plain row next to a row with a printing in brackets means the other printing', async () => {
    const rows = [
      ['Pokemon Jungle', 'Snorlax #411'],
      ['Pokemon Jungle', 'Snorlax [1st Edition] #411'],
    ] as const
    assert.deepEqual(await guideOf(...rows), ['331 Unlimited Holofoil', '331 1st Edition Holofoil'])
    assert.deepEqual(await guideOf(rows[0]), ['several cards of that game, set, number and name'])
  })
  /** Rows of other numbers, which do not bear on each other, are in one guide. */
  const guides = new Map<number, (typeof rows)[number][]>()
  for (const [i, row] of rows.entries()) {
    const place = rows.slice(0, i).filter(([, name]) => numberOf(name) === numberOf(row[1])).length
    guides.set(place, [...(guides.get(place) ?? []), row])
  }
  for (const guide of guides.values()) {
    const found = new Promise<readonly unknown[]>((resolve) => before(() => guideOf(...guide).then(resolve)))
    for (const [i, [console, name, expected]] of guide.entries())
      it(`The row "${console}: ${name}" of a price guide has the result "${String(expected).replace(/^\d/, 'product $&')}"`, async () =>
        assert.equal((await found)[i], expected))
  }
  it('Two rows of a price guide never share a card: the row that names the printing has it', async () => {
    const plain = [of.blueEyes, 'Aqua Madoor LOB-027']
    const named = [of.blueEyes, 'Aqua Madoor [1st Edition] LOB-027']
    assert.deepEqual(await guideOf(plain, named), [another, '51 1st Edition'])
    assert.deepEqual(await guideOf(named, plain), ['51 1st Edition', another])
    assert.deepEqual(await guideOf(plain, plain), [another, another])
  })
})
