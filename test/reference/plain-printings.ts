/** Which words name a printing, by the contract's table. */
import { caseless, plainWords } from './plain-words.ts'

export const joined = (text: string) => plainWords(text).join(' ')
export const noSpaces = (text: string) => text.normalize('NFKC').replace(/\s/g, '')
/** Folded; a text of signs is itself. */
export const label = (text: string) => joined(text) || noSpaces(text)

/** The words for each printing; the others have their own name alone. */
const rows: readonly (readonly [fits: (printing: string) => boolean, words: readonly string[]])[] = [
  [(printing) => printing === 'normal', ['normal', 'nonfoil', 'non-foil', 'regular', 'non-holo', 'nonholo']],
  [(printing) => printing === 'holofoil', ['holo', 'holofoil']],
  [(printing) => printing === 'reverse holofoil', ['reverse', 'reverse holo', 'reverse foil', 'reverse holofoil']],
  [(printing) => printing === 'etched', ['etched', 'foil etched']],
  [(printing) => /^1st edition( |$)/.test(printing), ['1st edition', 'first edition', '1st ed', 'first ed']],
  [(printing) => /^unlimited( |$)/.test(printing), ['unlimited', 'unlimited edition']],
]
const rowOf = (text: string) => rows.find(([, words]) => words.some((word) => label(word) === label(text)))

/** True if the text names the printing, without regard to its card's other printings. */
export const printingIsNamed = (text: string, printing: string): boolean => {
  if (/\p{S}/u.test(text + printing)) return caseless(text) === caseless(printing)
  const long = (one: string) =>
    label(one)
      .replace(/\bholo\b/g, 'holofoil')
      .replace(/\bfirst\b/g, '1st')
      .replace(/\bed\b/g, 'edition')
  if (long(text) === long(printing)) return true
  return rowOf(text)?.[0](label(printing)) ?? false
}

export const isPrinting = (text: string): boolean =>
  rowOf(text) !== undefined || label(text) === 'foil' || rows.some(([fits]) => fits(label(text)))
