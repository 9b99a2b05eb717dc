/** Entities of HTML, which some programs leave in the names that they export. */

const marks: Readonly<Record<string, string>> = {
  grave: '\u0300',
  acute: '\u0301',
  circ: '\u0302',
  tilde: '\u0303',
  uml: '\u0308',
  ring: '\u030a',
  cedil: '\u0327',
}
const signs = new Map(
  'quot " amp & apos \' lt < gt > rsquo ’ lsquo ‘ ldquo “ rdquo ” ndash – mdash — hellip … trade ™ reg ® copy © aelig æ AElig Æ oelig œ OElig Œ oslash ø Oslash Ø szlig ß female ♀ male ♂ starf ★ star ☆ times × euro € pound £'
    .split(' ')
    .flatMap((sign, i, all) => (i % 2 === 0 ? [[sign, all[i + 1]!]] : [])) as [string, string][],
).set('nbsp', ' ')
const numbered = /&#(x[\da-f]{1,6}|\d{1,7});/gi
const accented = /&([a-z])(grave|acute|circ|tilde|uml|ring|cedil);/gi

export function decoded(text: string): string {
  if (!text.includes('&')) return text
  return text
    .replace(numbered, (whole, number: string) => {
      const code = Number(/^x/i.test(number) ? `0${number}` : number)
      return code >= 32 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
    })
    .replace(accented, (_, letter: string, mark: string) => (letter + marks[mark.toLowerCase()]!).normalize('NFC'))
    .replace(/&(\w{2,8});/g, (whole, name: string) => signs.get(name) ?? whole)
}
