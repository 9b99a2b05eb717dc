/** A catalog, and lists of its cards as programs export them and people write them, drawn line by line. */
import { drawBelow, drawFrom, type Random } from '../support/random.ts'

export const sets = [
  { game: 'mtg', code: 'mma', name: 'Modern Masters', releaseDate: '2013-06-07' },
  { game: 'mtg', code: 'mm2', name: 'Modern Masters 2015', releaseDate: '2015-05-22' },
  { game: 'mtg', code: '2xm', name: 'Double Masters', releaseDate: '2020-08-07' },
  { game: 'pokemon', code: 'base1', name: 'Base Set', releaseDate: '1999-01-09' },
  { game: 'pokemon', code: 'obf', name: 'SV03: Obsidian Flames', releaseDate: '2023-08-11' },
]
const namesOf = {
  mtg: [
    ...['Aether Vial', 'Lightning Bolt', 'Urza, Lord High Artificer', 'Fire // Ice', 'Ach! Hans, Run!', 'Jötun Grunt'],
    '1996 World Champion',
  ],
  pokemon: ['Charizard', 'Charizard ex', 'Pikachu VMAX', 'Mr. Mime', 'Nidoran♀', 'Nidoran♂', 'Farfetch’d'],
}
export const uuidOf = (number: number) => `0000579f-7b35-4ed3-b44c-${String(number).padStart(12, '0')}`
const rounded = (price: number) => Number(price.toFixed(2))

/** Cards have each a second printing; in a set of Magic, the last one is a foil alone, and the one before of no known printing. */
export const cards = sets.flatMap(({ game, code }, set) => {
  const isMagic = game === 'mtg'
  const names = isMagic ? namesOf.mtg : namesOf.pokemon
  const [plain, foil] = isMagic ? ['Normal', 'Foil'] : ['Holofoil', 'Reverse Holofoil']
  return names.flatMap((name, i) => {
    const printings = i === names.length - 1 && isMagic ? [foil] : i === names.length - 2 ? [null] : [plain, foil]
    return printings.map((printing, at) => {
      const market = 3 + set * 7 + i * 1.01 + at * 100.1
      const graded = { near_mint: rounded(market + 0.17), lightly_played: rounded(market * 0.8) }
      return {
        ...{ id: `${game}-${code}-${i}-${at}`, game, name, setCode: code, number: `${i + 101}`, printing },
        ...{ scryfallId: isMagic ? uuidOf(set * 100 + i) : null, tcgplayerId: 5000 + set * 100 + i },
        prices: { market: i === 2 && set === 0 ? null : rounded(market), conditions: i % 2 === 0 ? graded : {} },
      }
    })
  })
})
export type Card = (typeof cards)[number]

export interface Drawn {
  readonly card: Card
  readonly quantity: number
  readonly condition: 'near_mint' | 'lightly_played' | 'damaged'
}

export const drawLine = (random: Random, from: readonly Card[]): Drawn => ({
  card: drawFrom(random, from),
  quantity: 1 + drawBelow(random, 9),
  condition: drawFrom(random, ['near_mint', 'lightly_played', 'damaged']),
})

const conditions = {
  near_mint: { full: 'Near Mint', short: 'NM', joined: 'NearMint', lower: 'near_mint', good: 'Near Mint' },
  lightly_played: {
    ...{ full: 'Lightly Played', short: 'LP', joined: 'LightlyPlayed', lower: 'light_played' },
    good: 'Good (Lightly Played)',
  },
  damaged: { full: 'Damaged', short: 'DMG', joined: 'Damaged', lower: 'damaged', good: 'Damaged' },
}

const isFoil = ({ printing }: Card) => printing === 'Foil' || printing === 'Reverse Holofoil'

/** The fields of a line by their names in a template. */
function fieldsOf({ card, quantity, condition }: Drawn, random: Random): Readonly<Record<string, unknown>> {
  const { name, setCode, printing } = card
  const mark = !isFoil(card) ? '' : card.game === 'mtg' ? '*F*' : '(Reverse Holo)'
  return {
    ...{ ...card, ...conditions[condition], quantity, mark, oldMark: mark === '*F*' ? '(F)' : mark },
    ...{ code: setCode, CODE: setCode.toUpperCase(), anyCode: drawFrom(random, [setCode, setCode.toUpperCase()]) },
    set: sets.find((set) => set.game === card.game && set.code === setCode)!.name,
    ...{ simple: name.replace(/[^\w ]/g, ''), half: name.replace(' // ', '/') },
    anyName: drawFrom(random, [name, name.toUpperCase(), name.toLowerCase()]),
    count: drawFrom(random, [quantity, `${quantity}x`, `SB: ${quantity}`]),
    printing: printing ?? 'Normal',
    inCondition: [null, 'Normal'].includes(printing) ? '' : ` ${printing}`,
    line: card.game === 'mtg' ? 'Magic' : 'Pokemon',
    ...{ sku: 4_000_000 + card.tcgplayerId, other: drawFrom(random, cards).tcgplayerId },
    noDeck: '{noDeck}',
  }
}

export interface Program {
  readonly name: string
  readonly game?: 'mtg' | 'pokemon'
  readonly head?: string
  /** Templates of a line, of which one is drawn; a foil is spelled `{foil:yes/no}`. */
  readonly lines: readonly string[]
  /** Lines of cells with commas between them: cells that need quotes have them, or all have. */
  readonly quotes?: 'needed' | 'all'
  /** Its `light_played` is no `lightly_played`. */
  readonly hasOwnScale?: true
  /** Its lines say no condition. */
  readonly isUngraded?: true
  /** Its lines say neither number nor printing, so many are ambiguous; or they name no set. */
  readonly isVague?: true
}

export function lineOf({ lines, quotes }: Program, drawn: Drawn, random: Random): string {
  const fields = fieldsOf(drawn, random)
  const filled = (template: string) =>
    template.replaceAll(/\{(\w+)(?::([^/}]*)\/([^}]*))?\}/g, (_, name, yes, no) =>
      name === 'foil' ? (isFoil(drawn.card) ? yes : no) : String(fields[name]),
    )
  const template = drawFrom(random, lines)
  if (quotes === undefined) return filled(template).trim()
  const quoted = (cell: string) => (quotes === 'all' || /[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
  return template
    .split(',')
    .map((cell) => quoted(filled(cell)))
    .join(',')
}

/** A program that exports CSV. */
const table = (name: string, head: string, line: string, more: Partial<Program> = { game: 'mtg' }): Program => ({
  ...{ name, head, lines: [line], quotes: 'needed', ...more },
})

export const programs: readonly Program[] = [
  table(
    'ManaBox',
    'Binder Name,Binder Type,Name,Set code,Set name,Collector number,Foil,Rarity,Quantity,ManaBox ID,Scryfall ID,Purchase price,Misprint,Altered,Condition,Language,Purchase price currency,Added',
    'Red,binder,{name},{CODE},{set},{number},{foil:foil/normal},rare,{quantity},7,{scryfallId},0.5,false,false,{lower},en,USD,',
    { game: 'mtg', hasOwnScale: true },
  ),
  table(
    'Moxfield',
    '"Count","Tradelist Count","Name","Edition","Condition","Language","Foil","Tags","Last Modified","Collector Number","Alter","Proxy","Purchase Price"',
    '{quantity},0,{name},{code},{full},English,{foil:foil/},,2024-05-01,{number},False,False,',
    { game: 'mtg', quotes: 'all' },
  ),
  table(
    'Archidekt',
    'Quantity,Name,Finish,Condition,Date Added,Language,Purchase Price,Tags,Edition Name,Edition Code,Multiverse Id,Scryfall ID,Collector Number',
    '{quantity},{name},{foil:Foil/Normal},{short},2024-05-01,EN,,a,{set},{code},0,{scryfallId},{number}',
  ),
  table(
    'Deckbox',
    'Count,Tradelist Count,Name,Edition,Edition Code,Card Number,Condition,Language,Foil,Signed,Artist Proof,Altered Art,Misprint,Promo,Textless,My Price',
    '{quantity},0,{name},{set},{CODE},{number},{good},English,{foil:foil/},,,,,,,',
  ),
  table(
    'Dragon Shield',
    '"sep=,"\nFolder Name,Quantity,Trade Quantity,Card Name,Set Code,Set Name,Card Number,Condition,Printing,Language,Price Bought,Date Bought,LOW,MID,MARKET',
    'mine,{quantity},0,{name},{CODE},{set},{number},{joined},{printing},English,0.1,2024-05-01,1,2,3',
    {},
  ),
  {
    name: 'Delver Lens',
    game: 'mtg',
    head: "QuantityX;Name;Edition;Edition code;Collector's number;Foil;Condition;Language",
    lines: ['{quantity}x;{name};{set};{code};{number};{foil:Foil/};{full};English'],
  },
  table(
    'TopDecked',
    'QUANTITY,NAME,SETCODE,SETNAME,COLLECTOR NUMBER,FINISH,PRICE,RARITY,ID,ACQUIRED DATE,ACQUIRED PRICE,LANG,PRICE SALE,SIGNING,ALTERATION,CONDITION,NOTES,TAGS',
    '{quantity},{name},{CODE},{set},{number},{foil:FOIL/NONFOIL},1.5,RARITY,a1b2,,,EN,,,,{short},,',
  ),
  table('Card Kingdom', 'title,edition,foil,quantity', '{name},{set},{foil:1/0},{quantity}', {
    ...{ game: 'mtg', isUngraded: true },
  }),
  table(
    'MTGO',
    'Card Name,Quantity,ID #,Rarity,Set,Collector #,Premium,Sideboarded,Annotation',
    '{half},{quantity},6893,Common,{CODE},{number}/350,{foil:Yes/No},No,0',
    { game: 'mtg', isUngraded: true },
  ),
  table(
    'TCGplayer’s collection',
    'Quantity,Name,Simple Name,Set,Card Number,Set Code,Printing,Condition,Language,Rarity,Product ID,SKU',
    '{quantity},{name},{simple},{set},{number},XYZ,{printing},{full},English,Rare,{tcgplayerId},{sku}',
    {},
  ),
  table(
    'TCGplayer’s pricing, whose id is a SKU',
    'TCGplayer Id,Product Line,Set Name,Product Name,Title,Number,Rarity,Condition,TCG Market Price,TCG Direct Low,TCG Low Price With Shipping,TCG Low Price,Total Quantity,Add to Quantity,TCG Marketplace Price,Photo URL',
    '{other},{line},{set},{name},,{number},R,{full}{inCondition},1,1,1,1,{quantity},0,1,',
    {},
  ),
  {
    name: 'MTG Arena',
    game: 'mtg',
    head: 'About\nName Mine\n\nDeck',
    lines: ['{quantity} {name} ({CODE}) {number}{foil: *F*/}'],
    isUngraded: true,
  },
  {
    name: 'deck lists with tags, categories and headings',
    head: '// Lands\nSideboard:\nCreatures (12)\n##Pokémon - 12',
    lines: [
      '{count} {anyName} ({anyCode}) {number} {mark} #Card draw #!Ramp',
      '{count} {anyName} ({anyCode}) {number} {mark} [Ramp,Maybeboard{noDeck}] ^Have,#37d67a^',
      '{count} {anyName} [{anyCode}] {number} {mark}',
      '{count} [{anyCode}#{number}] {anyName} {mark}',
      '{count} {anyName} <{number}> [{anyCode}] {oldMark}',
      '{count} {anyName} {anyCode} {number} {mark}',
      '{count} {anyName} {number}/350 {set} {mark}',
    ],
    isUngraded: true,
  },
  {
    name: 'names alone',
    lines: ['{quantity} {name}', '{quantity} {name} [{code}]', '{quantity} {name} ({CODE})'],
    isUngraded: true,
    isVague: true,
  },
  { name: 'ids', lines: ['{quantity} {id}'], isUngraded: true },
]
