/**
 * The words of lists, each in one table: conditions, grades, finishes, languages, yes and no. A new word is an entry.
 */
import type { Condition } from './cards.ts'

/** The most characters of a text that is read as words. Longer texts are notes. */
const wordCharsMax = 60

/**
 * Returns the text in lower case, with spaces between its words. `ReverseHolofoil`, `1stEdition`, `light_played` and
 * `Non-Foil` have two words.
 */
const spaced = (text: string): string =>
  text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim()

/** The letters and digits of a text, without case and accents. */
export const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** Returns a map from each word of each row to the row's meaning. */
const byWord = <Meaning>(rows: readonly (readonly [Meaning, string])[]): ReadonlyMap<string, Meaning> =>
  new Map(rows.flatMap(([meaning, words]) => words.split(', ').map((word) => [word, meaning] as const)))

/** Conditions by their words. Null is a condition that has no equal among the API's. */
const conditions = byWord<Condition | null>([
  ['near_mint', 'near mint, nm, mint, m, mt, nm/m, nm mint, nm mt, near mint or better'],
  ['lightly_played', 'lightly played, light played, light play, slightly played, lp, sp, good (lightly played)'],
  ['moderately_played', 'moderately played, moderate play, moderately play, mp'],
  ['heavily_played', 'heavily played, heavy played, heavy play, hp'],
  ['damaged', 'damaged, dmg, dm, d, poor, po'],
  [null, 'excellent, exc, ex, good, gd, played, pl'],
])

/** Words that mean another condition in Cardmarket's scale, and Cardmarket's numbers for conditions. */
const conditionsOfCardmarket = byWord<Condition | null>([
  ['near_mint', '1, 2'],
  [null, '3, 4, 5, 6, lp, light played, light play'],
  ['damaged', '7'],
])

/** Words that occur only in lists with Cardmarket's scale, in lower case. The last one is from ManaBox. */
const wordsOfCardmarket = new Set('excellent, exc, ex, good, gd, played, pl, poor, po, mt, light_played'.split(', '))

export const isOfCardmarket = (condition: string): boolean => wordsOfCardmarket.has(condition.toLowerCase())

export interface ReadCondition {
  /** Undefined if the API has no equal condition. */
  readonly condition: Condition | undefined
  /** The printing and the language, as in `Near Mint Reverse Holofoil - Japanese`. */
  readonly printing: string | undefined
  readonly language: string | undefined
}

const conditionWordsMax = 4

/**
 * Reads a condition, and the printing and language after it, if there are any. Undefined for any other text.
 * @param isCardmarket true if the list uses Cardmarket's scale
 */
export function conditionOf(text: string, isCardmarket = false): ReadCondition | undefined {
  if (text.length > wordCharsMax) return undefined
  const [grade = '', language] = text.split(' - ', 2)
  const words = spaced(grade).split(' ')
  for (let count = Math.min(words.length, conditionWordsMax); count > 0; count--) {
    const word = words.slice(0, count).join(' ')
    const own = isCardmarket ? conditionsOfCardmarket.get(word) : undefined
    const condition = own === undefined ? conditions.get(word) : own
    if (condition === undefined) continue
    const printing = words.slice(count).join(' ')
    // `excellent` is a condition, and `excellent card` is none.
    if (printing !== '' && !isFinish(printing)) return undefined
    return { condition: condition ?? undefined, printing: printing || undefined, language }
  }
  return undefined
}

/** Companies that grade cards, by their names in lists. */
const graders = byWord([
  ['psa', 'psa'],
  ['bgs', 'bgs, beckett, bvg'],
  ['cgc', 'cgc'],
  ['sgc', 'sgc'],
  ['ace', 'ace'],
  ['tag', 'tag'],
  ['hga', 'hga'],
  ['ags', 'ags'],
  ['pca', 'pca'],
  ['gma', 'gma'],
])
const ungraded = new Set('ungraded, raw, none, no, n, not graded, false, n/a, -, 0, nein, non, não, nao'.split(', '))
/** Labels that only repeat a grade's number: `PSA 10 GEM - MT`. Others, such as `pristine`, name another grade. */
const labels = new Set('gem, mint, mt, nm, near, ex, excellent, vg, very, good, gd, fair, fr, poor, pr'.split(', '))

/** `PSA 10`, `PSA10`, `BGS 9.5`, `bgs_9_5`, `CGC 10.0 Pristine` */
const gradePattern = /^([a-z]{3,7})[ :_]?(10|[1-9])(?:[.,_ ]([05]))?(?: (.*))?$/

/**
 * Returns a grade as a key of `graded`: `psa_10`, `bgs_9_5`. If the text names no known company, no card has a price
 * for the key. Undefined for a blank text, and for words such as `Ungraded`.
 */
export function gradeOf(text: string): string | undefined {
  const word = spaced(text)
  if (word === '' || ungraded.has(word)) return undefined
  return namedGrade(word) ?? word.replace(/[^a-z\d]+/g, '_')
}

function namedGrade(word: string): string | undefined {
  const [, grader = '', number, half, rest = ''] = gradePattern.exec(word.slice(0, wordCharsMax)) ?? []
  const company = graders.get(grader)
  if (company === undefined) return undefined
  const others = rest.split(' ').filter((label) => /[a-z]/.test(label) && !labels.has(label))
  return [company, number, ...(half === '5' ? ['5'] : []), ...others].join('_')
}

const mayBeGrade = /^\s*[a-z].*\d/i

/** Returns a grade as a key of `graded`. Undefined if the text names no company that grades cards. */
export const namedGradeOf = (text: string): string | undefined =>
  mayBeGrade.test(text) ? namedGrade(spaced(text)) : undefined

export interface Finish {
  readonly printing?: string | undefined
  /**
   * Set if the line says that the card is not a foil. `match` would exclude a card whose printing is unknown, although
   * the line may mean that card. So the question to `match` has no printing, and the found card's printing is compared
   * afterwards. `normal` allows only Normal. `plain` also allows Holofoil, because some cards have no other printing.
   */
  readonly not?: 'normal' | 'plain' | undefined
}

const finishes = byWord<Finish>([
  [{ printing: 'Foil' }, 'foil, foils, foiled, f, premium'],
  [{ printing: 'Etched' }, 'etched, e, foil etched, etched foil, f etch'],
  [{ not: 'normal' }, 'normal, regular, nonfoil, non foil, nonholo, non holo'],
])
/** A text with one of these words names a printing: `Cold Foil`, `Reverse Holo`, `1st Edition`. */
const finishWords = new Set(
  'foil, foils, holo, holofoil, etched, reverse, 1st, first, edition, unlimited, limited, normal, regular, nonfoil, nonholo'.split(
    ', ',
  ),
)

const yes = new Set(
  'true, yes, y, 1, x, ✓, ✔, ja, j, wahr, oui, o, vrai, sì, si, sí, s, vero, verdadero, sim, verdadeiro, はい, ○'.split(
    ', ',
  ),
)
const no = new Set('false, no, n, 0, -, nein, falsch, non, faux, falso, não, nao, いいえ, ×'.split(', '))

export const isYes = (text: string): boolean => yes.has(text.toLowerCase())
export const isFlag = (text: string): boolean => isYes(text) || no.has(text.toLowerCase())

/** True if the text names a printing. */
export function isFinish(text: string): boolean {
  if (text.length > wordCharsMax) return false
  const word = spaced(text)
  return finishes.has(word) || word.split(' ').some((one) => finishWords.has(one))
}

/**
 * Returns the finish that a text names.
 * @param isFlag true for a column that says whether the card is a foil: a blank cell means that it is not
 */
export function finishOf(text: string, isFlag = false): Finish {
  const word = text.trim()
  if (word === '') return isFlag ? { not: 'plain' } : {}
  const lower = word.toLowerCase()
  if (isFlag && no.has(lower)) return { not: 'plain' }
  if (isFlag && yes.has(lower)) return { printing: 'Foil' }
  const finish = finishes.get(spaced(word))
  if (finish === undefined) return { printing: word.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ') }
  return isFlag && finish.not !== undefined ? { not: 'plain' } : finish
}

/** Languages by their codes, their names, and Cardmarket's numbers. */
const languages = byWord([
  ['en', 'en, eng, english, englisch, anglais, inglese, inglés, inglês, 英語, 1'],
  ['fr', 'fr, fra, french, französisch, français, francese, francés, francês, 2'],
  ['de', 'de, deu, ger, german, deutsch, allemand, tedesco, alemán, alemão, 3'],
  ['es', 'es, spa, sp, spanish, spanisch, espagnol, spagnolo, español, espanhol, 4'],
  ['it', 'it, ita, italian, italienisch, italien, italiano, 5'],
  ['zhs', 'zhs, cs, cn, chinese, simplified chinese, chinese simplified, s chinese, zh cn, 6'],
  ['ja', 'ja, jp, jpn, japanese, japanisch, japonais, giapponese, japonés, japonês, 日本語, 7'],
  ['pt', 'pt, por, portuguese, portugiesisch, portugais, portoghese, portugués, português, 8'],
  ['ru', 'ru, rus, russian, russisch, russe, russo, ruso, 9'],
  ['ko', 'ko, kr, kor, korean, koreanisch, coréen, coreano, 10'],
  ['zht', 'zht, ct, tw, traditional chinese, chinese traditional, t chinese, zh tw, 11'],
])

export const isLanguage = (text: string): boolean =>
  text.length <= wordCharsMax && !/^\d/.test(text) && languages.has(spaced(text))

/** Returns the language's code, or the first word of a text that names no known language. */
export const languageOf = (text: string): string => languages.get(spaced(text)) ?? spaced(text).split(' ')[0]!

/** Cells and marks that say that a card is a proxy. */
const proxies = new Set('proxy, proxies, proxied, playtest, playtest card'.split(', '))
const wants = new Set(
  'want, wants, wanted, want list, wantlist, wish list, wishlist, wishes, wunschliste, suchliste, gesucht'.split(', '),
)

export const isProxy = (text: string): boolean => text.length <= wordCharsMax && proxies.has(spaced(text))

/**
 * True for the name of a binder of proxies or wants, such as `Wants 2026` or `My wish list`. Also true for `list`,
 * which is ManaBox's type of a list that is no binder.
 */
export function isNoCollection(name: string): boolean {
  if (name.length > wordCharsMax) return false
  const words = spaced(name).split(' ')
  return (
    name.toLowerCase() === 'list' ||
    words.some((word, i) => {
      const two = `${word} ${words[i + 1]}`
      return proxies.has(word) || wants.has(word) || wants.has(two)
    })
  )
}
