/** Documents that commands write are as the code has it: the reference of the snapshot format, whose examples are right, and the interface. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import * as v from 'valibot'
import { llms, notice, openApi } from '../../build/format/documents.ts'
import { fieldsOf } from '../../build/format/fields.ts'
import { exampleOf, kinds, referenceFiles } from '../../build/format/reference.ts'
import { projectDir } from '../support/command.ts'

for (const [name, content] of referenceFiles()) {
  it(`snapshots/${name} is what the schemas make: npm run reference`, () => {
    assert.equal(readFileSync(join(projectDir, 'snapshots', name), 'utf8'), content)
  })
}

for (const [name, make] of Object.entries({ 'docs/openapi.json': openApi, 'docs/llms.txt': llms, NOTICE: notice })) {
  it(`${name} is what the code and the packages make: npm run documents`, () => {
    assert.equal(readFileSync(join(projectDir, name), 'utf8'), make())
  })
}

it('llms.txt is under 8 KB', () => assert.ok(Buffer.byteLength(llms()) < 8192))

for (const kind of kinds) {
  describe(kind.title, () => {
    it('has a meaning for each field of its schema, and for no other', () => {
      assert.deepEqual(
        Object.keys(kind.meanings),
        fieldsOf(kind.schema).map(({ path }) => path),
      )
    })

    it('has an example that is right, as a whole and with each field’s', () => {
      assert.deepEqual(v.safeParse(kind.schema, exampleOf(kind)).issues, undefined)
      for (const [path, { example }] of Object.entries(kind.meanings)) {
        const record = structuredClone(exampleOf(kind)) as Record<string, unknown>
        const names = path.split('.')
        let within = record
        for (const name of names.slice(0, -1)) {
          within[name] ??= {}
          within = within[name] as Record<string, unknown>
        }
        const last = names.at(-1)!
        within[last === '*' ? (Array.isArray(within) ? '0' : 'psa_10') : last] = example
        assert.deepEqual(v.safeParse(kind.schema, record).issues, undefined, path)
      }
    })

    it('must have the fields that it says must be there', () => {
      for (const { path, isRequired } of fieldsOf(kind.schema)) {
        if (path.includes('.')) continue
        const { [path]: _, ...record } = exampleOf(kind) as Record<string, unknown>
        assert.equal(v.safeParse(kind.schema, record).success, !isRequired, path)
      }
    })
  })
}
