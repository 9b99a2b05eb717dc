/** A game as fetch, import and build know it: a row of `default-games.ts`, or a line of `games.ndjson`. */
import * as v from 'valibot'
import { type Game, slugForm } from '../../src/games.ts'
import { gameNameCharsMax, gameWordsMax } from '../../src/limits.ts'
import { shownIssue } from '../read/snapshot-problems.ts'
import { wellFormed } from '../read/snapshot-schema.ts'

const mustBeText = `must be a text of 1 to ${gameNameCharsMax} characters, not all of them blank`
const text = v.pipe(
  v.string(mustBeText),
  v.check((value) => value.trim() !== '' && [...value].length <= gameNameCharsMax, mustBeText),
  wellFormed,
)

const mustBeTexts = `must be an array of 1 to ${gameWordsMax} texts`
const texts = v.pipe(v.array(text, mustBeTexts), v.minLength(1, mustBeTexts), v.maxLength(gameWordsMax, mustBeTexts))

const mustBeNumber = 'must be a whole number above 0'
const number = v.pipe(v.number(mustBeNumber), v.safeInteger(mustBeNumber), v.minValue(1, mustBeNumber))

const mustBeSlug = 'must be 2 to 20 of a-z 0-9, a letter first'
const mustBeLanguage = 'must be English or Japanese'
const mustBeGuide = 'must be the name of a price guide, pokemon-cards'

/** The message for a value that is not an object, and for an unknown field. */
const mustBeKnown = ({ expected }: { readonly expected: string | null }): string =>
  expected === 'never' ? 'is no field of a game' : 'must be an object'

export const gameSchema = v.strictObject(
  {
    /** The game's slug. It never changes once cards have it. */
    id: v.pipe(v.string(mustBeSlug), v.regex(slugForm, mustBeSlug)),
    name: text,
    language: v.optional(v.picklist(['English', 'Japanese'], mustBeLanguage), 'English'),
    /** Absent if TCGplayer does not have the game. */
    tcgplayer: v.exactOptional(
      v.strictObject(
        {
          /**
           * The game's number at TCGplayer and TCGCSV. The game has the same number in all files, but not the same
           * name.
           */
          category: number,
          /** The game's names in these files. By default, its own name. */
          names: v.exactOptional(texts),
        },
        mustBeKnown,
      ),
    ),
    /** The number of the Cardmarket price guide that has the game's cards. Absent if no guide has them. */
    cardmarket: v.exactOptional(number),
    /** Absent if no price guide of PriceCharting has the game's cards. */
    pricecharting: v.exactOptional(
      v.strictObject(
        {
          /**
           * The price guide that has the game's cards. `other-tcg-cards` has the cards of all games that lack a guide
           * of their own.
           */
          category: v.pipe(v.string(mustBeGuide), v.regex(/^[a-z0-9-]{1,60}$/, mustBeGuide)),
          /** PriceCharting calls a set a console. The names of the game's consoles begin with one of these texts. */
          consoles: texts,
          /**
           * True if product names end with the printed number, as in `Aqua Madoor LOB-027`. False for names such as
           * `Charizard #4`.
           */
          hasPrintedNumbers: v.optional(v.boolean('must be true or false'), false),
        },
        mustBeKnown,
      ),
    ),
    /** Further words for the game in lists, besides its id, its name and TCGplayer's names. */
    words: v.optional(v.pipe(v.array(text, mustBeTexts), v.maxLength(gameWordsMax, mustBeTexts)), []),
  },
  mustBeKnown,
)

/** A game's row. If `tcgplayer`, `cardmarket` or `pricecharting` is missing, this source does not have the game. */
export type GameRow = Readonly<v.InferOutput<typeof gameSchema>>

/** The game's names in TCGplayer's files and in sellers' files. */
export const tcgplayerNames = ({ name, tcgplayer }: GameRow): readonly string[] => tcgplayer?.names ?? [name]

/** The fields of the game that a version contains. */
export const servedGame = (row: GameRow): Game => ({
  id: row.id,
  name: row.name,
  language: row.language,
  words: [...tcgplayerNames(row), ...row.words],
})

/** Returns the row, or one line about what is wrong with it. */
export function rowFrom(record: object): GameRow | string {
  const result = v.safeParse(gameSchema, record)
  if (result.success) return result.output
  const [field, wrong, found] = shownIssue(result.issues[0])
  return `--${field!.split('.')[0]}: ${wrong}${found === undefined ? '' : ` (${found})`}`
}
