/**
 * Checks the imports between rooms. It fails in these cases:
 *
 *   rooms import each other in a circle
 *   DESIGN.md's table lacks a folder of src/
 *   a folder of src/ reaches a folder that is below it in that table
 *   a room of src/ other than src/cli/ imports from build/: a server needs nothing that compiles its data
 *   a room imports from clients/: code that both need belongs into a room
 *   src/lists/ imports another room: the clients' packages contain src/lists/ and no other room
 *   a client imports from a room other than src/lists/
 *
 * A room is a folder directly under src/ or build/, or a file beside these folders. DESIGN.md's table does not order
 * such files. A folder that imports such a file reaches everything that the file imports. Imports of types count, and
 * so does a thread that a room starts. biome reports circles of files.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const imports = /(?:\bfrom |\bimport ?\(?|\bstartThread\()'(\.[^']+)'/g
const roomOf = (path: string): string => path.split('/', 2).join('/')

/** The rooms that each room imports, with an example of each import. */
const arrows = new Map<string, Map<string, string>>()
const files = ['src', 'build'].flatMap((root) =>
  readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => join(root, name)),
)
const forbidden: string[] = []
const clients = readdirSync('clients', { recursive: true, encoding: 'utf8' })
  .filter((name) => /^\w+\/src\//.test(name))
  .map((name) => join('clients', name))
for (const path of [...files, ...clients].filter((name) => name.endsWith('.ts'))) {
  for (const [, to] of readFileSync(path, 'utf8').matchAll(imports)) {
    const [from, target] = [roomOf(path), join(dirname(path), to!)]
    if (path.startsWith('clients/')) {
      if (/^(src|build)\//.test(target) && roomOf(target) !== 'src/lists') forbidden.push(`${path} → ${target}`)
      continue
    }
    if (target.startsWith('clients/') || (from === 'src/lists' && roomOf(target) !== from)) {
      forbidden.push(`${path} → ${target}`)
    }
    if (roomOf(target) === from || !/^(src|build)\//.test(target)) continue
    if (!arrows.has(from)) arrows.set(from, new Map())
    arrows.get(from)!.set(roomOf(target), `${path} → ${target}`)
  }
}

function reachedFrom(room: string, reached = new Set<string>()): Set<string> {
  for (const next of arrows.get(room)?.keys() ?? []) if (!reached.has(next)) reachedFrom(next, reached.add(next))
  return reached
}

const reached = new Map([...arrows.keys()].map((room) => [room, reachedFrom(room)]))
const inCircles = [...arrows].flatMap(([from, targets]) =>
  [...targets].flatMap(([to, example]) => (reached.get(to)?.has(from) ? [`${from} imports ${to}: ${example}`] : [])),
)
if (inCircles.length > 0) {
  console.error(`Imports that close a circle of rooms:\n${inCircles.sort().join('\n')}`)
  process.exitCode = 1
}

if (forbidden.length > 0) {
  console.error(
    `A room never imports a client, src/lists/ imports no room, and a client imports only src/lists/:\n${forbidden.sort().join('\n')}`,
  )
  process.exitCode = 1
}

const throughDoor = [...arrows].flatMap(([from, targets]) =>
  [...targets].flatMap(([to, example]) =>
    from.startsWith('src/') && from !== 'src/cli' && to.startsWith('build/') ? [example] : [],
  ),
)
if (throughDoor.length > 0) {
  console.error(`Only src/cli/ may import from build/:\n${throughDoor.sort().join('\n')}`)
  process.exitCode = 1
}

const table = readFileSync('DESIGN.md', 'utf8').split('| `src/` | |\n')[1]!.split('\n\n')[0]!
const order = [...table.matchAll(/^\| `[^|]*/gm)].flatMap(([names]) =>
  [...names.matchAll(/`([\w-]+)\/`/g)].map(([, name]) => `src/${name}`),
)
const unlisted = files
  .map(roomOf)
  .filter((room) => room.startsWith('src/') && !room.endsWith('.ts') && !order.includes(room))
if (unlisted.length > 0) {
  console.error(`Rooms that DESIGN.md's table lacks:\n${[...new Set(unlisted)].sort().join('\n')}`)
  process.exitCode = 1
}

const upward = [...reached].flatMap(([from, rooms]) =>
  [...rooms].flatMap((to) => {
    if (!order.includes(from) || order.indexOf(to) <= order.indexOf(from)) return []
    return [`${from} reaches ${to}: ${arrows.get(from)!.get(to) ?? 'through another room'}`]
  }),
)
if (upward.length > 0) {
  console.error(`Rooms that reach a room below them in DESIGN.md:\n${upward.sort().join('\n')}`)
  process.exitCode = 1
}
