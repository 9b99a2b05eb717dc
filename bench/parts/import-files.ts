/**
 * Generates downloads of full size: a mirror of eight games, days of an archive, a seller's pricing file, and MTGJSON's
 * two files. They are the same each time.
 */
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { gameRow } from '../../build/games/default-games.ts'
import { onlyDefaultGames } from '../../build/games/folder-games.ts'
import { categoryOf, gamesByCategory } from '../../build/import/sources/tcgcsv/mirror.ts'
import { conditionNames } from '../../build/import/sources/tcgplayer-pricing-source.ts'
import { dateOfDay, dayOfDate } from '../../src/calendar.ts'
import type { GameSlug } from '../../src/games.ts'
import { drawBelow, drawFrom, randomFrom } from '../../test/support/random.ts'

const newestDay = dayOfDate('2026-11-20')
const groupProducts = 150
/** The odds, as one in n: that a product is sealed, that a price is missing, that a product has no prices. */
const [sealedOneIn, blankOneIn, unpricedOneIn] = [12, 9, 8]
const subTypes = [
  ['Normal'],
  ['Normal', 'Foil'],
  ['Holofoil'],
  ['Normal', 'Reverse Holofoil'],
  ['Holofoil', '1st Edition Holofoil'],
] as const
const words = [
  'Dragon',
  'Lugia',
  'Knight',
  'of',
  'the',
  'Blue',
  'Eyes',
  'Storm',
  'Elsa',
  'Luffy',
  'Command',
  'Urza',
  'Vader',
  'Hound',
  'Star',
] as const

interface Row {
  readonly product: number
  readonly subType: string
  readonly cents: number
}

interface Group {
  readonly category: number
  readonly id: number
  readonly products: readonly object[]
  readonly rows: readonly Row[]
}

function groupsOf(products: number): Group[] {
  const random = randomFrom(1)
  const groups: Group[] = []
  for (let made = 0; made < products; made += groupProducts) {
    const category = categoryOf(onlyDefaultGames, drawFrom(random, gamesByCategory(onlyDefaultGames)))
    const id = 1000 + groups.length
    const rows: Row[] = []
    const own = Array.from({ length: Math.min(groupProducts, products - made) }, (_, i) => {
      const productId = 100_000 + made + i
      const isSealed = drawBelow(random, sealedOneIn) === 0
      if (drawBelow(random, unpricedOneIn) !== 0) {
        for (const subType of isSealed ? ['Normal'] : drawFrom(random, subTypes))
          rows.push({ product: productId, subType, cents: 1 + drawBelow(random, 100_000) })
      }
      const name = `${drawFrom(random, words)} ${drawFrom(random, words)} ${drawFrom(random, words)}`
      const text = Array.from({ length: 20 }, () => drawFrom(random, words)).join(' ')
      const extended = [
        ['Rarity', 'Rarity', 'Rare'],
        ['Number', 'Card Number', `${String(i).padStart(3, '0')}/${groupProducts}`],
        ['Card Text', 'Card Text', `<em>${text}</em>`],
      ]
      return {
        productId,
        name: isSealed ? `${name} Box` : `${name} - ${String(i).padStart(3, '0')}/${groupProducts}`,
        cleanName: name,
        imageUrl: `https://images.example/product/${productId}_200w.jpg`,
        categoryId: category,
        groupId: id,
        url: `https://shop.example/product/${productId}/${name.toLowerCase().replaceAll(' ', '-')}`,
        modifiedOn: '2026-11-20T08:15:30.123',
        imageCount: 1,
        presaleInfo: { isPresale: false, releasedOn: null, note: null },
        extendedData: isSealed ? [] : extended.map(([key, displayName, value]) => ({ name: key, displayName, value })),
      }
    })
    groups.push({ category, id, products: own, rows })
  }
  return groups
}

const envelope = (results: readonly object[]): string => JSON.stringify({ success: true, errors: [], results })

function pricesOf(rows: readonly Row[], random: () => number): string {
  const price = (cents: number): number | null => (drawBelow(random, blankOneIn) === 0 ? null : cents / 100)
  return envelope(
    rows.map(({ product, subType, cents }) => ({
      productId: product,
      lowPrice: price(Math.ceil(cents * 0.7)),
      midPrice: price(Math.ceil(cents * 1.1)),
      highPrice: price(cents * 9),
      marketPrice: price(cents + drawBelow(random, 50)),
      directLowPrice: null,
      subTypeName: subType,
    })),
  )
}

/** Writes `mirror/` and `archive/YYYY-MM-DD/`. Returns the numbers of prices in the whole archive and in the mirror. */
export function writeMirrorAndArchive(
  folder: string,
  products: number,
  days: number,
): { prices: number; mirrorPrices: number } {
  const groups = groupsOf(products)
  const mirror = join(folder, 'mirror')
  for (const category of new Set(groups.map((group) => group.category))) {
    const own = groups.filter((group) => group.category === category)
    mkdirSync(join(mirror, `${category}`), { recursive: true })
    const records = own.map(({ id }) => ({
      groupId: id,
      name: `Group ${id}`,
      abbreviation: `S${id}`,
      publishedOn: '2020-01-01T00:00:00',
      modifiedOn: '2026-11-20T08:15:30',
      categoryId: category,
    }))
    writeFileSync(join(mirror, `${category}`, 'groups'), envelope(records))
  }
  const random = randomFrom(2)
  for (const { category, id, products: own, rows } of groups) {
    const path = join(mirror, `${category}`, `${id}`)
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, 'products'), envelope(own))
    writeFileSync(join(path, 'prices'), pricesOf(rows, random))
  }
  for (let age = days; age >= 1; age--) {
    for (const { category, id, rows } of groups) {
      const path = join(folder, 'archive', dateOfDay(newestDay - age), `${category}`, `${id}`)
      mkdirSync(path, { recursive: true })
      writeFileSync(join(path, 'prices'), pricesOf(rows, random))
    }
  }
  const mirrorPrices = groups.reduce((sum, { rows }) => sum + rows.length, 0)
  return { prices: mirrorPrices * days, mirrorPrices }
}

interface NamedCard {
  readonly game: GameSlug
  readonly name: string
  readonly setCode: string
  readonly number: string
  readonly printing: string
}

const languages = ['', ' - German', ' - French', ' - Italian', ' - Spanish']

/**
 * Writes a seller's pricing file with about `rows` rows. Each card that an import of the mirror wrote into `out` has a
 * row for each condition, in English and then in other languages. An import leaves out the other languages.
 * @param group the first word of sets' names. With another word than the mirror's, no row matches a card
 */
export function writePricing(path: string, out: string, rows: number, group = 'Group'): void {
  const cards = readdirSync(join(out, 'cards'))
    .flatMap((file) =>
      readFileSync(join(out, 'cards', file), 'utf8')
        .trim()
        .split('\n'),
    )
    .map((line) => JSON.parse(line) as NamedCard)
    .filter(({ game }) => gameRow(game as GameSlug).language === 'English')
  const file = openSync(path, 'w')
  writeSync(file, 'TCGplayer Id,Product Line,Set Name,Product Name,Number,Condition,TCG Market Price\n')
  let written = 0
  for (const language of languages)
    for (const { game, name, setCode, number, printing } of cards) {
      if (written >= rows) break
      const [product, kind] = [name.replace(/ \[.*\]$/, ''), printing === 'Normal' ? '' : ` ${printing}`]
      const start = `${gameRow(game as GameSlug).tcgplayer.names[0]},${group} ${setCode.slice(1)},${product},${number}`
      const lines = conditionNames.map(
        (one, i) => `${++written},${start},${one}${kind}${language},${1 + i + written / 1e6}`,
      )
      writeSync(file, `${lines.join('\n')}\n`)
    }
  closeSync(file)
}

const pricedDays = 90

/** Writes `AllPrintings.json`, and an `AllPrices.json` of at least `bytes` bytes. */
export function writeMtgjson(folder: string, bytes: number): void {
  const random = randomFrom(3)
  const meta = JSON.stringify({ date: dateOfDay(newestDay), version: '5.2.2' })
  const dates = Array.from({ length: pricedDays }, (_, i) => dateOfDay(newestDay - pricedDays + 1 + i))
  const prices = openSync(join(folder, 'AllPrices.json'), 'w')
  const uuids: string[] = []
  let written = writeSync(prices, `{"meta":${meta},"data":{`)
  const series = (): string => `{${dates.map((date) => `"${date}":${(1 + drawBelow(random, 9999)) / 100}`).join(',')}}`
  while (written < bytes) {
    const uuid = `${String(uuids.length).padStart(8, '0')}-1111-4111-8111-111111111111`
    const shop = (currency: string): string =>
      `{"currency":"${currency}","retail":{"normal":${series()},"foil":${series()}},"buylist":{}}`
    const start = uuids.length === 0 ? '' : ','
    const shops = `"tcgplayer":${shop('USD')},"cardmarket":${shop('EUR')},"cardkingdom":${shop('USD')}`
    written += writeSync(prices, `${start}"${uuid}":{"paper":{${shops}},"mtgo":{}}`)
    uuids.push(uuid)
  }
  writeSync(prices, '}}')
  closeSync(prices)
  const printings = openSync(join(folder, 'AllPrintings.json'), 'w')
  writeSync(printings, `{"meta":${meta},"data":{`)
  for (let from = 0; from < uuids.length; from += 300) {
    const cards = uuids.slice(from, from + 300).map((uuid, i) => ({
      uuid,
      name: `${drawFrom(random, words)} ${drawFrom(random, words)}`,
      number: `${i + 1}`,
      rarity: 'rare',
      finishes: ['nonfoil', 'foil'],
      identifiers: { tcgplayerProductId: `${500_000 + from + i}` },
    }))
    const code = `S${from / 300}`
    writeSync(
      printings,
      `${from === 0 ? '' : ','}"${code}":${JSON.stringify({ code, name: `Set ${code}`, releaseDate: '2020-01-01', cards })}`,
    )
  }
  writeSync(printings, '}}')
  closeSync(printings)
}

/** Writes a `ProductsAndPrices.csv` of at least `bytes` bytes. Quoted cells contain the same line breaks as rows. */
export function writeProductsCsv(path: string, bytes: number, breaks: '\n' | 'mixed'): void {
  const random = randomFrom(4)
  const file = openSync(path, 'w')
  const lineBreak = (): string => (breaks === 'mixed' && drawBelow(random, 2) === 0 ? '\r\n' : '\n')
  const product = 'productId,name,cleanName,imageUrl,categoryId,groupId,url,modifiedOn,imageCount,extRarity,extCardText'
  let written = writeSync(
    file,
    `${product},extNumber,lowPrice,midPrice,highPrice,marketPrice,directLowPrice,subTypeName${lineBreak()}`,
  )
  for (let id = 100_000; written < bytes; ) {
    let rows = ''
    for (let i = 0; i < 500; i++, id++) {
      const name = `${drawFrom(random, words)} ${drawFrom(random, words)}`
      const text = Array.from({ length: 20 }, () => drawFrom(random, words)).join(' ')
      const cents = 1 + drawBelow(random, 100_000)
      const prices = [0.7, 1.1, 9, 1].map((times) => Math.ceil(cents * times) / 100).join(',')
      const own = `${id},${name},${name},https://images.example/product/${id}_200w.jpg,3,1000,https://shop.example/${id}`
      rows += `${own},2026-11-20T08:15:30.123,1,Rare,"<em>${text}</em>,${lineBreak()}""${name}""",${i}/150,${prices},,Holofoil${lineBreak()}`
    }
    written += writeSync(file, rows)
  }
  closeSync(file)
}
