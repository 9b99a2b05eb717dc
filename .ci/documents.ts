/**
 * Fails if a document has too many words or lines, or a line that is too long. Outside DESIGN.md, a row of a table, a
 * line of code and a picture may have any length.
 */
import { globSync, readFileSync } from 'node:fs'

const lineCharsMax = 120
const wordsMax: Readonly<Record<string, number>> = { 'README.md': 1100, 'DESIGN.md': 2000 }
const linesMax: Readonly<Record<string, number>> = { 'DESIGN.md': 200 }
const decisionLinesMax = 39

/** Yields each line of prose with its number, from 1. */
function* proseOf(lines: readonly string[]): Generator<[number: number, line: string]> {
  let isCode = false
  for (const [i, line] of lines.entries()) {
    if (line.startsWith('```')) isCode = !isCode
    else if (!isCode && !/^[|<]/.test(line)) yield [i + 1, line]
  }
}

const problems: string[] = []

/** Checks the number of lines, and the length of each line of prose. In DESIGN.md, every line counts as prose. */
function checkLines(name: string, most: number): void {
  const lines = readFileSync(name, 'utf8').trimEnd().split('\n')
  if (lines.length > most) problems.push(`${name} has ${lines.length} lines; at most ${most}`)
  const checked = name === 'DESIGN.md' ? lines.map((line, i) => [i + 1, line] as const) : proseOf(lines)
  for (const [number, { length }] of checked) {
    if (length > lineCharsMax) problems.push(`${name}:${number} has ${length} characters; at most ${lineCharsMax}`)
  }
}

for (const name of ['README.md', 'DESIGN.md', 'CONTRIBUTING.md']) {
  const text = readFileSync(name, 'utf8')
  const words = text.split(/\s+/).filter((word) => word !== '').length
  const most = wordsMax[name] ?? words
  if (words > most) problems.push(`${name} has ${words} words; at most ${most}`)
  checkLines(name, linesMax[name] ?? Number.POSITIVE_INFINITY)
}
for (const name of globSync('docs/decisions/*.md').sort()) checkLines(name, decisionLinesMax)
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exitCode = 1
}
