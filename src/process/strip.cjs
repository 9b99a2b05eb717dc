/** Run by npm when the project is installed, and before its tests: takes the types out of its modules, see stripped.cjs. */
const { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs')
const { stripTypeScriptTypes } = require('node:module')
const { dirname, join } = require('node:path')
const { keptPath, markOf, project, strippedText } = require('./stripped.cjs')

try {
  for (const folder of ['src', 'build']) {
    for (const file of readdirSync(join(project, folder), { recursive: true })) {
      const path = join(project, folder, file)
      if (path.endsWith('.ts') && !file.includes('node_modules') && strippedText(path) === undefined) strip(path)
    }
  }
} catch (error) {
  // It runs all the same.
  console.error(`types stay in the modules, so that each start takes longer: ${error.message}`)
}

/** Whole or not at all. */
function strip(path) {
  const source = readFileSync(path, 'utf8')
  const kept = keptPath(path)
  const beside = `${kept}.${process.pid}`
  mkdirSync(dirname(kept), { recursive: true })
  writeFileSync(beside, markOf(source) + stripTypeScriptTypes(source))
  renameSync(beside, kept)
}
