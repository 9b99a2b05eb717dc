/** A snapshot folder's `games.ndjson`: what a build makes of it, and what it refuses. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { build } from '../../build/build.ts'
import { temporaryFolder } from '../support/command.ts'
import { currentOf } from '../support/servers-here.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'

it('A build publishes the same prices without --force after the lines of games.ndjson are reordered', async () => {
  const games = ['chess', 'go', 'mahjong'].map((id, i) => ({ id, name: id, tcgplayer: { category: 900 + i } }))
  const sets = games.map(({ id }) => ({ game: id, code: 's', name: 'S' }))
  const cards = games.flatMap(({ id: game }, i) =>
    Array.from({ length: 120 * (i + 1) }, (_, card) => {
      return { id: `${game}-s-${card}`, game, name: `${game} ${card}`, setCode: 's', prices: { market: 10 ** (i + 1) } }
    }),
  )
  const out = snapshotOf({ 'games.ndjson': games, 'sets/a.ndjson': sets, 'cards/a.ndjson': cards })
  const indexDir = temporaryFolder()
  const pricesOf = async () => {
    const { catalog, games: served } = await currentOf(indexDir)
    const detailsOf = (id: string) => JSON.parse(Buffer.from(catalog.detailsOf(id)!).toString()).data
    const own = cards.map(({ id }) => [id, detailsOf(id).game, detailsOf(id).prices.market])
    return { slugs: served.slugs.slice(8), own }
  }
  await build(out, indexDir)
  const before = await pricesOf()
  assert.deepEqual(before.slugs, ['chess', 'go', 'mahjong'])
  const path = join(out, 'games.ndjson')
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  writeFileSync(path, `${lines.toReversed().join('\n')}\n`)
  const { report } = await build(out, indexDir)
  assert.deepEqual(await pricesOf(), { slugs: ['mahjong', 'go', 'chess'], own: before.own })
  assert.ok(report.base !== null)
  assert.deepEqual(
    report.games.map(({ game, new: added, gone, changed }) => [game, added, gone, changed]),
    ['mahjong', 'go', 'chess'].map((game) => [game, 0, 0, 0]),
  )
  assert.equal(report.newSets.count, 0)
})

it('Each wrong line of games.ndjson is reported with its place', async () => {
  const line = { id: 'chess', name: 'Chess' }
  const wrong: readonly (readonly [object, string])[] = [
    [{ ...line, id: 'c' }, 'id: must be 2 to 20 of a-z 0-9, a letter first ("c")'],
    [{ ...line, name: ' ' }, 'name: must be a text of 1 to 60 characters, not all of them blank (" ")'],
    [{ ...line, colour: 1 }, 'colour: is no field of a game (1)'],
    [{ ...line, tcgplayer: { category: 5, x: 1 } }, 'tcgplayer.x: is no field of a game (1)'],
    [{ ...line, tcgplayer: { category: 3 } }, 'tcgplayer.category: must be unique, is also that of pokemon (3)'],
    [{ ...line, words: [''] }, 'words.0: must be a text of 1 to 60 characters, not all of them blank ("")'],
    [{ ...line, language: 'Latin' }, 'language: must be English or Japanese ("Latin")'],
  ]
  for (const [record, said] of wrong) {
    const out = snapshotOf({ 'games.ndjson': [record], 'sets/a.ndjson': [], 'cards/a.ndjson': [] })
    await assert.rejects(build(out, temporaryFolder()), ({ message }: Error) => {
      assert.equal(message.split('\n')[0], `games.ndjson:1: ${said}`)
      return true
    })
  }
})

it('A build refuses games.ndjson with a duplicate game, or with more than 200 games in all', async () => {
  const refusal = async (games: readonly object[]) => {
    const indexDir = temporaryFolder()
    const snapshot = snapshotOf({ 'games.ndjson': games, 'sets/a.ndjson': [aSet], 'cards/a.ndjson': [aCard] })
    const { message } = await build(snapshot, indexDir).then(
      () => ({ message: 'published' }),
      (error: Error) => error,
    )
    return message.split('\n')[0]
  }
  const many = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `g${i}`, name: `G ${i}` }))
  const twice = 'games.ndjson:2: id: must be unique, is also at games.ndjson:1 ("g0")'
  assert.equal(await refusal([...many(1), ...many(1)]), twice)
  assert.equal(await refusal(many(192)), 'published')
  assert.equal(
    await refusal(many(193)),
    'games.ndjson: file: must have at most 200 games, together with the default games',
  )
  const replaced = { id: 'pokemon', name: 'Pocket Monsters' }
  assert.equal(await refusal([replaced, { id: 'other', name: 'Other', tcgplayer: { category: 3 } }]), 'published')
})
