/** A fetch that is killed, and an update whose source is kept away: exit code 75, and the next run asks only for what is missing. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { build } from '../../build/build.ts'
import { updateRetryMs } from '../../build/fetch/fetch-limits.ts'
import type { Clock } from '../../build/fetch/publisher-host.ts'
import { readFetchState } from '../../build/fetch-state.ts'
import { retryMsIn, withRetries } from '../../build/update/retries.ts'
import { exitCodeOf, update } from '../../build/update/update.ts'
import { updateCommand } from '../../build/update/update-command.ts'
import { lastUpdatesFile, readLastUpdates } from '../../src/last-updates.ts'
import { amount, itInAll } from '../support/amount.ts'
import { cardPrices, runMadeHere, start, systemPath, temporaryFolder } from '../support/command.ts'
import { breaking, type Fault, replying } from '../support/file-server.ts'
import { errorsOf, importInto } from '../support/import.ts'
import { mountDisk, skipWithoutMounting } from '../support/programs.ts'
import { drawBelow, drawFrom, randomFrom } from '../support/random.ts'
import { aSnapshot, snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'
import { runFetch } from './fetch-process.ts'
import { chosenOf, clock, differing, fetchHere, lineOf } from './fetching.ts'
import { mirrorGroups } from './mirror-groups.ts'
import { breakingOff, fewGroups, PublicSource, tcgcsvFiles } from './public-source.ts'

const hourMs = 3_600_000

async function startSource(fault?: Fault): Promise<PublicSource> {
  const source = await PublicSource.start()
  source.fault = fault
  return source
}

const tcgcsvOf = (source: PublicSource, at = clock, again = false) => chosenOf('tcgcsv', source, { clock: at, again })
const scryfallOf = (source: PublicSource, at = clock, again = false) =>
  chosenOf('scryfall', source, { clock: at, again })

const laterBy = (ms: number, sleeps: number[] = []): Clock => ({
  now: () => clock.now() + ms,
  sleep: (sleepMs) => {
    sleeps.push(sleepMs)
    return clock.sleep(sleepMs)
  },
})

describe('The exit code of an update', { concurrency: 4 }, () => {
  const page = replying(200, '<html>')
  // null: TCGCSV is not fetched.
  const cases: readonly (readonly [what: string, code: number, tcgcsv: Fault | undefined | null, scryfall: Fault])[] = [
    ['the network is away', 75, breaking, breaking],
    ['one source is away, and the other was updated', 75, undefined, breaking],
    ['the source answers 502', 75, null, replying(502)],
    ['the source answers 503 for long', 75, null, replying(503, '', { 'Retry-After': '3600' })],
    ['the source answers 403', 1, null, replying(403)],
    ['the source answers 404', 1, null, replying(404)],
    ['one source answers with a web page, and the other was updated', 1, undefined, page],
    ['one source is away, and the other answers 403', 1, breaking, replying(403)],
  ]
  for (const [what, code, tcgcsv, scryfall] of cases) {
    it(`The exit code of an update is ${code} if ${what}`, async () => {
      const chosen = [scryfallOf(await startSource(scryfall))]
      if (tcgcsv !== null) chosen.unshift(tcgcsvOf(await startSource(tcgcsv)))
      const [snapshots, indexDir] = [temporaryFolder(), temporaryFolder()]
      const result = await update(chosen, snapshots, indexDir)
      const failed = tcgcsv ? ['tcgcsv: fetch', 'scryfall: fetch'] : ['scryfall: fetch']
      assert.deepEqual([exitCodeOf(result), result.failures.map(({ step }) => step)], [code, failed])
      assert.equal(result.version === undefined, tcgcsv !== undefined)
      assert.equal(readLastUpdates(snapshots)['scryfall']!.isAway === true, code === 75)
    })
  }
})

describe('A retry of an update', { concurrency: 4 }, () => {
  it('A retry, even with --again, requests only the source that failed, and does not wait for the others', async () => {
    const [tcgcsv, scryfall] = [await startSource(), await startSource(breaking)]
    const [snapshots, indexDir] = [temporaryFolder(), temporaryFolder()]
    const run = (at: Clock, again: boolean) =>
      update([tcgcsvOf(tcgcsv, at, again), scryfallOf(scryfall, at, again)], snapshots, indexDir)
    assert.equal(exitCodeOf(await run(clock, false)), 75)
    for (const [hours, again = false] of [[0], [0, true], [11], [20]] as const) {
      for (const source of [tcgcsv, scryfall]) source.forget()
      const sleeps: number[] = []
      assert.equal(exitCodeOf(await run(laterBy(hours * hourMs, sleeps), again)), 75)
      assert.deepEqual([tcgcsv.asked, scryfall.asked.length], [[], 3], `${hours} hours later`)
      assert.ok(Math.max(...sleeps) < hourMs)
    }
    // An hour later it is a run of its own.
    const [file, before] = [lastUpdatesFile(snapshots), readLastUpdates(snapshots)]
    for (const minutes of [58, 61]) {
      const endedAt = new Date(Date.now() - minutes * 60_000).toISOString()
      writeFileSync(file, JSON.stringify({ ...before, scryfall: { ...before['scryfall'], endedAt } }))
      assert.equal(exitCodeOf(await run(laterBy(20 * hourMs), false)), 75)
      assert.deepEqual(tcgcsv.asked, minutes < 60 ? [] : ['/last-updated.txt'])
    }
  })

  it('A retry requests only files that did not arrive whole', async () => {
    let left = 4
    const source = await startSource((asked) => (left-- > 0 ? asked.answer() : breaking(asked)))
    const [snapshots, indexDir] = [temporaryFolder(), temporaryFolder()]
    const run = () => update([tcgcsvOf(source)], snapshots, indexDir)
    assert.equal(exitCodeOf(await run()), 75)
    const came = source.answered.slice(1)
    source.forget()
    source.fault = undefined
    const { version } = await run()
    assert.notEqual(version, undefined)
    assert.deepEqual([came.length, source.asked.filter((path) => came.includes(path))], [3, []])
  })

  it('A retry sends no request before the pause that the publisher asked for is over, except with --again', async () => {
    const source = await startSource(replying(429, '', { 'Retry-After': '7200' }))
    const [snapshots, indexDir] = [temporaryFolder(), temporaryFolder()]
    const run = (at: Clock, again = false) => update([tcgcsvOf(source, at, again)], snapshots, indexDir)
    assert.equal(exitCodeOf(await run(clock)), 75)
    source.forget()
    source.fault = undefined
    const early = await run(laterBy(hourMs))
    assert.equal(exitCodeOf(early), 75)
    assert.match(early.failures[0]!.lines[0]!, /^tcgcsv asked for a pause until 20\S+Z: run it again after that/)
    assert.deepEqual(source.asked, [])
    assert.equal(exitCodeOf(await run(laterBy(3 * hourMs))), 0)
    source.fault = replying(429, '', { 'Retry-After': '7200' })
    assert.equal(exitCodeOf(await run(clock, true)), 75)
    source.fault = undefined
    assert.equal(exitCodeOf(await run(clock, true)), 0)
  })

  it('After a retry late in the day, the next day’s run waits until it may ask, instead of skipping the day', async () => {
    const source = await startSource()
    const [snapshots, indexDir] = [temporaryFolder(), temporaryFolder()]
    const run = (at: Clock) => update([tcgcsvOf(source, at)], snapshots, indexDir)
    await run(laterBy(12 * hourMs))
    source.forget()
    const sleeps: number[] = []
    await run(laterBy(24 * hourMs, sleeps))
    assert.equal(source.asked.length, 1)
    assert.ok(Math.abs(sleeps[0]! - 12 * hourMs) < hourMs / 10, `${sleeps}`)
  })
})

describe('The waits of a fetch', () => {
  const busy = (seconds: string) => replying(503, '', { 'Retry-After': seconds })
  const usual = [2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000]
  const [dayMs, startedAt] = [24 * hourMs, Date.parse('2026-11-26T12:00:00Z')]
  const rows: readonly (readonly [what: string, fault: Fault | undefined, sleeps: number[], pauseMs?: number])[] = [
    ['between two requests', undefined, Array.from({ length: 12 }, () => 150)],
    ['twice if the connection breaks', breaking, [1000, 2000]],
    ['twice if the source answers 500', replying(500), [1000, 2000]],
    ['ever longer if the source answers 503', replying(503), usual, 512_000],
    ['ever longer if Retry-After is no time', busy('soon'), usual, 512_000],
    ['longer if the source answers 429', replying(429), [30_000, 60_000, 120_000, 240_000], 480_000],
    ['as long as the source asks, ten minutes in all', busy('200'), [200_000, 200_000, 200_000], 200_000],
    [
      'as long as the source asks by a date',
      busy(new Date(startedAt + 400_000).toUTCString()),
      [400_000, ...usual.slice(0, 6)],
      128_000,
    ],
    ['ever longer if the source asks for no pause', busy('0'), [1000, ...usual], 512_000],
    ['a day at most before its next run, if the source asks for longer', busy('90000'), [], dayMs],
  ]
  for (const [what, fault, expected, pauseMs] of rows) {
    it(`A fetch waits ${what}`, async () => {
      const [source, mirror, sleeps] = [await startSource(fault), temporaryFolder(), [] as number[]]
      const now = () => sleeps.reduce((sum, ms) => sum + ms, startedAt)
      const options = chosenOf('tcgcsv', source, { clock: { now, sleep: async (ms) => void sleeps.push(ms) } })[1]
      await lineOf(fetchHere('tcgcsv', source, mirror, options))
      const { pausedUntilMs, askedAt, answeredAtMs } = readFetchState(mirror)!
      assert.deepEqual([sleeps, pausedUntilMs], [expected, pauseMs && now() + pauseMs])
      assert.deepEqual([askedAt, answeredAtMs], [fault ? null : new Date(startedAt).toISOString(), now()])
    })
  }
})

describe('--retry-for', () => {
  it('An update with --retry-for tries until the source is back, and prints one table', async () => {
    let left = 8
    const source = await startSource((asked) => (left-- > 0 && left % 8 < 6 ? breaking(asked) : asked.answer()))
    const [snapshots, indexDir, report] = [temporaryFolder(), temporaryFolder(), join(temporaryFolder(), 'report')]
    const given = ['--from', source.url, '--games', 'pokemon', '--report', report]
    const args = ['update', 'tcgcsv', '--out', snapshots, ...given]
    const { code, stdout, stderr } = await runFetch([...args, '--retry-for', '12h'], () => {}, { INDEX_DIR: indexDir })
    assert.equal(code, 0, stderr)
    const lines = stderr.trimEnd().split('\n')
    assert.match(lines.pop()!, /^tcgcsv: first fetch of Pokémon: 4 requests, /)
    assert.equal(lines.length, 4, stderr)
    for (const i of [0, 2]) assert.match(lines[i]!, /^tcgcsv: fetch failed: .*\(3 times\)/)
    for (const i of [1, 3]) assert.match(lines[i]!, /^tries again at 20\S+Z$/)
    assert.match(stdout, /^TCGCSV: .*\n\nsource .*\ntcgcsv +2026-11-20T.* cards.*\n\nversion \S+ is current\n$/)
  })

  it('An update runs with the scheduling policy of idle tasks', {
    skip: process.platform !== 'linux' && 'needs Linux',
  }, async () => {
    const args = ['update', 'tcgcsv', '--out', temporaryFolder(), '--from', 'http://127.0.0.1:9', '--retry-for', '12h']
    const child = start(cardPrices, args, { PATH: systemPath })
    // The 41st field, counted after the program's name, which may have spaces. 5 is SCHED_IDLE (sched.h).
    const policy = () => readFileSync(`/proc/${child.pid}/stat`, 'utf8').replace(/.*\) /, '').split(' ')[38]
    await until('it is idle', () => policy() === '5', undefined, policy)
    child.kill('SIGKILL')
  })

  it('An update with --retry-for whose later try fails exits with 1, and reports the version that an earlier try built', async () => {
    let asked = 0
    const fault: Fault = (one) => (asked++ < 3 ? breaking : replying(403))(one)
    const source = await PublicSource.start(tcgcsvFiles(mirrorGroups))
    source.fault = (one) => (one.path.startsWith('/bulk-data') ? fault(one) : one.answer())
    const [out, indexDir] = [temporaryFolder(), temporaryFolder()]
    const { manifest } = await build(snapshotOf(aSnapshot), indexDir)
    const args = ['update', 'tcgcsv,scryfall', '--out', out, '--from', source.url, '--retry-for', '12h', '--force']
    const { code, stdout, stderr } = await runFetch(args, () => {}, { INDEX_DIR: indexDir })
    assert.equal(code, 1, stderr)
    assert.match(stdout, new RegExp(`\nversion \\S+ is current\n\nsince version ${manifest.version}\ngame `))
  })

  it('An update with --retry-for repeats no refused request, and ends when its time is shorter than the next wait', async () => {
    const refusing = await startSource(replying(403))
    const away = await startSource(breaking)
    for (const [source, forMs, code] of [
      [refusing, 2 * updateRetryMs, 1] as const,
      [away, updateRetryMs - 1, 75] as const,
    ]) {
      const run = () => update([tcgcsvOf(source)], temporaryFolder(), temporaryFolder())
      const result = await withRetries(run, forMs, () => assert.fail('it tries again'))
      assert.equal(exitCodeOf(result), code)
    }
  })

  it('The option --retry-for takes at most 12 hours, in hours or minutes, and any other value is wrong usage', async () => {
    assert.deepEqual(['12h', '1h', '720m', '1m'].map(retryMsIn), [12 * hourMs, hourMs, 12 * hourMs, 60_000])
    const wrongs = ['12', '13h', '721m', '0m', '1.5h', '1d', ''].map((wrong) => ['--retry-for', wrong] as const)
    for (const [option, wrong] of [...wrongs, ['--push', ''] as const]) {
      const args = ['tcgcsv', '--out', temporaryFolder(), '--from', 'http://127.0.0.1:9', option, wrong]
      const { code, stderr } = await runMadeHere(updateCommand, args)
      const must =
        option === '--push' ? 'the folder must be named' : `must be at most 12h, or minutes, as 90m (${wrong})`
      assert.deepEqual([code, stderr.split('\n')[0]], [2, `${option}: ${must}`])
    }
  })
})

const stages = ['asked', 'half answered', 'answered', 'a while after'] as const

describe('A killed fetch', { concurrency: 2 }, () => {
  const files = tcgcsvFiles(fewGroups(3))
  const random = randomFrom('killed')
  const moments = Array.from({ length: Number(process.env['KILLS'] ?? amount(2, 20)) }, () => ({
    after: drawBelow(random, files.size),
    stage: drawFrom(random, stages),
    waitMs: drawBelow(random, 12),
  }))
  for (const [i, moment] of moments.entries()) {
    it(`A fetch after a kill (“${moment.stage}”, ${moment.after} answers before) requests no complete file again (${i})`, async () => {
      const source = await PublicSource.start(files)
      const mirror = temporaryFolder()
      const args = ['fetch', 'tcgcsv', '--out', mirror, '--games', 'pokemon,onepiece', '--from', source.url]
      const { code } = await runFetch(args, (kill) => killAt(source, moment, kill))
      const came = source.answered.slice(0, -1)
      if (code === null) {
        const errors = await errorsOf(importInto(temporaryFolder(), 'tcgcsv', [mirror]))
        assert.match(errors, /is a mirror whose fetch is unfinished|is not a mirror/)
      }
      source.fault = undefined
      source.onStage = () => {}
      source.forget()
      await fetchHere('tcgcsv', source, mirror, { games: ['pokemon', 'onepiece'] })
      const again = source.asked.filter((path) => came.includes(path) && path !== '/last-updated.txt')
      assert.deepEqual([again, differing(source, mirror), source.breaches], [[], [], []])
    })
  }
})

function killAt(
  source: PublicSource,
  { after: count, stage, waitMs }: { after: number; stage: (typeof stages)[number]; waitMs: number },
  kill: () => void,
): void {
  let left = count
  if (stage === 'half answered') {
    source.fault = ({ content, response, answer }) => {
      if (left-- !== 0) return answer()
      response.writeHead(200, { 'Content-Length': content.length })
      response.write(content.subarray(0, content.length >> 1), kill)
    }
    return
  }
  source.onStage = (now) => {
    if (now !== (stage === 'asked' ? 'asked' : 'answered') || left-- !== 0) return
    if (stage === 'a while after') setTimeout(kill, waitMs)
    else kill()
  }
}

describe('A disk that fills up', { skip: skipWithoutMounting() }, () => {
  it('A fetch or an import on a full disk names its folder and the remedy, and the next run goes on', async () => {
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
        assert.deepEqual((await run()).failures, [])
        rmSync(snapshots, { recursive: true })
      }
      for (const step of ['tcgcsv: fetch', 'tcgcsv: import', 'the record of this run']) assert.ok(seen.has(step), step)
    } finally {
      await unmount()
    }
  })
})

itInAll('A fetch of a large file completes over a connection that breaks, in less than 150 MB of memory', async () => {
  /** The program takes 120 MB of it, whose file has 98 MB. */
  const memoryMax = 150e6
  const content = gzipSync(randomBytes(98_000_000), { level: 0 })
  const sum = createHash('sha256').update(content).digest('hex')
  const names = ['AllPrintings.json.gz', 'AllPrices.json.gz'].map((name) => `/api/v5/${name}`)
  const files = names.flatMap((path) => [[path, content] as const, [`${path}.sha256`, sum] as const])
  const source = await PublicSource.start(new Map<string, string | Buffer>(files))
  source.fault = breakingOff(names[0]!, 2)
  const mirror = temporaryFolder()
  const { code, stderr, peakBytes } = await runFetch(['fetch', 'mtgjson', '--out', mirror, '--from', source.url])
  assert.equal(code, 0, stderr)
  assert.ok(readFileSync(join(mirror, 'AllPrintings.json.gz')).equals(content))
  assert.equal(source.asked.length, 4 + 2)
  assert.ok(peakBytes < memoryMax, `${peakBytes}`)
})
