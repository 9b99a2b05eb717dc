/** Keeps what `stripTypeScriptTypes` returns for the next call, in this process or another one. */
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

/** A process that strips types for a test says nothing else than one that does not. */
function withoutWarning(action) {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return action()
  } finally {
    process.emitWarning = emitWarning
  }
}

/** A start must not fail because nothing can be kept: on a full disk, or as another user. */
function keep(file, text) {
  try {
    mkdirSync(folder, { recursive: true })
    const made = `${file}-${process.pid}-${threadId}`
    writeFileSync(made, text)
    renameSync(made, file)
  } catch {}
}

// An older Node.js, which a test may run, lacks it.
if (stripTypeScriptTypes) {
  nodeModule.stripTypeScriptTypes = stripped
  nodeModule.syncBuiltinESMExports()
}

module.exports = { folder, stripped }
