/**
 * The test files as `npm test` runs them: up to ten in one process, which loads Node.js and the project's modules once. The
 * files of a process are of one room, or of several small rooms. Writes a module into dist/test for each group. The arguments
 * are rooms; without any, all quick ones. `--all` are all but the long ones, each in processes of its own.
 */
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { groupFolder } from './file-limit.ts'

const filesMax = 10
/** Their files start programs and load the machine. */
const roomsOfSingleFiles = ['browser', 'long', 'programs']
const given = process.argv.slice(2)
const isAll = given[0] === '--all'

/**
 * Ends the process when all its tests have ended, with any handles still open. Node.js reports the last results at
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
  if (isAll) return room !== 'long'
  return given.length > 0 ? given.includes(room) : !roomsOfSingleFiles.includes(room)
}

rmSync(groupFolder, { recursive: true, force: true })
mkdirSync(groupFolder, { recursive: true })

function writeGroup(name: string, files: readonly string[]): void {
  const imports = files.map((file) => `import '${relative(groupFolder, file)}'\n`)
  writeFileSync(join(groupFolder, `${name}.test.mjs`), imports.join('') + end)
}

/** Files of small rooms, which share a process. */
let small: string[] = []
let smalls = 0
function writeSmall(): void {
  if (small.length > 0) writeGroup(`small-${++smalls}`, small)
  small = []
}

for (const [folder, files] of Map.groupBy(globSync('test/*/*.test.ts').sort(), dirname)) {
  const room = basename(folder)
  if (!isAsked(room)) continue
  const isSingle = roomsOfSingleFiles.includes(room)
  if (!isAll && !isSingle && files.length <= filesMax / 2) {
    if (small.length + files.length > filesMax) writeSmall()
    small.push(...files)
    continue
  }
  const groups = isSingle ? files.length : Math.ceil(files.length / filesMax)
  for (let group = 0; group < groups; group++) {
    const ofGroup = files.filter((_, at) => at % groups === group)
    writeGroup(`${room}-${group + 1}`, ofGroup)
  }
}
writeSmall()
