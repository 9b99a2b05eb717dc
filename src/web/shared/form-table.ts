/**
 * What the forms of the pages may hold: each form's fields, and the most bytes of each. A reader of a form
 * (form-reader.ts) goes by this table while the form arrives.
 */
import {
  accountNameCharsMax,
  formBytesMax,
  idCharsMax,
  listColumnsMax,
  listFormBytesMax,
  listLineCharsMax,
  listLinesMax,
  suspensionReasonCharsMax,
} from '../../limits.ts'

/** The fields of a form. If a field occurs several times, the first one counts. */
export interface Form {
  readonly texts: ReadonlyMap<string, string>
  /** Fields that may be long, if the form was sent in parts. They are as the browser sent them, in any encoding. */
  readonly bytes: ReadonlyMap<string, Uint8Array>
}

export interface FormShape {
  /** The most bytes of each field, by its name. */
  readonly fields: Readonly<Record<string, number>>
  /** Fields with a number in their names: how many there may be, and how long. */
  readonly numbered?: readonly NumberedFields[]
  /** Whether the form may be sent in parts, and may so be larger than other forms. */
  readonly isList?: true
}

interface NumberedFields {
  readonly names: RegExp
  readonly most: number
  /** True if there may be no more of them than lines of text in the long fields before them. */
  readonly isByLine?: true
  readonly bytesMax: number
}

/** So many bytes has a character that is sent in UTF-8, at most. */
const charBytesMax = 4
/** Texts that are too long get a sentence of their own, so a field may be somewhat longer than what is valid. */
const typed = (charsMax: number) => 4 * charBytesMax * charsMax
/** The value of a choice among a few words, or of a token. */
const word = 64
const date = 64

const token = { form: word }
const name = { ...token, name: typed(accountNameCharsMax) }

/** A line for each choice: `12-2 pokemon-base1-004`. */
export const choiceLineBytesMax = '20000-2 '.length + idCharsMax + '\r\n'.length
const undo = listLinesMax * choiceLineBytesMax

/** The list, as text or as a file; what its columns are; and a choice for each line. */
const list: FormShape = {
  isList: true,
  fields: {
    // A list that is too large is shown again, so that it is not lost.
    list: listFormBytesMax,
    file: listFormBytesMax,
    undo,
    game: idCharsMax,
    pick: word,
    columns: word,
    scripts: word,
  },
  numbered: [
    { names: /^card-\d{1,5}(-\d)?$/, most: listLinesMax, isByLine: true, bytesMax: idCharsMax },
    { names: /^column-\d{1,3}$/, most: listColumnsMax, bytesMax: listLineCharsMax },
    { names: /^column-\d{1,3}-is$/, most: listColumnsMax, bytesMax: word },
  ],
}

/** By the form's address. A form without a row has no field. */
const forms: readonly (readonly [path: RegExp, shape: FormShape])[] = [
  [/^(\/dashboard)?\/value(\.csv)?$/, list],
  [/^(\/operator)?\/sign-(in\/[^/]*|out)$/, { fields: token }],
  [/^\/dashboard\/keys$/, { fields: { ...name, expires: date, 'expires-in': word } }],
  [/^\/dashboard\/keys\/[^/]*\/\w+$/, { fields: name }],
  [/^\/operator\/accounts$/, { fields: { ...name, plan: word } }],
  [/^\/operator\/accounts\/\d+\/plan$/, { fields: { ...token, plan: word } }],
  [/^\/operator\/accounts\/\d+\/suspend$/, { fields: { ...token, reason: typed(suspensionReasonCharsMax) } }],
  [/^\/operator\/accounts\/\d+\/rename$/, { fields: name }],
]

const noFields: FormShape = { fields: token }

export const shapeOf = (path: string): FormShape => forms.find(([paths]) => paths.test(path))?.[1] ?? noFields

/** Forms that change nothing. They need no token even if the browser does not reveal the sender. */
export const isListForm = (path: string): boolean => shapeOf(path).isList === true

/** The most bytes of a form. @param isInParts whether it is sent in parts, as a form with a file is */
export const formBytes = (path: string, isInParts: boolean): number =>
  isInParts && isListForm(path) ? listFormBytesMax : formBytesMax
