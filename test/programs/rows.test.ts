/** The module that writes rows of a history is what its source says. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { projectDir, temporaryFolder } from '../support/command.ts'

const rows = join(projectDir, 'src/history/rows')
const compiler = join(rows, 'node_modules/assemblyscript/bin/asc.js')

it('rows.wasm is compiled from rows.ts', {
  skip: !existsSync(compiler) && 'needs AssemblyScript: npm ci --prefix src/history/rows',
}, async () => {
  const made = join(temporaryFolder(), 'rows.wasm')
  const options = ['rows.ts', '--outFile', made, '--config', 'asconfig.json']
  await promisify(execFile)(process.execPath, [compiler, ...options], { cwd: rows })
  assert.ok(readFileSync(made).equals(readFileSync(join(rows, '../rows.wasm'))), 'npm run rows')
})
