/**
 * Loaded by --require into the processes that tests start, and their threads: modules without their types come from a folder
 * that all of them fill. To take the types out is most of what a start costs, and hundreds are started. The text is that
 * which Node.js itself makes, by the same function.
 */
const { createHash } = require('node:crypto')
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs')
const { registerHooks, stripTypeScriptTypes } = require('node:module')
const { tmpdir } = require('node:os')
const { join } = require('node:path')
const { fileURLToPath } = require('node:url')
const { threadId } = require('node:worker_threads')

const folder = join(tmpdir(), `card-price-lookup-stripped-${process.getuid?.() ?? 0}-${process.version}`)

function stripped(source) {
  const kept = join(folder, createHash('sha256').update(source).digest('hex'))
  try {
    return readFileSync(kept, 'utf8')
  } catch {
    const text = silently(() => stripTypeScriptTypes(source))
    keep(kept, text)
    return text
  }
}

/** Node.js calls the function experimental, on the standard error that tests read. */
function silently(work) {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return work()
  } finally {
    process.emitWarning = emitWarning
  }
}

/** Whole or not at all: a process may be killed while it writes. */
function keep(path, text) {
  const beside = `${path}.${process.pid}.${threadId}`
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(beside, text)
    renameSync(beside, path)
  } catch {
    // A test took its descriptors, its disk or its folder away.
  }
}

registerHooks({
  load(url, context, next) {
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context)
    return { format: 'module', source: stripped(readFileSync(fileURLToPath(url), 'utf8')), shortCircuit: true }
  },
})
