/**
 * Fails if the title of a test or of a `describe` can't stand alone. Such a title begins with a word that refers to
 * another title, or with a lower-case word that is no name. For a computed title, its template is checked.
 */
import { globSync, readFileSync } from 'node:fs'

const call = /^ *(?:await )?(?:test|it|describe|\w+\.test|it[A-Z]\w*)(?:\.\w+)?\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/gm
const needsAnother = /^(?:who|what|is|are|has|that|of|and|by)\b/i
/** Lower-case names that may begin a title: programs, packages, and words with a sign, a digit or an inner capital. */
const name = /^(?:npm|nginx|systemd)\b|^\w*[./_\d-]|^[a-z]+[A-Z]/

const problems: string[] = []
for (const path of globSync('test/*/*.test.ts').sort()) {
  const text = readFileSync(path, 'utf8')
  for (const { 2: title = '', index } of text.matchAll(call)) {
    if (!needsAnother.test(title) && (!/^[a-z]/.test(title) || name.test(title))) continue
    const line = text.slice(0, index).split('\n').length
    problems.push(`${path}:${line} "${title}" does not stand alone: write a sentence that begins with its subject`)
  }
}
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exitCode = 1
}
