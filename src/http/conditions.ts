/** What a request's headers ask of an answer: that it be another one than the caller has. */

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
