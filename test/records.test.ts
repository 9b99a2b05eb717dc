/** Records found by id, in tables made for the hard cases: ids of one hash, a run past the table's end, the last record. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { IdList } from '../src/catalog/id-list.ts'
import { openDataset } from '../src/dataset.ts'
import { idHash } from '../src/indexes/ids-file.ts'
import { loadVersion } from '../src/indexes/load.ts'
import { batchIdsMax } from '../src/limits.ts'
import { build, temporaryFolder } from './support/command.ts'
import { aCard, aSet, snapshotOf } from './support/snapshot.ts'

const hashOf = (id: string) => {
  const bytes = Buffer.from(id)
  return idHash(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0, bytes.length)
}

const twins: readonly [string, string] = ['mtg-6vkzz-2686', 'mtg-7sbcg-606']

/** Cards of a table of 64 slots whose hashes all want its last one. */
const crowd = Array.from({ length: 100_000 }, (_, i) => `mtg-x-${i}`)
  .filter((id) => (hashOf(id) & 63) === 63)
  .slice(0, 20)

async function catalogOf(ids: readonly string[]) {
  const cards = ids.map((id, i) => ({
    ...aCard,
    id,
    game: 'mtg',
    name: `Card ${'x'.repeat((i * 37) % 200)}`,
    number: `${i}`,
  }))
  const snapshots = snapshotOf({ 'sets/s.ndjson': [{ ...aSet, game: 'mtg' }], 'cards/c.ndjson': cards })
  const indexDir = temporaryFolder()
  const { code, stderr } = await build(snapshots, indexDir)
  assert.equal(code, 0, stderr)
  const { catalog } = await openDataset(
    await loadVersion(indexDir, readFileSync(join(indexDir, 'current'), 'utf8').trim()),
  )
  return {
    one: (id: string) => {
      const found = catalog.detailsOf(id)
      return found === undefined ? undefined : JSON.parse(Buffer.from(found).toString()).data.id
    },
    batch: (asked: readonly string[]) => {
      const list = new IdList(batchIdsMax)
      assert.ok(list.takePlain(Buffer.from(JSON.stringify({ ids: asked }))))
      return JSON.parse(Buffer.from(catalog.batch(list)).toString()).data.map(({ id }: { id: string }) => id)
    },
  }
}

describe('records', () => {
  it('are told apart though their ids share a hash, alone and in a batch, with texts of different lengths', async () => {
    assert.equal(hashOf(twins[0]), hashOf(twins[1]))
    for (const ids of [twins, twins.toReversed(), [twins[0]], [twins[1]]]) {
      const { one, batch } = await catalogOf(ids)
      for (const id of twins) assert.equal(one(id), ids.includes(id) ? id : undefined)
      const asked = [...twins, twins[0], 'mtg-nope', ...twins.toReversed()]
      assert.deepEqual(
        batch(asked),
        asked.filter((id) => ids.includes(id)),
      )
    }
  })

  it('are found past the table’s end, and the last one, and none that is missing there', async () => {
    const ids = [...crowd.slice(0, 19), ...Array.from({ length: 10 }, (_, i) => `mtg-other-${i}`)]
    const { one, batch } = await catalogOf(ids)
    for (const id of ids) assert.equal(one(id), id)
    assert.equal(one(crowd[19]!), undefined)
    assert.equal(one(`${ids[0]}x`), undefined)
    assert.deepEqual(batch([...ids.slice(9, 28), crowd[19]!]), ids.slice(9, 28))
    assert.deepEqual(batch(ids.slice(0, 19)), ids.slice(0, 19))
  })
})
