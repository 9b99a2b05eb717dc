/** The categories of TCGCSV, as a mirror lists them. Each category is a game. */
import * as v from 'valibot'
import { foldName } from '../../../../src/names/fold.ts'
import { ImportErrors } from '../../import-errors.ts'
import { readWhole } from '../../read/open.ts'
import { findFile, mirrorRoot } from './mirror.ts'

export interface Category {
  readonly number: number
  readonly name: string
  /** All names of the category in TCGCSV and in sellers' files. */
  readonly names: readonly string[]
}

const named = v.nullish(v.string())
const schema = v.object({
  results: v.array(v.object({ categoryId: v.number(), name: v.string(), displayName: named, seoCategoryName: named })),
})

/** Returns undefined if the mirror has no list of categories. Throws an Error if the list can't be read. */
export function categoriesIn(mirror: string): readonly Category[] | undefined {
  const errors = new ImportErrors()
  const file = findFile(mirrorRoot(mirror), 'categories', errors)
  const bytes = file && readWhole(file, errors)
  errors.check()
  if (file === undefined || bytes === undefined) return undefined
  try {
    return v.parse(schema, JSON.parse(bytes.toString('utf8'))).results.map((category) => {
      const { categoryId: number, name, displayName, seoCategoryName } = category
      const names = [...new Set([name, displayName, seoCategoryName].map((text) => text?.trim()))]
      return {
        number,
        name: displayName?.trim() || name,
        names: names.filter((text) => text !== undefined && text !== '') as string[],
      }
    })
  } catch {
    throw new Error(`${file.path}: is no list of categories`)
  }
}

/**
 * The categories with that name. If there is none, the categories with a name that contains all its words. Case and
 * accents are ignored.
 */
export function fitting(categories: readonly Category[], asked: string): readonly Category[] {
  const wanted = foldName(asked)
  const whole = categories.filter(({ names }) => names.some((name) => foldName(name) === wanted))
  if (whole.length > 0) return whole
  const words = wanted.split(' ')
  return categories.filter(({ names }) =>
    names.some((name) => words.every((word) => foldName(name).split(' ').includes(word))),
  )
}
