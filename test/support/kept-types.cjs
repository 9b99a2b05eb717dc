/** Caches the results of `stripTypeScriptTypes` on the disk, for this process and others. */
const { createHash } = require('node:crypto')
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs')
const nodeModule = require('node:module')
const { join } = require('node:path')
const { threadId } = require('node:worker_threads')

const folder = join(__dirname, '../../node_modules/.cache/card-price-lookup-code')
const { stripTypeScriptTypes } = nodeModule

function stripped(code, options = {}) {
  const file = join(folder, createHash('sha1').update(code).update(JSON.stringify(options)).digest('hex'))
  try {
    return readFileSync(file, 'utf8')
  } catch {
    const text = withoutWarning(() => stripTypeScriptTypes(code, options))
    keep(file, text)
    return text
  }
}

/**
 * Hides the warning of `stripTypeScriptTypes`, because a process that finds the result in the cache prints no warning.
 */
function withoutWarning(action) {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return action()
  } finally {
    process.emitWarning = emitWarning
  }
}

/**
 * Errors are ignored: a process must start even if the cache can't be written, for example on a full disk or as another
 * user.
 */
function keep(file, text) {
  try {
    mkdirSync(folder, { recursive: true })
    const made = `${file}-${process.pid}-${threadId}`
    writeFileSync(made, text)
    renameSync(made, file)
  } catch {}
}

// A test may run an older Node.js, which lacks the function.
if (stripTypeScriptTypes) {
  nodeModule.stripTypeScriptTypes = stripped
  nodeModule.syncBuiltinESMExports()
}

module.exports = { folder, stripped }
