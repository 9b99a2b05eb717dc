/** What a name is, the plain way: its words, faces, signs and markers, without the card's own number. */
import { label, noSpaces } from './plain-printings.ts'
import { plainWords } from './plain-words.ts'

/** A number without its total, zeros before digits, and case. */
export const bare = (text: string) =>
  text
    .replaceAll(/ ?\/ ?(?:\p{L}{0,4}\p{N}+|(?:\p{L}{1,3}-)?P(?![a-z0-9_]))?/giu, '')
    .replaceAll(/(?<!\d)0+(?=\d)/g, '')
    .toLowerCase()
    .trim()

const dashed = /^ - ([^()[\]（）［］]+?)(?= - |\s*[([（［]|$)/

/** Texts of a name that may be its number: those behind a hyphen, those in brackets, and the first words of these. */
export function numbersIn(name: string): string[] {
  const found = [...name].flatMap((_, at) => dashed.exec(name.slice(at))?.[1] ?? [])
  for (const [, inner] of name.matchAll(/[([]([^()[\]]*)[)\]]/g)) {
    const words = inner!.split(' ')
    found.push(inner!, ...[1, 2, 3, 4].filter((count) => count < words.length).map((n) => words.slice(0, n).join(' ')))
  }
  return found
}

/** The name without the card's own number: behind a hyphen, in brackets, or at the start of brackets. */
function withoutOwn(name: string, number: string | null): string {
  if (number === null || number === '' || number.toLowerCase() === 'n/a') return name
  const beforeSlash = number.split('/', 1)[0]!
  const own = [number, beforeSlash.slice(beforeSlash.lastIndexOf('-') + 1), beforeSlash]
    .map(bare)
    .filter((form) => form !== '')
  let left = ''
  for (let at = 0; at < name.length; ) {
    const rest = name.slice(at)
    const found = dashed.exec(rest)
    if (found !== null && own.includes(bare(found[1]!))) at += found[0].length
    else left += name[at++]
  }
  let kept = ''
  for (let at = 0; at < left.length; ) {
    const bracket = /^\s*([([])([^()[\]]*)([)\]])/.exec(left.slice(at))
    if (bracket === null) {
      kept += left[at++]
      continue
    }
    at += bracket[0].length
    const [, open, inner, close] = bracket as unknown as [string, string, string, string]
    if (own.includes(bare(inner))) continue
    const words = inner.split(' ')
    const count = [1, 2, 3, 4].find((some) => some < words.length && own.includes(bare(words.slice(0, some).join(' '))))
    kept += count === undefined ? bracket[0] : ` ${open}${words.slice(count).join(' ')}${close}`
  }
  return kept.replace(/\s+/g, ' ').trim() || name
}

const pairs: Readonly<Record<string, string>> = { ')': '(', ']': '[', '）': '（', '］': '［' }

export interface PlainName {
  readonly words: readonly string[]
  readonly faces: readonly (readonly string[])[]
  readonly signs: string
  readonly markers: readonly string[]
}

const isGreek = (word: string) => /^\p{Script=Greek}$/u.test(word)

export function readName(text: string, number: string | null): PlainName {
  let base = withoutOwn(text, number).trimEnd()
  const markers: string[] = []
  for (;;) {
    const close = base.slice(-1)
    const start = close in pairs ? base.lastIndexOf(pairs[close]!) : -1
    if (start === -1 || base.slice(start + 1, -1).includes(close) || base.slice(0, start).trim() === '') break
    markers.push(label(base.slice(start + 1, -1)))
    base = base.slice(0, start).trimEnd()
  }
  const all = plainWords(base)
  const greek = all.every(isGreek) ? [] : all.filter(isGreek)
  const symbols =
    all.length === 0
      ? []
      : [...base.normalize('NFKC')].filter((sign) => /[\p{Sm}\p{Sc}\p{So}]/u.test(sign) && sign !== '~')
  const plain = all.filter((word) => !greek.includes(word))
  const faces = base.split('//').map((face) => plainWords(face).filter((word) => !isGreek(word)))
  return {
    words: plain.length === 0 ? [noSpaces(base)] : plain,
    faces: faces.length > 1 && faces.every((face) => face.length > 0) ? faces : [],
    signs: [...symbols, ...greek].sort().join(''),
    markers: markers.filter((marker) => marker !== ''),
  }
}
