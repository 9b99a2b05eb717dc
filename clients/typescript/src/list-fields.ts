/**
 * The fields of a list, and the names that programs give their columns. A new program is a row here at most.
 *
 * Names are compared without case, accents, blanks and signs: `Collector's number` is `collectorsnumber`, `#` is
 * `number`.
 */

/** The meanings of columns. */
export const fieldNames = [
  'quantity',
  /** Copies that are foils; `quantity` beside it counts the others. */
  'foilQuantity',
  /** Of both. */
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
  'condition',
  'grade',
  'language',
  'rarity',
  'game',
  /** A flag: proxies and wants. */
  'exclude',
] as const
export type Field = (typeof fieldNames)[number]

export interface KnownColumn {
  readonly field: Field
  /** The first one that a file has is the field's column. */
  readonly names: string
  /** Only in a file that has one of these columns, too; only in one that has none of these. */
  readonly beside?: string
  readonly unless?: string
  /** The field may have several columns. */
  readonly isMany?: true
  /** A flag that stands for this printing. */
  readonly printing?: string
  /** A flag that stands for so many copies. */
  readonly times?: number
}

export const knownColumns: readonly KnownColumn[] = [
  { field: 'totalQuantity', names: 'totalquantity, totalqty, totalcount' },
  {
    field: 'quantity',
    names: 'normal, regular, nonfoil, normalcount, regqty, regularqty, regularquantity',
    beside: 'foil, foilcount, foilqty, foilquantity, reverse, reverseholo, reverseholofoil, holo, holofoil',
  },
  {
    field: 'quantity',
    names:
      'quantity, qty, quantityx, count, cardcount, copies, amount, stock, cardq, groupcount, anzahl, menge, stuck, stuckzahl, bestand, exemplare, quantite, qte, exemplaires, quantita, qta, copie, numerocopie, cantidad, cant, copias, unidades, 枚数, 数量, 所持数, 所持枚数, 個数',
  },
  { field: 'quantity', names: 'isplayset, playset', isMany: true, times: 4 },
  { field: 'foilQuantity', names: 'foilcount, foilqty, foilquantity, foils, foilcopies', isMany: true },
  { field: 'foilQuantity', names: 'specialfoilcount', isMany: true, printing: 'Special Foil' },
  // Counts beside one of plain copies. In all other files they are flags.
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
  // In a seller's pricing file it is the id of a SKU.
  { field: 'tcgplayerId', names: 'tcgplayerid', unless: 'productline' },
  { field: 'tcgplayerId', names: 'tcgplayerproductid, tcgplayerproduct, tcgproductid, tcgid' },
  // Other shops have products of their own.
  { field: 'tcgplayerId', names: 'productid', beside: 'sku, simplename' },
  {
    field: 'cardmarketId',
    names: 'idproduct, cardmarketid, cardmarketproductid, cardmarketproduct, mkmid, mkmproductid',
  },
  // What it identifies, its values say: MTGO and UrzaGatherer have ids of their own, TopDecked has Scryfall's.
  { field: 'id', names: 'id, cardid, jsonid' },
  {
    field: 'name',
    names:
      'name, cardname, productname, englishname, card, product, title, kartenname, karte, englischername, nom, nomdelacarte, carte, nome, nomecarta, carta, nombredelacarta, nombrecarta, 名前, カード名, 名称, カード, localname, localizedproductname, article',
  },
  { field: 'name', names: 'nombre', unless: 'nom, nomdelacarte, carte, name' },
  { field: 'quantity', names: 'nombre', beside: 'nom, nomdelacarte, carte' },
  { field: 'name', names: 'simplename', isMany: true },
  {
    field: 'set',
    names:
      'setname, editionname, expansionname, expname, cardset, set, edition, expansion, erweiterung, extension, serie, edizione, espansione, edicion, coleccion, セット名, セット, エキスパンション, 収録, 収録パック, パック',
  },
  // Dreamborn's sets have numbers. In other files it is the collector's number.
  { field: 'setCode', names: 'setnumber', beside: 'cardnumber' },
  {
    field: 'setCode',
    names:
      'setcode, editioncode, expansioncode, setid, setabbreviation, setabbr, code, exp, setkurzel, kurzel, codeedition, codeextension, codeserie, codiceset, codiceespansione, codigoset, codigodeset, codigoedicion, セットコード, 略号, set, edition, expansion',
  },
  {
    field: 'number',
    names:
      'number, cardnumber, collectornumber, collectorsnumber, collectornum, collector, setnumber, no, nr, num, cardno, cardcode, nummer, kartennummer, numero, numerodecarte, numerocarta, numerodecarta, n, 番号, カード番号, 型番, コレクター番号',
  },
  {
    field: 'printing',
    names: 'printing, finish, variance, variant, variation, foiling, treatment, extras, modifier',
    isMany: true,
  },
  { field: 'printing', names: 'cardedition', isMany: true },
  { field: 'printing', names: 'isreverseholo, reverseholo, reverse', isMany: true, printing: 'Reverse Holofoil' },
  {
    field: 'printing',
    names: 'isfirsted, isfirstedition, firstedition, 1stedition',
    isMany: true,
    printing: '1st Edition',
  },
  { field: 'printing', names: 'holo, isholo, holofoil', isMany: true, printing: 'Holofoil' },
  { field: 'foil', names: 'foil, isfoil, premium, brillant, brillante, フォイル' },
  {
    field: 'condition',
    names:
      'condition, cardcondition, zustand, etat, condizione, condizioni, stato, condicion, estado, 状態, コンディション',
  },
  { field: 'grade', names: 'gradingcompany, grader, gradedby, gradingservice, gradecompany', isMany: true },
  { field: 'grade', names: 'company', beside: 'grade, grading, cardgrade', isMany: true },
  { field: 'grade', names: 'grade, grading, cardgrade, psagrade', isMany: true },
  {
    field: 'language',
    names: 'language, languages, lang, languange, idlanguage, sprache, langue, lingua, idioma, 言語',
  },
  { field: 'rarity', names: 'rarity, cardrarity, seltenheit, rarete, rarita, rareza, レアリティ, レア度' },
  { field: 'game', names: 'game, productline, category, collection, tcg, spiel, jeu, gioco, juego, ゲーム' },
  {
    field: 'exclude',
    names: 'proxy, isproxy, playtestcard, playtest, watchlist, wishlist, iswishlist, want, wanted, iswanted',
    isMany: true,
  },
]

/** Columns whose cells name a binder or a list, which may be one of proxies or wants. */
export const placeColumns = new Set(
  'bindername, bindertype, binder, listname, listtype, foldername, folder, status'.split(', '),
)

/** Files that have one of these are Cardmarket's own, and use its scale of conditions. */
export const cardmarketColumns = new Set('idproduct, idarticle, expname, groupcount, idlanguage'.split(', '))

/** Files that have one of these are of sellers, and name a finish within the condition, or none for the usual one. */
export const sellersColumns = new Set('addtoquantity, tcgmarketprice'.split(', '))

/**
 * A column with one of these words, or with such a name, changes no amount: prices, dates, notes, pictures, ids of
 * others, types.
 */
const unpricedWords = new Set(
  'price, prices, cost, paid, value, market, low, mid, high, avg, trend, cents, currency, preis, prix, prezzo, precio, date, datum, added, acquired, modified, updated, bought, purchased, note, notes, comment, comments, tags, image, images, picture, pictures, photo, url, link, artist, author, type, types, subtypes, supertypes, color, colors, colour, identity, identities, cmc, mana, rank, power, toughness, oracle, legality, legalities, override, user, username, sku, multiverse, mtgo, misprint, altered, alter, signed, signing, alteration, textless, promo, proof, sealed, 価格, 値段, 備考, メモ, 日付'.split(
    ', ',
  ),
)
const unpricedNames = new Set(
  'portfolioname, externalid, idnumber, idarticle, manaboxid, mvid, printid, printingid, printingnote, annotation, sideboarded, format, board, parentlisttype, parentlistname, maybeboard, onsale, idx, fullart, isfullart, isuberrare, iswithdie, issigned, isaltered, ispinned, alteredart, artistproof, colorcategory, location, box, page, row, slot, container, serial, cert, certnumber, atk, def, level, attribute, archetype, race, mkmname, totrade, tradable'.split(
    ', ',
  ),
)
/** Counts of copies that another column has, or that nobody has. Without another count, one of them may be it. */
const otherCounts = new Set(
  'tradequantity, tradecount, tradelistcount, tradeqty, addtoquantity, wantcount, wishcount, wantquantity, wishquantity, wishlistcount, deckcount, deckscountbuilt, deckscountall, proxycount, reserved'.split(
    ', ',
  ),
)

export type Naming = 'known' | 'place' | 'unpriced' | 'otherCount' | 'unknown'

export const folded = (name: string): string =>
  name
    .replaceAll('#', 'number')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)

/** What the name of a column that has no field says. */
export function namingOf(name: string): Naming {
  const plain = folded(name)
  if (placeColumns.has(plain)) return 'place'
  if (otherCounts.has(plain)) return 'otherCount'
  const isUnpriced = plain === '' || unpricedNames.has(plain) || wordsOf(name).some((word) => unpricedWords.has(word))
  return isUnpriced ? 'unpriced' : 'unknown'
}
