/**
 * The other ways to write a line. A match tries them in this order if the line as given finds nothing:
 *
 *   Ice // Fire                  Fire // Ice            either order of faces is the same card
 *   Forest (246) - Full Art      Forest (246) (Full Art)   if the data has that marker
 *   Charizard #4                 Charizard, number 4
 *   Borrowing 100000 Arrows      Borrowing 100,000 Arrows   a number without signs between its thousands
 *   Snom, printing Cosmos Holo   Snom (Cosmos Holo)     a finish that only separate cards have
 */
import { foldName } from '../names/fold.ts'
import { foldNumber } from '../names/numbers.ts'
import type { Line } from './line.ts'

const twoFaces = /^([^/]+\S) ?\/\/ ?([^/([]+[^\s/([])(.*)$/
const dashMarker = /^(.+\S) - ([^-()[\]]{2,40})((?: ?[([][^()[\]]*[)\]])*)$/
const hashNumber = /^(.*\S),? #(\S{1,20})$/
/** A number of four digits or more, as a word of a name. */
const plainThousands = /(?<!\S)\d{4,9}(?!\S)/g
const beforeThousands = /\B(?=(?:\d{3})+$)/g
/** The name of a finish that is no foil: `Cosmos Holo`, `Poké Ball`. */
const specialHolo = /^(.*\S?) ?\b(holo|ball|pattern)$/i
const usualHolo = /^(?:(?:reverse|1st edition|unlimited|first edition|non) ?)?-?holo$/i

/** @param isMarker returns true if a card of the data has the folded text in brackets */
export function variantsOf(line: Line, isMarker: (marker: string) => boolean): Line[] {
  const { name, number, printing } = line
  if (name === undefined || line.ids !== undefined) return []
  const variants: Line[] = []
  const faces = twoFaces.exec(name)
  if (faces !== null) variants.push({ ...line, name: `${faces[2]} // ${faces[1]}${faces[3]}` })
  const dash = dashMarker.exec(name)
  if (dash !== null && isMarker(foldName(dash[2]!)))
    variants.push({ ...line, name: `${dash[1]} (${dash[2]})${dash[3]}` })
  const hash = hashNumber.exec(name)
  if (hash !== null && (number === undefined || foldNumber(number) === foldNumber(hash[2]!))) {
    variants.push({ ...line, name: hash[1]!, number: number ?? hash[2]! })
  }
  const grouped = name.replace(plainThousands, (digits) => digits.replace(beforeThousands, ','))
  if (grouped !== name) variants.push({ ...line, name: grouped })
  return printing === undefined ? variants : [...variants, ...bearers(line, name, printing)]
}

function bearers(line: Line, name: string, printing: string): Line[] {
  if (!isSpecialHolo(printing)) return []
  const base = printing.replace(/ ?(?:holo|pattern)$/i, '')
  return [printing, base, `${base} Pattern`, `${base} Holo`].map((marker) => ({
    ...line,
    name: `${name} (${marker})`,
    printing: undefined,
  }))
}

/** True for a finish that is no foil, and that is not in the table of printings: `Cosmos Holo`. */
export const isSpecialHolo = (printing: string): boolean =>
  specialHolo.test(printing) && !usualHolo.test(printing.trim())
