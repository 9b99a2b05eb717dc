/**
 * A fortnight of mornings, each as `card-prices update` is run by a timer, with what goes wrong in a year. After each, the
 * server, the exit code, the doctor, the operator's desk and the metrics say what whoever runs the service needs. Each remedy
 * that is printed is typed as it stands, and works. The server and its desk have this machine's own clock, which is a month
 * ahead of the mornings.
 */
import assert from 'node:assert/strict'
import { type StdioOptions, spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mock, test } from 'node:test'
import { decodeHTMLStrict } from 'entities'
import { dateOfDay } from '../../src/calendar.ts'
import { doctorHere, madeStore } from '../cli/doctor.ts'
import { amount } from '../support/amount.ts'
import {
  accounts,
  type Outcome,
  outcomeOf,
  projectDir,
  runHere,
  temporaryFolder,
  withModules,
} from '../support/command.ts'
import { replying } from '../support/file-server.ts'
import { groupsOf, type Market } from '../support/mirror.ts'
import { Scrape } from '../support/scrape.ts'
import { send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { Person } from '../web/person.ts'
import { runFetch } from './fetch-process.ts'
import { PublicSource, tcgcsvFiles } from './public-source.ts'

const dayMs = 86_400_000
/** The day before the first morning: a month ago, so that the machine's own clock is never behind. */
const eve = Math.floor(Date.now() / dayMs) - 30

/** What the publisher has: sets of 40 cards. Each price differs from day to day. */
interface Published {
  /** How many sets of Pokémon are gone, the last ones first. */
  readonly gone?: number
  /** By how much the prices of all games are multiplied. */
  readonly factor?: number
}

function publishedOn(day: number, { gone = 0, factor = 1 }: Published) {
  const markets = (sets: number, from: number): Market[] =>
    Array.from({ length: 40 * sets }, (_, card) => Math.round((from + card + day / 20) * factor * 100) / 100)
  const groups = [...groupsOf(markets(5 - gone, 10), 3), ...groupsOf(markets(1, 30), 68)]
  return tcgcsvFiles(groups, `${dateOfDay(eve + day)}T20:05:31+0000`)
}

/** The words of a command line, as a shell reads them. */
function wordsOf(line: string): readonly string[] {
  const { stdout } = spawnSync('sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' })
  const [program, ...words] = stdout.split('\0').slice(0, -1)
  assert.equal(program, 'card-prices')
  return words
}

test('Each daily update of a fortnight publishes right prices, or prints a remedy that works as it is', {
  timeout: 600_000,
}, async (context) => {
  const [snapshots, INDEX_DIR, STORE_DIR, pushTo] = [
    temporaryFolder(),
    temporaryFolder(),
    await madeStore(),
    temporaryFolder(),
  ]
  const source = await PublicSource.start(new Map())
  const env = { INDEX_DIR, STORE_DIR, CARD_PRICES_ENV: '', CARD_PRICES_PROGRAM: 'card-prices' }
  const options = ['--out', snapshots, '--games', 'pokemon,onepiece', '--from', source.url, '--push', pushTo]
  const words = ['update', 'tcgcsv', ...options]
  // The doctor that a page runs has a bound by the clock, which low priority exceeds on a busy machine.
  const usual = withModules('test/support/no-priority.cjs')
  const service = await startService({ ...env, METRICS_PORT: '0', WEB_PORT: '0', OPERATOR_PAGES: 'on', ...usual })
  const operator = new Person(service.pages)
  await operator.open(new URL((await accounts(STORE_DIR, 'sign-in', '--operator')).url).pathname)
  await operator.press('Sign in')
  let day = 0
  const current = (folder = INDEX_DIR) => readFileSync(join(folder, 'current'), 'utf8').trim()

  /** @param aheadMs of this machine's clock */
  async function at<Result>(aheadMs: number, run: () => Promise<Result>): Promise<Result> {
    mock.timers.enable({ apis: ['Date'], now: (eve + day) * dayMs + 21 * 3_600_000 + aheadMs })
    try {
      return await run()
    } finally {
      mock.timers.reset()
    }
  }

  /** The next day's prices are there, and the timer rings. */
  async function morning(published: Published = {}, aheadMs = 0): Promise<Outcome> {
    day++
    source.files.clear()
    for (const [path, content] of publishedOn(day, published)) source.set(path, content)
    return at(aheadMs, () => runHere(words, env))
  }

  const type = (line: string, aheadMs = 0) => at(aheadMs, () => runHere(wordsOf(line), env))

  /** The remedy in a text: the command between brackets. */
  function remedyIn(text: string): string {
    const [, line] = /\((card-prices [^)]*)\)/.exec(text) ?? []
    assert.ok(line !== undefined, text)
    return line
  }

  const doctor = (aheadMs = 0) =>
    at(aheadMs, () => doctorHere({ INDEX_DIR, STORE_DIR, PORT: '0', CARD_PRICES_ENV: '' }))

  /** npm run test:all reads each morning what the desk's doctor finds, which takes a second. */
  const isChecked = amount(0, 1) === 1

  /** The text of the desk's first page. @param checks whether it waits for the doctor, and shows what it finds */
  async function desk(checks = isChecked): Promise<string> {
    const { status, body } = await operator.open(checks ? '/operator?check' : '/operator')
    assert.equal(status, 200)
    return decodeHTMLStrict(body.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ')
  }

  /** The desk says what is served, and how the last update ended. Returns what it says needs a look. */
  async function deskSays(version: string, result: RegExp): Promise<string> {
    const shown = await desk()
    assert.ok(shown.includes(` Version ${version} `), shown)
    const [findings, updates] = shown.split('The last run of each source')
    assert.match(updates!, result)
    return findings!
  }

  /** The server serves this morning's prices, and so does the folder to which versions are pushed. */
  async function servesToday(outcome: Outcome, aheadMs = 0) {
    assert.equal(outcome.code, 0, outcome.stdout + outcome.stderr)
    const version = current()
    assert.equal(version.slice(0, 10), dateOfDay(eve + day))
    assert.equal(current(pushTo), version)
    await until('the server serves it', async () => (await send(service.address, '/healthz')).json.version === version)
    const { of } = await doctor(aheadMs)
    assert.match(of('build'), /^ok the last one 0 minutes ago/)
    assert.match(of('INDEX_DIR'), aheadMs < 0 ? /^warn .* is dated after today, / : /^ok /)
    assert.deepEqual(await figures(), { updated: 1, refused: 0 })
    const findings = await deskSays(version, /^ Source .* tcgcsv [^·]*? UTC in \d+ min (imported|nothing new) /)
    if (isChecked) assert.doesNotMatch(findings, / (the last update of tcgcsv|the last one) failed /)
  }

  /** The server serves the version of before. */
  async function servesOn(outcome: Outcome, before: string, code: number) {
    assert.equal(outcome.code, code, outcome.stdout + outcome.stderr)
    assert.equal(current(), before)
    assert.equal((await send(service.address, '/healthz')).json.version, before)
    const findings = await deskSays(before, code === 75 ? / UTC in \d+ min away \S/ : / UTC in \d+ min failed \S/)
    if (!isChecked) return
    const { of } = await doctor()
    const lines = [...`${of('import')} ${of('build')}`.matchAll(/\((card-prices [^)]*)\)/g)].map(([, line]) => line!)
    assert.ok(lines.length > 0)
    for (const line of lines) assert.ok(findings.includes(`(${line})`), `${findings} lacks ${line}`)
  }

  async function figures() {
    const scrape = new Scrape((await send(service.metrics, '/metrics')).body)
    const updated = scrape.value('cpl_last_update_success{source="tcgcsv"}')
    return { updated, refused: scrape.value('cpl_last_build_failed') }
  }

  /** The mornings that take long are those of npm run test:all alone. */
  const inAll = (title: string, run: () => Promise<void>) => amount(0, 1) === 1 && context.test(title, run)

  await context.test('The first daily update publishes a version', async () => servesToday(await morning()))

  await context.test(
    'An update builds under a clock that is a year ahead, and again once the clock is right',
    async () => {
      const year = 365 * dayMs
      await servesToday(await morning({}, year), year)
      assert.match((await doctor()).of('build'), /^warn the last one 36[45] days in the future .*: check this clock/)
      assert.match(
        await desk(true),
        / warn build : the last one 33\d days in the future \([^)]*\)[^·]* check this clock/,
      )
      await servesToday(await morning())
    },
  )

  await inAll('An update publishes as usual under a clock that is a day ahead or a day behind', async () => {
    await servesToday(await morning({}, dayMs), dayMs)
    await servesToday(await morning({}, -dayMs), -dayMs)
  })

  await inAll(
    'An update under a clock ten days behind refuses prices of the future, and asks whether the clock is right',
    async () => {
      const before = current()
      const outcome = await morning({}, -10 * dayMs)
      await servesOn(outcome, before, 1)
      assert.match(
        outcome.stderr,
        /which is after tomorrow; this machine's clock says \S+Z: is it right\?; look at the files/,
      )
      assert.deepEqual(await figures(), { updated: 0, refused: 0 })
      await servesToday(await type(remedyIn((await doctor()).of('import'))))
    },
  )

  const heldSets = async () =>
    [...new Scrape((await send(service.metrics, '/metrics')).body).counts('cpl_update_sets_held').keys()].map(
      (labels) => labels.split(' ')[2],
    )

  await context.test(
    'The doctor prints a command that accepts all held sets, and accepts only one if the others are taken out of it',
    async () => {
      await servesToday(await morning({ gone: 2 }))
      assert.deepEqual(await heldSets(), ['g3', 'g4'])
      assert.match(await desk(false), / --accept pokemon\/g3,pokemon\/g4 Copy line/)
      const line = remedyIn((await doctor()).of('import'))
      assert.match(line, / --games pokemon,onepiece --from http:\S+ --push \S+ --accept pokemon\/g3,pokemon\/g4$/)
      const outcome = await type(line.replace('pokemon/g3,', ''))
      await servesToday(outcome)
      assert.match(
        outcome.stdout,
        /warning: published as imports took it \(pokemon\/g4\): more than a tenth fewer cards/,
      )
      assert.deepEqual(await heldSets(), ['g3'])
    },
  )

  await context.test(
    'An update refuses two games at a third of their prices, and its remedy accepts them and no held set',
    async () => {
      const before = current()
      const outcome = await morning({ gone: 2, factor: 0.3 })
      await servesOn(outcome, before, 1)
      assert.deepEqual(await figures(), { updated: 0, refused: 0 })
      const line = remedyIn(outcome.stderr)
      assert.match(line, / --accept pokemon,onepiece$/)
      assert.equal(remedyIn((await doctor()).of('import')), line)
      await servesToday(await type(line))
      assert.deepEqual(await heldSets(), ['g3'])
    },
  )

  const later = { gone: 2, factor: 0.3 }

  await inAll(
    'If a source is away, the doctor says that nothing is to be corrected here, and that a later try may work',
    async () => {
      const before = current()
      source.fault = replying(503, '', { 'Retry-After': '700' })
      const outcome = await morning(later)
      source.fault = undefined
      await servesOn(outcome, before, 75)
      const found = (await doctor()).of('import')
      assert.match(found, /nothing is to be corrected here; try it again later/)
      const isPaused = await type(remedyIn(found))
      assert.match(isPaused.stderr, /tcgcsv asked for a pause until /)
      await servesToday(await type(`${remedyIn(found)} --again`))
    },
  )

  await inAll(
    'An update killed in any step leaves the old or the new version served, and the next run finishes it',
    async () => {
      /** @param hasBuilt whether the killed run, whose clock is the machine's own, has made the version */
      const killedIn = async (isThere: () => boolean, hasBuilt = false) => {
        const before = current()
        day++
        for (const [path, content] of publishedOn(day, later)) source.set(path, content)
        const { code, stdout, stderr } = await runFetch(
          words,
          (kill) => {
            const timer = setInterval(() => {
              if (!isThere()) return
              clearInterval(timer)
              kill()
            }, 1)
            timer.unref()
          },
          env,
        )
        // On a busy machine it may have ended before the kill.
        assert.ok(code === null || code === 0, `${stdout}${stderr}`)
        const served = (await send(service.address, '/healthz')).json.asOf
        assert.ok([before.slice(0, 10), dateOfDay(eve + day)].includes(served))
        const aheadMs = hasBuilt ? Date.now() - (eve + day) * dayMs - 21 * 3_600_000 : 0
        const found = (await doctor()).of('fetch')
        const line = found.startsWith('warn') ? remedyIn(found) : `card-prices ${words.join(' ')} --again`
        assert.match(line, / --from http:\S+ --push /)
        await servesToday(await type(line, aheadMs), aheadMs)
      }
      const some = (folder: string, start: string) => () =>
        existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(start))
      source.forget()
      await killedIn(() => source.asked.some((path) => path.endsWith('/prices')))
      await killedIn(some(join(snapshots, 'import'), '.staging-'))
      await killedIn(some(INDEX_DIR, '.staging-'))
      await killedIn(some(pushTo, '.staging-'), true)
    },
  )

  await inAll('An update that meets a limit of file sizes names the file, and the next run publishes', async () => {
    const before = current()
    day++
    for (const [path, content] of publishedOn(day, later)) source.set(path, content)
    // The files of a mirror are smaller, and those of cards are larger.
    const limited = ['-c', 'ulimit -f 24 && exec bin/card-prices "$@"', 'sh', ...words, '--again']
    const stdio: StdioOptions = ['ignore', 'pipe', 'pipe']
    const full = await outcomeOf(spawn('sh', limited, { cwd: projectDir, env: { ...process.env, ...env }, stdio }))
    await servesOn(full, before, 1)
    assert.match(
      full.stderr,
      /^tcgcsv: import failed: \S+: can't be written: a file would be larger than is allowed \(EFBIG\)/m,
    )
    assert.deepEqual(await figures(), { updated: 0, refused: 0 })
    await servesToday(await type(remedyIn((await doctor()).of('import'))))
  })

  await context.test(
    'The doctor reports a failed build until one succeeds, even after a later fetch fails for another reason',
    async () => {
      const before = current()
      const own = join(snapshots, 'cards/own.ndjson')
      writeFileSync(own, '{}\n')
      const outcome = await morning(later)
      await servesOn(outcome, before, 1)
      const found = (await doctor()).of('build')
      assert.match(found, /^bad the last one failed 0 minutes ago, so earlier prices are served: cards\/own.ndjson:1: /)
      assert.deepEqual(await figures(), { updated: 0, refused: 1 })
      source.fault = replying(404, '')
      await servesOn(await morning(later), before, 1)
      source.fault = undefined
      assert.match((await doctor()).of('build'), /^bad the last one failed/)
      assert.match(await desk(true), /bad build : the last one failed .*: cards\/own\.ndjson:1: /)
      rmSync(own)
      for (const line of found.matchAll(/\((card-prices [^)]*)\)/g)) assert.equal((await type(line[1]!)).code, 0)
      assert.match((await doctor()).of('build'), /^ok /)
      // In the whole fortnight, the held set is gone for its eighth day by now, and is taken as it is.
      assert.deepEqual(await heldSets(), amount(0, 1) === 1 ? [] : ['g3'])
      const cards = amount(200, 160)
      await until('the server serves it', async () => (await send(service.address, '/healthz')).json.cards === cards)
    },
  )
})
