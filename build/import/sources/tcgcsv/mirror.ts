/**
 * The files of a mirror:
 *
 *   DIR/                                or DIR/tcgplayer/
 *     last-updated.txt                  the day of the prices; in DIR or DIR/tcgplayer/
 *     categories                        this file, and each file below, may also end with .json, .gz or .json.gz
 *     3/groups
 *     3/3170/products
 *     3/3170/prices
 *     3/3170/ProductsAndPrices.csv      instead of the files products and prices
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { GameSlug } from '../../../../src/games.ts'
import type { FolderGames } from '../../../games/folder-games.ts'
import type { ImportErrors } from '../../import-errors.ts'
import { type InputFile, inputFile } from '../../read/open.ts'

/** The game's category. Call it only for a game that `gamesByCategory` has. */
export const categoryOf = (folder: FolderGames, game: GameSlug): number => folder.row(game)!.tcgplayer!.category

/** The games that TCGCSV has, in the order in which a mirror is read. */
export const gamesByCategory = (folder: FolderGames): readonly GameSlug[] =>
  folder.rows
    .filter(({ tcgplayer }) => tcgplayer !== undefined)
    .map(({ id }) => id)
    .sort((a, b) => categoryOf(folder, a) - categoryOf(folder, b))

/** The folder that holds the categories. */
export const mirrorRoot = (dir: string): string => {
  const within = join(dir, 'tcgplayer')
  return existsSync(within) ? within : dir
}

/** The file of this name, with any of its endings. */
export function findFile(folder: string, name: string, errors: ImportErrors): InputFile | undefined {
  for (const form of [name, `${name}.json`, `${name}.gz`, `${name}.json.gz`]) {
    const file = inputFile(join(folder, form), errors)
    if (file !== undefined) return file
  }
  return undefined
}

export type GroupFiles = { readonly products: InputFile; readonly prices: InputFile } | { readonly csv: InputFile }

/** The files of a group. If a file is missing, returns its path. */
export function groupFiles(root: string, category: number, group: number, errors: ImportErrors): GroupFiles | string {
  const folder = join(root, `${category}`, `${group}`)
  const products = findFile(folder, 'products', errors)
  const prices = findFile(folder, 'prices', errors)
  if (products !== undefined && prices !== undefined) return { products, prices }
  for (const name of ['ProductsAndPrices.csv', 'ProductsAndPrices.csv.gz']) {
    const csv = inputFile(join(folder, name), errors)
    if (csv !== undefined) return { csv }
  }
  return join(folder, products === undefined ? 'products' : 'prices')
}

/** The folders whose names are numbers, in numeric order. */
export function numberedFolders(folder: string): number[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => /^[1-9]\d*$/.test(entry.name) && !entry.isFile())
    .map((entry) => Number(entry.name))
    .sort((a, b) => a - b)
}
