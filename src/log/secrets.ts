/** Keys in texts that others read: whatever has the shape of one is cut. */

const mark = 'cpl_live_'
const shown = `${mark}…`

/** Each character may be percent-encoded, and the percent sign too, any number of times. */
const encoded = (code: string) => `%(?:25)*${code}`
const markCharacters = [...mark].map((character) => `(?:${character}|${encoded(hexOf(character))})`)
const shape = new RegExp(`${markCharacters.join('')}(?:[0-9a-z]|${encoded('[3-7][0-9a-f]')})*`, 'gi')

function hexOf(character: string): string {
  const lower = character.charCodeAt(0).toString(16)
  const upper = character.toUpperCase().charCodeAt(0).toString(16)
  return lower === upper ? lower : `(?:${lower}|${upper})`
}

/** The text, of each key in it the mark alone. */
export const withoutKeys = (text: string): string => text.replace(shape, shown)
