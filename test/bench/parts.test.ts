/** The limits, the scaled snapshots and the profile: what a figure is held against must be what it says. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { sampleAnswers } from '../../bench/harness/answers.ts'
import { bareServer } from '../../bench/harness/contestants.ts'
import { steadier } from '../../bench/harness/harness.ts'
import { thisMachine } from '../../bench/harness/machine.ts'
import { otherName, writeScaled } from '../../bench/harness/scaled.ts'
import { dearest } from '../../bench/profile/dearest.ts'
import { ColdBodies, coldMemory } from '../../bench/servers/cold-bodies.ts'
import { itInAll } from '../support/amount.ts'
import { projectDir, temporaryFolder } from '../support/command.ts'

describe('cold bodies', () => {
  it('are put together from places all over the memory', () => {
    const memory = coldMemory(1 << 20)
    const words = new Uint32Array(memory)
    // Each line has its own number, so that a piece tells where it is from.
    words.forEach((_, i) => {
      words[i] = i >> 4
    })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 8, max: 900 }), (pieces, pieceBytes) => {
        const bodies = new ColdBodies(memory, pieces * pieceBytes, pieces)
        const body = Buffer.from(bodies.next())
        assert.equal(body.length, pieces * pieceBytes)
        for (let i = 0; i < pieces; i++) {
          const line = body.readUInt32LE(i * pieceBytes)
          const expected = Buffer.from(memory, line * 64, pieceBytes)
          assert(expected.equals(body.subarray(i * pieceBytes, (i + 1) * pieceBytes)))
        }
      }),
    )
    const bodies = new ColdBodies(memory, 64, 1)
    const lines = new Set(Array.from({ length: 1000 }, () => Buffer.from(bodies.next()).readUInt32LE()))
    assert(lines.size > 900, `${lines.size}`)
  })
})

describe('the limit', () => {
  const headers = [
    ['ETag', '"a"'],
    ['X-RateLimit-Limit', '200'],
  ] as const
  const post = 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello'
  const get = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n'
  const table = [
    ['hot', '200 OK', get, { bodyBytes: 300, memoryBytes: 0, pieces: 1, takesBodies: false }],
    ['cold', '200 OK', get, { bodyBytes: 300, memoryBytes: 1 << 20, pieces: 1, takesBodies: false }],
    ['cold, a list', '200 OK', get, { bodyBytes: 300, memoryBytes: 1 << 20, pieces: 20, takesBodies: false }],
    ['cold, of a body', '200 OK', post, { bodyBytes: 300, memoryBytes: 1 << 20, pieces: 20, takesBodies: true }],
    ['unchanged', '304 Not Modified', get, { bodyBytes: 0, memoryBytes: 0, pieces: 1, takesBodies: false }],
  ] as const
  for (const [name, statusLine, request, options] of table) {
    itInAll(`sends status, headers and as many bytes: ${name}`, async () => {
      const contestant = bareServer(
        { ...thisMachine(), pins: false },
        { statusLine, headers, threads: 1, ...options },
        { file: '', status: 200, before: [] },
        { name, cores: '0' },
      )
      const server = await contestant.start()
      try {
        const sample = await sampleAnswers(server.port, [request, request], Number.parseInt(statusLine, 10))
        assert.equal(sample.statusLine, statusLine)
        assert.deepEqual(sample.headers, headers)
        assert.equal(sample.bodyBytes, options.bodyBytes)
      } finally {
        await server.stop()
      }
    })
  }
})

describe('a snapshot with more cards', () => {
  const from = join(projectDir, 'snapshots')
  const linesOf = async (scale: Parameters<typeof writeScaled>[2]) => {
    const folder = temporaryFolder()
    await writeScaled(from, folder, scale)
    const lines = (name: string) =>
      readFileSync(join(folder, name, 'all.ndjson'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, string>)
    return { sets: lines('sets'), cards: lines('cards') }
  }

  itInAll('has other ids, sets and names', async () => {
    const once = await linesOf({ times: 1 })
    const more = await linesOf({ times: 4 })
    const distinct = (lines: readonly Record<string, string>[], field: string) =>
      new Set(lines.map((line) => line[field])).size
    assert.equal(more.cards.length, 4 * once.cards.length)
    assert.equal(distinct(more.cards, 'id'), more.cards.length)
    assert.equal(more.sets.length, 4 * once.sets.length)
    assert.equal(distinct(more.cards, 'name'), 4 * distinct(once.cards, 'name'))
    const sets = new Set(more.sets.map(({ game, code }) => `${game} ${code}`))
    assert(more.cards.every(({ game, setCode }) => sets.has(`${game} ${setCode}`)))
    const sameNames = await linesOf({ times: 4, nameTimes: 2 })
    assert.equal(distinct(sameNames.cards, 'name'), 2 * distinct(once.cards, 'name'))
    const fewer = await linesOf({ times: 0.25 })
    assert.equal(fewer.cards.length, Math.ceil(once.cards.length / 4))
  })

  it('has a name of its own for each copy', () => {
    for (const name of ['Charizard ex', 'リザードンex', 'ピカチュウ', 'N', 'Aa']) {
      const names = Array.from({ length: 64 }, (_, copy) => otherName(name, copy))
      assert.equal(new Set(names).size, 64, name)
    }
  })
})

it('of two ways to a ratio the steadier one counts', () => {
  assert.deepEqual(steadier([0.5, 1, 1.5], [0.8, 0.81, 0.82]), [0.8, 0.81, 0.82])
  assert.deepEqual(steadier([0.8, 0.81, 0.82], [0.5, 1, 1.5]), [0.8, 0.81, 0.82])
  assert.deepEqual(steadier([0.5, 1], [Number.NaN, 1]), [0.5, 1])
})

it('a profile lists functions, each with its own time and that of its calls', () => {
  const node = (id: number, functionName: string, children: number[] = [], url = 'file:///a.ts') => ({
    id,
    callFrame: { functionName, url, lineNumber: id - 1 },
    children,
  })
  const again = { ...node(4, 'ask', [], 'file:///a.ts'), callFrame: node(2, 'ask').callFrame }
  const functions = dearest({
    nodes: [node(1, '(root)', [2, 5], ''), node(2, 'ask', [3]), node(3, 'find', [4]), again, node(5, '(idle)', [], '')],
    samples: [2, 3, 3, 4, 5],
    timeDeltas: [10, 20, 30, 5, 1000],
  })
  assert.deepEqual(
    functions.map(({ name, line, selfUs, totalUs }) => [name, line, selfUs, totalUs]),
    [
      ['find', 3, 50, 55],
      ['ask', 2, 15, 65],
    ],
  )
})
