/** The sample snapshot is what its script writes, and has cards of all games. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { gameSlugs } from '../../build/games/default-games.ts'
import { itInAll } from '../support/amount.ts'

interface Card {
  readonly id: string
  readonly game: string
  readonly setCode: string
  readonly image?: string | null
}

const snapshots = fileURLToPath(new URL('../../snapshots', import.meta.url))
const folders = ['sets', 'cards', 'history']

/** Each data file's text, unpacked, by its name as seen from the snapshot folder. */
function textsOf(root: string): Map<string, string> {
  const names = folders.flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
  return new Map(
    names.sort().map((name) => {
      const bytes = readFileSync(join(root, name))
      return [name, (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()]
    }),
  )
}

const texts = textsOf(snapshots)
const linesOf = (folder: string) =>
  [...texts].filter(([name]) => name.startsWith(`${folder}/`)).flatMap(([, text]) => text.trimEnd().split('\n'))
const cards = linesOf('cards').map((line) => JSON.parse(line) as Card)
const sets = linesOf('sets').map((line) => JSON.parse(line) as { game: string; code: string })
const cardOf = new Map(cards.map((card) => [card.id, card]))

describe('The sample snapshot', () => {
  itInAll('The script of the sample snapshot writes exactly the files that are in the repository', () => {
    const out = mkdtempSync(join(tmpdir(), 'sample-'))
    try {
      const make = join(snapshots, 'sample/make.ts')
      execFileSync(process.execPath, [make, out], { stdio: ['ignore', 'ignore', 'inherit'] })
      const written = textsOf(out)
      assert.deepEqual([...written.keys()], [...texts.keys()])
      for (const [name, text] of written) assert(text === texts.get(name), `${name} differs: run ${make}`)
    } finally {
      rmSync(out, { recursive: true })
    }
  })

  it('The sample snapshot has 300 cards or more, in 40 sets or more, of all eight games', () => {
    assert(cards.length >= 300, `${cards.length} cards`)
    assert(sets.length >= 40, `${sets.length} sets`)
    const countOf = (slug: string) => cards.filter(({ game }) => game === slug).length
    for (const slug of gameSlugs) assert(countOf(slug) >= 20, `${countOf(slug)} cards of ${slug}`)
  })

  it('The sample snapshot has unique, well-formed ids, and the set of every card', () => {
    assert.equal(cardOf.size, cards.length)
    const known = new Set(sets.map((set) => `${set.game} ${set.code}`))
    assert.equal(known.size, sets.length)
    const used = new Set(cards.map((card) => `${card.game} ${card.setCode}`))
    assert.deepEqual([...used].sort(), [...known].sort())
    for (const { id, game } of cards) {
      assert.match(id, /^[a-z0-9._~-]{1,128}$/)
      assert(id.startsWith(`${game}-`), id)
    }
  })

  it('The sample snapshot’s images have addresses that are made up', () => {
    for (const { image } of cards) assert(!image || image.startsWith('https://images.example/'), `${image}`)
  })
})
