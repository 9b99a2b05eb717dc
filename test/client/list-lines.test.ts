/** Every name of a catalog, written in eight ways: none is passed over. LISTS_SNAPSHOTS names another snapshot folder. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { readAll } from '../../src/lists/read-list.ts'
import { projectDir } from '../support/command.ts'

const folder = join(process.env['LISTS_SNAPSHOTS'] ?? join(projectDir, 'snapshots'), 'cards')
const names = new Set(
  readdirSync(folder).flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line): string => JSON.parse(line).name),
  ),
)
const ways: Readonly<Record<string, readonly [write: (name: string) => string, quantity: number]>> = {
  'nothing else': [(name) => name, 1],
  'a count before it': [(name) => `2 ${name}`, 2],
  'a count with a sign before it': [(name) => `2x ${name}`, 2],
  'a count with a sign after it': [(name) => `${name} x2`, 2],
  'a colon and a count after it': [(name) => `${name}: 2`, 2],
  brackets: [(name) => `[${name}]`, 1],
  'a section before it': [(name) => `COMMANDER: 1 ${name}`, 1],
  'a bullet before it': [(name) => `- ${name}`, 1],
}

const folded = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

describe('The names of the catalog as lines', () => {
  for (const [title, [write, quantity]] of Object.entries(ways)) {
    it(`Each card name of the catalog is looked up if its line has ${title}`, () => {
      const written = [...names]
      const read = readAll(['Deck', ...written.map(write)].join('\n'))
      assert.equal(read.headings, 1)
      assert.equal(read.lines.length, written.length)
      const wrong = read.lines.flatMap(({ text, questions, quantity: own }, i) => {
        const asked = questions.map((one) => folded(`${one.name} ${one.number ?? ''} ${one.set ?? ''}`))
        const isWhole = asked.some((one) => one.startsWith(folded(written[i]!).slice(0, 8)))
        // `99 Puppies` is asked for as 99 of a card, then as a name.
        const isCounted = own === quantity || /^\d+ /.test(written[i]!)
        return isWhole && isCounted ? [] : [text]
      })
      assert.deepEqual(wrong.slice(0, 10), [], `${wrong.length} wrong`)
    })
  }
})
