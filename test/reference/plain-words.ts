/** Names and numbers folded the plain way, one sign after the other. */

const apostrophes = new Set("'’‘‛`´′＇ʼʻʹ\u1ffd")
const letterForms = new Map(
  'æ:ae œ:oe ø:o ß:ss ł:l đ:d ð:d þ:th ħ:h ŧ:t ı:i ς:σ'.split(' ').map((form) => form.split(':') as [string, string]),
)
const isLetter = (sign: string) => /[\p{L}\p{N}]/u.test(sign)
export const isJapaneseLetter = (sign: string) =>
  isLetter(sign) && /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]/u.test(sign)

/** Folded words, one sign of the text after the other. */
export function plainWords(text: string): string[] {
  let decomposed = ''
  for (const sign of text) if (!apostrophes.has(sign)) decomposed += sign.normalize('NFKD')
  let bare = ''
  for (const sign of decomposed.normalize('NFD')) {
    if (!/[\u0300-\u036f\ufe00-\ufe0f]/.test(sign) && !apostrophes.has(sign)) bare += sign
  }
  let folded = ''
  for (const sign of bare.normalize('NFC').toLowerCase()) folded += letterForms.get(sign) ?? sign
  const words: string[] = []
  let open = 'none' as 'none' | 'japanese' | 'signs after japanese' | 'other'
  for (const sign of folded) {
    if (isJapaneseLetter(sign)) {
      if (open === 'japanese' || open === 'signs after japanese') words[words.length - 1] += sign
      else words.push(sign)
      open = 'japanese'
    } else if (isLetter(sign)) {
      if (open === 'other') words[words.length - 1] += sign
      else words.push(sign)
      open = 'other'
    } else if (sign === '&' && (open === 'none' || open === 'other')) {
      words.push('and')
      open = 'none'
    } else if (/\p{M}/u.test(sign) && (open === 'japanese' || open === 'other')) {
      words[words.length - 1] += sign
    } else if (/\s/.test(sign)) {
      open = 'none'
    } else {
      open = open === 'japanese' || open === 'signs after japanese' ? 'signs after japanese' : 'none'
    }
  }
  return words
}

/** A collector's number without width, `#`, case, leading zeros, and what comes from a slash on. */
export function plainNumber(text: string): string {
  let plain = unsigned(text).split('/', 1)[0]!.trim()
  while (plain.length > 1 && plain[0] === '0' && plain[1]! >= '0' && plain[1]! <= '9') plain = plain.slice(1)
  return caseless(plain)
}
const unsigned = (text: string) =>
  text
    .normalize('NFKC')
    .trim()
    .replace(/^#\s*(?=\S)/, '')
/** The total behind the slash. */
export function plainTotal(text: string): string | undefined {
  const [, ...behind] = unsigned(text).split('/')
  return behind.length === 0 ? undefined : plainNumber(behind.join('/'))
}
export const caseless = (text: string) => text.normalize('NFC').toLowerCase()

/** Optimal string alignment distance: by the table. */
export function typosBetween(a: string, b: string): number {
  const table = [...Array(a.length + 1)].map((_, i) =>
    [...Array(b.length + 1)].map((_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  )
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      let least = Math.min(table[i - 1]![j]!, table[i]![j - 1]!) + 1
      least = Math.min(least, table[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, table[i - 2]![j - 2]! + 1)
      table[i]![j] = least
    }
  }
  return table[a.length]![b.length]!
}

/** A text's words, and the same where words with signs and no space between them are one. */
export interface Readings {
  readonly words: readonly string[]
  readonly joined: readonly string[]
}

/** Words longer than a query can be are of no use. */
const joinedCharsMax = 200

/** Japanese letters are never parted by signs; between others and them, nothing is joined. */
export function readingsOf(text: string): Readings {
  const joined: string[] = []
  for (const token of text.normalize('NFKC').split(/\s+/u)) {
    const runs: string[][] = []
    let open = false
    for (const word of plainWords(token)) {
      if (isJapaneseLetter([...word][0]!)) {
        runs.push([word])
        open = false
      } else if (open) runs.at(-1)!.push(word)
      else {
        runs.push([word])
        open = true
      }
    }
    for (const run of runs) {
      const parts = token.includes('&') ? run.filter((word) => word !== 'and') : run
      const word = parts.join('')
      if (parts.length > 1 && word.length <= joinedCharsMax) joined.push(word)
      else joined.push(...run)
    }
  }
  return { words: plainWords(text), joined }
}
