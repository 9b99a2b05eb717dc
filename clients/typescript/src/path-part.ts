/** Texts of callers as parts of a path. */

/** The server reads 4 KiB of first line and headers. */
const bytesMax = 3000

/**
 * The text, encoded. Throws `missing()` for a text that no path can carry, and so nothing on the server has: `fetch` takes dots
 * for steps up the path, half a surrogate pair has no encoding, and a longer text does not fit a request.
 */
export function pathPart(text: string, missing: () => Error): string {
  let part = ''
  try {
    part = encodeURIComponent(text)
  } catch {
    // Half a surrogate pair.
  }
  if (part === '' || part === '.' || part === '..' || part.length > bytesMax) throw missing()
  return part
}
