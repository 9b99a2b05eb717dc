/** Prices that an overlay, a price guide or a seller’s file lays over cards: each row goes to the card that it names in all, or to none. */
import assert from 'node:assert/strict'
import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, it } from 'node:test'
import { gameSlugs } from '../../build/games/default-games.ts'
import { mirrorGroups } from '../fetch/mirror-groups.ts'
import { temporaryFolder } from '../support/command.ts'
import { cardsById, copyOf, errorsOf, file, importInto, runImportHere } from '../support/import.ts'
import { withGroups, writeMirror } from '../support/mirror.ts'
import { tcgcsv } from './market-files.ts'
import { pricingColumns, pricingFile, pricingRow } from './pricing-files.ts'

describe('The prices of overlays and price guides', () => {
  const overlay = file(
    'own-sales.csv',
    `price,id,key
340,pokemon-bs-004-holofoil,near_mint
250.5,pokemon-bs-004-holofoil,damaged
12000,pokemon-bs-004-holofoil,psa_10
0.07,fab-arc-arc000,market
1,pokemon-nowhere-1,low
1,nowhere-1,low
,pokemon-bs-001-holofoil,low
`,
  )
  const guide = file(
    'price-guide.csv',
    `id,console-name,product-name,loose-price,graded-price,manual-only-price
1,Pokemon Silver Tempest,Lugia VSTAR #139,$4.50,$20.00,"$1,234.56"
2,Pokemon Base Set,Alakazam #1,$40.00,,$900
3,Pokemon Base Set,Alakazam #2,$40.00,,$900
8,Pokemon Base Set,Kadabra #1,$40.00,,$900
9,Pokemon Base Set 2,Alakazam #1,$40.00,,$900
10,Magic Base Set,Alakazam #1,$40.00,,$900
4,Pokemon Japanese SV: 超電ブレイカー,ピカチュウex #33,,$7,
5,Pokemon Base Set,Unown [A],$1.00,$2.00,
6,Xbox,Halo,$1.00,$2.00,
7,Lorcana The First Chapter,Elsa - Spirit of Winter #42,$1.00,$0.00,$80
11,Pokemon Base Set,Charizard #4,$350.00,$0.00,
`,
  )

  it('Overlays find cards by id, guides by game, set, number and name, and both apply again after each import', async () => {
    const out = copyOf(tcgcsv)
    const { report } = await importInto(out, 'overlay', [overlay], { date: '2026-11-19' })
    const guideReport = (await importInto(out, 'pricecharting', [guide], { date: '2026-11-19' })).report
    await importInto(out, 'tcgcsv', [writeMirror(mirrorGroups)], { date: '2026-11-21' })
    const cards = cardsById(out)
    const charizard = cards.get('pokemon-bs-004-holofoil')
    const more = { conditions: { near_mint: 340, damaged: 250.5 }, graded: { psa_10: 12000 } }
    assert.deepEqual(charizard.prices, { market: 350.12, low: 200, mid: 340, high: 900, ...more })
    assert.deepEqual(charizard.sources, ['tcgplayer', 'own-sales'])
    assert.equal(charizard.updatedAt, '2026-11-21T00:00:00Z', 'the day of its own prices')
    const { prices, updatedAt } = cards.get('fab-arc-arc000')
    assert.deepEqual([prices.market, updatedAt], [0.07, '2026-11-19T00:00:00Z'])
    assert.deepEqual(cards.get('pokemon-swsh12-139-holofoil').prices.graded, { grade_9: 20, psa_10: 1234.56 })
    assert.deepEqual(cards.get('pokemon-bs-001-holofoil').prices.graded, { psa_10: 900 })
    assert.deepEqual(cards.get('pokemonjp-g24001-033-holofoil').prices.graded, { grade_9: 7 })
    assert.deepEqual(cards.get('lorcana-1-42').prices.graded, { psa_10: 80 })
    assert.deepEqual(cards.get('lorcana-1-42').sources, ['tcgplayer', 'pricecharting'])
    assert.equal(report.game(null).leftOut.get('no such card'), 2)
    const leftOut = guideReport.records.filter(({ file }) => file?.endsWith(basename(guide)))
    const expected = [
      'no number: Pokemon Base Set: Unown [A]',
      'another game: Xbox: Halo',
      'no graded price: Pokemon Base Set: Charizard #4',
      'no card of that game, set, number and name: Base Set: Alakazam #2',
      'no card of that game, set, number and name: Base Set: Kadabra #1',
      'no card of that game, set, number and name: Base Set 2: Alakazam #1',
      'no card of that game, set, number and name: Base Set: Alakazam #1',
    ]
    assert.equal(leftOut.map(({ reason, record }) => `${reason}: ${record}`).join('\n'), expected.join('\n'))
  })

  it('An import of a price guide reads eight grades and all names of a game, and takes the day of its file', async () => {
    const columns = 'cib new graded box-only manual-only bgs-10 condition-17 condition-18'.split(' ')
    const header = `console-name,product-name,${columns.map((column) => `${column}-price`)}`
    const others = ['Magic', 'YuGiOh', 'Lorcana', 'Disney Lorcana', 'One Piece', 'Flesh and Blood', 'Flesh & Blood']
    const consoles = ['Pokemon Japanese', 'Pokemon', ...others, 'Star Wars Unlimited', 'Star Wars: Unlimited']
    const rows = ['Pokemon Base Set,Alakazam #1,1,2,3,4,5,6,7,8', ...consoles.map((name) => `${name} x,X #1,9,,,,,,,`)]
    const path = file('guide.csv', [header, ...rows].join('\n'))
    utimesSync(path, 0, new Date('2026-11-18T12:00:00Z'))
    const out = copyOf(tcgcsv)
    const { report, date } = await importInto(out, 'pricecharting', [path])
    const graded =
      'bgs_10,0.06 cgc_10,0.07 grade_7,0.01 grade_8,0.02 grade_9,0.03 grade_9_5,0.04 psa_10,0.05 sgc_10,0.08'
    assert.equal(Object.entries(cardsById(out).get('pokemon-bs-001-holofoil').prices.graded).join(' '), graded)
    const left = report.records.map(({ game, record }) => `${game} ${record}`).join('; ')
    const games = 'pokemonjp pokemon mtg yugioh lorcana lorcana onepiece fab fab swu swu '
    assert.deepEqual([date, `${left}; `], ['2026-11-18', games.replaceAll(' ', ' x: X #1; ')])
  })

  it('An overlay’s rows in any order give the same file of cards', async () => {
    const rows = ['psa_10,12000', 'damaged,250.5', 'bgs_9_5,5000', 'near_mint,340', 'psa_9,900', 'heavily_played,280']
    const written = [rows, [...rows].reverse(), [...rows].sort()].map(async (order) => {
      const out = copyOf(tcgcsv)
      const path = join(temporaryFolder(), 'own.csv')
      writeFileSync(path, `id,key,price\n${order.map((row) => `pokemon-bs-004-holofoil,${row}\n`).join('')}`)
      await importInto(out, 'overlay', [path], { date: '2026-11-19' })
      return readFileSync(join(out, 'cards/tcgcsv-pokemon.ndjson'), 'utf8')
    })
    const [first, ...others] = await Promise.all(written)
    assert.ok(first!.includes('"graded":{"bgs_9_5":5000,"psa_10":12000,"psa_9":900}'))
    for (const other of others) assert.equal(other, first)
  })

  it('An overlay or a price guide with --games replaces only the prices of these games', async () => {
    const out = copyOf(tcgcsv)
    await importInto(out, 'overlay', [overlay], { date: '2026-11-19' })
    await importInto(out, 'pricecharting', [guide], { date: '2026-11-19' })
    const games = new Set(['lorcana', 'fab'] as const)
    const rows = ['fab-arc-arc000,market,0.08', 'pokemon-bs-004-holofoil,psa_10,1']
    const guided = ['Lorcana The First Chapter,Elsa - Spirit of Winter #42,$90', 'Pokemon Base Set,Alakazam #1,$1']
    const later = file('later.csv', ['id,key,price', ...rows].join('\n'))
    const laterGuide = file('guide-2.csv', ['console-name,product-name,manual-only-price', ...guided].join('\n'))
    await importInto(out, 'overlay', [later], { date: '2026-11-19', games, as: 'own-sales' })
    await importInto(out, 'pricecharting', [laterGuide], { date: '2026-11-19', games })
    const pricesOf = (id: string) => cardsById(out).get(id).prices
    assert.equal(pricesOf('fab-arc-arc000').market, 0.08)
    assert.deepEqual(pricesOf('lorcana-1-42').graded, { psa_10: 90 })
    assert.deepEqual(pricesOf('pokemon-bs-004-holofoil').graded, { psa_10: 12000 }, 'the other game’s overlay stays')
    assert.deepEqual(pricesOf('pokemon-bs-001-holofoil').graded, { psa_10: 900 }, 'and so does its guide')
    await importInto(out, 'pricecharting', [guide], { date: '2026-11-19' })
    assert.deepEqual(pricesOf('lorcana-1-42').graded, { psa_10: 80 }, 'without --games all are replaced')
  })
})

describe('A seller’s pricing file', () => {
  const lugia = ['Pokemon', 'SWSH12: Silver Tempest', 'Lugia VSTAR', '139/195'] as const
  const pidgey = ['Pokemon', 'SWSH12: Silver Tempest', 'Pidgey', '143/195'] as const
  const charizard = ['Pokemon', 'Base Set', 'Charizard', '004/102'] as const
  const urza = ['Magic', "The Brothers' War", "Urza's Command", '070'] as const
  const conditionsOf = (out: string) =>
    Object.fromEntries(
      [...cardsById(out)].flatMap(([id, { prices }]) => (prices.conditions ? [[id, prices.conditions]] : [])),
    )

  it('A seller’s pricing file gives cards their prices by condition, and the report counts the other rows by reason', async () => {
    const out = copyOf(tcgcsv)
    const other = pricingRow(...lugia, 'Lightly Played Holofoil', '5')
    const path = pricingFile([
      pricingRow(...lugia, 'Near Mint Holofoil', '4.53'),
      pricingRow(...lugia, 'Damaged', '1,234,567.5'),
      pricingRow(...pidgey, 'Lightly Played', ' $0.05 '),
      pricingRow(...pidgey, 'Heavily Played Reverse Holofoil', '0.25'),
      pricingRow(...charizard, 'Moderately Played 1st Edition Holofoil', '7000'),
      pricingRow(...charizard, 'Near Mint 1st Edition Holofoil - English', '9000.005'),
      pricingRow('Magic: The Gathering', urza[1], urza[2], urza[3], 'Near Mint Foil', '1.50'),
      pricingRow('Pokemon', 'SWSH12: Silver Tempest', 'Serena - SV001/SV122', 'SV001/SV122', 'Near Mint Holofoil', '2'),
      pricingRow('Pokemon', 'SWSH12: Silver Tempest', 'Skarmory EX (145 Full Art)', '145/195', 'Near Mint', '3'),
      pricingRow('Pokemon Japan', 'SVP Promos', 'x', '1', 'Near Mint - Japanese', '3'),
      pricingRow('Pokémon', 'swsh12 silver tempest', 'PIDGEY', '0143/195', 'Damaged Reverse Holofoil', '0.1'),
      pricingRow(...urza, 'Near Mint', ''),
      pricingRow(...urza, 'Damaged', '0.00'),
      pricingRow('Magic', 'Antiquities', "Ashnod's Altar", '', 'Near Mint', '15'),
      pricingRow('Pokemon Japan', 'Promos', 'ミュウ', 'PW 1', 'Near Mint - Japanese', '25'),
      // Left out:
      pricingRow('Pokemon Japan', 'Promos', 'ミュウ', 'PW 1', 'Damaged - English', '3'),
      { ...pricingRow(...pidgey, 'Moderately Played', '3'), 'TCGplayer Id': '' },
      { ...pricingRow(...pidgey, 'Moderately Played', '3'), 'TCGplayer Id': '' },
      pricingRow(...urza, 'Near Mint - Japanese', '3'),
      pricingRow(...urza, 'Near Mint Foil - German', '3'),
      pricingRow(...urza, 'Near Mint Etched', '3'),
      pricingRow(...charizard, 'Near Mint', '3'),
      pricingRow(...urza, 'Brand New', '3'),
      pricingRow('Magic', "The Brothers' War", 'Draft Booster, "sealed"', '', 'Unopened', '4'),
      pricingRow('Magic', 'Brothers', "Urza's Command", '070', 'Near Mint', '3'),
      pricingRow('Magic', "The Brothers' War", "Urza's Command", '71', 'Near Mint', '3'),
      pricingRow('Magic', "The Brothers' War", 'Urza', '070', 'Near Mint', '3'),
      pricingRow('Funko', 'Pop', 'Urza', '070', 'Near Mint', '3'),
      pricingRow(...lugia, 'Lightly Played Holofoil', '4'),
      other,
      other,
    ])
    const args = ['--out', out, '--date', '2026-11-20']
    const { code, stdout, stderr } = await runImportHere('tcgplayer-pricing', path, ...args)
    assert.equal(code, 0, stderr)
    assert.deepEqual(conditionsOf(out), {
      'mtg-atq-3001': { near_mint: 15 },
      'mtg-bro-070-foil': { near_mint: 1.5 },
      'pokemon-bs-004-1st-edition-holofoil': { near_mint: 9000.01, moderately_played: 7000 },
      'pokemon-swsh12-139-holofoil': { near_mint: 4.53, damaged: 1_234_567.5 },
      'pokemon-swsh12-143': { lightly_played: 0.05 },
      'pokemon-swsh12-143-reverse-holofoil': { heavily_played: 0.25, damaged: 0.1 },
      'pokemon-swsh12-145': { near_mint: 3 },
      'pokemon-swsh12-sv001-holofoil': { near_mint: 2 },
      'pokemonjp-g24002-pw-1': { near_mint: 25 },
    })
    const { prices, sources } = cardsById(out).get('pokemon-swsh12-139-holofoil')
    assert.deepEqual([prices.market, sources], [4.53, ['tcgplayer', 'tcgplayer-pricing']])
    const [rows, , leftOut] = stdout.split('\n\n')
    const printed = `\
game       rows  cards with conditions
pokemon      15                      6
pokemonjp     3                      1
mtg          12                      2

left out because                            game       records
another condition                           mtg              1
another game                                (no game)        1
another language                            pokemonjp        1
another language                            mtg              2
no card of that game, set, number and name  pokemonjp        1
no card of that game, set, number and name  mtg              3
no such printing of the card                pokemon          1
no such printing of the card                mtg              1
sealed product                              mtg              1
two products of one card and condition      pokemon          3`
    assert.equal(`${rows}\n\n${leftOut}`, printed)
    // Another file replaces what it has, and a blank takes away.
    const blank = [pricingRow(...lugia, 'Near Mint Holofoil', ''), pricingRow(...pidgey, 'Near Mint', '0.06')]
    const files = [
      pricingFile(blank, ['My Store', ...pricingColumns].reverse(), '\n'),
      pricingFile([pricingRow(...pidgey, 'Damaged', '0.01')]),
    ]
    for (const [i, path] of files.entries()) utimesSync(path, 0, new Date(`2026-11-2${2 - i}T12:00:00Z`))
    await importInto(out, 'tcgplayer-pricing', files)
    const [head] = readFileSync(join(out, 'import/kept/tcgplayer-pricing.ndjson'), 'utf8').split('\n')
    const { file, day: newest } = JSON.parse(head!)
    assert.deepEqual([file, newest], ['pricing.csv, pricing.csv', '2026-11-22'], 'the day of the newest file')
    const after = conditionsOf(out)
    assert.deepEqual(after['pokemon-swsh12-139-holofoil'], { damaged: 1_234_567.5 })
    assert.deepEqual(after['pokemon-swsh12-143'], { near_mint: 0.06, lightly_played: 0.05, damaged: 0.01 })
    assert.equal((await runImportHere('overlay', '--remove', 'tcgplayer-pricing', '--out', out)).code, 0)
    assert.deepEqual(cardsById(out), cardsById(tcgcsv))
  })

  it('A row of a seller’s pricing file is left out if it fits two cards', async () => {
    const out = temporaryFolder()
    const product = (id: number) => ({
      id,
      name: 'Charizard',
      number: '004/102',
      rarity: 'R',
      prices: [{ subType: 'Holofoil', market: 1 }],
    })
    const groups = withGroups({ 604: (group) => ({ ...group, products: [product(1), product(2)] }) })
    await importInto(out, 'tcgcsv', [writeMirror(groups)])
    const path = pricingFile([pricingRow(...charizard, 'Near Mint Holofoil', '3')])
    const { report } = await importInto(out, 'tcgplayer-pricing', [path])
    const reason = 'several cards of that game, set, number, name and printing'
    const record = 'Base Set, Charizard, 004/102: Near Mint Holofoil'
    const located = { game: 'pokemon', file: path, place: 'line 2', reason, record }
    assert.deepEqual(report.records, [{ kind: 'left out', ...located }])
  })

  it('A seller’s pricing file may name a game in either of two ways, and rows of games not chosen are not counted', async () => {
    const both = [
      'Magic|Magic: The Gathering',
      'YuGiOh|Yu-Gi-Oh!',
      'Lorcana TCG|Disney Lorcana',
      'Pokemon|Pokemon Japan',
    ]
    const more = ['One Piece|One Piece Card Game', 'Star Wars Unlimited|Star Wars: Unlimited']
    const names = [...both, ...more, 'Flesh & Blood TCG|Flesh and Blood TCG'].join('|').split('|')
    const path = pricingFile(names.map((line) => pricingRow(line, '', '', '', 'Near Mint', '1')))
    const games = new Set(gameSlugs.filter((game) => game !== 'pokemon'))
    const { report } = await importInto(copyOf(tcgcsv), 'tcgplayer-pricing', [path], { games })
    const rows = 'pokemonjp 1 0,mtg 2 0,yugioh 2 0,lorcana 2 0,onepiece 2 0,swu 2 0,fab 2 0'
    assert.equal(report.notes.join().replaceAll(/ +/g, ' ').split('\n').slice(1).join(), rows)
  })

  it('A seller’s pricing file with a missing column or wrong prices ends the import', async () => {
    const rows = [pricingRow(...lugia, 'Near Mint Holofoil', '1')]
    const whole = readFileSync(pricingFile(rows), 'utf8')
    const wrong = file('wrong.csv', whole.replace('TCG Market Price', 'Market'))
    const free = pricingFile([{ ...rows[0]!, 'TCG Market Price': 'free' }])
    const noCards = 'has no cards yet, whose prices these would be: import a mirror first'
    const share = '1 of 1 records are wrong, more than 5 %; the first is shown'
    const [empty, end] = [temporaryFolder(), '\n1 error; nothing was written']
    for (const [out, path, line] of [
      [tcgcsv, wrong, `${wrong}: line 1: must have the column TCG Market Price`],
      [empty, wrong, `${empty}: ${noCards}`],
      [tcgcsv, free, `${free}: line 2.TCG Market Price: must be a number ("free"); ${share}`],
    ] as const)
      assert.equal(await errorsOf(importInto(out, 'tcgplayer-pricing', [path])), `${line}${end}`)
  })
})
