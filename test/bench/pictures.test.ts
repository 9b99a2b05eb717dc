/** Pictures and tables from given figures: what they show, not how large the figures are. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { aims, isMissed, reported } from '../../bench/aims.ts'
import { columnsMax, Report, wide } from '../../bench/harness/report.ts'
import { resultsName } from '../../bench/harness/results.ts'
import { placeLabels } from '../../bench/pictures/labels.ts'
import { pictures, writePictures } from '../../bench/pictures/pictures.ts'
import { themes } from '../../bench/pictures/theme.ts'
import { itInAll } from '../support/amount.ts'
import { run, temporaryFolder } from '../support/command.ts'
import { results } from './results.ts'

/** The text in each picture, besides axes. */
const texts: Readonly<Record<string, readonly string[]>> = {
  scenarios: [
    'Card details: 98 % of what this machine can send at most',
    'a batch of 20',
    '75 %',
    '90,000/s',
    'cards in full',
  ],
  peers: ['90,000 requests a second on one core: 1.5 times nginx, 3.0 times node:http', 'this service', 'nginx, files'],
  rates: [
    'At 80,000 requests a second, 999 of 1,000 answers take 2.0 ms at most',
    'this service',
    'limit',
    'the worst',
  ],
  cards: [
    '16 times the cards: card details 2.36, new searches 2.36 times the CPU a request',
    '1.6 m',
    '1,600 MB',
    '1.0 s',
  ],
  swap: ['One new version at 40,000 requests a second: the slowest answer took 7.0 ms', 'resident memory, MB'],
}

const textsIn = (svg: string): string[] =>
  [...svg.matchAll(/<(?:text|tspan)[^>]*>([^<]+)</g)].map(([, text]) => text!.replaceAll('&#39;', "'"))

describe('pictures of a run', () => {
  const folder = temporaryFolder()

  itInAll('are drawn of all that was measured, light and dark', async () => {
    assert.deepEqual(Object.keys(texts), Object.keys(pictures))
    const names = await writePictures(results, folder)
    assert.equal(names.length, Object.keys(pictures).length * themes.length)
    for (const name of names) {
      const svg = readFileSync(join(folder, name), 'utf8')
      const theme = themes.find((theme) => name.endsWith(`-${theme.name}.svg`))!
      assert.match(svg, /^<svg [^>]*width="800" height="\d+" viewBox="0 0 800 \d+"><rect width="800"/)
      assert(svg.includes(`fill="${theme.page}"`) && svg.includes(theme.own), name)
      assert(!/NaN|undefined|Infinity/.test(svg), name)
      const found = textsIn(svg)
      for (const text of texts[name.split('-')[0]!]!) assert(found.includes(text), `${name} lacks ${text}: ${found}`)
    }
  })

  it('mark an aim that is missed', () => {
    const { scenarios } = pictures
    const colours = JSON.stringify(scenarios!(results, themes[0]!))
    assert.match(colours, /"isMissed":true/)
    assert.match(JSON.stringify(scenarios!(results, themes[0]!)), /2 of 3 are held/)
  })

  it('call a peer that is as fast equal', () => {
    const peers = results.peers!.map((peer) => (peer.server === 'nginx, files' ? { ...peer, rate: 91_000 } : peer))
    assert.match(
      JSON.stringify(pictures['peers']!({ ...results, peers }, themes[0]!)),
      /one core: as many as nginx, 3\.0 times/,
    )
  })

  it('are left out of what was not measured', async () => {
    const empty = mkdtempSync(join(folder, 'empty-'))
    assert.deepEqual(await writePictures({ conditions: {} }, empty), [])
    assert.deepEqual(readdirSync(empty), [])
  })

  itInAll('are drawn again by npm run bench:pictures', async () => {
    const again = mkdtempSync(join(folder, 'again-'))
    writeFileSync(join(again, resultsName), JSON.stringify(results))
    const { code } = await run('bench/pictures/main.ts', [again])
    assert.equal(code, 0)
    for (const name of readdirSync(again).filter((name) => name.endsWith('.svg'))) {
      assert.equal(readFileSync(join(again, name), 'utf8'), readFileSync(join(folder, name), 'utf8'))
    }
  })
})

describe('names at the ends of lines', () => {
  it('do not lie over each other, and stay as near as they can', () => {
    const ends = ['one', 'another', 'a third one'].map((text, i) => ({ text, x: 100 + i, y: 50 }))
    const placed = placeLabels([...ends, { text: 'far', x: 300, y: 50 }], 320)
    const heights = placed.map(({ y }) => y)
    assert.equal(new Set(heights.slice(0, 3)).size, 3)
    assert.equal(placed.find(({ text }) => text === 'far')!.y, 45)
  })
})

describe('a table', () => {
  const quietly = (report: Report, columns: Parameters<Report['table']>[0], row: readonly string[]): string => {
    const lines: string[] = []
    const { log } = console
    console.log = (line: string) => void lines.push(line)
    try {
      report.table(columns, [row])
    } finally {
      console.log = log
    }
    return lines.join('\n')
  }
  const columns = ['server', wide('min–max'), 'requests/s']
  const row = ['service', '1–3', '2']

  it('has all its columns where it is kept, and on a terminal those for it', () => {
    const narrow = new Report()
    assert(!quietly(narrow, columns, row).includes('min–max'))
    assert(narrow.markdown.includes('min–max'))
    assert(quietly(new Report(true), columns, row).includes('min–max'))
  })

  it(`has ${columnsMax} columns at most on a terminal`, () => {
    const many = Array.from({ length: columnsMax + 1 }, (_, i) => `c${i}`)
    assert.throws(() => quietly(new Report(), many, many), /9 columns/)
    quietly(new Report(true), many, many)
  })
})

describe('an aim', () => {
  const table = [
    [aims.ofLimit('details'), 0.97, '≥ 0.97'],
    [aims.ofLimit('details'), 0.96, '≥ 0.97 MISSED'],
    [aims.ofLimit('cards-set'), 0.1, '–'],
    [aims.ofOnce('search-new', 4), 0.69, '≥ 0.7 MISSED'],
    [aims.worstMs, 15, '≤ 15'],
    [aims.worstMs, 15.1, '≤ 15 MISSED'],
    [aims.p999ToLimit, Number.NaN, '≤ 1.2 MISSED'],
  ] as const
  for (const [aim, value, text] of table) {
    it(`is shown beside ${value}: ${text}`, () => {
      assert.equal(reported(aim, value), text)
      if (aim !== undefined) assert.equal(isMissed(aim, value), text.endsWith('MISSED'))
    })
  }
})
