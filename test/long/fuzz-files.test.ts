/** Snapshots, indexes and stores, cut and flipped at random: each is read or refused, and never ends a process. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileSettings, fuzzFiles } from '../fuzz/files.ts'

// Thousands of small files: in memory where there is such a place.
const shared = '/dev/shm'
const folder = mkdtempSync(join(existsSync(shared) ? shared : tmpdir(), 'card-price-lookup-fuzz-'))
after(() => rmSync(folder, { recursive: true, force: true }))

describe('a damaged file is read or refused', () => {
  for (const [name, cases] of Object.entries({ snapshots: 4000, indexes: 10_000, stores: 6000 })) {
    it(`${name}, ${cases} cases`, { timeout: 1_800_000 }, async (test) => {
      const settings = fileSettings(cases)
      const { accepted, refused, failures, seconds } = await fuzzFiles(name, settings, folder)
      test.diagnostic(JSON.stringify({ ...settings, accepted, refused, seconds }))
      const found = [...failures].map(([what, { first, count }]) => `case ${first} and ${count - 1} more: ${what}`)
      assert.deepEqual(found, [], `FUZZ_SEED=${settings.seed} FUZZ_CASE=… repeats one`)
      if (settings.only === undefined) {
        assert.ok(accepted > settings.cases / 50, 'damage that is harmless is among them')
        assert.ok(refused > settings.cases / 5, 'damage that is not, too')
      }
    })
  }
})
