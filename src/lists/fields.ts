/**
 * The fields of a list, and the names of their columns in the exports of programs. The tables contain whole names. A
 * word within a name decides nothing: a column `Cards wanted` may count copies, or may not.
 *
 * Names are compared without case, accents, blanks and signs: `Collector's number` is `collectorsnumber`, `#` is
 * `number`.
 */
import { folded } from './words.ts'

/** The meanings of columns. */
export const fieldNames = [
  'quantity',
  /** The number of foils. A `quantity` beside it counts only the other copies. */
  'foilQuantity',
  /** The number of all copies, foils included. */
  'totalQuantity',
  'id',
  'scryfallId',
  'mtgjsonId',
  'tcgplayerId',
  'cardmarketId',
  'name',
  'set',
  'setCode',
  'number',
  'printing',
  /** A flag. */
  'foil',
  /** A flag. */
  'firstEdition',
  'condition',
  'grade',
  'language',
  'rarity',
  'game',
  /** A flag of proxies and wants, or the name of the binder that holds the card. */
  'exclude',
] as const
export type Field = (typeof fieldNames)[number]

export interface KnownColumn {
  readonly field: Field
  /** The field's column is the first of these that a file contains. With `isMany`, all of them are its columns. */
  readonly names: string
  /** The row applies only to files that also contain one of these columns. */
  readonly beside?: string
  /** The row applies only to files that contain none of these columns. */
  readonly unless?: string
  /** The field may have several columns. */
  readonly isMany?: true
  /** The printing that the column flags or counts. */
  readonly printing?: string
  /** The column is a flag. If it is set, the row's counts are multiplied by this number. */
  readonly times?: number
}

export const knownColumns: readonly KnownColumn[] = [
  { field: 'totalQuantity', names: 'totalquantity, totalqty, totalcount' },
  // UrzaGatherer's `Count` includes the foils.
  { field: 'totalQuantity', names: 'count', beside: 'specialfoilcount' },
  {
    field: 'quantity',
    names: 'normal, regular, nonfoil, normalcount, regqty, regularqty, regularquantity',
    beside: 'foil, foilcount, foilqty, foilquantity, reverse, reverseholo, reverseholofoil, holo, holofoil',
  },
  {
    field: 'quantity',
    names:
      'quantity, qty, quantityx, count, cardcount, copies, amount, stock, cardq, groupcount, anzahl, menge, stuck, stuckzahl, bestand, exemplare, quantite, qte, exemplaires, quantita, qta, copie, numerocopie, cantidad, cant, copias, unidades, quantidade, qtd, qtde, unidade, 枚数, 数量, 所持数, 所持枚数, 個数',
  },
  { field: 'quantity', names: 'isplayset, playset', isMany: true, times: 4 },
  { field: 'foilQuantity', names: 'foilcount, foilqty, foilquantity, foils, foilcopies', isMany: true },
  { field: 'foilQuantity', names: 'specialfoilcount', isMany: true, printing: 'Special Foil' },
  // These columns are counts if the file also counts plain copies. In all other files they are flags.
  { field: 'foilQuantity', names: 'foil', beside: 'normal, regular, nonfoil', isMany: true },
  {
    field: 'foilQuantity',
    names: 'reverse, reverseholo, reverseholofoil',
    beside: 'normal, regular, nonfoil',
    isMany: true,
    printing: 'Reverse Holofoil',
  },
  {
    field: 'foilQuantity',
    names: 'holo, holofoil',
    beside: 'normal, regular, nonfoil',
    isMany: true,
    printing: 'Holofoil',
  },
  { field: 'scryfallId', names: 'scryfallid, scryfall, scryfalluuid' },
  { field: 'mtgjsonId', names: 'mtgjsonid, mtgjsonuuid, mtgjson, uuid' },
  // In a seller's pricing file, which has `Product Line`, this is the id of a SKU.
  { field: 'tcgplayerId', names: 'tcgplayerid', unless: 'productline' },
  { field: 'tcgplayerId', names: 'tcgplayerproductid, tcgplayerproduct, tcgproductid, tcgid' },
  // In a file without `sku` and `simplename`, `productid` is the product id of another shop.
  { field: 'tcgplayerId', names: 'productid', beside: 'sku, simplename' },
  {
    field: 'cardmarketId',
    names: 'idproduct, cardmarketid, cardmarketproductid, cardmarketproduct, mkmid, mkmproductid',
  },
  // The values show whose id it is: MTGO and UrzaGatherer write their own ids, TopDecked writes Scryfall's.
  { field: 'id', names: 'id, cardid, jsonid' },
  {
    field: 'name',
    names:
      'name, cardname, productname, englishname, card, product, title, kartenname, karte, englischername, nom, nomdelacarte, carte, nome, nomecarta, carta, nombredelacarta, nombrecarta, nomedacarta, nomedocard, nomeen, carden, nomept, cardpt, 名前, カード名, 名称, カード, localname, localizedproductname, article',
  },
  { field: 'name', names: 'nombre', unless: 'nom, nomdelacarte, carte, name' },
  { field: 'quantity', names: 'nombre', beside: 'nom, nomdelacarte, carte' },
  { field: 'name', names: 'simplename', isMany: true },
  {
    field: 'set',
    names:
      'setname, editionname, expansionname, expname, cardset, set, edition, expansion, erweiterung, extension, serie, edizione, espansione, edicion, coleccion, edicao, colecao, expansao, edicaoen, edicaoptbr, edicaopt, セット名, セット, エキスパンション, 収録, 収録パック, パック',
  },
  // Dreamborn numbers the sets. In other files, this column is the collector's number.
  { field: 'setCode', names: 'setnumber', beside: 'cardnumber' },
  {
    field: 'setCode',
    names:
      'setcode, editioncode, expansioncode, setid, setabbreviation, setabbr, code, exp, setkurzel, kurzel, codeedition, codeextension, codeserie, codiceset, codiceespansione, codigoset, codigodeset, codigoedicion, codigodacolecao, codigodaedicao, codigodoset, sigla, edicaosigla, セットコード, 略号, set, edition, expansion',
  },
  {
    field: 'number',
    names:
      'number, cardnumber, collectornumber, collectorsnumber, collectornum, collector, setnumber, no, nr, num, cardno, cardcode, nummer, kartennummer, numero, numerodecarte, numerocarta, numerodecarta, numerodacarta, cardnum, n, 番号, カード番号, 型番, コレクター番号',
  },
  {
    field: 'printing',
    names:
      'printing, finish, variance, variant, variation, foiling, treatment, extras, modifier, ausfuhrung, finition, finitura, acabado, acabamento',
    isMany: true,
  },
  { field: 'printing', names: 'cardedition', isMany: true },
  { field: 'printing', names: 'isreverseholo, reverseholo, reverse', isMany: true, printing: 'Reverse Holofoil' },
  { field: 'firstEdition', names: 'isfirsted, isfirstedition, firstedition, 1stedition' },
  { field: 'printing', names: 'holo, isholo, holofoil', isMany: true, printing: 'Holofoil' },
  { field: 'foil', names: 'foil, isfoil, premium, brillant, brillante, brilhante, フォイル' },
  {
    field: 'condition',
    names:
      'condition, cardcondition, zustand, etat, condizione, condizioni, stato, condicion, estado, condicao, qualidade, qualidademnmspmphpd, 状態, コンディション',
  },
  { field: 'grade', names: 'gradingcompany, grader, gradedby, gradingservice, gradecompany', isMany: true },
  { field: 'grade', names: 'company', beside: 'grade, grading, cardgrade', isMany: true },
  { field: 'grade', names: 'grade, grading, cardgrade, psagrade', isMany: true },
  {
    field: 'language',
    names: 'language, languages, lang, languange, idlanguage, sprache, langue, lingua, idioma, linguagem, 言語',
  },
  { field: 'rarity', names: 'rarity, cardrarity, seltenheit, rarete, rarita, rareza, raridade, レアリティ, レア度' },
  { field: 'game', names: 'game, productline, category, collection, tcg, spiel, jeu, gioco, juego, jogo, ゲーム' },
  {
    field: 'exclude',
    names: 'proxy, isproxy, playtestcard, playtest, watchlist, wishlist, iswishlist, want, wanted, iswanted',
    isMany: true,
  },
]

/** Columns whose cells name a binder or a list. Some binders hold proxies or wants. */
export const placeColumns = new Set(
  'bindername, bindertype, binder, listname, listtype, foldername, folder, status'.split(', '),
)

/** A file with one of these columns is from Cardmarket and uses its scale of conditions. */
export const cardmarketColumns = new Set('idproduct, idarticle, expname, groupcount, idlanguage'.split(', '))

/**
 * A file with one of these columns is a seller's. Its conditions name every finish but the normal one:
 * `Near Mint Foil`, `Near Mint`.
 */
export const sellersColumns = new Set('addtoquantity, tcgmarketprice'.split(', '))

/** Returns each first word joined with each second word. The first word `_` stands for no word. */
const named = (first: string, second: string): string[] =>
  first.split(' ').flatMap((start) => second.split(' ').map((end) => start.replace('_', '') + end))

/** Whole names of columns that change no amount: prices, dates, notes, pictures, ids of other programs, types. */
const unpricedNames = new Set([
  '',
  ...named(
    '_ purchase acquired acquisition bought my your unit single total current market low mid high avg average trend foil sale list estimated suggested tcgmarket tcglow tcgmid tcghigh tcgdirect tcgmarketplace tcgplayer cardmarket cardkingdom ck scg mkm singlefoil totalcurrent singlecurrent purchased buy sell retail asking min max',
    'price value cost prices usd eur',
  ),
  ...named('_ date', 'added bought acquired modified updated purchased created'),
  ...named('_ last created added purchase acquired acquisition bought modified', 'date modified updated changed seen'),
  ...named(
    '_ card front back cover list parent image photo picture thumbnail product listcover parentlistcover',
    'image url uri link picture photo images imageurl',
  ),
  ...named('_ super sub card', 'type types'),
  ...named('multiverse mtgo arena oracle scryfalloracle sku manabox print printing external article', 'id ids'),
  ...'pricebought priceeach pricesale priceoverride priceusd priceeur pricesource purchasepricecurrency purchasecurrency currency cents averagecostpaid preis einkaufspreis prix prezzo precio preco lowest marketprice tcglowpricewithshipping tcgdirectlow currentpricetcgplayermarketsellprice ltmarketgt low mid high market trend average paid value cost priceperunit ebayprice'.split(
    ' ',
  ),
  ...named('price', 'cardkingdom tcgplayer starcitygames cardhoarder cardmarket'),
  ...'datum fecha data cards purchasedate timestamp time year 価格 値段 備考 メモ 日付 画像'.split(' '),
  ...'note notes comment comments comentario tags tag description remarks printingnote annotation memo bemerkung notiz kommentar commentaire nota'.split(
    ' ',
  ),
  ...'artist author illustrator color colors colour colours colorid coloridentity identity identities cor coridentidade colorcategory cmc mana manacost manavalue convertedmanacost power toughness loyalty cost ink inkable lore strength willpower atk def level attribute archetype race hp stage pitch text legality legalities keywords rank setorder releasedate'.split(
    ' ',
  ),
  // These names are also in `knownColumns`. They change no amount if they do not get their field there.
  ...'tcgplayerid localname localizedproductname setid'.split(' '),
  ...'user username portfolioname sku idnumber idarticle mvid isbn barcode upc mkmname sideboarded format board deckname parentlisttype parentlistname maybeboard onsale idx index alter altered alteredart alteration isaltered signed issigned signing ispinned iswithdie misprint textless promo proof artistproof sealed fullart isfullart isuberrare location box page row slot container shelf drawer serial cert certnumber certificationnumber totrade tradable override tcgmarketprice oracleid'.split(
    ' ',
  ),
  ...'imagebackurl websiteurl tcgplayerurl scryfalluri'.split(' '),
])
/**
 * Counts of copies that the quantity already includes, or that the owner does not have. If a file has no other count,
 * such a column may be the quantity.
 */
const otherCounts = new Set(
  'tradequantity, tradecount, tradelistcount, tradeqty, addtoquantity, wantcount, wishcount, wantquantity, wishquantity, wishlistcount, deckcount, deckscountbuilt, deckscountall, proxycount, reserved'.split(
    ', ',
  ),
)

export type Naming = 'place' | 'unpriced' | 'otherCount' | 'unknown'

export const foldedName = (name: string): string => folded(name.replaceAll('#', 'number'))

/** Classifies the name of a column that has no field. */
export function namingOf(name: string): Naming {
  const plain = foldedName(name)
  if (placeColumns.has(plain)) return 'place'
  if (otherCounts.has(plain)) return 'otherCount'
  return unpricedNames.has(plain) ? 'unpriced' : 'unknown'
}
