/** card-prices update: from sources to a version, each step only if the one before found something new. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fetchCommand } from '../../build/fetch/fetch-command.ts'
import { exitCodeOf, mirrorOf, sumOf, type UpdateResult, update } from '../../build/update/update.ts'
import { updateCommand } from '../../build/update/update-command.ts'
import { lastUpdatesFile, readLastUpdates, readUpdatesOfServer } from '../../src/last-updates.ts'
import { amount } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'
import { breaking, replying } from '../support/file-server.ts'
import { groupsOf } from '../support/mirror.ts'
import { mountDisk, skipWithoutMounting } from '../support/programs.ts'
import { chosenOf } from './fetching.ts'
import { mirrorGroups } from './mirror-groups.ts'
import { fewGroups, nextStamp, PublicSource, tcgcsvFiles } from './public-source.ts'

const groups = fewGroups(2)

/** All prices of a file ten times what they are. */
const dearer = (text: string): string =>
  text.replace(/(Price":)(\d+(\.\d+)?)/g, (_, name, price) => `${name}${Number((price * 10).toFixed(2))}`)

const failuresOf = ({ failures }: UpdateResult) => failures.map(({ step, lines }) => `${step}: ${lines[0]}`)

describe('an update', () => {
  const [snapshots, indexDir] = [temporaryFolder(), temporaryFolder()]
  const current = () => readFileSync(join(indexDir, 'current'), 'utf8').trim()
  const last = () => readLastUpdates(snapshots)['tcgcsv']!
  let source: PublicSource

  it('fetches, imports and builds', async () => {
    source = await PublicSource.start(tcgcsvFiles(groups, '2026-11-10T20:05:31+0000'))
    const result = await update([chosenOf('tcgcsv', source)], snapshots, indexDir)
    assert.deepEqual(failuresOf(result), [])
    assert.equal(result.version, current())
    assert.equal(result.runs[0]!.isFirst, true)
    const { success, error, day, counts, version, requests, missingDays } = last()
    assert.deepEqual([success, error, day, version], [true, null, '2026-11-10', current()])
    assert.ok(counts!.cards > 10 && counts!.prices > 10)
    assert.deepEqual([requests, missingDays], [source.asked.length, []])
    assert.deepEqual(await readUpdatesOfServer(indexDir), readLastUpdates(snapshots))
  })

  it('counts all cards once, though each file of a source is an import of its own', async () => {
    const [guides, index] = [temporaryFolder(), temporaryFolder()]
    const token = 'a'.repeat(40)
    const guide = (slug: string, row: string): [string, string] => [
      `/price-guide/download-custom?t=${token}&category=${slug}`,
      `id,console-name,product-name,loose-price,manual-only-price\n1,${row},$1.00,$9.00\n`,
    ]
    const games = ['pokemon', 'onepiece'] as const
    const rows = [guide('pokemon-cards', 'Pokemon Base Set,Mew #1'), guide('one-piece-cards', 'One Piece Dawn,Nami #1')]
    const own = await PublicSource.start(new Map([...tcgcsvFiles(groups), ...rows]))
    const chosen = [chosenOf('tcgcsv', own), chosenOf('pricecharting', own, { games, token })]
    const { failures, runs } = await update(chosen, guides, index)
    const { tcgcsv, pricecharting } = readLastUpdates(guides)
    assert.deepEqual([failures, runs[1]!.imported.length], [[], 2])
    assert.deepEqual(pricecharting!.counts, { ...tcgcsv!.counts, newIds: 0 })
    const all = sumOf(runs.flatMap(({ imported }) => imported))
    assert.deepEqual(all.game('onepiece'), runs[0]!.imported[0]!.report.game('onepiece'))
  })

  it('does nothing when nothing is new, and says so', async () => {
    source.forget()
    const result = await update([chosenOf('tcgcsv', source)], snapshots, indexDir)
    assert.deepEqual([failuresOf(result), result.version, source.asked], [[], undefined, ['/last-updated.txt']])
    assert.deepEqual([last().success, last().day, last().isNew], [true, '2026-11-10', false])
  })

  it('imports what it has again, where --sealed or --currency says something else than before', async () => {
    const [out, index] = [temporaryFolder(), temporaryFolder()]
    const own = await PublicSource.start()
    const run = async (options = {}) => {
      const result = await update([chosenOf('tcgcsv', own)], out, index, options)
      return [result.runs[0]!.imported.length, ...failuresOf(result)]
    }
    const cards = () => readFileSync(join(out, 'cards/tcgcsv-pokemon.ndjson'), 'utf8')
    assert.deepEqual(await run(), [1])
    assert.ok(!cards().includes('"Sealed"'))
    assert.deepEqual(await run({ sealed: true }), [1])
    assert.ok(cards().includes('"Sealed"'))
    assert.deepEqual([await run({ sealed: true }), await run()], [[0], [0]], 'it is kept')
    const [, refused] = await run({ currency: 'EUR' })
    assert.match(`${refused}`, /^tcgcsv: import: .*: has prices in USD, and --currency says EUR: --force /)
    assert.deepEqual(await run({ currency: 'EUR', force: true }), [1])
    assert.ok(cards().includes('"market":"tcgplayer","currency":"USD"') && cards().includes('"Sealed"'))
  })

  it('tells which days are missing, and goes on when another source fails', async () => {
    for (const [path, content] of tcgcsvFiles(groups, '2026-11-13T20:05:31+0000')) source.set(path, content)
    const before = current()
    const chosen = [chosenOf('scryfall', source), chosenOf('tcgcsv', source)]
    const result = await update(chosen, snapshots, indexDir)
    assert.equal(result.failures.length, 1)
    assert.match(failuresOf(result)[0]!, /^scryfall: fetch: http:.*\/bulk-data\/default_cards answered 404: /)
    assert.deepEqual(last().missingDays, ['2026-11-11', '2026-11-12'])
    assert.notEqual(current(), before)
    const { success, error, counts } = readLastUpdates(snapshots)['scryfall']!
    assert.deepEqual([success, counts], [false, null])
    assert.match(error!, /answered 404/)
  })

  it('serves on what was served when prices can not be right, and imports them when that is mended', async () => {
    const before = current()
    const right = new Map(source.files)
    for (const [path, content] of tcgcsvFiles(mirrorGroups, '2026-11-14T20:05:31+0000')) {
      source.set(path, path.endsWith('/prices') ? dearer(`${content}`) : content)
    }
    const run = () => update([chosenOf('tcgcsv', source)], snapshots, indexDir)
    const first = await run()
    const [failure] = failuresOf(first)
    assert.match(failure ?? '', /^tcgcsv: import: .*market price/)
    assert.match(first.failures[0]!.advice, /run this update again with --force, which imports and builds them$/)
    assert.deepEqual([current(), last().success, last().day], [before, false, '2026-11-13'])
    const [again] = failuresOf(await run())
    assert.equal(again, failure, 'what was not imported is tried again though nothing new was fetched')
    for (const [path, content] of right) source.set(path, content)
    source.set('/last-updated.txt', '2026-11-15T20:05:31+0000')
    assert.deepEqual(failuresOf(await run()), [])
    assert.deepEqual([last().success, last().day], [true, '2026-11-15'])
    assert.ok(readdirSync(join(snapshots, 'history')).includes('2026-11-15-tcgcsv.csv.gz'))
  })
})

it('with --force imports and builds what both would reject', async () => {
  const source = await PublicSource.start(tcgcsvFiles(mirrorGroups, '2026-11-10T20:05:31+0000'))
  const [snapshots, indexDir] = [temporaryFolder(), temporaryFolder()]
  const run = (force: boolean) => update([chosenOf('tcgcsv', source)], snapshots, indexDir, { force })
  await run(false)
  for (const [path, content] of tcgcsvFiles(mirrorGroups, '2026-11-11T20:05:31+0000')) {
    source.set(path, path.endsWith('/prices') ? dearer(`${content}`) : content)
  }
  assert.match(failuresOf(await run(false))[0]!, /^tcgcsv: import: /)
  const { failures, version } = await run(true)
  assert.deepEqual([failures, version?.slice(0, 10)], [[], '2026-11-11'])
})

it('does not offer --force where it does not help', async () => {
  const files = tcgcsvFiles(groups)
  const source = await PublicSource.start(files)
  const [snapshots, indexDir] = [temporaryFolder(), temporaryFolder()]
  for (const [path, content] of files) {
    if (path.endsWith('/prices')) source.set(path, `${content}`.replaceAll('productId', 'product'))
  }
  const unreadable = await update([chosenOf('tcgcsv', source)], snapshots, indexDir)
  assert.match(unreadable.failures[0]!.lines[0]!, /productId/)
  for (const [path, content] of files) source.set(path, content)
  source.set('/last-updated.txt', nextStamp)
  mkdirSync(join(snapshots, 'cards'), { recursive: true })
  writeFileSync(join(snapshots, 'cards', 'own.ndjson'), '{}\n')
  const unbuilt = await update([chosenOf('tcgcsv', source)], snapshots, indexDir)
  assert.equal(unbuilt.failures[0]!.step, 'build')
  for (const { failures } of [unreadable, unbuilt]) assert.doesNotMatch(JSON.stringify(failures), /force/)
})

describe('--push', () => {
  const [snapshots, indexDir, parent] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
  const pushTo = join(parent, 'versions')
  const currentIn = (folder: string) => readFileSync(join(folder, 'current'), 'utf8').trim()
  let source: PublicSource
  const run = () => update([chosenOf('tcgcsv', source)], snapshots, indexDir, { pushTo })

  it('that fails is an exit code of 1 and a line, and the next run pushes what is built', async () => {
    source = await PublicSource.start()
    const failed = await run()
    assert.match(failed.failures[0]!.lines[0]!, /versions does not exist: create it if versions belong there$/)
    assert.deepEqual([exitCodeOf(failed), failed.version], [1, currentIn(indexDir)])
    assert.match(readLastUpdates(snapshots)['tcgcsv']!.error!, /versions does not exist/)
    mkdirSync(pushTo)
    const { version, pushed, failures } = await run()
    assert.deepEqual([failures, version, pushed!.version], [[], undefined, currentIn(indexDir)])
    assert.equal(currentIn(pushTo), currentIn(indexDir))
    assert.equal(readLastUpdates(snapshots)['tcgcsv']!.success, true)
  })

  it('publishes each new version, and nothing if there is none', async () => {
    assert.equal((await run()).pushed, undefined)
    source.set('/last-updated.txt', nextStamp)
    const { version, pushed } = await run()
    assert.deepEqual([pushed!.version, currentIn(pushTo)], [version, version])
  })

  it('also pushes while a source is away, and is retried with it', async () => {
    source.fault = breaking
    rmSync(join(pushTo, 'current'))
    const back = await run()
    assert.deepEqual([exitCodeOf(back), currentIn(pushTo)], [75, currentIn(indexDir)])
    rmSync(pushTo, { recursive: true })
    assert.deepEqual(
      failuresOf(await run()).map((text) => text.split(': ')[0]),
      ['tcgcsv', 'push'],
    )
    assert.equal(exitCodeOf(await run()), 75)
  })
})

it('a version that could not be built is built by the next run', async () => {
  const source = await PublicSource.start()
  const snapshots = temporaryFolder()
  const indexDir = join(temporaryFolder(), 'file')
  writeFileSync(indexDir, '')
  const failed = await update([chosenOf('tcgcsv', source)], snapshots, indexDir)
  assert.deepEqual(
    failed.failures.map(({ step }) => step),
    ['build', 'the record of this run'],
  )
  rmSync(indexDir)
  const { version, failures } = await update([chosenOf('tcgcsv', source)], snapshots, indexDir)
  assert.ok(version !== undefined && failures.length === 0)
  assert.ok(existsSync(mirrorOf(snapshots, 'tcgcsv')))
})

describe('a disk that fills up', { skip: skipWithoutMounting() }, () => {
  it('at any moment of a fetch or an import ends in lines that name its folder and the remedy, and the next run goes on', async () => {
    const page = 4096
    const source = await PublicSource.start()
    const { folder: disk, fill, free, unmount } = mountDisk(300 * page)
    try {
      const seen = new Set<string>()
      for (let room = 0; room < 30; room += amount(5, 1)) {
        fill(room * page)
        const [snapshots, indexDir] = [join(disk, `prices-${room}`), temporaryFolder()]
        const run = () => update([chosenOf('tcgcsv', source)], snapshots, indexDir)
        const { failures } = await run()
        for (const { step, lines } of failures) {
          seen.add(step)
          for (const line of lines) {
            if (!/^1 error; nothing was written$/.test(line))
              assert.match(line, /^\/\S+: (can't be written: )?no space left on the disk \(ENOSPC\): free some/)
          }
        }
        free()
        assert.deepEqual(failuresOf(await run()), [])
        rmSync(snapshots, { recursive: true })
      }
      for (const step of ['tcgcsv: fetch', 'tcgcsv: import', 'the record of this run']) assert.ok(seen.has(step), step)
    } finally {
      await unmount()
    }
  })
})

describe('the command lines', () => {
  const run = async (command: typeof fetchCommand, args: readonly string[]) => {
    const lines: string[] = []
    const code = await command(args, { log: (text) => lines.push(text), error: (text) => lines.push(text) })
    return { code, text: lines.join('\n') }
  }
  const wrongs: readonly (readonly [args: readonly string[], text: RegExp])[] = [
    [[], /^a source must be named\n/],
    [['nothing', '--out', 'x'], /^unknown source nothing\n/],
    [['tcgcsv'], /^--out: the .* must be named\n/],
    [['tcgcsv', '--out', 'x', '--games', 'chess'], /^--games: must be of /],
    [['scryfall', '--out', 'x', '--games', 'fab'], /^--games: scryfall has only mtg\n/],
    [['tcgcsv', '--out', 'x', '--from', 'tcgcsv.com'], /^--from: must be an http/],
    [['tcgcsv', '--out', 'x', '--agent', 'Mozilla (X11)'], /^--agent: must be NAME\/VERSION/],
    [['tcgcsv', '--out', 'x', '--agnet', 'a/1'], /^Unknown option '--agnet'/],
  ]
  for (const [args, text] of wrongs) {
    it(`${args.join(' ')} is wrong usage`, async () => {
      for (const command of [fetchCommand, updateCommand]) {
        const outcome = await run(command, args)
        assert.equal(outcome.code, 2)
        assert.match(outcome.text, text)
      }
    })
  }

  it('name a held set in the table, and take it with --accept although nothing is new', async () => {
    const filesOf = (day: number, of301: number) =>
      tcgcsvFiles(
        groupsOf(Array.from({ length: 80 }, (_, i) => (i < 40 ? day : of301))),
        `2026-11-${day}T20:05:31+0000`,
      )
    const source = await PublicSource.start(filesOf(10, 10))
    const [snapshots, indexDir] = [temporaryFolder(), temporaryFolder()]
    process.env['INDEX_DIR'] = indexDir
    const args = ['tcgcsv', '--out', snapshots, '--from', source.url, '--games', 'pokemon']
    await run(updateCommand, args)
    for (const [path, content] of filesOf(11, 1000)) source.set(path, content)
    const held = await run(updateCommand, [...args, '--again'])
    assert.equal(held.code, 0, held.text)
    assert.match(held.text, /^tcgcsv +2026-11-11T.* 2026-11-11 +pokemon +0 +0 +40 +1$/m)
    const figures =
      '0 of 40 cards that had a price have none now, and the median of the others is 100 times what it was'
    assert.match(held.text, new RegExp(`^held back .*\\ng1 +pokemon +1 of 7 +${figures}\\n`, 'm'))
    const { success, held: sets } = readLastUpdates(snapshots)['tcgcsv']!
    assert.deepEqual([success, sets], [true, [{ game: 'pokemon', code: 'g1', runs: 1, figures }]])
    assert.deepEqual((await readUpdatesOfServer(indexDir))['tcgcsv']!.held, sets)
    source.forget()
    const accepted = await run(updateCommand, [...args, '--accept', 'g1'])
    assert.deepEqual([accepted.code, source.asked], [0, []], accepted.text)
    assert.match(accepted.text, / 2026-11-11 +pokemon +0 +0 +40 +0\n\nversion /)
    assert.deepEqual(readLastUpdates(snapshots)['tcgcsv']!.held, [])
    const last = lastUpdatesFile(snapshots)
    writeFileSync(last, readFileSync(last, 'utf8').replace('"held": [],', ''))
    assert.deepEqual(readLastUpdates(snapshots)['tcgcsv']!.held, [], 'of a release that held nothing back')
  })

  it('say when the report can not be written, after what was done', async () => {
    const source = await PublicSource.start()
    const args = ['tcgcsv', '--from', source.url, '--games', 'onepiece', '--report', '/dev/full', '--out']
    const report =
      '/dev/full: the report can.t be written: no space left on the disk \\(ENOSPC\\): free some, then try again$'
    const done = await run(fetchCommand, [...args, temporaryFolder()])
    assert.equal(done.code, 1)
    assert.match(done.text, new RegExp(`^tcgcsv: 2026-11-20T.*\n${report}`))
    source.fault = replying(403)
    const failed = await run(fetchCommand, [...args, temporaryFolder(), '--quiet'])
    assert.match(failed.text, new RegExp(`^http:.* answered 403.*\n${report}`))
  })

  it('print a table at the end, the terms at first, and say on the last line what to do', async () => {
    const source = await PublicSource.start()
    const [snapshots, report] = [temporaryFolder(), join(temporaryFolder(), 'report.json')]
    process.env['INDEX_DIR'] = temporaryFolder()
    const given = ['--from', source.url, '--games', 'onepiece', '--report', report, '--push', temporaryFolder()]
    const common = ['--out', snapshots, ...given]
    const first = await run(updateCommand, ['tcgcsv', ...common])
    assert.equal(first.code, 0, first.text)
    assert.match(
      first.text,
      /^TCGCSV: .*\n\nsource +fetched +imported +day +missing days +game +new +gone +changed +held\ntcgcsv +2026-11-20T.*in \d+ requests.* onepiece +5 +0 +0 +0\n\nversion 2026-11-20-\w+ is current\nversion 2026-11-20-\w+ is current in \S+; copied \d+ files, \d+\.\d MB$/,
    )
    source.fault = replying(403, 'go away')
    const second = await run(updateCommand, ['tcgcsv', ...common, '--again', '--quiet'])
    assert.equal(second.code, 1)
    assert.match(
      second.text,
      /^tcgcsv: fetch failed: http:.*last-updated.txt answered 403 \("go away"\): find out why before you ask again.*; what was served is served on$/,
    )
    const { failures, sources } = JSON.parse(readFileSync(report, 'utf8'))
    assert.deepEqual([failures.length, sources[0].source, sources[0].update.success], [1, 'tcgcsv', false])
  })
})
