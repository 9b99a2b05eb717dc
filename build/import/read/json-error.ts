/** Locates the first error in invalid JSON: the messages of JSON.parse rarely do. */

const space = /[ \t\n\r]*/y
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const escaped = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y
const quote = 0x22
const backslash = 0x5c
/** Ten times deeper than the records of any source: deeper nesting is damage. */
const depthMax = 1000

/** @returns the place, such as `line 3, column 7`, and whether the text only ends too early */
export function jsonError(text: string): { readonly place: string; readonly cut: boolean } {
  const at = errorOffset(text)
  let line = 1
  let start = 0
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', start)) {
    line++
    start = end + 1
  }
  return {
    place: `line ${line}, column ${at - start + 1}`,
    cut: text.slice(at).trim() === '' || endsInString(text, at),
  }
}

/** A truncated file ends in a string that is never closed. */
const endsInString = (text: string, at: number): boolean => text[at] === '"' && !/[^\\]"/.test(text.slice(at))

/** The offset of the first wrong character. */
function errorOffset(text: string): number {
  let at = 0
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    if (!pattern.test(text)) return false
    at = pattern.lastIndex
    return true
  }
  // Not a pattern, which would overflow the stack for a string of megabytes.
  const takeString = (): boolean => {
    if (text[at] !== '"') return false
    for (let end = at + 1; end < text.length; end++) {
      const char = text.charCodeAt(end)
      if (char === quote) {
        at = end + 1
        return true
      }
      if (char < 0x20) return false
      if (char !== backslash) continue
      escaped.lastIndex = end
      if (!escaped.test(text)) return false
      end = escaped.lastIndex - 1
    }
    return false
  }
  const takeChar = (char: string): boolean => {
    take(space)
    if (text[at] !== char) return false
    at++
    return true
  }
  /** The closing brackets to come, innermost last. */
  const open: string[] = []
  for (;;) {
    // Here a value must start.
    take(space)
    if (open.length > depthMax) return at
    if (takeChar('{')) {
      if (!takeChar('}')) {
        open.push('}')
        if (!takeKey()) return at
        continue
      }
    } else if (takeChar('[')) {
      if (!takeChar(']')) {
        open.push(']')
        continue
      }
    } else if (!takeString() && !take(scalar)) return at
    // Behind a value its container continues or ends, then that container's own, and so on.
    for (;;) {
      const closing = open.at(-1)
      if (closing === undefined) {
        take(space)
        return at
      }
      if (takeChar(closing)) open.pop()
      else if (takeChar(',')) {
        if (closing === '}' && !takeKey()) return at
        break
      } else return at
    }
  }

  function takeKey(): boolean {
    take(space)
    return takeString() && takeChar(':')
  }
}
