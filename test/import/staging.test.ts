/** Which of the files that an import writes replace those that are there: all that would change a byte, and no other. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Staging } from '../../build/import/write/staging.ts'
import { folderOnOtherDisk, temporaryFolder, withoutOtherDisk } from '../support/command.ts'
import { contentOf } from '../support/import.ts'

const long = 'x'.repeat(1024 * 1024)

describe('a file that is written', () => {
  const cases: readonly (readonly [what: string, there: string | null, written: string, isChanged: boolean])[] = [
    ['where there is none', null, 'a', true],
    ['as it is there', 'ab', 'ab', false],
    ['as it is there, of megabytes', `${long}${long}b`, `${long}${long}b`, false],
    ['with more at its end', 'a\n', 'a\nb\n', true],
    ['with less at its end', 'a\nb\n', 'a\n', true],
    ['emptied', 'a', '', true],
    ['with another last byte', 'ab', 'aa', true],
  ]
  for (const [what, there, written, isChanged] of cases) {
    it(`${what} ${isChanged ? 'is put in place' : 'is dropped'}`, async () => {
      const out = temporaryFolder()
      for (const folder of ['cards', 'import']) mkdirSync(join(out, folder))
      if (there !== null) writeFileSync(join(out, 'cards/a'), there)
      const staging = new Staging(out)
      await staging.write('cards/a', [Buffer.from(written)])
      assert.deepEqual([staging.changed, staging.unchanged], isChanged ? [['cards/a'], 0] : [[], 1])
      await staging.place([])
      assert.deepEqual(contentOf(out), { 'cards/a': written })
    })
  }

  it('where a folder is, is reported before anything is put in place', async () => {
    const out = temporaryFolder()
    for (const folder of ['cards/a', 'import']) mkdirSync(join(out, folder), { recursive: true })
    await assert.rejects(new Staging(out).writeLines('cards/a', []), {
      message: `${join(out, 'cards/a')}: can't be written: ${join(out, 'cards/a')} must be a plain file, or a link to one (a folder); nothing was changed`,
    })
  })

  it('in lines has each with its line break, however many there are', async () => {
    const out = temporaryFolder()
    mkdirSync(join(out, 'import'))
    const lines = Array.from({ length: 5 }, (_, i) => `${i}${long}`)
    const staging = new Staging(out)
    await staging.writeLines('cards/a', lines)
    await staging.writeLines('cards/b', [])
    await staging.place([])
    assert.equal(readFileSync(join(out, 'cards/a'), 'utf8'), lines.map((line) => `${line}\n`).join(''))
    assert.equal(readFileSync(join(out, 'cards/b'), 'utf8'), '')
  })

  it('and is not placed leaves nothing', async () => {
    const out = temporaryFolder()
    mkdirSync(join(out, 'import'))
    const staging = new Staging(out)
    await staging.writeLines('cards/a', ['a'])
    staging.discard()
    assert.deepEqual(contentOf(out), {})
  })

  it('on another file system is reported before anything is put in place', { skip: withoutOtherDisk }, async () => {
    const out = temporaryFolder()
    mkdirSync(join(out, 'import'))
    symlinkSync(folderOnOtherDisk(), join(out, 'cards'))
    const staging = new Staging(out)
    await staging.writeLines('cards/a', ['a'])
    await staging.writeLines('sets/a', ['a'])
    await assert.rejects(staging.place([]), {
      message: `${out}: can't be written: must be on one file system with ${join(out, 'import')}; nothing was changed`,
    })
    staging.discard()
    assert.deepEqual(contentOf(join(out, 'sets')), {})
    assert.deepEqual(contentOf(join(out, 'import')), {})
  })
})
