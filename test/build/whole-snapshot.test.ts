/** Snapshots that are right line by line and wrong as a whole; what an operator does then: --force, rollback, npm start. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type BuildOptions, type BuildResult, build } from '../../build/build.ts'
import { Progress } from '../../build/progress.ts'
import { SnapshotError } from '../../build/read/problems.ts'
import { reportOf } from '../../build/report.ts'
import { dateOfDay, dayOfDate } from '../../src/calendar.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { isVersionName } from '../../src/indexes/manifest.ts'
import { publishedVersions } from '../../src/indexes/publish/versions.ts'
import { build as buildCommand, collect, projectDir, run, start, temporaryFolder } from '../support/command.ts'
import { send } from '../support/service.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'

const cardsAt = (game: string, prices: readonly (number | null)[]) =>
  prices.map((market, i) => ({ ...aCard, id: `${game}-base1-${i}`, game, prices: { market } }))

const cards = (game: string, count: number, price = 1) => cardsAt(game, new Array<number>(count).fill(price))

/** So many cards of each of two games, and their sets. */
const snapshotWith = (pokemon: number, mtg: number, price = 1) =>
  snapshotOf({
    'sets/a.ndjson': [aSet, { ...aSet, game: 'mtg' }],
    'cards/pokemon.ndjson': cards('pokemon', pokemon, price),
    'cards/mtg.ndjson': cards('mtg', mtg, price),
  })

const compile = (snapshot: string, indexDir: string, options?: BuildOptions): Promise<BuildResult> =>
  build(snapshot, indexDir, new Progress(), options)

async function refused(snapshot: string, indexDir: string, options?: BuildOptions): Promise<string> {
  try {
    await compile(snapshot, indexDir, options)
  } catch (error) {
    assert.ok(error instanceof SnapshotError)
    assert.equal(error.lines.length, 1, 'one line')
    return error.lines[0]!
  }
  return 'published'
}

const currentOf = (indexDir: string) => readFileSync(join(indexDir, 'current'), 'utf8').trim()

const offer = ' (--force publishes it all the same)'
const fewer = 'more than a tenth fewer cards than in the current version:'

describe('a snapshot', () => {
  // Of pokemon and mtg: the current version's cards, the snapshot's, and what is said.
  const cases: readonly (readonly [before: readonly [number, number], now: readonly [number, number], said: string])[] =
    [
      [[100, 50], [90, 50], 'published'],
      [[100, 50], [89, 50], `${fewer} pokemon 89 of 100; nothing was published${offer}`],
      [[100, 900], [89, 2000], `${fewer} pokemon 89 of 100; nothing was published${offer}`],
      [[99, 900], [1, 900], 'published'],
      [[100, 900], [0, 1000], `${fewer} pokemon 0 of 100; nothing was published${offer}`],
      [[50, 50], [45, 45], 'published'],
      [[50, 50], [45, 44], `${fewer} all games 89 of 100; nothing was published${offer}`],
      [[1200, 100], [100, 100], `${fewer} pokemon 100 of 1,200, all games 200 of 1,300; nothing was published${offer}`],
      [[10, 0], [9, 0], 'published'],
      [[10, 0], [8, 0], `${fewer} all games 8 of 10; nothing was published${offer}`],
      [[0, 0], [10, 0], 'published'],
    ]
  for (const [before, now, said] of cases) {
    it(`of ${now.join(' and ')} cards after one of ${before.join(' and ')}: ${said.slice(0, 90)}`, async () => {
      const indexDir = temporaryFolder()
      if (before[0] + before[1] > 0) await compile(snapshotWith(...before), indexDir)
      const left = readdirSync(indexDir)
      const snapshot = snapshotWith(...now)
      assert.equal(await refused(snapshot, indexDir), said)
      if (said === 'published') return
      assert.deepEqual(readdirSync(indexDir), left, 'nothing is published, nothing is left lying')
      const { manifest } = await compile(snapshot, indexDir, { force: true })
      assert.equal(currentOf(indexDir), manifest.version)
    })
  }

  const empty: readonly (readonly [what: string, remove: readonly string[], said: string])[] = [
    ['cards', ['cards'], 'the snapshot has 0 cards, the current version 150; nothing was published'],
    ['sets', ['sets'], 'the snapshot has 0 sets, the current version 2; nothing was published'],
    ['files', ['cards', 'sets'], 'the snapshot has 0 cards, the current version 150; nothing was published'],
    [
      'a card',
      ['cards/pokemon.ndjson', 'cards/mtg.ndjson'],
      'the snapshot has 0 cards, the current version 150; nothing was published',
    ],
  ]
  for (const [what, remove, said] of empty) {
    it(`without ${what} is not published, by force neither`, async () => {
      const indexDir = temporaryFolder()
      await compile(snapshotWith(100, 50), indexDir)
      const before = currentOf(indexDir)
      const snapshot = snapshotWith(100, 50)
      for (const name of remove) rmSync(join(snapshot, name), { recursive: true })
      for (const options of [{}, { force: true }]) assert.equal(await refused(snapshot, indexDir, options), said)
      assert.equal(currentOf(indexDir), before)
      assert.match(
        await refused(snapshot, temporaryFolder()),
        /^the snapshot has 0 (cards|sets); nothing was published$/,
      )
    })
  }

  const unpriced = 'more than a tenth of the cards with a market price in the current version have none now:'
  const fallen = 'more than half of the market prices are below half of those in the current version:'
  const risen = 'more than half of the market prices are above twice those in the current version:'
  /** So many cards at each of some prices. */
  type Priced = readonly (readonly [count: number, price: number | null])[]
  const priceCases: readonly (readonly [before: Priced, now: Priced, mtgNow: number, said: string])[] = [
    [
      [[100, 1]],
      [
        [90, 1],
        [10, null],
      ],
      1,
      'published',
    ],
    [
      [[100, 1]],
      [
        [89, 1],
        [11, null],
      ],
      1,
      `${unpriced} pokemon 11 of 100`,
    ],
    [
      [[100, 1]],
      [
        [50, 1],
        [50, null],
      ],
      1,
      `${unpriced} pokemon 50 of 100, all games 50 of 300`,
    ],
    // What had none, has one, or is gone counts on neither side.
    [
      [
        [50, 1],
        [50, null],
      ],
      [
        [45, 1],
        [5, null],
        [50, 1],
      ],
      1,
      'published',
    ],
    [
      [
        [50, 1],
        [50, null],
      ],
      [
        [44, 1],
        [6, null],
        [50, 1],
      ],
      1,
      `${unpriced} pokemon 6 of 50`,
    ],
    [[[99, 1]], [[89, 1]], 1, 'published'],
    [[[99, 1]], [[99, null]], 1, `${unpriced} all games 99 of 299`],
    [
      [[99, 1]],
      [
        [79, 1],
        [20, null],
      ],
      1,
      'published',
    ],
    // A price of 0 is one.
    [[[100, 0]], [[100, 0]], 1, 'published'],
    [[[100, 0]], [[100, 0.01]], 1, `${risen} pokemon 100 of 100`],
    [[[100, 1]], [[100, 0]], 1, `${fallen} pokemon 100 of 100`],
    // Exactly a half, exactly twice, exactly as many as the others.
    [[[100, 1]], [[100, 0.5]], 1, 'published'],
    [
      [[100, 1]],
      [
        [51, 0.49],
        [49, 1],
      ],
      1,
      `${fallen} pokemon 51 of 100`,
    ],
    [
      [[100, 1]],
      [
        [50, 0.49],
        [50, 1],
      ],
      1,
      'published',
    ],
    [[[100, 1]], [[100, 2]], 1, 'published'],
    [
      [[100, 1]],
      [
        [51, 2.01],
        [49, 1],
      ],
      1,
      `${risen} pokemon 51 of 100`,
    ],
    [
      [[100, 1]],
      [
        [50, 2.01],
        [50, 1],
      ],
      1,
      'published',
    ],
    [
      [[100, 1]],
      [
        [46, 2.01],
        [44, 1],
        [10, null],
      ],
      1,
      `${risen} pokemon 46 of 90`,
    ],
    [
      [[100, 1]],
      [
        [46, 0.49],
        [44, 1],
        [10, null],
      ],
      1,
      `${fallen} pokemon 46 of 90`,
    ],
    [[[99, 1]], [[99, 1000]], 1, 'published'],
    [[[99, 1]], [[99, 1000]], 1000, `${risen} mtg 200 of 200, all games 299 of 299`],
    [
      [[100, 1]],
      [
        [11, null],
        [89, 1000],
      ],
      1,
      `${unpriced} pokemon 11 of 100; ${risen} pokemon 89 of 89`,
    ],
  ]
  const priced = (prices: Priced) => prices.flatMap(([count, price]) => new Array<number | null>(count).fill(price))
  for (const [before, now, mtgNow, said] of priceCases) {
    it(`with the prices ${JSON.stringify(now)} and ${mtgNow} after ${JSON.stringify(before)}: ${said}`, async () => {
      const snapshot = (pokemon: Priced, mtg: number) =>
        snapshotOf({
          'sets/a.ndjson': [aSet, { ...aSet, game: 'mtg' }],
          'cards/pokemon.ndjson': cardsAt('pokemon', priced(pokemon)),
          'cards/mtg.ndjson': cards('mtg', 200, mtg),
        })
      const indexDir = temporaryFolder()
      const first = (await compile(snapshot(before, 1), indexDir)).manifest.version
      const last = snapshot(now, mtgNow)
      const expected = said === 'published' ? said : `${said}; nothing was published${offer}`
      assert.equal(await refused(last, indexDir), expected)
      if (said === 'published') return
      assert.equal(currentOf(indexDir), first)
      // Whatever is known of the version: it may be another compiler's, and cards may have come.
      rmSync(join(indexDir, 'build.msgpack'))
      assert.equal(await refused(last, indexDir), expected)
      const { manifest } = await compile(last, indexDir, { force: true })
      assert.equal(currentOf(indexDir), manifest.version)
    })
  }

  it('of which cards came and went is compared card by card', async () => {
    const indexDir = temporaryFolder()
    const snapshot = (first: number, price: (i: number) => number) =>
      snapshotOf({
        'sets/a.ndjson': [aSet],
        'cards/a.ndjson': Array.from({ length: 100 }, (_, i) => {
          const name = `Card ${(first + i) % 7}`
          return { ...aCard, id: `pokemon-${first + i}`, name, prices: { market: price(first + i) } }
        }),
      })
    await compile(
      snapshot(0, (i) => 1 + i),
      indexDir,
    )
    assert.equal(
      await refused(
        snapshot(5, (i) => 2 + 2 * i),
        indexDir,
      ),
      'published',
      'twice as much each',
    )
    const wrong = `${fallen} pokemon 90 of 90, all games 90 of 90; nothing was published${offer}`
    assert.equal(
      await refused(
        snapshot(15, (i) => 0.5 + 0.5 * i),
        indexDir,
      ),
      wrong,
    )
  })

  it('is compared with the version in use, not with the newest', async () => {
    const indexDir = temporaryFolder()
    const large = (await compile(snapshotWith(200, 0), indexDir)).manifest.version
    await compile(snapshotWith(100, 0), indexDir, { force: true })
    assert.equal(await refused(snapshotWith(99, 0), indexDir), 'published')
    writeFileSync(join(indexDir, 'current'), `${large}\n`)
    assert.match(await refused(snapshotWith(98, 0), indexDir), /pokemon 98 of 200/)
  })

  it('of which only the history changed is compared too', async () => {
    const indexDir = temporaryFolder()
    const snapshot = snapshotWith(100, 0)
    const small = (await compile(snapshot, indexDir)).manifest.version
    await compile(snapshotWith(200, 0), indexDir)
    const large = currentOf(indexDir)
    writeFileSync(join(indexDir, 'current'), `${small}\n`)
    await compile(snapshot, indexDir)
    writeFileSync(join(indexDir, 'current'), `${large}\n`)
    assert.match(await refused(snapshot, indexDir), /pokemon 100 of 200/)
  })

  it('is published, and the report says so, when the current version can’t be read', async () => {
    for (const damage of [
      (dir: string) => writeFileSync(join(dir, 'current'), 'nonsense\n'),
      (dir: string) => writeFileSync(join(dir, 'current'), '2026-11-20-0123456789ab\n'),
      (dir: string) => writeFileSync(join(dir, currentOf(dir), 'lists.msgpack'), 'damaged'),
      (dir: string) => writeFileSync(join(dir, currentOf(dir), 'cards-000.msgpack'), 'damaged'),
    ]) {
      const indexDir = temporaryFolder()
      await compile(snapshotWith(100, 0), indexDir)
      damage(indexDir)
      const result = await compile(snapshotWith(10, 0), indexDir)
      assert.match(reportOf(result), /^warning +not compared with: .+$/m)
      assert.doesNotMatch(reportOf(await compile(snapshotWith(10, 0), indexDir)), /warning/)
    }
  })
})

it('the newest date is warned of when it is after tomorrow', async () => {
  const today = '2026-11-20'
  for (const [days, warned] of [
    [0, false],
    [1, false],
    [2, true],
    [4000, true],
  ] as const) {
    const date = dateOfDay(dayOfDate(today) + days)
    const history = `date,id,market,low,high\n${date},${aCard.id},1,1,1\n`
    const line = `warning       the newest date, ${date}, is after tomorrow, and every history window ends there`
    for (const files of [
      { 'history/a.csv': history },
      { 'cards/a.ndjson': [{ ...aCard, updatedAt: `${date}T23:59:59Z` }] },
    ]) {
      const snapshot = snapshotOf({ 'sets/a.ndjson': [aSet], 'cards/a.ndjson': [aCard], ...files })
      const report = reportOf(await compile(snapshot, temporaryFolder()), today)
      assert.deepEqual(
        report.split('\n').filter((row) => row.startsWith('warning')),
        warned ? [line] : [],
      )
    }
  }
})

it('with a clock that is set back, the version just published is kept, beside the last three', async () => {
  const indexDir = temporaryFolder()
  const future: string[] = []
  for (const price of [1, 2, 3]) {
    const { manifest } = await compile(snapshotWith(2, 1, price), indexDir)
    future.push(manifest.version)
    const later = { ...manifest, builtAt: `2099-01-0${price}T00:00:00.000Z` }
    writeFileSync(join(indexDir, manifest.version, 'manifest.json'), JSON.stringify(later))
  }
  const { version } = (await compile(snapshotWith(2, 1, 4), indexDir)).manifest
  assert.equal(currentOf(indexDir), version)
  assert.deepEqual(readdirSync(indexDir).filter(isVersionName).sort(), [...future, version].sort())
  assert.equal((await loadVersion(indexDir, version)).manifest.version, version)
})

it('a version that is published again is the last published one', async () => {
  const indexDir = temporaryFolder()
  const versions: string[] = []
  for (const price of [2, 3, 2, 4]) versions.push((await compile(snapshotWith(2, 1, price), indexDir)).manifest.version)
  assert.equal(versions[0], versions[2], 'the same snapshot')
  const published = (await publishedVersions(indexDir)).map((manifest) => manifest.version)
  assert.deepEqual(published, [versions[3], versions[2], versions[1]])
  await compile(snapshotWith(2, 1, 5), indexDir)
  assert.ok(!existsSync(join(indexDir, versions[1]!)), 'the one published longest ago goes')
  assert.ok(existsSync(join(indexDir, versions[0]!)))
})

it('rollback --list shows each version, the last published first, and takes no version', {
  timeout: 60_000,
}, async () => {
  const indexDir = temporaryFolder()
  const list = (...args: string[]) => run('build/rollback.ts', ['--list', ...args], { INDEX_DIR: indexDir })
  const none = await list()
  assert.deepEqual([none.code, none.stdout, none.stderr], [1, '', `no version is published in ${indexDir} yet\n`])
  const published: BuildResult['manifest'][] = []
  for (const price of [1, 2, 3])
    published.push((await compile(snapshotWith(1100 + price, 0, price), indexDir)).manifest)
  writeFileSync(join(indexDir, 'current'), `${published[1]!.version}\n`)
  const { code, stdout } = await list()
  assert.equal(code, 0)
  const [head, ...rows] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/))
  assert.deepEqual(head, ['version', 'as of', 'cards', 'published'])
  assert.deepEqual(
    rows,
    published
      .toReversed()
      .map(({ version, asOf, counts, builtAt }) => [
        version,
        asOf ?? 'unknown',
        counts.cards.toLocaleString('en'),
        `${builtAt.slice(0, 19).replace('T', ' ')} UTC`,
        ...(version === published[1]!.version ? ['current'] : []),
      ]),
  )
  const wrong = await list(published[0]!.version)
  assert.equal(wrong.code, 2)
  assert.match(wrong.stderr, /--list.*\n\nUsage: npm run rollback/)
  assert.equal(currentOf(indexDir), published[1]!.version)
})

it('--force is a flag of the command', { timeout: 60_000 }, async () => {
  const indexDir = temporaryFolder()
  await compile(snapshotWith(100, 0), indexDir)
  const snapshot = snapshotWith(50, 0)
  const without = await buildCommand(snapshot, indexDir)
  assert.deepEqual([without.code, without.stdout], [1, ''])
  assert.equal(without.stderr, `${fewer} pokemon 50 of 100, all games 50 of 100; nothing was published${offer}\n`)
  const { code, stderr } = await run('build/main.ts', ['--snapshots', snapshot, '--out', indexDir, '--force'])
  assert.equal(code, 0, stderr)
})

describe('npm start', { timeout: 120_000 }, () => {
  /** Another project's folder, so that its snapshots are no others' concern. */
  function projectFolder(): string {
    const folder = temporaryFolder()
    symlinkSync(join(projectDir, 'node_modules'), join(folder, 'node_modules'))
    return folder
  }

  async function startIn(folder: string, env: NodeJS.ProcessEnv) {
    const child = start(join(projectDir, 'build/start.ts'), [], { PORT: '0', ...env }, folder)
    const output = collect(child)
    const ended = once(child, 'close') as Promise<[number | null]>
    const listening = new Promise<string>((resolve) => {
      child.stdout!.on('data', () => {
        const match = /^listening on (\S+)$/m.exec(output.stdout())
        if (match !== null) resolve(match[1]!)
      })
    })
    const address = await Promise.race([listening, ended.then(() => undefined)])
    const health = address && (await send(address, '/healthz')).json
    child.kill('SIGTERM')
    const [code] = await ended
    return { code, health, ...{ stdout: output.stdout(), stderr: output.stderr() } }
  }

  it('serves the version that is there when the snapshot is refused, and exits 1 when there is none', async () => {
    const folder = projectFolder()
    const dirs = { INDEX_DIR: join(folder, 'indexes'), STORE_DIR: join(folder, 'store') }
    const snapshots = join(folder, 'snapshots')
    cpSync(snapshotOf({ 'sets/a.ndjson': [aSet], 'cards/a.ndjson': [{ ...aCard, name: 7 }] }), snapshots, {
      recursive: true,
    })
    const none = await startIn(folder, dirs)
    assert.equal(none.code, 1)
    assert.match(none.stderr, /^cards\/a\.ndjson:1: name: must be a string \(7\)\n1 problem; nothing was published$/m)
    assert.equal(existsSync(dirs.STORE_DIR), false)

    const { manifest } = await compile(snapshotWith(100, 0), dirs.INDEX_DIR)
    snapshotOf({ 'cards/a.ndjson': [{ ...aCard, name: 8 }] }, snapshots)
    const served = await startIn(folder, dirs)
    assert.equal(served.code, 0, served.stderr)
    assert.equal(served.health.version, manifest.version)
    assert.match(
      served.stderr,
      /name: must be a string \(8\)\n1 problem; nothing was published\nthe version that is there/,
    )
  })

  it('builds what came with an old time of change', async () => {
    const folder = projectFolder()
    const dirs = { INDEX_DIR: join(folder, 'indexes'), STORE_DIR: join(folder, 'store') }
    const first = (await compile(snapshotWith(10, 0), dirs.INDEX_DIR)).manifest.version
    const [source, snapshots] = [snapshotWith(20, 0), join(folder, 'snapshots')]
    cpSync(source, snapshots, { recursive: true })
    const old = new Date('2020-01-01')
    for (const name of ['sets', 'cards']) {
      for (const file of readdirSync(join(snapshots, name))) utimesSync(join(snapshots, name, file), old, old)
      utimesSync(join(snapshots, name), old, old)
    }
    const { health, stderr } = await startIn(folder, dirs)
    assert.ok(health, stderr)
    assert.notEqual(health.version, first)
    assert.equal(health.cards, 20)
  })

  it('builds what an import was putting in place when it was killed', async () => {
    const folder = projectFolder()
    const dirs = { INDEX_DIR: join(folder, 'indexes'), STORE_DIR: join(folder, 'store') }
    const snapshots = join(folder, 'snapshots')
    cpSync(snapshotWith(10, 0), snapshots, { recursive: true })
    await compile(snapshots, dirs.INDEX_DIR)
    const stage = 'import/.staging-1'
    cpSync(join(snapshotWith(20, 0), 'cards'), join(snapshots, stage, 'cards'), { recursive: true })
    const files = readdirSync(join(snapshots, stage, 'cards')).map((name) => `cards/${name}`)
    writeFileSync(join(snapshots, 'import/.journal'), JSON.stringify({ stage, files, removed: [] }))
    const { health, stderr } = await startIn(folder, dirs)
    assert.ok(health, stderr)
    assert.equal(health.cards, 20)
  })

  it('builds when about.json came, or went', async () => {
    const folder = projectFolder()
    const dirs = { INDEX_DIR: join(folder, 'indexes'), STORE_DIR: join(folder, 'store') }
    const snapshots = join(folder, 'snapshots')
    cpSync(snapshotWith(10, 0), snapshots, { recursive: true })
    const first = (await compile(snapshots, dirs.INDEX_DIR)).manifest.version
    writeFileSync(join(snapshots, 'about.json'), '{"currency":"EUR"}')
    const came = await startIn(folder, dirs)
    assert.equal(came.health.currency, 'EUR', came.stderr)
    rmSync(join(snapshots, 'about.json'))
    const went = await startIn(folder, dirs)
    assert.deepEqual([went.health.version, went.health.currency], [first, undefined], went.stderr)
  })
})

it('a compiler with other sources compiles all anew, to the same version', { timeout: 120_000 }, async () => {
  const copy = temporaryFolder()
  for (const name of ['build', 'src', 'package.json', 'tsconfig.json']) {
    cpSync(join(projectDir, name), join(copy, name), { recursive: true })
  }
  symlinkSync(join(projectDir, 'node_modules'), join(copy, 'node_modules'))
  const [snapshot, indexDir] = [snapshotWith(20, 20), temporaryFolder()]
  const compileThere = async (cwd: string) => {
    const args = ['--snapshots', snapshot, '--out', indexDir]
    const child = start(join(copy, 'build/main.ts'), args, {}, cwd)
    const output = collect(child)
    const [code] = await once(child, 'close')
    assert.equal(code, 0, output.stderr())
    return {
      version: /^version +(\S+)$/m.exec(output.stdout())![1],
      unchanged: /^cards .*\(unchanged\)$/m.test(output.stdout()),
    }
  }
  const { version, unchanged } = await compileThere(copy)
  assert.equal(unchanged, false)
  assert.deepEqual(await compileThere(projectDir), { version, unchanged: true })
  for (const file of ['build/compile/cards.ts', 'src/search/fold.ts']) {
    const path = join(copy, file)
    writeFileSync(path, `// Another compiler.\n${readFileSync(path, 'utf8')}`)
    assert.deepEqual(await compileThere(copy), { version, unchanged: false }, file)
  }
})
