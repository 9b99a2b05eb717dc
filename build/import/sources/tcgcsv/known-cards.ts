import { compareTexts } from '../../../../src/text-order.ts'

/**
 * The cards with an id, in id order, found by product and sub-type. Files list products in much the same order each day. So the
 * next product is mostly the last one, or follows it.
 *
 *   products   42346   42382   42400 …       ascending
 *   start      0       1       3     …       where a product's cards start in the two columns below
 *   subTypes   Holofoil | 1st Edition Holofoil, Holofoil | Normal …       numbers in `names`
 *   indexes    17       | 18, 19                         | 4      …
 */
export interface CardColumns {
  /** Of all cards, those without a sub-type included. */
  readonly count: number
  readonly products: Int32Array
  readonly start: Uint32Array
  readonly names: readonly string[]
  readonly subTypes: Uint16Array
  readonly indexes: Uint32Array
}

/** @param cards ids by product and sub-type, as in `import/ids.ndjson` */
export function columnsOf(cards: ReadonlyMap<string, string>): { ids: readonly string[]; columns: CardColumns } {
  const entries = [...cards].sort(([, a], [, b]) => compareTexts(a, b))
  const priced = entries.flatMap(([key], index) => {
    const space = key.indexOf(' ')
    return space === -1 ? [] : [{ product: Number(key.slice(0, space)), subType: key.slice(space + 1), index }]
  })
  priced.sort((a, b) => a.product - b.product)
  const products = [...new Set(priced.map(({ product }) => product))]
  const names = [...new Set(priced.map(({ subType }) => subType))]
  const numbers = new Map(names.map((name, number) => [name, number]))
  const start = new Uint32Array(products.length + 1).fill(priced.length)
  let next = 0
  priced.forEach(({ product }, i) => {
    if (product === products[next]) start[next++] = i
  })
  const columns = {
    count: entries.length,
    products: Int32Array.from(products),
    start,
    names,
    subTypes: Uint16Array.from(priced, ({ subType }) => numbers.get(subType)!),
    indexes: Uint32Array.from(priced, ({ index }) => index),
  }
  return { ids: entries.map(([, id]) => id), columns }
}

export class KnownCards {
  readonly #columns: CardColumns
  #last = 0

  constructor(columns: CardColumns) {
    this.#columns = columns
  }

  /** -1 if there is none. */
  indexOf(product: number, subType: string): number {
    const at = this.#find(product)
    if (at === -1) return -1
    this.#last = at
    const { start, names, subTypes, indexes: places } = this.#columns
    const end = start[at + 1]!
    for (let card = start[at]!; card < end; card++) {
      if (names[subTypes[card]!] === subType) return places[card]!
    }
    return -1
  }

  #find(product: number): number {
    const { products } = this.#columns
    if (products[this.#last] === product) return this.#last
    if (products[this.#last + 1] === product) return this.#last + 1
    let low = 0
    let high = products.length - 1
    while (low <= high) {
      const middle = (low + high) >>> 1
      if (products[middle] === product) return middle
      if (products[middle]! < product) low = middle + 1
      else high = middle - 1
    }
    return -1
  }
}
