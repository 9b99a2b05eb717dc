/**
 * Phrases are frequent texts in extras. In the file, a control character stands for each phrase, because JSON text
 * never contains control characters. So four markets of a card take 85 bytes instead of 420.
 */

const prices = ['cardmarket","currency":"EUR', 'cardkingdom","currency":"USD', 'cardsphere","currency":"USD']
const otherPrices = [
  'manapool","currency":"USD',
  'tcgplayer","currency":"USD',
  '","currency":"EUR',
  '","currency":"USD',
]

/** The character with the code i + 1 stands for phrase i. */
export const phrases: readonly string[] = [
  ',"markets":[',
  ',"tcgplayerId":null',
  ',"tcgplayerId":',
  ',"scryfallId":null,"mtgjsonId":null',
  ',"scryfallId":"',
  '","mtgjsonId":"',
  ',"cardmarketId":null',
  ',"cardmarketId":',
  '{"market":"',
  ...[...prices, ...otherPrices].map((market) => `${market}","price":`),
  ',"low":null,"buylist":null,"updatedAt":"',
  ',"low":',
  ',"buylist":null,"updatedAt":"',
  ',"buylist":',
  ',"updatedAt":"',
  '"},',
  '"}]}',
  ']}',
]
/** Characters with codes below this one stand for phrases. */
export const firstPlain = 0x20

const longestFirst = [...phrases].sort((a, b) => b.length - a.length)
const anyPhrase = new RegExp(longestFirst.map((phrase) => phrase.replace(/[{[\]}]/g, '\\$&')).join('|'), 'g')
const characters = new Map(phrases.map((phrase, i) => [phrase, String.fromCharCode(i + 1)]))
const anyCharacter = new RegExp(`[${[...characters.values()].join('')}]`, 'g')

/** Replaces each phrase by its character. @param json a text of JSON, or a part of one */
export const withoutPhrases = (json: string): string => json.replace(anyPhrase, (phrase) => characters.get(phrase)!)

/** Replaces each of these characters by its phrase. */
export const withPhrases = (text: string): string =>
  text.replace(anyCharacter, (character) => phrases[character.charCodeAt(0) - 1]!)
