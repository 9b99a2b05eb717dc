/**
 * Frequent texts of extras. A control character, which JSON text never has, stands for each: four markets of a card take 85 bytes
 * instead of 420.
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
const bytesOf = phrases.map((phrase) => Buffer.from(phrase))
/** Below it are the characters that stand for phrases. */
export const firstPlain = 0x20

const longestFirst = [...phrases].sort((a, b) => b.length - a.length)
const anyPhrase = new RegExp(longestFirst.map((phrase) => phrase.replace(/[{[\]}]/g, '\\$&')).join('|'), 'g')
const characters = new Map(phrases.map((phrase, i) => [phrase, String.fromCharCode(i + 1)]))

/** @param json a text of JSON, or a part of one */
export const withoutPhrases = (json: string): string => json.replace(anyPhrase, (phrase) => characters.get(phrase)!)

/** How many bytes bytes[from] up to bytes[to] have with their phrases written out. */
export function bytesWithPhrases(bytes: Uint8Array, from: number, to: number): number {
  let count = to - from
  for (let i = from; i < to; i++) if (bytes[i]! < firstPlain) count += bytesOf[bytes[i]! - 1]!.length - 1
  return count
}

/** Writes bytes[from] up to bytes[to] with their phrases into `target`. Returns the offset behind them. */
export function writePhrases(bytes: Uint8Array, from: number, to: number, target: Uint8Array, start: number): number {
  let at = start
  for (let i = from; i < to; i++) {
    const byte = bytes[i]!
    if (byte >= firstPlain) target[at++] = byte
    else {
      const phrase = bytesOf[byte - 1]!
      for (let k = 0; k < phrase.length; k++) target[at++] = phrase[k]!
    }
  }
  return at
}
