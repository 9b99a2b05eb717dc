/**
 * Loaded before all else, by node.sh into every process and by a process into its threads: modules come without their types
 * from where strip.cjs has put them when the project was installed. To take them out is a third of a start, and the compiler
 * that does it stays in memory.
 *
 *   npm ci ── strip.cjs ──▶ node_modules/.cache/card-price-lookup/src/main.ts     its mark ⏎ its text without types
 *   a start ─ does the mark tell this Node.js and the source as it is now? ─ yes ─▶ that text
 *                                                                          └ no ──▶ Node.js takes them out itself
 */
const { hash } = require('node:crypto')
const { readFileSync } = require('node:fs')
const { registerHooks } = require('node:module')
const { join, relative, sep } = require('node:path')
const { fileURLToPath } = require('node:url')

const project = join(__dirname, '..', '..')

/** Where the text of the project's module would be. */
const keptPath = (path) => join(project, 'node_modules/.cache/card-price-lookup', relative(project, path))

const markOf = (source) => `${hash('sha256', process.version + source)}\n`

/** The text of a module of the project without its types, if it is there. */
function strippedText(path) {
  if (!path.startsWith(project + sep)) return undefined
  try {
    const kept = readFileSync(keptPath(path), 'utf8')
    const mark = markOf(readFileSync(path, 'utf8'))
    return kept.startsWith(mark) ? kept.slice(mark.length) : undefined
  } catch {
    return undefined
  }
}

registerHooks({
  load(url, context, next) {
    const text = url.startsWith('file:') && url.endsWith('.ts') ? strippedText(fileURLToPath(url)) : undefined
    return text === undefined ? next(url, context) : { format: 'module', source: text, shortCircuit: true }
  },
})

module.exports = { keptPath, markOf, project, strippedText }
