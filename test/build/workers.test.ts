/** The same snapshot built by one thread and by several, from nothing and over a version: the same bytes, the same words. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { pack, unpack } from 'msgpackr'
import { build } from '../../build/build.ts'
import { cardsJob } from '../../build/compile/cards.ts'
import { rowsJob } from '../../build/compile/history/read.ts'
import { Progress } from '../../build/progress.ts'
import { CardIds } from '../../build/read/card-ids.ts'
import { SnapshotError } from '../../build/read/problems.ts'
import { WorkerPool } from '../../build/workers/pool.ts'
import { dateOfDay, dayOfDate } from '../../src/calendar.ts'
import { Checksum } from '../../src/checksum.ts'
import { gameSlugs } from '../../src/games.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { checkVersion } from '../indexes/checks/version.ts'
import { amount, itInAll } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'
import { copyOf } from '../support/import.ts'
import { drawBelow, drawFrom, randomFrom } from '../support/random.ts'
import { aSet, snapshotOf } from '../support/snapshot.ts'

/** Threads from the first byte on. */
const poolOf = (size: number) => new WorkerPool(size, 0)
type Files = Parameters<typeof snapshotOf>[0]

/** Of which the history is merged by two tasks. */
const manyCards = amount(2060, 2500)
const fewCards = amount(150, 900)
const games = ['pokemon', 'mtg', 'yugioh'] as const
const today = dayOfDate('2026-11-20')

/** Enough cards for several blocks and merges, over several files, of which one is packed. */
function snapshot(
  seed: number,
  cardCount: number,
  change: (files: Record<string, string[]>) => void = () => undefined,
): Files {
  const random = randomFrom(7)
  const prices = randomFrom(seed)
  const lines: Record<string, string[]> = { 'cards/a.ndjson': [], 'cards/b.ndjson': [], 'cards/c.ndjson.gz': [] }
  const names = Object.keys(lines)
  const ids: string[] = []
  for (let i = 0; i < cardCount; i++) {
    const game = drawFrom(random, games)
    const id = `${game}-${i}`
    ids.push(id)
    const market = drawBelow(prices, 100_000) / 100
    const name = `${drawFrom(random, ['Charizard', 'Forest', 'Dunkler Magier', 'Pokémon', 'リザードン'])} ${i % 40}`
    const card = {
      ...{ id, game, name, setCode: `s${i % 9}`, number: `${i % 50}`, rarity: drawFrom(random, ['Rare', null]) },
      ...{
        prices: { market, graded: { psa_10: market } },
        updatedAt: '2026-11-20T06:00:00Z',
        tcgplayerId: 1 + (i % 5000),
      },
      // Of the first file alone there are several blocks.
      image: `https://images.example/${'x'.repeat(3 * i < cardCount ? 1200 : 100)}/${i}`,
    }
    lines[names[Math.floor((i * 3) / cardCount)]!]!.push(JSON.stringify(card))
  }
  const sets = games.flatMap((game) => Array.from({ length: 9 }, (_, i) => ({ ...aSet, game, code: `s${i}` })))
  lines['sets/a.ndjson'] = sets.map((set) => JSON.stringify(set))
  for (let day = today - amount(2, 5); day <= today; day++) {
    // Days overlap between files: of a card's rows of one day the later file's counts.
    for (const [name, share] of [
      [`history/${dateOfDay(day)}.csv`, 3],
      ['history/z-corrections.csv', 40],
    ] as const) {
      lines[name] ??= ['date,id,market,low,high']
      for (const id of [...ids, 'mtg-unknown']) {
        if (drawBelow(prices, share) > 0 === (share === 40)) continue
        lines[name].push(`${dateOfDay(day)},${id},${drawBelow(prices, 1000)},1,`)
      }
    }
  }
  change(lines)
  return Object.fromEntries(
    Object.entries(lines).map(([name, all]) => {
      const text = `${all.join('\n')}\n`
      return [name, name.endsWith('.gz') ? gzipSync(text) : text]
    }),
  )
}

/** The contents of a version's files, by checksum, but for the time at which it was built. */
function contentOf(indexDir: string, version: string): Record<string, string> {
  const folder = join(indexDir, version)
  const names = readdirSync(folder).filter((name) => name.endsWith('.msgpack'))
  return Object.fromEntries(
    names.map((name) => [name, new Checksum().add(readFileSync(join(folder, name))).end().sha256]),
  )
}

async function built(snapshot: string, indexDir: string, size: number) {
  const { manifest, history } = await build(snapshot, indexDir, new Progress(), { pool: poolOf(size) })
  checkVersion(await loadVersion(indexDir, manifest.version))
  return { version: manifest.version, content: contentOf(indexDir, manifest.version), history, indexDir }
}

describe('a snapshot', { timeout: 120_000 }, () => {
  const [alone, several] = [1, amount(2, 3)]
  /** The cards of `first` at other prices. */
  const nextOf = (count: number) => [snapshotOf(snapshot(1, count)), snapshotOf(snapshot(2, count))] as const
  const moved = () =>
    snapshotOf(
      snapshot(3, manyCards, (lines) => {
        // A card less, one that changes its name, a set that changes its.
        lines['cards/b.ndjson']!.splice(100, 1)
        lines['cards/a.ndjson']![5] = lines['cards/a.ndjson']![5]!.replace(/"name":"[^"]*"/, '"name":"Another"')
        lines['sets/a.ndjson']![3] = lines['sets/a.ndjson']![3]!.replace('Base Set', 'Another Set')
      }),
    )
  type Built = Awaited<ReturnType<typeof built>>
  const checkSame = (now: Built, expected: Built, size: number) => {
    assert.equal(now.version, expected.version, `${size} threads`)
    assert.deepEqual(Object.keys(now.content), Object.keys(expected.content))
    for (const [name, bytes] of Object.entries(expected.content)) {
      assert.ok(now.content[name] === bytes, `${name} by ${size} threads`)
    }
    assert.equal(now.history.rows, expected.history.rows)
    assert.equal(now.history.dropped, expected.history.dropped)
  }

  itInAll(
    'of other cards comes to the same version by one thread and by several, over the one before too',
    async () => {
      const [first, then] = [snapshotOf(snapshot(1, manyCards)), moved()]
      const before = await built(first, temporaryFolder(), alone)
      const expected = await built(then, temporaryFolder(), alone)
      for (const size of [several, alone].slice(0, amount(1, 2))) {
        checkSame(await built(then, copyOf(before.indexDir), size), expected, size)
      }
    },
  )

  it('of other prices comes to the same version by one thread and by several, over the one before too', async () => {
    const [first, then] = nextOf(fewCards)
    const before = await built(first, temporaryFolder(), alone)
    const expected = await built(then, temporaryFolder(), alone)
    for (const size of [several, alone].slice(0, amount(1, 2))) {
      checkSame(await built(then, copyOf(before.indexDir), size), expected, size)
    }
  })

  itInAll('comes to the same version by one thread and by several, from nothing and over any version', async () => {
    const [first, next] = nextOf(manyCards)
    const then = moved()
    const anew = new Map<string, Built>()
    for (const files of [first, next, then]) anew.set(files, await built(files, temporaryFolder(), alone))
    for (const size of [several, alone]) {
      const indexDir = temporaryFolder()
      for (const files of [first, next, then]) {
        checkSame(await built(files, indexDir, size), anew.get(files)!, size)
      }
    }
  })
})

it('a version names its files in one order, on which its own name depends', async () => {
  const { manifest } = await build(snapshotOf(snapshot(1, fewCards)), temporaryFolder(), new Progress())
  const names = manifest.files.map(({ name }) => name.replace('.msgpack', ''))
  const expected = [
    'cards-000',
    'ids',
    'catalog',
    'search',
    'lists',
    ...gameSlugs.map((game) => `bulk-${game}`),
    'history-000',
    'changes',
  ]
  assert.deepEqual(names, expected)
})

describe('a version before', { timeout: 300_000 }, () => {
  it('is no help where a file of it is damaged, or if another compiler wrote the build cache', async () => {
    // Another day of the same cards: names, numbers and order are the same.
    const [before, after] = [snapshotOf(snapshot(1, fewCards)), snapshotOf(snapshot(2, fewCards))]
    const expected = await built(after, temporaryFolder(), 1)
    const base = await built(before, temporaryFolder(), 1)
    const damages: readonly (readonly [what: string, damage: (indexDir: string, version: string) => void])[] = [
      ...['search', 'lists', 'cards-000', 'history-000'].map((name) => {
        const flip = (indexDir: string, version: string) => {
          const path = join(indexDir, version, `${name}.msgpack`)
          const bytes = readFileSync(path)
          bytes[bytes.length - 100]! ^= 1
          writeFileSync(path, bytes)
        }
        return [name, flip] as const
      }),
      [
        'an order that has a card twice',
        (indexDir) => {
          const path = join(indexDir, 'build.msgpack')
          const cache = unpack(readFileSync(path)) as { order: Uint8Array }
          writeFileSync(path, pack({ ...cache, order: Buffer.alloc(cache.order.length) }))
        },
      ],
      ...['search', 'history-000'].map((name) => {
        // Its manifest fits; only the build cache shows that another compiler made it.
        const replace = (indexDir: string, version: string) => {
          const folder = join(indexDir, version)
          const bytes = readFileSync(join(folder, `${name}.msgpack`))
          bytes[bytes.length - 100]! ^= 1
          writeFileSync(join(folder, `${name}.msgpack`), bytes)
          const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
          const entry = manifest.files.find((file: { name: string }) => file.name === `${name}.msgpack`)
          Object.assign(entry, new Checksum().add(bytes).end())
          writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest))
          const path = join(indexDir, 'build.msgpack')
          const cache = unpack(readFileSync(path)) as { compiler: string }
          writeFileSync(path, pack({ ...cache, compiler: cache.compiler.replaceAll(/./g, '0') }))
        }
        return [`another compiler’s ${name}`, replace] as const
      }),
    ]
    for (const [what, damage] of damages) {
      const indexDir = copyOf(base.indexDir)
      damage(indexDir, base.version)
      const now = await built(after, indexDir, amount(1, 2))
      assert.equal(now.version, expected.version, what)
    }
  })
})

describe('what is wrong with a snapshot', { timeout: 120_000 }, () => {
  const wrong = snapshot(1, fewCards, (lines) => {
    const break_ = (name: string, at: number, line: string) => {
      lines[name]![at] = line
    }
    const copyOf = (name: string, at: number) => lines[name]![at]!
    lines['sets/a.ndjson']!.push('[]')
    break_('cards/a.ndjson', 290, '{')
    break_('cards/a.ndjson', 17, copyOf('cards/a.ndjson', 16).replace(/"setCode":"/, '"setCode":"no'))
    break_('cards/b.ndjson', 10, copyOf('cards/a.ndjson', 40))
    break_('cards/b.ndjson', 11, copyOf('cards/a.ndjson', 41).replace(/"setCode":"/, '"setCode":"no'))
    break_('cards/b.ndjson', 12, copyOf('cards/b.ndjson', 13).replace('"name":"', '"name":7,"x":"'))
    for (let at = 20; at < 26; at++) break_('cards/c.ndjson.gz', at, copyOf('cards/a.ndjson', at))
    for (const day of [0, 2]) break_(`history/${dateOfDay(today - day)}.csv`, 3, 'x')
    lines['history/z-corrections.csv']!.push(lines['history/z-corrections.csv']![1]!)
  })

  it('is reported in the same words and in the same order, by any worker', async () => {
    const reported: (readonly string[])[] = []
    for (const size of [1, amount(2, 3)]) {
      const indexDir = temporaryFolder()
      await assert.rejects(build(snapshotOf(wrong), indexDir, new Progress(), { pool: poolOf(size) }), (error) => {
        assert.ok(error instanceof SnapshotError)
        reported.push(error.lines)
        return true
      })
      assert.deepEqual(readdirSync(indexDir), ['.lock.db'])
    }
    const [alone, ...others] = reported
    const places = alone!.slice(0, -1).map((line) => line.slice(0, line.indexOf(': ', line.indexOf(':'))))
    assert.deepEqual(places.slice(0, 8), [
      'sets/a.ndjson:28',
      ...['cards/a.ndjson:18', 'cards/a.ndjson:18', 'cards/a.ndjson:291'],
      ...['cards/b.ndjson:11', 'cards/b.ndjson:12', 'cards/b.ndjson:12', 'cards/b.ndjson:13'],
    ])
    assert.match(alone!.at(-1)!, /^\d+ problems/)
    for (const other of others) assert.deepEqual(other, alone)
  })
})

describe('a thread that fails', { timeout: 300_000 }, () => {
  const [first, second] = [1, 2].map((day) => snapshotOf(snapshot(day, fewCards))) as [string, string]
  const fails: readonly (readonly [message: RegExp, fail: (pool: WorkerPool) => Promise<unknown>])[] = [
    // No task can be this: it throws in the thread, which then ends.
    [
      /^a thread of the build failed: .+$/,
      (pool) => assert.rejects(pool.run(cardsJob, { file: 'x', line: 1, bytes: null as unknown as Uint8Array })),
    ],
    [/^a thread of the build ended$/, (pool) => pool.close()],
  ]
  for (const [message, fail] of fails) {
    it(`ends the build with one line, and nothing is published: ${message.source}`, async () => {
      const indexDir = temporaryFolder()
      const before = (await built(first, indexDir, 1)).version
      const pool = poolOf(2)
      pool.expect(1)
      pool.prepare(cardsJob, { sets: [], texts: { descriptor: -1, pages: new Int32Array(1) }, currency: null })
      await fail(pool)
      await assert.rejects(build(second, indexDir, new Progress(), { pool }), { message })
      assert.equal(readFileSync(join(indexDir, 'current'), 'utf8').trim(), before)
      assert.deepEqual(
        readdirSync(indexDir).filter((name) => name.startsWith('.')),
        ['.lock.db'],
      )
    })
  }

  it('ends all tasks, those that others do and those that wait, with what failed first', async () => {
    const path = join(temporaryFolder(), 'pipe')
    execFileSync('mkfifo', [path])
    const pool = poolOf(2)
    pool.expect(1)
    pool.prepare(rowsJob, CardIds.ofTexts(['pokemon-1']).memory)
    // A packed file is streamed without a look at what it is: as a build lists files, it is plain.
    const pipe = { name: 'history/a.csv.gz', path, bytes: 1, mtimeMs: 0, ctimeMs: 0 }
    const endless = [{ file: pipe, from: 0 }]
    try {
      const tasks = [null as unknown as typeof endless, endless, endless].map((task) => pool.run(rowsJob, task))
      const failed = { message: /^a thread of the build failed: / }
      for (const task of tasks) await assert.rejects(task, failed)
      await pool.close()
      await assert.rejects(pool.run(rowsJob, endless), failed)
    } finally {
      // A reader of the pipe finds its end.
      closeSync(openSync(path, 'r+'))
    }
  })
})
