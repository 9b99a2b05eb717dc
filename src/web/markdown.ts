/**
 * The Markdown that docs/api.md is written in, as HTML: headings, paragraphs, lists of one level, tables, code, and within text
 * code, bold, emphasis and links. GitHub shows the same file. A test keeps it from using more.
 */

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly id: string; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'list'; readonly isNumbered: boolean; readonly items: readonly string[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[]; readonly isFigure: readonly boolean[] }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }

const itemStart = /^(?:- |\d+\. )/

/** @param text a file's, its lines wrapped anywhere */
export function blocksOf(text: string): Block[] {
  const lines = text.split('\n')
  const blocks: Block[] = []
  const idsTaken = new Map<string, number>()
  const take = (belongs: (line: string) => boolean): string[] => {
    const end = lines.findIndex((line) => !belongs(line))
    return lines.splice(0, end < 0 ? lines.length : end)
  }
  while (lines.length > 0) {
    const [line = ''] = lines
    if (line.startsWith('#')) {
      const [, marks, text] = /^(#+) (.*)$/.exec(lines.shift()!)!
      blocks.push({ kind: 'heading', level: marks!.length, id: anchorOf(text!, idsTaken), text: text! })
    } else if (line.startsWith('```')) {
      lines.shift()
      blocks.push({ kind: 'code', language: line.slice(3), text: take((each) => each !== '```').join('\n') })
      lines.shift()
    } else if (line.startsWith('|')) blocks.push(tableOf(take((each) => each.startsWith('|'))))
    else if (itemStart.test(line)) {
      const items = take((each) => itemStart.test(each) || each.startsWith('  ')).join('\n')
      blocks.push({ kind: 'list', isNumbered: !line.startsWith('-'), items: itemsOf(items) })
    } else if (line === '') lines.shift()
    else blocks.push({ kind: 'paragraph', text: take((each) => each !== '' && !itemStart.test(each)).join(' ') })
  }
  return blocks
}

const itemsOf = (text: string): string[] =>
  text.split(/\n(?=- |\d+\. )/).map((item) => item.replace(itemStart, '').replaceAll(/\n +/g, ' '))

function tableOf(lines: readonly string[]): Block {
  const [head = [], bounds = [], ...rest] = lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  )
  return { kind: 'table', rows: [head, ...rest], isFigure: bounds.map((bound) => bound.endsWith(':')) }
}

/** As GitHub makes it of a heading; the second of the same name has a number. */
function anchorOf(heading: string, taken: Map<string, number>): string {
  const anchor = heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
  const before = taken.get(anchor) ?? 0
  taken.set(anchor, before + 1)
  return before === 0 ? anchor : `${anchor}-${before}`
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
export const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => escapes[sign]!)

/** A paragraph's text. */
export const inline = (text: string): string =>
  text.replaceAll(
    /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\(([^)]+)\)|[&<>"]/g,
    (all, code, bold, emphasis, label, address) => {
      if (code !== undefined) return `<code>${escaped(code)}</code>`
      if (bold !== undefined) return `<strong>${inline(bold)}</strong>`
      if (emphasis !== undefined) return `<em>${inline(emphasis)}</em>`
      if (label !== undefined) return `<a href="${escaped(address)}">${inline(label)}</a>`
      return escaped(all)
    },
  )
