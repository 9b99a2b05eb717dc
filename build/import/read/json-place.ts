/** Where a text that JSON.parse refuses stops to be JSON, since its own messages seldom say. */

const space = /[ \t\n\r]*/y
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y

/** The place as `line 3, column 7`, and whether the text merely ends too early. */
export function jsonFault(text: string): { readonly place: string; readonly cut: boolean } {
  const at = faultOf(text)
  const before = text.slice(0, at)
  const line = before.split('\n').length
  return {
    place: `line ${line}, column ${at - before.lastIndexOf('\n')}`,
    cut: text.slice(at).trim() === '' || endsInString(text, at),
  }
}

/** A string that is opened and never closed is where a cut file ends. */
const endsInString = (text: string, at: number): boolean => text[at] === '"' && !/[^\\]"/.test(text.slice(at))

/** The offset of the first character that can't stand where it does. */
function faultOf(text: string): number {
  let at = 0
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    if (!pattern.test(text)) return false
    at = pattern.lastIndex
    return true
  }
  const takeChar = (char: string): boolean => {
    take(space)
    if (text[at] !== char) return false
    at++
    return true
  }
  /** The closing brackets that are awaited, innermost last. */
  const open: string[] = []
  for (;;) {
    // A value, or the bracket that opens one, stands here.
    take(space)
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
    } else if (!take(string) && !take(scalar)) return at
    // Behind a value: its container goes on, or ends, and so on outwards.
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
    return take(string) && takeChar(':')
  }
}
