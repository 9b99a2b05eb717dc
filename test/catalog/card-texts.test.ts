/** Records found by id, in tables made for the hard cases: ids of one hash, a run past the table's end, the last record. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openDataset } from '../../src/api/dataset.ts'
import { dayOfDate } from '../../src/calendar.ts'
import { NumberedTexts, nowhere, Records } from '../../src/catalog/card-texts.ts'
import { FullCards } from '../../src/catalog/full-cards.ts'
import { IdList } from '../../src/catalog/id-list.ts'
import { detailsStart, itemStart, readCardsPart, recordsAt, writeCardsPart } from '../../src/indexes/cards-file.ts'
import { partCards } from '../../src/indexes/format.ts'
import { writeHistoryFile } from '../../src/indexes/history-file.ts'
import { cardsMax, idHash, partsMax, placeOf, readIds, writeIds } from '../../src/indexes/ids-file.ts'
import { fileOf, loadVersion, partName, partsOf } from '../../src/indexes/load.ts'
import type { Manifest } from '../../src/indexes/manifest.ts'
import { SeriesWriter } from '../../src/indexes/series/codec.ts'
import { batchIdsMax } from '../../src/limits.ts'
import { extrasStart } from '../indexes/checks/cards.ts'
import { checkRecords } from '../indexes/checks/version.ts'
import { amount, someOf } from '../support/amount.ts'
import { build, temporaryFolder } from '../support/command.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'

const hashOf = (id: string) => {
  const bytes = Buffer.from(id)
  return idHash(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0, bytes.length)
}

/** Pairs of ids that share a hash. In the second, one id begins the other. */
const sameHash: readonly (readonly [string, string])[] = [
  ['mtg-6vkzz-2686', 'mtg-7sbcg-606'],
  ['mtg-one-1234', 'mtg-one-1234vseavz7x'],
]

/** Cards of a table of 64 slots whose hashes all want its last one. */
const crowd = Array.from({ length: 4000 }, (_, i) => `mtg-x-${i}`)
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
  const { catalog, changes } = await openDataset(
    await loadVersion(indexDir, readFileSync(join(indexDir, 'current'), 'utf8').trim()),
  )
  return {
    asOf: JSON.parse(Buffer.from(changes.body(0, ids[0]!)).toString()).data.asOf,
    one: (id: string) => {
      const found = catalog.detailsOf(id)
      return found === undefined ? undefined : JSON.parse(Buffer.from(found).toString()).data.id
    },
    batch: (asked: readonly string[]) => {
      const list = new IdList(batchIdsMax)
      assert.ok(list.takePlain(Buffer.from(JSON.stringify({ ids: asked }))))
      return JSON.parse(Buffer.from(catalog.batch(list, 'summary')).toString()).data.map(({ id }: { id: string }) => id)
    },
  }
}

describe('The texts of cards', () => {
  it('Cards whose ids share a hash have their own texts, alone and in a batch', async () => {
    for (const pair of sameHash) {
      assert.equal(hashOf(pair[0]), hashOf(pair[1]))
      for (const ids of [pair, pair.toReversed(), [pair[0]], [pair[1]]]) {
        const { one, batch } = await catalogOf(ids)
        for (const id of pair) assert.equal(one(id), ids.includes(id) ? id : undefined)
        const asked = [...pair, pair[0], 'mtg-nope', ...pair.toReversed()]
        assert.deepEqual(
          batch(asked),
          asked.filter((id) => ids.includes(id)),
        )
      }
    }
  })

  it('Cards are found where the hash table wraps around at its end, and unknown cards are not', async () => {
    const ids = [...crowd.slice(0, 19), ...Array.from({ length: 10 }, (_, i) => `mtg-other-${i}`)]
    const { one, batch } = await catalogOf(ids)
    for (const id of ids) assert.equal(one(id), id)
    assert.equal(one(crowd[19]!), undefined)
    assert.equal(one(`${ids[0]}x`), undefined)
    assert.deepEqual(batch([...ids.slice(9, 28), crowd[19]!]), ids.slice(9, 28))
    assert.deepEqual(batch(ids.slice(0, 19)), ids.slice(0, 19))
  })
})

it('A version whose cards have no dates has null as its own date', async () => {
  assert.equal((await catalogOf(['mtg-1'])).asOf, null)
})

it('Cards stored in two parts are found on both sides of the boundary, with their whole texts', async () => {
  const ids = Array.from({ length: partCards + 2 }, (_, i) => `mtg-${i}`)
  const files = new Map<string, Uint8Array>()
  const places: { details: number[]; items: number[] } = { details: [], items: [] }
  const writer = new SeriesWriter(64)
  writer.run({ day: dayOfDate('2026-11-20'), days: 1, market: 1, low: 1, high: 1 })
  writer.end()
  for (const part of [0, 1]) {
    const own = ids.slice(part * partCards, (part + 1) * partCards)
    const cards = own.map((id) => ({
      details: Buffer.from(`${detailsStart}${id}"}}`),
      items: Buffer.from(`${itemStart}${id}"}`),
      summaries: Buffer.from(`${itemStart}${id}"}`),
      extras: Buffer.from(`${extrasStart}null}`),
      rows: Buffer.from(`${id}${','.repeat(18)}\r\n`),
    }))
    for (const name of ['details', 'items'] as const) {
      const at = recordsAt(cards.map((card) => card[name]))
      for (const start of at.subarray(0, -1)) places[name].push(placeOf(part, start))
    }
    files.set(partName('cards', part), Buffer.concat(writeCardsPart(part * partCards, cards)))
    // The last card of each part has a row.
    const at = new Uint32Array(own.length + 1).fill(writer.length, -1)
    files.set(partName('history', part), Buffer.concat(writeHistoryFile({ series: writer.bytes, at })))
  }
  files.set('ids.msgpack', Buffer.concat(writeIds(ids.map(hashOf), places)))
  const manifest = { asOf: '2026-11-20', counts: { cards: ids.length, sets: 1, historyRows: 2 } } as Manifest
  const version = { manifest, files }
  // It reads each record, which takes half a second.
  if (amount(0, 1) === 1) checkRecords(version)

  const parts = partsOf(version, 'cards').map(readCardsPart)
  const slots = readIds(fileOf(version, 'ids.msgpack'))
  const details = parts.map((part) => part.details)
  const records = new Records(slots.details, details, detailsStart)
  for (const number of [0, ...someOf([...ids.keys()], 500), partCards - 1, partCards, partCards + 1]) {
    assert.equal(records.number(records.find(ids[number]!)), number)
    assert.equal(records.place(number), records.find(ids[number]!))
  }
  assert.equal(records.find(`mtg-${partCards + 2}`), nowhere)
  const cards = Uint32Array.of(partCards + 1, 0, partCards, partCards - 1)
  const known = Array.from(cards, (card) => ids[card]!)
  const asked = known.toSpliced(2, 0, 'mtg-nope')
  const list = new IdList(batchIdsMax)
  list.takeAll(asked)
  const extras = parts.map((part) => part.extras)
  const full = new FullCards(records, extras)
  const data = known.map((id) => ({ id }))
  const extended = known.map((id) => ({ id, printing: null }))
  const page = { cards, count: known.length, total: 9 }
  const parsed = (body: Uint8Array) => JSON.parse(Buffer.from(body).toString())
  assert.deepEqual(parsed(full.batch(list)), { data })
  assert.deepEqual(parsed(full.extendedBatch(list, asked)), { data: extended, missing: ['mtg-nope'] })
  assert.deepEqual(parsed(full.page(page, 4, 0)), { data, total: 9, limit: 4, offset: 0 })
  assert.deepEqual(parsed(full.extendedPage(page, 4, 0)), { data: extended, total: 9, limit: 4, offset: 0 })
  const rows = new NumberedTexts(parts.map((part) => part.rows)).itemsOf(page, 20)
  const written = known.map((_, i) => Buffer.from(rows.sources[i]!.bytes.slice(rows.from[i]!, rows.to[i]!)).toString())
  assert.deepEqual(written, known)
  assert.throws(() => placeOf(partsMax, 0), new RangeError(`an index holds at most ${cardsMax} cards`))
})
