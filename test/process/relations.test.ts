/** Bounds that don't fit each other end the program, with the relation that is broken. Each relation is broken once. */
import assert from 'node:assert/strict'
import { stripTypeScriptTypes } from 'node:module'
import { describe, it } from 'node:test'
import { documentText } from '../support/command.ts'

type Broken = readonly [constant: string, value: string, relation: RegExp]

const files: Readonly<Record<string, readonly Broken[]>> = {
  'src/limits.ts': [
    ['batchIdsMax', '200', /the largest batch fits its body/],
    ['queryCharsMax', '400', /the longest query is never rejected/],
    ['priceCentsMax', '2 ** 31', /takes 32 bits/],
    ['quotedCharsMax', '1024 * 1024', /a message that quotes a line is shorter/],
    ['indexFileBytesMax', '2 ** 60', /a file fits a buffer/],
    ['indexFileBytesMax', '2 ** 32', /an offset takes 32 bits/],
    ['loggedAddressCharsMax', '2048', /a line with the longest address is written at once/],
    ['loggedAddressCharsMax', '100', /a card's longest address is logged completely/],
    ['sessionChangesPerDayMax', '10', /an account can change all its keys on a day/],
    ['pageConnectionsMax', '4000', /four forms with a list fit beside all other forms/],
    ['listBytesMax', '3 * 1024 * 1024', /a list fits beside a file/],
    ['listLinesMax', '20_000', /a list fits with a choice for each line/],
    ['accountNameCharsMax', '200', /every form fits/],
    ['accountsMax', '2 ** 32 / 10', /a key's number takes 32 bits/],
  ],
  'src/quota/leases/timing.ts': [['quotaWaitMsMax', '2300', /requests outlast a connection that is replaced/]],
  'src/postgres/bounds.ts': [['reconnectMs', '500', /all servers reconnect and report meanwhile/]],
  'src/accounts/replication/timing.ts': [
    ['replicationPollMs', '1000', /who is not frozen never counts as frozen/],
    ['serverGoneMsMin', '3000', /a frozen server that counts as dead accepts no key/],
  ],
  'build/fetch/fetch-limits.ts': [
    ['updateRetryLateMsMax', '60_000', /a retry is known as one/],
    ['updateRetriesMsMax', '86_400_000', /the run after a late one is not skipped/],
  ],
}

async function load(source: string): Promise<void> {
  const script = stripTypeScriptTypes(source)
  await import(`data:text/javascript,${encodeURIComponent(script)}`)
}

for (const [file, relations] of Object.entries(files)) {
  const source = documentText(file).replace(
    /(?<=from ')\.[^']+/g,
    (path) => new URL(path, new URL(`../../${file}`, import.meta.url)).href,
  )
  describe(`The relations in ${file}`, () => {
    it(`The assertions on constants in ${file} hold, and a test breaks each of them`, async () => {
      await load(source)
      assert.equal(source.match(/^assert\(/gm)?.length, relations.length)
    })
    for (const [constant, value, relation] of relations) {
      it(`An assertion in ${file} fails with ${constant} = ${value}`, async () => {
        const line = new RegExp(`(?<=^(?:export )?const ${constant} = ).*$`, 'm')
        assert.match(source, line)
        await assert.rejects(load(source.replace(line, value)), { name: 'AssertionError', message: relation })
      })
    }
  })
}
