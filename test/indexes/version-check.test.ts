/** A build writes what readers assume, and the check of that finds a wrong number. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { loadVersion, type VersionFiles } from '../../src/indexes/load.ts'
import { someOf } from '../support/amount.ts'
import { projectDir, temporaryFolder } from '../support/command.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { addVersion, columnsOf } from '../support/versions.ts'
import { checkVersion } from './checks/version.ts'

/** Any other text, rarity, product or printing could be right, and most prices are known by nothing else. */
const couldBeRight: Readonly<Record<string, readonly string[]>> = {
  'cards-000': ['details', 'items', 'summaries', 'extras'],
  catalog: ['sets'],
  search: ['nameText', 'wordText', 'cardRarity'],
  lists: [
    ...['cardPrinting', 'keyText', 'setEnds', 'suggestions', 'numberText'],
    ...['productIds', 'productCards', 'cardmarketIds', 'cardmarketCards'],
  ],
  'history-000': ['series'],
  changes: ['changes'],
}

const indexDir = temporaryFolder()
const load = async (snapshots: string) => loadVersion(indexDir, await addVersion(indexDir, snapshots))
let fixture: VersionFiles

before(async () => {
  fixture = await load(fixtureSnapshot())
})

it('the sample and the fixture are consistent', async () => {
  checkVersion(await load(`${projectDir}/snapshots`))
  checkVersion(fixture)
})

it('a wrong number is found, in each column', () => {
  const through: string[] = []
  const columns = columnsOf(fixture).filter(({ bytes }) => bytes > 0)
  assert.ok(columns.length > 60, `${columns.length} columns`)
  for (const { file, name, start, bytes } of columns) {
    for (const at of someOf([start, start + bytes - 1, start + (bytes >> 1)], 2)) {
      const wrong = Buffer.from(fixture.files.get(file)!)
      wrong[at]! ^= 0x41
      try {
        checkVersion({ ...fixture, files: new Map(fixture.files).set(file, aligned(wrong)) })
        if (!couldBeRight[file.replace('.msgpack', '')]?.includes(name)) through.push(`${file} ${name}`)
      } catch {}
    }
  }
  assert.deepEqual(through, [])
})

/** Columns of numbers are views of the file's memory. */
function aligned(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length))
  copy.set(bytes)
  return copy
}
