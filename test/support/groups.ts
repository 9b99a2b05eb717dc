/**
 * The test files as `npm test` runs them: a few of a room in one process, since Node.js, the project's modules and what V8
 * has compiled of them are then there once. Writes a module into dist/test for each group. Its arguments are the rooms, all
 * quick ones by default; `--all` are all but the long ones.
 */
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { groupFolder } from './file-limit.ts'

const filesMax = 10
/** Their files start programs and load the machine. */
const roomsOfSingleFiles = ['browser', 'long', 'programs']
const given = process.argv.slice(2)

/**
 * Ends the process when all its tests have ended, whatever a file has left open. Node.js tells the last results at
 * `beforeExit`, which does not come then; --test-force-exit ends before they are out.
 */
const end = `import { after } from 'node:test'
const endProcess = () => {
  process.emit('beforeExit', 0)
  setTimeout(() => process.exit(), 500).unref()
}
after(() => setTimeout(endProcess, 20).unref())
`

function isAsked(room: string): boolean {
  if (given[0] === '--all') return room !== 'long'
  return given.length > 0 ? given.includes(room) : !roomsOfSingleFiles.includes(room)
}

rmSync(groupFolder, { recursive: true, force: true })
mkdirSync(groupFolder, { recursive: true })
for (const [folder, files] of Map.groupBy(globSync('test/*/*.test.ts').sort(), dirname)) {
  const room = basename(folder)
  if (!isAsked(room)) continue
  const groups = roomsOfSingleFiles.includes(room) ? files.length : Math.ceil(files.length / filesMax)
  for (let group = 0; group < groups; group++) {
    const imports = files
      .filter((_, at) => at % groups === group)
      .map((file) => `import '${relative(groupFolder, file)}'\n`)
    writeFileSync(join(groupFolder, `${room}-${group + 1}.test.mjs`), imports.join('') + end)
  }
}
