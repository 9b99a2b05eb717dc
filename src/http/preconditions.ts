/** What a request's headers ask of the answer: bytes that the caller does not have yet, in a coding that it can undo. */

/** A part of a list, and what parts it from the next. Commas may stand in a tag. */
const listedTag = /[\t ]*(?:(?:W\/)?("[^"]*")[\t ]*)?(?:,|$)/y

/**
 * Whether If-None-Match names the tag: alone, among several, as a weak one, or by `*`. What is no list of tags names none.
 * @param list all of the header's lines
 * @param tag with its quotation marks
 */
export function namesTag(list: string, tag: string): boolean {
  if (list.trim() === '*') return true
  listedTag.lastIndex = 0
  while (listedTag.lastIndex < list.length) {
    const part = listedTag.exec(list)
    if (part === null) return false
    if (part[1] === tag) return true
  }
  return false
}

const gzipNames = ['gzip', 'x-gzip']
/** Also as some callers write it. */
const weightOfNone = /^q[\t ]*=[\t ]*(0+(\.0*)?|\.0+)$/i

/**
 * Whether Accept-Encoding leaves gzip in: by its name, else by `*`, with a weight that is not 0. An empty list wants no
 * coding at all, and so does one that names others only.
 * @param list all of the header's lines; undefined if there is none: then anything is accepted
 */
export function acceptsGzip(list: string | undefined): boolean {
  if (list === undefined) return true
  let byStar = false
  for (const part of list.split(',')) {
    const [name, ...parameters] = part.split(';').map((piece) => piece.trim())
    const isAccepted = !parameters.some((parameter) => weightOfNone.test(parameter))
    if (gzipNames.includes(name!.toLowerCase())) return isAccepted
    if (name === '*') byStar = isAccepted
  }
  return byStar
}
