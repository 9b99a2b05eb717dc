/** How prices have changed, as builds have it: day by day as at once, and when days are corrected or taken away. */
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { dateOfDay } from '../../src/calendar.ts'
import { Changes } from '../../src/catalog/changes.ts'
import { changesFileName, readChangesFile } from '../../src/indexes/changes-file.ts'
import { fileOf as fileOfVersion, loadVersion } from '../../src/indexes/load.ts'
import { asOf } from '../reference/moved-cards.ts'
import { temporaryFolder } from '../support/command.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'
import { compile } from './compiled.ts'

const ids = ['pokemon-base1-004', 'pokemon-base1-005']
const row = (day: number, id: string, price: number) => `${dateOfDay(day)},${id},${price},${price},${price}\n`
const fileOf = (day: number, rows: string) =>
  [`history/${dateOfDay(day)}.csv`, `date,id,market,low,high\n${rows}`] as const

/** The version that a build leaves, and whether one from nothing leaves the same. */
async function built(snapshot: string, indexDir: string): Promise<string> {
  const { version } = (await compile(snapshot, indexDir)).manifest
  assert.equal((await compile(snapshot, temporaryFolder())).manifest.version, version, 'as if made at once')
  return version
}

const changesOf = async (indexDir: string, version: string, card: number) =>
  JSON.parse(Buffer.from(new Changes(await loadVersion(indexDir, version)).body(card, ids[card]!)).toString()).data

it('is the same day by day and at once, also where the newest day is corrected or taken away', async () => {
  const updatedAt = `${dateOfDay(asOf - 2)}T06:00:00Z`
  const cards = ids.map((id, i) => ({ ...aCard, id, number: `${i}`, updatedAt }))
  const first = fileOf(asOf - 8, row(asOf - 8, ids[0]!, 1) + row(asOf - 8, ids[1]!, 2))
  const second = fileOf(asOf - 1, row(asOf - 1, ids[0]!, 3))
  const snapshot = snapshotOf({
    ...{ 'sets/s.ndjson': [aSet], 'cards/c.ndjson': cards },
    ...Object.fromEntries([first, second]),
  })
  const indexDir = temporaryFolder()
  const before = await built(snapshot, indexDir)
  assert.deepEqual((await changesOf(indexDir, before, 0)).changes['7d'], { from: 1, amount: 2, percent: 200 })
  // A day more, of unknown cards too: these are no day of the data.
  const [name, text] = fileOf(asOf, row(asOf, ids[1]!, 5) + row(asOf + 1, 'pokemon-unknown', 9))
  writeFileSync(join(snapshot, name), text)
  const next = await built(snapshot, indexDir)
  assert.equal((await changesOf(indexDir, next, 0)).asOf, dateOfDay(asOf))
  assert.deepEqual((await changesOf(indexDir, next, 1)).changes['7d'], { from: 2, amount: 3, percent: 150 })
  assert.equal((await changesOf(indexDir, next, 0)).market, 3)
  // Corrected by a later file.
  writeFileSync(join(snapshot, 'history/z.csv'), `date,id,market,low,high\n${row(asOf, ids[1]!, 4)}`)
  const corrected = await built(snapshot, indexDir)
  assert.deepEqual((await changesOf(indexDir, corrected, 1)).changes['7d'], { from: 2, amount: 2, percent: 100 })
  rmSync(join(snapshot, 'history/z.csv'))
  rmSync(join(snapshot, name))
  assert.equal(await built(snapshot, indexDir), before)
  // Without a history, the cards changed when they were updated.
  for (const [file] of [first, second]) rmSync(join(snapshot, file))
  const { changedOn } = readChangesFile(
    fileOfVersion(await loadVersion(indexDir, await built(snapshot, indexDir)), changesFileName),
  )
  assert.deepEqual([...changedOn], [asOf - 2, asOf - 2])
})
