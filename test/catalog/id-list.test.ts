/** A batch's ids, read from its body in one pass: for any body, they are what JSON.parse finds, or JSON.parse is called. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { IdList } from '../../src/catalog/id-list.ts'
import { batchIdsMax, idCharsMax } from '../../src/limits.ts'
import { amount } from '../support/amount.ts'
import { anyCharacter } from './any-character.ts'

const list = new IdList(batchIdsMax)

/** The ids as the list holds them. */
function held(): string[] {
  return Array.from({ length: Math.min(list.count, batchIdsMax) }, (_, i) => {
    const { buffer } = list.view
    const id = Buffer.from(buffer as ArrayBuffer, list.starts[i], list.lengths[i]! + 1).toString('latin1')
    assert.ok(id.endsWith('"') || list.lengths[i] === 0)
    return id.slice(0, -1)
  })
}

/** An id that no card can have counts as empty. */
function idsAsHeld(ids: readonly string[]): string[] {
  return ids.slice(0, batchIdsMax).map((id) => (id.length <= idCharsMax && /^[ -~]*$/.test(id) ? id : ''))
}

const anId = fc.oneof(
  { weight: 8, arbitrary: fc.stringMatching(/^[a-z0-9-]{0,30}$/) },
  { weight: 2, arbitrary: fc.string({ minLength: 0, maxLength: idCharsMax + 2 }) },
  { weight: 1, arbitrary: fc.stringMatching(/^[ -~]{125,131}$/) },
)
const blanks = fc.stringMatching(/^[ \t\r\n]{0,2}$/)

/** A right body with blanks between all its parts. */
const bodies = fc
  .record({
    ids: fc.array(anId, { maxLength: batchIdsMax + 3 }),
    gaps: fc.array(blanks, { minLength: 60, maxLength: 60 }),
  })
  .map(({ ids, gaps }) => {
    const parts = ['', '{', '"ids"', ':', '[']
    ids.forEach((id, i) => {
      if (i > 0) parts.push(',')
      parts.push(JSON.stringify(id))
    })
    return [...parts, ']', '}', ''].map((part, i) => part + gaps[i % gaps.length]!).join('')
  })

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

test('The reader of batches reads a plain body as JSON.parse does', () => {
  const runs = amount(300, 2000)
  const outcomes = { plain: 0, other: 0 }
  fc.assert(
    fc.property(bodies, (body) => {
      const { ids } = JSON.parse(body) as { ids: string[] }
      const plain = list.takePlain(Buffer.from(body))
      outcomes[plain ? 'plain' : 'other']++
      assert.equal(plain, /^[ -~\s]*$/.test(body) && !body.includes('\\'))
      if (!plain) return
      assert.equal(list.count, ids.length)
      assert.deepEqual(held(), idsAsHeld(ids))
    }),
    { numRuns: runs },
  )
  assert.ok(outcomes.plain > runs / 8 && outcomes.other > runs / 8, JSON.stringify(outcomes))
})

test('The reader of batches accepts no body that JSON.parse rejects or reads differently', () => {
  const change = fc.record({
    at: fc.nat(),
    insert: fc.constantFrom('', '"', ',', ']', '}', '\\', 'x', '\u0000', 'é', '['),
  })
  fc.assert(
    fc.property(bodies, change, fc.boolean(), (body, { at, insert }, replaces) => {
      const place = at % (body.length + 1)
      const changed = body.slice(0, place) + insert + body.slice(place + (replaces ? 1 : 0))
      if (!list.takePlain(Buffer.from(changed))) return
      const { ids, ...rest } = parsed(changed) as { ids: string[] }
      assert.deepEqual(rest, {})
      assert.deepEqual(held(), idsAsHeld(ids))
    }),
    { numRuns: amount(500, 5000) },
  )
})

test('The reader of batches declines random bytes without an exception', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => !list.takePlain(bytes)))
})

test('A string in a batch that can’t be a card’s id is read as an empty id', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(anId, fc.string({ unit: anyCharacter, maxLength: 140 })), { maxLength: 25 }),
      (ids) => {
        list.takeAll(ids)
        assert.equal(list.count, ids.length)
        assert.deepEqual(
          held(),
          ids.slice(0, batchIdsMax).map((id) => (/^[ !#-[\]-~]{0,128}$/.test(id) ? id : '')),
        )
      },
    ),
    { numRuns: amount(15, 100) },
  )
})
