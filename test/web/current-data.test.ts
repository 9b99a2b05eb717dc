/** The version that the pages show. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { IndexError } from '../../src/indexes/format.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { CurrentData } from '../../src/web/current-data.ts'
import { temporaryFolder } from '../support/command.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'
import { addVersion } from '../support/versions.ts'

it('a version that could not be opened is opened anew for the next page', async () => {
  const indexDir = temporaryFolder()
  const name = await addVersion(indexDir, snapshotOf({ 'sets/a.ndjson': [aSet], 'cards/a.ndjson': [aCard] }))
  const whole = await loadVersion(indexDir, name)
  const files = new Map(whole.files)
  files.delete('search.msgpack')
  const data = new CurrentData()
  data.show({ ...whole, files }, 0)
  await assert.rejects(data.open(), IndexError)
  files.set('search.msgpack', whole.files.get('search.msgpack')!)
  assert.equal((await data.open())?.catalog.find(aCard.id as string), 0)
})
