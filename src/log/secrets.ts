/** Removes API keys from texts. */

const keyPrefix = 'cpl_live_'

/** Matches a character that was percent-encoded once or several times. */
const encoded = (code: string) => `%(?:25)*${code}`
const hexOf = (character: string) => character.charCodeAt(0).toString(16)
const prefixCharacters = [...keyPrefix].map(
  (character) => `(?:${character}|${encoded(`(?:${hexOf(character)}|${hexOf(character.toUpperCase())})`)})`,
)
const shape = new RegExp(`${prefixCharacters.join('')}(?:[0-9a-z]|${encoded('[3-7][0-9a-f]')})*`, 'gi')

/** Replaces each key by its prefix and an ellipsis. */
export const withoutKeys = (text: string): string => text.replace(shape, `${keyPrefix}…`)
