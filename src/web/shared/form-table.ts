/**
 * The fields that each form of the pages may have, and the most bytes of each field. form-reader.ts enforces this table
 * while a form arrives.
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
  /** Fields that may be long, if the form is multipart. They are the bytes that the browser sent, in any encoding. */
  readonly bytes: ReadonlyMap<string, Uint8Array>
}

export interface FormShape {
  /** The most bytes of each field, by its name. */
  readonly fields: Readonly<Record<string, number>>
  /** Fields with a number in their names: how many of them there may be, and how long each may be. */
  readonly numbered?: readonly NumberedFields[]
  /** Present if the form contains a list. Such a form may be multipart, and then larger than other forms. */
  readonly isList?: true
}

interface NumberedFields {
  readonly names: RegExp
  readonly most: number
  /** True if the form may have at most as many of these fields as the long fields before them have lines with text. */
  readonly isByLine?: true
  readonly bytesMax: number
}

/** The most bytes of a character in UTF-8. */
const charBytesMax = 4
/** A text that is a little too long gets its own error message, so a field may be longer than a valid text. */
const typed = (charsMax: number) => 4 * charBytesMax * charsMax
/** The value of a choice among a few words, or of a token. */
const word = 64
const date = 64

const token = { form: word }
const name = { ...token, name: typed(accountNameCharsMax) }

/** The most bytes of a choice's line: `12-2 pokemon-base1-004`. */
export const choiceLineBytesMax = '20000-2 '.length + idCharsMax + '\r\n'.length
const undo = listLinesMax * choiceLineBytesMax

/** The form with a list: the list as text or file, the fields of its columns, and a choice for each line. */
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

/** The shape of each form, by the form's address. A form without a row may have only a token. */
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

/**
 * True for forms with a list, which change nothing. They need no token, even if the browser does not reveal the sender.
 */
export const isListForm = (path: string): boolean => shapeOf(path).isList === true

/** Returns the most bytes of a form. @param isInParts true if the form is multipart, as a form with a file is */
export const formBytes = (path: string, isInParts: boolean): number =>
  isInParts && isListForm(path) ? listFormBytesMax : formBytesMax
