/** The reference, the aims, and the pages that cite both say one thing. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Aim, aims, isMissed, reported, scenariosWithAims } from '../../bench/aims.ts'
import { readRun } from '../../bench/harness/runs.ts'

const fileAt = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const textOf = (path: string) => readFileSync(fileAt(path), 'utf8')

const { parts, results } = readRun(fileAt('bench/results/reference'))!
const scenarios = new Map(results.scenarios!.map((scenario) => [scenario.name, scenario]))
const page = textOf('docs/performance.md')

/** The rows of the first table behind a text, without its head. */
function rowsBehind(text: string, start: string): string[][] {
  const from = text.indexOf(start)
  assert.notEqual(from, -1, start)
  const [table] = /(?:^\|.*\n)+/m.exec(text.slice(from))!
  const cells = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
  return table.trim().split('\n').slice(2).map(cells)
}

const numberIn = (cell: string) => Number(/[\d.,]+/.exec(cell)![0].replaceAll(',', ''))
const bound = (aim: Aim) => ('least' in aim ? aim.least : aim.most)

test('The performance page lists each scenario’s aim and measured figure, with a reason for each missed aim', () => {
  const rows = rowsBehind(page, '| scenario | aim | measured |')
  const named = rows.map(([name]) => name!.replaceAll('`', ''))
  assert.deepEqual([...named].sort(), [...scenariosWithAims].sort())
  for (const [i, [, aimed, measured, reason]] of rows.entries()) {
    const name = named[i]!
    const aim = aims.ofLimit(name)!
    const scenario = scenarios.get(name)
    assert.equal(Number(aimed), bound(aim), name)
    assert.equal(measured, scenario === undefined ? 'not yet' : scenario.ratio.toFixed(2), name)
    if (scenario !== undefined && isMissed(aim, scenario.ratio)) assert.notEqual(reason, '', `${name} is missed`)
  }
})

test('The performance page lists every other aim, with a reason for each missed one', () => {
  const others: readonly Aim[] = [
    aims.ofOnce('details', 4)!,
    aims.ofOnce('search-new', 4)!,
    aims.worstMs,
    aims.p999ToLimit,
    aims.threadsToLimit,
    aims.startMs(),
    aims.startMs(16),
    aims.metricsToNone,
    aims.logSampledToNone,
    aims.logToNone,
  ]
  const rows = rowsBehind(page, '| other aims | aim | measured |')
  assert.deepEqual(
    rows.map(([, aim]) => Number(aim)),
    others.map(bound),
  )
  for (const [i, [what, , measured, reason]] of rows.entries())
    if (isMissed(others[i]!, numberIn(measured!))) assert.notEqual(reason, '', `${what} is missed`)
})

test('The verdicts in the reference equal those computed from its figures and the aims', () => {
  const http = parts.find(({ name }) => name === 'http')!
  const rows = rowsBehind(http.text, '| scenario')
  assert.equal(rows.length, scenarios.size)
  for (const row of rows) {
    const { name, ratio, aim } = scenarios.get(row[0]!)!
    const doubt = row[2]!.includes('†') || row[5]!.includes('†') ? ' †' : ''
    assert.equal(row[10], reported(aims.ofLimit(name), ratio, doubt), name)
    assert.equal(aim, aims.ofLimit(name) === undefined ? null : bound(aims.ofLimit(name)!), name)
  }
})

test('The README and the performance page show the rates of the reference run', () => {
  const named = [...page.matchAll(/^\| .* \| [\d,]+ \| [\d.]+ \| ([\d,]+) \| ([\d.]+) \| `--only ([\w-]+)` \|$/gm)]
  assert.ok(named.length >= 5)
  const readme = textOf('README.md')
  for (const [, rate, ratio, name] of named) {
    const scenario = scenarios.get(name!)!
    assert.equal(rate, Math.round(scenario.rate).toLocaleString('en'), name)
    assert.equal(ratio, scenario.ratio.toFixed(2), name)
    if (readme.includes(`| ${rate} |`)) continue
    assert.ok(!['details', 'search-zipf'].includes(name!), `README.md lacks ${rate} of ${name}`)
  }
})

test('The performance page gives the day of a part that was measured on another day than the reference run', () => {
  const day = results.conditions['date']!.slice(0, 10)
  for (const { name, date } of parts) {
    if (date === day) continue
    assert.match(page, /\*Busy\* was\s+measured on 22 November/, name)
    assert.equal(date, '2026-11-22', name)
  }
})
