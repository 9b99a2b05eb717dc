/** Reads the headers If-Match, If-None-Match and Accept-Encoding. */

/** An item of the list, and the separator after it. A tag may contain commas. */
const listedETag = /[\t ]*(?:(?:W\/)?("[^"]*")[\t ]*)?(?:,|$)/y

/** The suffix that a proxy may add to the tag of a response that it compresses: `"…-gzip"`, `"…--gzip"`. */
const suffixOfProxy = /--?(?:gzip|br|zstd|deflate)"$/

/**
 * True if If-Match or If-None-Match lists the tag, even as a weak tag or by `*`. A malformed list matches nothing.
 * @param list all lines of the header, joined
 * @param tag the tag with its quotation marks
 */
export function listsETag(list: string, tag: string): boolean {
  if (list.trim() === '*') return true
  listedETag.lastIndex = 0
  while (listedETag.lastIndex < list.length) {
    const part = listedETag.exec(list)
    if (part === null) return false
    if (part[1] === tag || part[1]?.replace(suffixOfProxy, '"') === tag) return true
  }
  return false
}

const gzipNames = ['gzip', 'x-gzip']
/** A weight of 0. Some clients write it with blanks, or with a leading point. */
const weightOfNone = /^q[\t ]*=[\t ]*(0+(\.0*)?|\.0+)$/i

/**
 * True if Accept-Encoding allows gzip: by its name, or else by `*`, with a weight other than 0. An empty list allows no
 * coding, and a list of other codings allows only those.
 * @param list all lines of the header, joined; undefined without the header, which allows everything
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
