/** How a request's parameters are read: against a reader that is slow and plain, and by types. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { answering } from '../../src/api/answers.ts'
import { readerOf } from '../../src/api/asked.ts'
import type { Dataset } from '../../src/api/dataset.ts'
import { optionalText, type Parameter, ParameterError, pathText } from '../../src/api/parameter-kinds.ts'
import { amount } from '../support/amount.ts'
import { drawBelow, drawFrom, randomFrom } from '../support/random.ts'

const declared = { name: optionalText('q'), limit: optionalText('limit'), id: pathText('id') }
const misplaced = new Map([
  ['page', 'left out'],
  ['days', 'left out'],
])
const read = readerOf(declared, misplaced)
const sentWith = (query: string) => ({ pathParameter: 'a%2db', secondPathParameter: '', query })

/** Decodes by the standard’s own function, which throws if the text is no percent-encoded UTF-8. */
const plainly = (text: string) => decodeURIComponent(text.replaceAll('+', ' '))

/** The first text of a name in a query, decoded. Throws the parameter's name if a name before it is misplaced. */
function expected(query: string, name: string): string | undefined {
  const pairs = query.split('&').map((part) => {
    const [sentName, ...texts] = part.split('=')
    try {
      return [plainly(sentName!), texts.join('=')] as const
    } catch {
      return ['', ''] as const
    }
  })
  const wrong = pairs.find(([one]) => misplaced.has(one))
  if (wrong !== undefined) throw new ParameterError(wrong[0], 'left out')
  const text = pairs.find(([one]) => one === name)?.[1]
  if (text === undefined) return undefined
  try {
    return plainly(text)
  } catch {
    throw new ParameterError(name, 'percent-encoded UTF-8', text)
  }
}

const outcomeOf = (make: () => unknown): string => {
  try {
    return JSON.stringify({ value: make() })
  } catch (error) {
    if (error instanceof ParameterError) return error.message
    throw error
  }
}

describe('The reader of a request’s parameters', () => {
  it('The reader finds the same parameter values as a reference implementation in any query', () => {
    const random = randomFrom('asked')
    const names = [
      'q',
      'limit',
      'q',
      'limit',
      'Q',
      'page',
      'days',
      'api_key',
      'constructor',
      '',
      '%71',
      'l%69mit',
      '%zz',
      'pa%67e',
    ]
    const values = ['', '5', 'a+b', '%e3%83%aa', '%', '%ff', 'x=y', '=', '?', '#', '%26', 'constructor']
    for (let i = 0; i < amount(2000, 200_000); i++) {
      const parts = Array.from({ length: drawBelow(random, 6) }, () =>
        drawBelow(random, 8) === 0 ? drawFrom(random, names) : `${drawFrom(random, names)}=${drawFrom(random, values)}`,
      )
      const query = parts.join('&')
      assert.equal(
        outcomeOf(() => read(sentWith(query)).name),
        outcomeOf(() => expected(query, 'q')),
        query,
      )
      assert.equal(
        outcomeOf(() => read(sentWith(query)).limit),
        outcomeOf(() => expected(query, 'limit')),
        query,
      )
    }
  })

  it('A parameter’s value is checked only when the operation reads it', () => {
    const asked = read(sentWith('limit=%zz&q=lugia'))
    assert.equal(asked.name, 'lugia')
    assert.throws(() => asked.limit, ParameterError)
  })

  it('A path parameter can be read even if the query has a misplaced parameter', () => {
    const asked = read(sentWith('page=2'))
    assert.equal(asked.id, 'a-b')
    assert.throws(() => asked.name, ParameterError)
  })

  it('A route without query parameters rejects a misplaced one before its operation runs', () => {
    const none: Readonly<Record<string, Parameter>> = { id: pathText('id') }
    assert.throws(() => readerOf(none, misplaced)(sentWith('page=2')), ParameterError)
  })
})

it('An operation compiles only if it reads exactly the parameters that its route declares', () => {
  const bytes = new Uint8Array(0)
  const readsId = (_: Dataset, { id }: { readonly id: string }) => bytes.subarray(id.length)
  const readsNothing = () => bytes
  const readsView = (_: Dataset, { id, view }: { readonly id: string; readonly view: string }) =>
    bytes.subarray(id.length, view.length)
  const readsNumber = (_: Dataset, { id }: { readonly id: number }) => bytes.subarray(id)
  answering('getCardChanges', readsId)
  // @ts-expect-error The id is left unread.
  answering('getCardChanges', readsNothing)
  // @ts-expect-error The row declares no view.
  answering('getCardChanges', readsView)
  // @ts-expect-error The id is a text.
  answering('getCardChanges', readsNumber)
})
