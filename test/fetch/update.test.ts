/** card-prices update: from sources to a version, each step only if the one before found something new. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { fetchedSources } from '../../build/fetch/fetch.ts'
import { fetchCommand } from '../../build/fetch/fetch-command.ts'
import { exitCodeOf, mirrorOf, sumOf, type UpdateResult, update } from '../../build/update/update.ts'
import { updateCommand } from '../../build/update/update-command.ts'
import { lastUpdatesFile, readLastUpdates, readUpdatesOfServer } from '../../src/last-updates.ts'
import { runMadeHere, temporaryFolder } from '../support/command.ts'
import { breaking, replying } from '../support/file-server.ts'
import { groupsOf } from '../support/mirror.ts'
import { chosenOf } from './fetching.ts'
import { mirrorGroups } from './mirror-groups.ts'
import { fewGroups, nextStamp, PublicSource, tcgcsvFiles } from './public-source.ts'

const groups = fewGroups(2)
/** Printed commands have no path. */
process.env['CARD_PRICES_PROGRAM'] = 'card-prices'

/** All prices of a file ten times what they are. */
const dearer = (text: string): string =>
  text.replace(/(Price":)(\d+(\.\d+)?)/g, (_, name, price) => `${name}${Number((price * 10).toFixed(2))}`)

const failuresOf = ({ failures }: UpdateResult) => failures.map(({ step, lines }) => `${step}: ${lines[0]}`)
const advised = (...results: UpdateResult[]) =>
  results.flatMap(({ failures }) => failures.map(({ step, advice }) => `${step}: ${advice}`))
const toBuild = (snapshots: string) => `build: correct it and build again (card-prices build --snapshots ${snapshots})`

describe('An update of prices', () => {
  const [snapshots, indexDir] = [temporaryFolder(), temporaryFolder()]
  const current = () => readFileSync(join(indexDir, 'current'), 'utf8').trim()
  /** The last run, without its times. */
  const last = () => {
    const { startedAt, endedAt, ...update } = readLastUpdates(snapshots)['tcgcsv']!
    const [started, ended] = [startedAt, endedAt].map(Date.parse) as [number, number]
    assert.ok(Date.now() - 60_000 < started && started <= ended && ended <= Date.now(), `${startedAt} to ${endedAt}`)
    return update
  }
  let source: PublicSource

  it('An update fetches, imports and builds', async () => {
    source = await PublicSource.start(tcgcsvFiles(groups, '2026-11-10T20:05:31+0000'))
    const result = await update([chosenOf('tcgcsv', source)], snapshots, indexDir)
    assert.deepEqual(failuresOf(result), [])
    assert.equal(result.version, current())
    assert.equal(result.runs[0]!.isFirst, true)
    const stamp = '2026-11-10T20:05:31+0000'
    assert.deepEqual(last(), {
      snapshots,
      success: true,
      error: null,
      advice: null,
      options: [],
      isAway: false,
      stamp,
      isNew: true,
      requests: source.asked.length,
      bytes: result.runs[0]!.fetched!.bytes,
      counts: { sets: 4, cards: 14, prices: 13, newIds: 14 },
      day: '2026-11-10',
      missingDays: [],
      held: [],
      imported: { tcgcsv: `${stamp} pokemon,onepiece` },
      version: current(),
    })
    assert.deepEqual(await readUpdatesOfServer(indexDir), readLastUpdates(snapshots))
  })

  it('An update counts each card once, though each file of a source is imported by itself', async () => {
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

  it('An update does nothing and says so if nothing is new', async () => {
    source.forget()
    const before = last()
    const result = await update([chosenOf('tcgcsv', source)], snapshots, indexDir)
    assert.deepEqual([failuresOf(result), result.version, source.asked], [[], undefined, ['/last-updated.txt']])
    assert.deepEqual(last(), { ...before, isNew: false, requests: 1, bytes: 0, version: null })
  })

  it('An update imports its files again if --sealed or --currency changed', async () => {
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
    own.forget()
    await assert.rejects(run({ currency: 'EUR' }), /: has prices in USD, and --currency says EUR: --force /)
    assert.deepEqual(own.asked, [], 'before anything is fetched')
    assert.deepEqual(await run({ currency: 'EUR', force: true }), [1])
    assert.ok(cards().includes('"market":"tcgplayer","currency":"USD"') && cards().includes('"Sealed"'))
  })

  it('An update lists missing days, and imports one source although another one fails', async () => {
    for (const [path, content] of tcgcsvFiles(groups, '2026-11-13T20:05:31+0000')) source.set(path, content)
    const before = current()
    // Of another source.
    writeFileSync(join(snapshots, 'history/2026-11-11-mtgjson.csv.gz'), gzipSync('date,id,market,low,high\n'))
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

  it('An update refuses implausible prices and keeps the served version until they are corrected or accepted', async () => {
    const [before, recorded] = [current(), last()]
    const right = new Map(source.files)
    const setWrong = (day: string) => {
      for (const [path, content] of tcgcsvFiles(mirrorGroups, `${day}T20:05:31+0000`))
        source.set(path, path.endsWith('/prices') ? dearer(`${content}`) : content)
    }
    const run = (accept = new Set<string>()) => update([chosenOf('tcgcsv', source)], snapshots, indexDir, { accept })
    setWrong('2026-11-14')
    const first = await run()
    const [failure] = failuresOf(first)
    assert.match(failure ?? '', /^tcgcsv: import: .*market price/)
    assert.match(
      first.failures[0]!.advice,
      /^if the prices are right, take them as they are \(card-prices update tcgcsv --out \S+ --accept pokemon,onepiece\)$/,
    )
    const { requests, bytes } = first.runs[0]!.fetched!
    const [error, stamp] = [failure!.slice('tcgcsv: import: '.length), '2026-11-14T20:05:31+0000']
    assert.equal(current(), before)
    const { advice } = first.failures[0]!
    const tried = { success: false, error, advice, stamp, isNew: false, requests, bytes, version: null }
    assert.deepEqual(last(), { ...recorded, ...tried })
    const [again] = failuresOf(await run())
    assert.equal(again, failure, 'what was not imported is tried again though nothing new was fetched')
    for (const [path, content] of right) source.set(path, content)
    source.set('/last-updated.txt', '2026-11-15T20:05:31+0000')
    assert.deepEqual(failuresOf(await run()), [])
    assert.deepEqual([last().success, last().day], [true, '2026-11-15'])
    assert.ok(readdirSync(join(snapshots, 'history')).includes('2026-11-15-tcgcsv.csv.gz'))
    setWrong('2026-11-16')
    assert.match(failuresOf(await run())[0]!, /^tcgcsv: import: /)
    const { failures, version } = await run(new Set(['pokemon', 'onepiece']))
    assert.deepEqual([failures, version?.slice(0, 10)], [[], '2026-11-16'])
  })
})

it('An update does not advise --force if it would not help', async () => {
  const right = tcgcsvFiles(groups)
  const source = await PublicSource.start(right)
  const [snapshots, indexDir] = [temporaryFolder(), temporaryFolder()]
  for (const [path, content] of right) {
    if (path.endsWith('/prices')) source.set(path, `${content}`.replaceAll('productId', 'product'))
  }
  const unreadable = await update([chosenOf('tcgcsv', source)], snapshots, indexDir)
  assert.match(unreadable.failures[0]!.lines[0]!, /productId/)
  for (const [path, content] of right) source.set(path, content)
  source.set('/last-updated.txt', nextStamp)
  mkdirSync(join(snapshots, 'cards'), { recursive: true })
  writeFileSync(join(snapshots, 'cards', 'own.ndjson'), '{}\n')
  const unbuilt = await update([chosenOf('tcgcsv', source)], snapshots, indexDir)
  const toImport = `tcgcsv: import: look at the files, then run it again (card-prices update tcgcsv --out ${snapshots})`
  assert.deepEqual(advised(unreadable, unbuilt), [toImport, toBuild(snapshots)])
  const { success, error } = readLastUpdates(snapshots)['tcgcsv']!
  assert.deepEqual([success, error], [false, unbuilt.failures[0]!.lines[0]])
})

describe('--push', () => {
  const [snapshots, indexDir, parent] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
  const pushTo = join(parent, 'versions')
  const currentIn = (folder: string) => readFileSync(join(folder, 'current'), 'utf8').trim()
  let source: PublicSource
  const run = () => update([chosenOf('tcgcsv', source)], snapshots, indexDir, { pushTo })

  it('An update whose push fails exits with 1 and one line, and the next update pushes the built version', async () => {
    source = await PublicSource.start()
    const failed = await run()
    const line = `the folder ${pushTo} does not exist: create it if versions belong there`
    assert.deepEqual(failuresOf(failed), [`push: ${line}`])
    assert.deepEqual(advised(failed), [`push: correct it and run card-prices push ${pushTo}`])
    assert.deepEqual([exitCodeOf(failed), failed.version], [1, currentIn(indexDir)])
    assert.equal(readLastUpdates(snapshots)['tcgcsv']!.error, line)
    mkdirSync(pushTo)
    const { version, pushed, failures } = await run()
    assert.deepEqual([failures, version, pushed!.version], [[], undefined, currentIn(indexDir)])
    assert.equal(currentIn(pushTo), currentIn(indexDir))
    assert.equal(readLastUpdates(snapshots)['tcgcsv']!.success, true)
  })

  it('An update pushes although a source is away, and exits with 75 even if the push fails as well', async () => {
    source.fault = breaking
    rmSync(join(pushTo, 'current'))
    const back = await run()
    assert.deepEqual([exitCodeOf(back), currentIn(pushTo)], [75, currentIn(indexDir)])
    rmSync(pushTo, { recursive: true })
    const found = failuresOf(await run()).map((text) => text.split(': ')[0])
    assert.deepEqual(found, ['tcgcsv', 'push'])
    assert.equal(exitCodeOf(await run()), 75)
  })
})

it('A version that could not be built is built by the next run', async () => {
  const source = await PublicSource.start()
  const snapshots = temporaryFolder()
  const indexDir = join(temporaryFolder(), 'file')
  writeFileSync(indexDir, '')
  const failed = await update([chosenOf('tcgcsv', source)], snapshots, indexDir)
  assert.deepEqual(advised(failed), [toBuild(snapshots), 'the record of this run: run it again after that'])
  rmSync(indexDir)
  const { version, failures } = await update([chosenOf('tcgcsv', source)], snapshots, indexDir)
  assert.ok(version !== undefined && failures.length === 0)
  assert.ok(existsSync(mirrorOf(snapshots, 'tcgcsv')))
})

describe('The command lines of updates', () => {
  const run = async (make: typeof fetchCommand, args: readonly string[]) => {
    const { code, stdout, stderr } = await runMadeHere(make, args)
    return { code, text: (stdout + stderr).trimEnd() }
  }
  const wrongs: readonly (readonly [args: readonly string[], text: RegExp])[] = [
    [['--out', 'x'], /^missing required argument 'SOURCE/],
    [['nothing', '--out', 'x'], /^unknown source nothing\n/],
    [['tcgcsv', '--out', ''], /^--out: the .* must be named\n/],
    [['tcgcsv', '--out', 'x', '--games', 'mtg,chess'], /^--games: must be of pokemon, .*, fab \(chess\)\n/],
    [['scryfall', '--out', 'x', '--games', 'fab'], /^--games: scryfall has only mtg\n/],
    ...['tcgcsv.com', 'ftp://a', 'http://', 'http://a/?b', 'http://a/#b'].map(
      (from) => [['tcgcsv', '--out', 'x', '--from', from], /^--from: must be an http or https address w/] as const,
    ),
    [['tcgcsv', '--out', 'x', '--agent', 'Mozilla (X11)'], /^--agent: must be NAME\/VERSION/],
    [['tcgcsv', '--out', 'x', '--agnet', 'a/1'], /^unknown option '--agnet'\n\(Did you mean --agent\?\)\n/],
  ]
  for (const [args, text] of wrongs) {
    it(`The command "update ${args.join(' ')}" is wrong usage`, async () => {
      for (const command of [fetchCommand, updateCommand]) {
        const outcome = await run(command, args)
        assert.equal(outcome.code, 2)
        assert.match(outcome.text, text)
        assert.match(outcome.text, /\nTry: card-prices (fetch|update) --help$/)
      }
    })
  }

  it('An update names a held set in its table, and --accept takes it although nothing is new', async () => {
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
    const idle = await run(updateCommand, [...args, '--again'])
    assert.match(idle.text, /\ntcgcsv +nothing new since \S+ +nothing new +2026-11-11\n/)
    source.forget()
    const wrong = await run(updateCommand, [...args, '--accept', 'g7,G1'])
    assert.match(wrong.text, /^--accept: g7: no held set; held are pokemon\/g1 \(Group 1\)\nTry: /)
    const others = await run(updateCommand, ['mtgjson', ...args.slice(1, -2), '--accept', 'g1'])
    assert.match(others.text, /^--accept: g1: no held set; no set is held\n/)
    assert.deepEqual([wrong.code, others.code, source.asked], [2, 2, []])
    const accepted = await run(updateCommand, [...args, '--accept', 'GROUP 1'])
    assert.deepEqual([accepted.code, source.asked], [0, []], accepted.text)
    assert.match(accepted.text, / 2026-11-11 +pokemon +0 +0 +40 +0\n\nversion /)
    assert.match(accepted.text, /\n\nsince version 2026-11-11-\w{12}\ngame +new +gone +changed\npokemon +0 +0 +40$/)
    assert.deepEqual(readLastUpdates(snapshots)['tcgcsv']!.held, [])
    for (const [path, content] of filesOf(12, 9)) source.set(path, content)
    assert.match((await run(updateCommand, [...args, '--again'])).text, /\nheld back /)
    const forced = await run(updateCommand, [...args, '--force'])
    assert.equal(forced.code, 0)
    assert.match(forced.text, /^tcgcsv +nothing new: asked .* pokemon +0 +0 +40 +0\n\nversion /m)
    const last = lastUpdatesFile(snapshots)
    writeFileSync(last, readFileSync(last, 'utf8').replace('"held": [],', ''))
    assert.deepEqual(readLastUpdates(snapshots)['tcgcsv']!.held, [], 'of a release that held nothing back')
  })

  it('A fetch whose report can’t be written says so after its work', async () => {
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

  it('An update prints the terms, a table and the remedy of each failure, as its report has them', async () => {
    const source = await PublicSource.start()
    const [snapshots, file, target] = [temporaryFolder(), join(temporaryFolder(), 'report.json'), temporaryFolder()]
    process.env['INDEX_DIR'] = temporaryFolder()
    const given = ['--from', source.url, '--games', ' pokemon, onepiece', '--report', file, '--push', target, '--again']
    const update = async (...more: string[]) => {
      const { code, text } = await run(updateCommand, ['tcgcsv,tcgcsv', '--out', snapshots, ...given, ...more])
      const { sources, failures, ...versions } = JSON.parse(readFileSync(file, 'utf8'))
      assert.deepEqual([sources.length, sources[0].update], [1, readLastUpdates(snapshots)['tcgcsv']])
      for (const { step, lines, advice } of failures) {
        const printed = [...lines, `${step} failed: ${lines[0]}; ${advice}; what was served is served on`]
        assert.ok(text.endsWith(printed.slice(lines.length > 1 ? 0 : 1).join('\n')), text)
      }
      return { code, text: text.replaceAll(/ +/g, ' '), of: sources[0], failures, versions }
    }
    const header = 'source fetched imported day missing days game new gone changed held\ntcgcsv'
    const first = await update()
    const { version, stamp, requests, bytes } = first.of.update
    assert.equal(
      first.text,
      `${fetchedSources.tcgcsv.terms}\n\n${header} ${stamp}, in 13 requests, 0.0 MB 14 cards, 13 prices 2026-11-20 pokemon 9 0 0 0\n onepiece 5 0 0 0\n\nversion ${version} is current\nversion ${version} is current in ${target}; copied 11 files, 0.0 MB`,
    )
    const fetched = { isNew: true, why: null, stamp, games: ['pokemon', 'onepiece'], requests, bytes }
    assert.deepEqual([first.code, first.failures, first.of.fetched, first.of.records.length], [0, [], fetched, 3])
    assert.deepEqual(first.versions, { version, pushed: { version, files: 11, bytes: first.versions.pushed.bytes } })
    const end = '\n\nnothing new was built'
    assert.equal((await update()).text, `${header} nothing new since ${stamp} nothing new 2026-11-20${end}`)
    source.fault = replying(403, 'go away')
    const refused = await update()
    assert.ok(refused.text.startsWith('nothing new was built\n'), refused.text)
    const [{ lines: said, advice }] = refused.failures
    assert.match(
      `${said}; ${advice}`,
      /\.txt answered 403 \("go away"\): find out why before.*; the next run begins anew \(.* update .*\)$/,
    )
    source.fault = undefined
    for (const [path, content] of tcgcsvFiles(groups, nextStamp))
      source.set(path, path.endsWith('/prices') ? `${content}`.replaceAll('productId', 'product') : content)
    const { code, text, failures, versions } = await update('--quiet')
    const [{ lines }] = failures
    assert.deepEqual([code, failures.length, text.startsWith(lines.join('\n')), lines.length], [1, 1, true, 5])
    assert.deepEqual(Object.values(versions), [null, null])
  })
})
