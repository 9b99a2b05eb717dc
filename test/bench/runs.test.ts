/** Runs of the benchmark: what a new reference takes from a run, and what it keeps. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { bestCeiling, mergeRun, type Run, readRun, writeRun } from '../../bench/harness/runs.ts'
import { parts } from '../../bench/options.ts'
import { projectDir, temporaryFolder } from '../support/command.ts'
import { results } from './results.ts'

const reference = join(projectDir, 'bench/results/reference')

/** A run of these parts. Its figures of peers and swaps say which run it is. */
function runOf(date: string, ceiling: number, names: readonly string[], CPU = 'a processor'): Run {
  const measured = {
    conditions: { date, CPU },
    ceiling,
    rates: results.rates!,
    peers: [] as Run['results']['peers'] & {},
  }
  return {
    head: `| run ${date} |`,
    parts: names.map((name) => ({ name, date, ceiling, text: `## ${name}\n\nof ${date}` })),
    results: names.includes('peers') ? { ...measured, peers: [{ ...results.peers![0]!, server: date }] } : measured,
  }
}

/** The dates of its parts, in order, and of the figures of its peers. */
const datesOf = ({ parts: of, results: { peers } }: Run) => [
  of.map(({ name, date }) => `${name} ${date}`).join(', '),
  peers?.[0]?.server,
]

describe('a run', () => {
  it('is read as it was written, without pictures', () => {
    const folder = temporaryFolder()
    const run = runOf('2026-11-24', 117_000, ['http', 'peers'])
    writeRun(folder, run, '<picture>a</picture>\n\n<picture>b</picture>')
    assert.deepEqual(readRun(folder), run)
    assert.equal(readRun(join(folder, 'none')), undefined)
  })

  it('has a best ceiling beside those of the same processor', () => {
    const folder = temporaryFolder()
    assert.equal(bestCeiling(folder, 'a processor'), 0)
    writeRun(join(folder, 'one'), runOf('2026-11-23', 90_000, []), '')
    writeRun(join(folder, 'two'), runOf('2026-11-24', 110_000, []), '')
    writeRun(join(folder, 'three'), runOf('2026-11-24', 200_000, [], 'another'), '')
    assert.equal(bestCeiling(folder, 'a processor'), 110_000)
  })
})

describe('the reference', () => {
  it('has every part, with the names that the benchmark knows', () => {
    const run = readRun(reference)!
    assert.deepEqual(run.parts.map(({ name }) => name).sort(), [...parts].sort())
    for (const { name, text, ceiling } of run.parts) assert.ok(text.startsWith('## ') && ceiling > 0, name)
  })

  const table: readonly (readonly [what: string, before: Run | undefined, run: Run, parts: string, peers: string])[] = [
    ['is the first run', undefined, runOf('2', 1000, ['peers']), 'peers 2', '2'],
    ['keeps the other parts', runOf('1', 1000, ['http', 'peers']), runOf('2', 1000, ['http']), 'http 2, peers 1', '1'],
    [
      'gets a new part in its place',
      runOf('1', 1000, ['http', 'swap']),
      runOf('2', 900, ['peers']),
      'http 1, peers 2, swap 1',
      '2',
    ],
    ['gets parts of a quieter machine', runOf('1', 900, ['peers']), runOf('2', 1000, ['peers']), 'peers 2', '2'],
    [
      'gets parts of one that is about as quiet',
      runOf('1', 1000, ['peers']),
      runOf('2', 960, ['peers']),
      'peers 2',
      '2',
    ],
    [
      'keeps parts of a quieter machine',
      runOf('1', 1000, ['http', 'peers']),
      runOf('2', 940, ['http', 'peers']),
      'http 1, peers 1',
      '1',
    ],
    [
      'begins anew on another processor',
      runOf('1', 1000, ['http', 'peers']),
      runOf('2', 10, ['peers'], 'another'),
      'peers 2',
      '2',
    ],
  ]
  for (const [what, before, run, expected, peers] of table) {
    it(what, () => {
      const merged = mergeRun(parts, before, run)
      assert.deepEqual(datesOf(merged), [expected, peers])
      assert.equal(merged.head, run.head)
    })
  }
})
